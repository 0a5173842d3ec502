import type { Figures } from '../statistics.ts'
import { range, table } from '../tables.ts'

export interface CallFigures {
  readonly plain_ms: Figures
  readonly people_ms: Figures
  /** Median of the rounds' differences. */
  readonly extra_ms: number
}

export interface CrowdFigures {
  readonly server: string
  readonly people: number
  readonly before_mb: number
  readonly connected_mb: number
  readonly peak_mb: number | null
}

export interface PeopleResults {
  readonly calls: CallFigures
  readonly memory: readonly CrowdFigures[]
}

export function report({ calls, memory }: PeopleResults): string {
  return [
    table(['plain `http`, ms', '`http --issuer`, ms', 'difference, ms'], [[range(calls.plain_ms), range(calls.people_ms), calls.extra_ms]]),
    table(
      ['server', 'people connected', 'before, MB', 'with everyone, MB', 'peak, MB'],
      memory.map((each) => [each.server, each.people, each.before_mb, each.connected_mb, each.peak_mb]),
    ),
  ].join('\n\n')
}
