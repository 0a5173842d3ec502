import { mapTexts, type JsonObject } from '@mcp-toolkits/core/base'
import { printable, printableJson, redact } from '@mcp-toolkits/core/errors'

/** Filter for all text that leaves the server. A result longer than `maxLength` may be cut there. */
export type ExitFilter = (text: string, maxLength?: number) => string

/** Text for models, people and terminals: known secrets are removed, and control and invisible characters made visible. */
export const filterText: ExitFilter = (text, maxLength) => printable(redact(text), maxLength)

/** JSON for programs, safe to show in a terminal: control and invisible characters become JSON escapes, so only secrets are lost. */
export function filteredJson(value: JsonObject, indent?: number): string {
  return printableJson(JSON.stringify(mapTexts(value, redact), null, indent))
}
