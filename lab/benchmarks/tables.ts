// Tables in Markdown.
import type { Figures } from './statistics.ts'

type Cell = string | number | null | undefined

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => cells.map((cell) => String(cell ?? '')))
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines.map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`).join('\n')
}

/** Median and range of the values; empty if there are none. */
export const range = (figures: Figures | undefined) => (figures ? `${figures.median} (${figures.min} to ${figures.max})` : '')
