import type { JsonObject } from '@mcp-toolkits/core/base'
import { readDate } from '@mcp-toolkits/core/tool'

const dayMs = 86_400_000

/** Reads the days back to a date or over a period: "2026-11-06", "-P7D", "2 weeks". */
export function readDays(written: unknown, today: string) {
  const text = String(written).trim()
  const reading = readDate(written, today) ?? readDate(/^p?\d/i.test(text) ? `-${text}` : `last ${text}`, today)
  const [date] = reading && !('possible' in reading) ? Object.values(reading) : []
  return typeof date === 'string' ? { likely: (Date.parse(today) - Date.parse(date)) / dayMs } : undefined
}

/** True unless the name is Jira's for an end of a relation that has a direction. */
export function isEnd(_: unknown, { name, others }: { readonly name: string; readonly others: JsonObject }): boolean {
  return !/ward/i.test(name) || /relat/i.test(JSON.stringify(Object.values(others)))
}
