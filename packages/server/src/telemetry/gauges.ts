import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api'
import { type MetricDefinition, metricDefinitions } from './metrics.ts'

/** The connections of one pool to PostgreSQL. */
export interface PoolUse {
  /** What they are for. */
  readonly pool: 'statements' | 'locks'
  readonly busy: number
  readonly idle: number
  /** How much work waits for one. */
  readonly waiting: number
}

/** What is not delivered, in one state. */
export interface Backlog {
  readonly state: 'waiting' | 'refused' | 'parked'
  readonly entries: number
  /** The age of the oldest one; 0 when there is none. */
  readonly oldestSeconds: number
}

/** What is read when metrics are collected. What cannot be read is missing from them. */
export interface GaugeSources {
  readonly pools?: (() => readonly PoolUse[]) | undefined
  readonly backlog?: (() => Promise<readonly Backlog[]>) | undefined
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
  if (!backlog) return
  const [entries, oldest] = [gauge(metricDefinitions.outboxEntries), gauge(metricDefinitions.outboxOldestSeconds)]
  const read = async (result: BatchObservableResult) => {
    for (const { state, entries: count, oldestSeconds } of await backlog()) {
      result.observe(entries, count, { state })
      result.observe(oldest, oldestSeconds, { state })
    }
  }
  observe(read, [entries, oldest])
}
