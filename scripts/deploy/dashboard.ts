import { metricDefinitions, prometheusName } from '../../packages/server/src/telemetry/metrics.ts'
import type { LabelOf, MetricOf } from './queries.ts'

/** One or more lines in a panel. */
interface Query {
  readonly expression: string
  readonly legend: string
}

interface Panel {
  readonly title: string
  readonly description: string
  /** The unit, by Grafana's name. */
  readonly unit: 'reqps' | 's' | 'percentunit' | 'short' | 'ops'
  readonly queries: readonly Query[]
}

/** The servers that the dashboard shows, as its reader chooses them. */
const chosen = 'job=~"$job"'
const range = '[$__rate_interval]'

/** A metric's rate per second, by some of its labels. */
function rate<Name extends MetricOf<'counter'>>(name: Name, ...by: readonly LabelOf<Name>[]): Query {
  return grouped(`rate(${prometheusName(metricDefinitions[name])}{${chosen}}${range})`, by)
}

/** A quantile of a histogram of seconds, by some of its labels. */
function quantile<Name extends MetricOf<'histogram'>>(share: number, name: Name, ...by: readonly LabelOf<Name>[]): Query {
  const buckets = `${prometheusName(metricDefinitions[name])}_bucket{${chosen}}`
  const expression = `histogram_quantile(${share}, sum by (${['le', ...by].join(', ')}) (rate(${buckets}${range})))`
  return { expression, legend: by.length > 0 ? legendOf(by) : `p${share * 100}` }
}

/** The average number in progress, from a histogram's sum of seconds, by some of its labels. */
function busy<Name extends MetricOf<'histogram'>>(name: Name, ...by: readonly LabelOf<Name>[]): Query {
  return grouped(`rate(${prometheusName(metricDefinitions[name])}_sum{${chosen}}${range})`, by)
}

/** The largest value among all processes, which should all report the same, by some of the metric's labels. */
function largest<Name extends MetricOf<'gauge'>>(name: Name, ...by: readonly LabelOf<Name>[]): Query {
  const expression = `max by (${['job', ...by].join(', ')}) (${prometheusName(metricDefinitions[name])}{${chosen}})`
  return { expression, legend: legendOf(['job', ...by]) }
}

/** The sum of all processes' values, by some of the metric's labels. */
function total<Name extends MetricOf<'gauge'>>(name: Name, ...by: readonly LabelOf<Name>[]): Query {
  return grouped(`${prometheusName(metricDefinitions[name])}{${chosen}}`, by)
}

function grouped(expression: string, by: readonly string[]): Query {
  return { expression: by.length > 0 ? `sum by (${by.join(', ')}) (${expression})` : `sum(${expression})`, legend: legendOf(by) }
}

function legendOf(labels: readonly string[]): string {
  return labels.length > 0 ? labels.map((label) => `{{${label}}}`).join(' ') : 'all'
}

const failures = 'outcome=~"internal|unavailable|rate_limited"'
const callsName = prometheusName(metricDefinitions.calls)

/** Share of calls that the server or the vendor failed. */
const failedShare: Query = {
  expression: `sum(rate(${callsName}{${chosen}, ${failures}}${range})) / sum(rate(${callsName}{${chosen}}${range}))`,
  legend: 'failed',
}

const panels: readonly Panel[] = [
  { title: 'Calls', description: 'By outcome, as in the audit log.', unit: 'reqps', queries: [rate('calls', 'outcome')] },
  {
    title: 'Failed calls',
    description: 'The share with the outcome internal, unavailable or rate_limited; other outcomes answer the call.',
    unit: 'percentunit',
    queries: [failedShare],
  },
  {
    title: 'Latency of calls',
    description: '50%, 95% and 99% of calls take at most this long.',
    unit: 's',
    queries: [quantile(0.5, 'callSeconds'), quantile(0.95, 'callSeconds'), quantile(0.99, 'callSeconds')],
  },
  { title: 'Calls by tool', description: '', unit: 'reqps', queries: [rate('calls', 'tool')] },
  {
    title: 'Latency by tool',
    description: '95% of calls take at most this long.',
    unit: 's',
    queries: [quantile(0.95, 'callSeconds', 'tool')],
  },
  {
    title: 'Refused requests',
    description: '401 and 403: tokens, hosts and origins. 429 and 503: too many requests at once.',
    unit: 'reqps',
    queries: [rate('refusedRequests', 'status')],
  },
  {
    title: 'Requests to vendors',
    description: 'Each attempt counts separately.',
    unit: 'reqps',
    queries: [rate('upstreamRequests', 'host', 'status')],
  },
  {
    title: "Vendors' latency",
    description: '95% of requests are at least this fast.',
    unit: 's',
    queries: [quantile(0.95, 'upstreamSeconds', 'host')],
  },
  { title: 'Retries', description: 'Requests that repeat a failed one.', unit: 'reqps', queries: [rate('upstreamRetries', 'host')] },
  {
    title: 'Waiting for vendors',
    description: 'How many requests wait on average: between attempts, or because the vendor asked us to slow down.',
    unit: 'short',
    queries: [busy('upstreamWaitSeconds', 'host', 'reason')],
  },
  { title: 'Token refreshes', description: 'By outcome.', unit: 'ops', queries: [rate('tokenRefreshes', 'outcome')] },
  { title: 'Outbox', description: 'Undelivered events.', unit: 'short', queries: [largest('outboxEntries', 'state')] },
  {
    title: 'Oldest event in the outbox',
    description: 'How long it has been waiting.',
    unit: 's',
    queries: [largest('outboxOldestSeconds', 'state')],
  },
  {
    title: 'Connections to PostgreSQL',
    description: 'For all replicas.',
    unit: 'short',
    queries: [total('databaseConnections', 'pool', 'state')],
  },
  {
    title: 'Work that waits for a connection',
    description: 'If more than a few wait for long, raise the limit, or put PgBouncer in front.',
    unit: 'short',
    queries: [total('databaseWaiting', 'pool')],
  },
]

const columns = 3
const width = 24 / columns
const height = 8

/** The dashboard as Grafana imports it. */
export function grafanaDashboard(): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' }
  const variable = { type: 'query', name: 'job', label: 'Server', datasource, query: `label_values(${callsName}, job)`, refresh: 2 }
  return {
    uid: 'mcp-toolkits',
    title: 'MCP Toolkits',
    description: 'Generated by scripts/generate.ts; do not edit.',
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { type: 'datasource', name: 'datasource', label: 'Data source', query: 'prometheus' },
        { ...variable, includeAll: true, multi: true, allValue: '.*', current: { text: 'All', value: '$__all' } },
      ],
    },
    panels: panels.map(({ title, description, unit, queries }, index) => ({
      id: index + 1,
      type: 'timeseries',
      title,
      description,
      datasource,
      gridPos: { x: (index % columns) * width, y: Math.floor(index / columns) * height, w: width, h: height },
      fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
      options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
      targets: queries.map(({ expression: expr, legend: legendFormat }, number) => ({
        refId: String.fromCodePoint(65 + number),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  }
}
