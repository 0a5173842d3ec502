// The tables of docs/benchmarks.md about emulators with much data.
import scale from '../scale.json' with { type: 'json' }
import { range, table } from '../tables.ts'

const numberOf = (count: number) => count.toLocaleString('en')

/** What each page and each query takes with few records and with many. */
export function scaleTable(): string {
  const { node, load, rounds, emulators } = scale
  const about = `Node ${node}, ${rounds} rounds, medians (least to most). Load of the machine before: ${load}.`
  const rows = emulators.flatMap((emulator) =>
    emulator.rows.map((row) => [
      `\`${emulator.name}\``,
      `${row.kind}: ${row.name}`,
      range(row.few_ms),
      range(row.many_ms),
      row.times,
      row.many_bytes,
    ]),
  )
  return `${about}\n\n${table(['', '', '1,000 records, ms', 'many records, ms', 'times', 'bytes with many'], rows)}`
}

/** What the process of each emulator holds in memory with many records. */
export function scaleMemoryTable(): string {
  const rows = scale.emulators.map((each) => [`\`${each.name}\``, `${numberOf(each.many)} ${each.records}`, each.memory_mb, each.peak_mb])
  return table(['', 'data', 'memory, MB', 'peak, MB'], rows)
}
