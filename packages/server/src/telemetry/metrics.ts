import type { Backlog } from '@mcp-toolkits/core/upstream'
import type { Attributes, BatchObservableResult, Meter, Observable } from '@opentelemetry/api'

/** One metric: a number that only grows, a number read when metrics are collected, or a distribution of sizes. */
export interface MetricDefinition {
  /** The name with dots, as OpenTelemetry spells it. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** All its labels. Each has few values, and no caller can choose any. */
  readonly labels: readonly string[]
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[]
}

const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Every server metric. The dashboard and the documentation take the names from here. */
export const metricDefinitions = {
  calls: {
    name: 'mcp.calls',
    kind: 'counter',
    help: 'Finished tool calls.',
    labels: ['tool', 'effect', 'outcome'],
  },
  callSeconds: {
    name: 'mcp.call.duration.seconds',
    kind: 'histogram',
    help: 'How long calls took.',
    labels: ['tool', 'effect'],
    buckets: seconds,
  },
  refusedRequests: {
    name: 'mcp.refused.requests',
    kind: 'counter',
    help: 'HTTP requests refused before becoming calls.',
    labels: ['status'],
  },
  upstreamRequests: {
    name: 'mcp.upstream.requests',
    kind: 'counter',
    help: 'Requests to the vendor, counting each attempt. The status is 2xx to 5xx, or none if there was no response.',
    labels: ['host', 'status'],
  },
  upstreamSeconds: {
    name: 'mcp.upstream.request.duration.seconds',
    kind: 'histogram',
    help: 'How long requests to the vendor took, up to the last byte of the response.',
    labels: ['host'],
    buckets: seconds,
  },
  upstreamRetries: {
    name: 'mcp.upstream.retries',
    kind: 'counter',
    help: 'Retries of failed requests to the vendor.',
    labels: ['host'],
  },
  upstreamWaitSeconds: {
    name: 'mcp.upstream.wait.seconds',
    kind: 'histogram',
    help: 'How long requests waited: between two attempts (backoff), or because the vendor asked the server to slow down (rate_limit).',
    labels: ['host', 'reason'],
    buckets: seconds,
  },
  tokenRefreshes: {
    name: 'mcp.token.refreshes',
    kind: 'counter',
    help: 'Access token refreshes by outcome: refreshed, ended (the provider no longer accepts the login) or failed.',
    labels: ['outcome'],
  },
  outboxEntries: {
    name: 'mcp.outbox.entries',
    kind: 'gauge',
    help: 'Undelivered events: waiting, refused or parked (not sent again until a person decides). Each replica counts the whole database.',
    labels: ['state'],
  },
  outboxOldestSeconds: {
    name: 'mcp.outbox.oldest.seconds',
    kind: 'gauge',
    help: 'Age of the oldest undelivered event. Every replica reports the same age.',
    labels: ['state'],
  },
  databaseConnections: {
    name: 'mcp.database.connections',
    kind: 'gauge',
    help: "This process's connections to PostgreSQL, for statements and for locks: busy or idle.",
    labels: ['pool', 'state'],
  },
  databaseWaiting: {
    name: 'mcp.database.waiting',
    kind: 'gauge',
    help: "This process's requests waiting for a connection to PostgreSQL.",
    labels: ['pool'],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** A metric's name on /metrics. A histogram has samples with _bucket, _sum and _count appended. */
export function prometheusName({ name, kind }: Pick<MetricDefinition, 'name' | 'kind'>): string {
  return `${name.replaceAll('.', '_')}${kind === 'counter' ? '_total' : ''}`
}

/** Records values. An undefined label is left out. */
export type Recorder = (value: number, labels?: Attributes) => void

/** Recorders of events; gauges are read when metrics are collected. */
export type Recorders = Readonly<Record<EventMetric, Recorder>>

type EventMetric = Exclude<
  keyof typeof metricDefinitions,
  'outboxEntries' | 'outboxOldestSeconds' | 'databaseConnections' | 'databaseWaiting'
>

export function openRecorders(meter: Meter): Recorders {
  const { calls, callSeconds, refusedRequests, tokenRefreshes } = metricDefinitions
  const { upstreamRequests, upstreamSeconds, upstreamRetries, upstreamWaitSeconds } = metricDefinitions
  return {
    calls: counter(meter, calls),
    callSeconds: histogram(meter, callSeconds),
    refusedRequests: counter(meter, refusedRequests),
    upstreamRequests: counter(meter, upstreamRequests),
    upstreamSeconds: histogram(meter, upstreamSeconds),
    upstreamRetries: counter(meter, upstreamRetries),
    upstreamWaitSeconds: histogram(meter, upstreamWaitSeconds),
    tokenRefreshes: counter(meter, tokenRefreshes),
  }
}

function counter(meter: Meter, { name, help }: MetricDefinition): Recorder {
  const instrument = meter.createCounter(name, { description: help })
  return (value, labels) => {
    instrument.add(value, labels)
  }
}

function histogram(meter: Meter, { name, help, buckets = [] }: MetricDefinition): Recorder {
  const instrument = meter.createHistogram(name, { description: help, advice: { explicitBucketBoundaries: [...buckets] } })
  return (value, labels) => {
    instrument.record(value, labels)
  }
}

/** The connections of one pool to PostgreSQL. */
export interface PoolUse {
  /** The connections' purpose. */
  readonly pool: 'statements' | 'locks'
  readonly busy: number
  readonly idle: number
  /** Number of requests waiting for a connection. */
  readonly waiting: number
}

/** Sources of the values read when metrics are collected. An unreadable value is missing from the metrics. */
export interface GaugeSources {
  readonly pools?: (() => readonly PoolUse[]) | undefined
  readonly backlog: () => Promise<readonly Backlog[]>
}

export function observeGauges(meter: Meter, { pools, backlog }: GaugeSources): void {
  const gauge = ({ name, help }: MetricDefinition) => meter.createObservableGauge(name, { description: help })
  const observe = (read: (result: BatchObservableResult) => Promise<void>, gauges: Observable[]) => {
    meter.addBatchObservableCallback(read, gauges)
  }
  if (pools) {
    const [connections, waiting] = [gauge(metricDefinitions.databaseConnections), gauge(metricDefinitions.databaseWaiting)]
    const read = (result: BatchObservableResult) => {
      for (const { pool, busy, idle, waiting: work } of pools()) {
        result.observe(connections, busy, { pool, state: 'busy' })
        result.observe(connections, idle, { pool, state: 'idle' })
        result.observe(waiting, work, { pool })
      }
      return Promise.resolve()
    }
    observe(read, [connections, waiting])
  }
  const [entries, oldest] = [gauge(metricDefinitions.outboxEntries), gauge(metricDefinitions.outboxOldestSeconds)]
  const read = async (result: BatchObservableResult) => {
    for (const { state, entries: count, oldestSeconds } of await backlog()) {
      result.observe(entries, count, { state })
      result.observe(oldest, oldestSeconds, { state })
    }
  }
  observe(read, [entries, oldest])
}

/** Sources of undelivered events: the open outboxes of the process, each of which can count all events. */
export class Backlogs {
  readonly #readers = new Set<GaugeSources['backlog']>()

  watch(read: GaugeSources['backlog']): () => void {
    this.#readers.add(read)
    return () => {
      this.#readers.delete(read)
    }
  }

  /** Reads the undelivered events; empty while no outbox is open. */
  async read(): Promise<readonly Backlog[]> {
    const [reader] = this.#readers
    return reader ? reader() : []
  }
}
