import type { Figures } from '../statistics.ts'
import { range, table } from '../tables.ts'

export interface StartRow {
  readonly name: string
  readonly era: string
  readonly tools: number
  readonly tools_list_bytes: number
  readonly warm_ms: Figures
  /** Medians of the trials' quotients. */
  readonly times_reference: number
  readonly times_reference_processor: number
  readonly times_node: number
  readonly cold_ms: Figures
  readonly peak_rss_mb: number
}

export interface Weight {
  readonly tools_list_bytes: number
  readonly bundle_bytes: number
  readonly start_files: number
  readonly start_bytes: number
}

export interface StartResults {
  readonly node: string
  /** The machine's load before the run. */
  readonly load: number
  readonly rounds: number
  readonly cold_rounds: number
  readonly bare_node_ms: Figures
  readonly rows: readonly StartRow[]
  readonly weights: Readonly<Record<string, Weight>>
}

const eras: Readonly<Record<string, string>> = { legacy: '2025-11-25', modern: '2026-07-28' }

export function report({ node, load, rounds, cold_rounds: coldRounds, bare_node_ms: nodeMs, rows, weights }: StartResults): string {
  const starts = rows.map((row) => [
    ...[row.name, row.tools, eras[row.era], range(row.warm_ms), row.times_reference, row.times_reference_processor],
    ...[row.times_node, range(row.cold_ms), row.peak_rss_mb],
  ])
  const head = ['', 'tools', 'revision', 'warm, ms', '× one tool', '× one tool, processor', '× `node -e 0`', 'cold, ms', 'peak, MB']
  const weighed = Object.entries(weights).map(([name, each]) => [
    ...[name, each.tools_list_bytes, each.bundle_bytes, each.start_files, each.start_bytes],
  ])
  return [
    `Node ${node}; load ${load} before the run. ${rounds} warm and ${coldRounds} cold starts each, medians (least to most). \`node -e 0\`: ${range(nodeMs)} ms.`,
    table(head, starts),
    '## What is installed and loaded',
    table(['', '`tools/list`, bytes', 'bundle, bytes', 'files of a start', 'their bytes'], weighed),
  ].join('\n\n')
}
