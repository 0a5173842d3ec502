// Tables in Markdown.
import type { Figures } from './statistics.ts'

type Cell = string | number | null

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map((cell) => cell ?? '').join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The median, and between what the values were. */
export const range = ({ median, min, max }: Figures) => `${median} (${min} to ${max})`
