import { metricDefinitions, prometheusName } from '../../packages/server/src/telemetry/metrics.ts'

type Metrics = typeof metricDefinitions

/** Names of the metrics of a kind. */
export type MetricOf<Kind> = { [Name in keyof Metrics]: Metrics[Name]['kind'] extends Kind ? Name : never }[keyof Metrics]

export type LabelOf<Name extends keyof Metrics> = Metrics[Name]['labels'][number]

/** The values of labels that samples must have, as regular expressions. */
export type Selection<Name extends keyof Metrics> = Partial<Readonly<Record<LabelOf<Name>, string>>>

/** Rate per second over ten minutes, in PromQL. */
export function rateOf<Name extends MetricOf<'counter'>>(name: Name, selection: Selection<Name> = {}): string {
  return `rate(${prometheusName(metricDefinitions[name])}${selector(selection)}[10m])`
}

/** The current values, in PromQL. */
export function valueOf<Name extends MetricOf<'gauge'>>(name: Name, selection: Selection<Name> = {}): string {
  return `${prometheusName(metricDefinitions[name])}${selector(selection)}`
}

/** A histogram's sum per second, in PromQL; for seconds, that is the average number in progress. */
export function busyOf<Name extends MetricOf<'histogram'>>(name: Name, selection: Selection<Name> = {}): string {
  return `rate(${prometheusName(metricDefinitions[name])}_sum${selector(selection)}[10m])`
}

/** A quantile of a histogram of seconds, in PromQL. */
export function quantileOf(share: number, name: MetricOf<'histogram'>): string {
  return `histogram_quantile(${share}, sum by (job, le) (rate(${prometheusName(metricDefinitions[name])}_bucket[10m])))`
}

function selector(selection: Readonly<Partial<Record<string, string>>>): string {
  const pairs = Object.entries(selection).map(([label, pattern]) => `${label}=~"${pattern}"`)
  return pairs.length > 0 ? `{${pairs.join(', ')}}` : ''
}
