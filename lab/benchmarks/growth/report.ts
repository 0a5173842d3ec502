import type { Figures } from '../statistics.ts'
import { range, table } from '../tables.ts'

/** A call at one size. */
export interface Point {
  readonly size: number
  readonly ms: number
  readonly requests: number
  readonly peak_mb: number | null
}

export interface JobRow {
  readonly job: string
  readonly unit: string
  readonly few: Point
  readonly many: Point
}

/** One process making 800 calls, and four on the same data directory making 200 each. */
export interface ProcessRow {
  readonly server: string
  readonly one_ms: Figures
  readonly four_ms: Figures
  readonly times_one: Figures
}

export interface BlockRow {
  readonly call: string
  readonly bytes: number
  readonly blocked_ms: number
}

export interface GrowthResults {
  readonly node: string
  readonly load: number
  readonly jobs: readonly JobRow[]
  readonly blocked: readonly BlockRow[]
  readonly processes: readonly ProcessRow[]
}

export function report({ node, load, jobs, blocked, processes }: GrowthResults): string {
  const pair = (few: number | null, many: number | null) => `${few ?? '?'} → ${many ?? '?'}`
  const sizes = jobs.map(({ job, unit, few, many }) => [
    ...[job, `${few.size.toLocaleString('en')} → ${many.size.toLocaleString('en')} ${unit}`, pair(few.ms, many.ms)],
    ...[pair(few.requests, many.requests), pair(few.peak_mb, many.peak_mb)],
  ])
  return [
    `Node ${node}; load ${load} before the run.`,
    table(['', 'how much there is', 'ms', 'requests', 'peak, MB'], sizes),
    '## The longest time that a 1 MiB call keeps the event loop busy',
    table(
      ['', 'bytes', 'ms'],
      blocked.map(({ call, bytes, blocked_ms: ms }) => [call, bytes, ms]),
    ),
    '## Four processes on one data directory',
    '800 write calls by one process, and 200 by each of four, medians (least to most).',
    table(
      ['', 'one, ms', 'four, ms', '× one'],
      processes.map((row) => [row.server, range(row.one_ms), range(row.four_ms), range(row.times_one)]),
    ),
  ].join('\n\n')
}
