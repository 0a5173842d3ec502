import { mapTexts, type JsonObject } from '@mcp-toolkits/core/json'
import { printable, printableJson } from '@mcp-toolkits/core/printable'
import { redact } from '@mcp-toolkits/core/redaction'

/** What every text goes through when it leaves the server. */
export type ExitFilter = (text: string) => string

/** For models, persons and terminals: without known secrets, and with control and invisible characters made visible. */
export const filterText: ExitFilter = (text) => printable(redact(text))

/** For programs, as JSON that a terminal can show: the same characters are JSON escapes, so that nothing but secrets is lost. */
export function filteredJson(value: JsonObject, indent?: number): string {
  return printableJson(JSON.stringify(mapTexts(value, redact), null, indent))
}
