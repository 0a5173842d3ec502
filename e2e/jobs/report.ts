// The table of jobs in docs/benchmarks.md.
import type { Job } from './jobs.ts'

export interface Figures extends Pick<Job, 'name' | 'peers'> {
  readonly calls: number
  readonly tokens: number
}

const cell = (peer: number | string) => (typeof peer === 'number' ? `≥ ${peer} calls` : `cannot: ${peer}`)

export function jobTable(figures: readonly Figures[]): string {
  const rows = figures.map(({ name, calls, tokens, peers }) => [name, calls, tokens, ...peers.map(cell)])
  const head = ['', 'calls', '≈ tokens', '`@tacticlaunch/mcp-linear`', '`mcp-server-linear`']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
