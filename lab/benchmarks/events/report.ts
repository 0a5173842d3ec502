import type { Figures } from '../statistics.ts'
import { range, table } from '../tables.ts'

/** The cost of one event in an outbox. */
export interface EngineRow {
  readonly engine: string
  readonly server_ms: Figures
  readonly database_ms: Figures
  readonly times_sqlite: Figures
  readonly events_per_s: Figures
  readonly alone_ms: Figures
}

/** The drain rate of a queue, and the longest time that the event loop was busy. */
export interface QueueRow {
  readonly engine: string
  readonly waiting: number
  readonly drained_per_s: number
  readonly longest_ms: { readonly draining: number; readonly in_backoff: number; readonly of_one_person: number }
}

export interface EventResults {
  readonly postgres: string
  readonly events: number
  readonly engines: readonly EngineRow[]
  readonly queues: readonly QueueRow[]
}

export function report({ postgres, events, engines, queues }: EventResults): string {
  const costs = engines.map((row) => [
    row.engine,
    ...[row.server_ms, row.database_ms, row.times_sqlite, row.events_per_s, row.alone_ms].map((figures) => range(figures)),
  ])
  const drains = queues.map(({ engine, waiting, drained_per_s: rate, longest_ms: longest }) => [
    ...[engine, waiting.toLocaleString('en'), rate, longest.draining, longest.in_backoff, longest.of_one_person],
  ])
  return [
    `PostgreSQL ${postgres}; ${events} events in each round, medians (least to most).`,
    table(['', 'server, ms', 'database, ms', '× SQLite', 'events per second', 'one call alone, ms'], costs),
    '## How fast a queue drains',
    'Best of three. The last columns are the longest time that the event loop was busy.',
    table(['', 'waiting', 'drained per second', 'draining, ms', 'all in backoff, ms', 'all about one person, ms'], drains),
  ].join('\n\n')
}
