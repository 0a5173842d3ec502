import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api'
import type { Backlog } from '@mcp-toolkits/core/telemetry'
import type { PoolUse } from '@mcp-toolkits/store/postgres'
import { type MetricDefinition, metricDefinitions } from './metrics.ts'

/** What is read when metrics are collected. What cannot be read is missing from them. */
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

/** Who knows what is not delivered: each open outbox of the process, and each knows all of it. */
export class Backlogs {
  readonly #readers = new Set<GaugeSources['backlog']>()

  watch(read: GaugeSources['backlog']): () => void {
    this.#readers.add(read)
    return () => {
      this.#readers.delete(read)
    }
  }

  /** Nothing while no outbox is open. */
  async read(): Promise<readonly Backlog[]> {
    const [reader] = this.#readers
    return reader ? reader() : []
  }
}
