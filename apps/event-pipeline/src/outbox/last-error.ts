import { errorFromJson, type ToolError } from '@mcp-toolkits/core'
import { withoutVendorsWords } from '../pipelines/client.ts'
import type { Entry } from './entry.ts'

/** The error that the latest attempt at an entry ended with; undefined when there was none that says something. */
export function lastErrorOf({ error }: Pick<Entry, 'error'>): ToolError | undefined {
  return error === null ? undefined : errorFromJson(JSON.parse(error))
}

/** Why an entry is not delivered, in our own words; undefined when nothing has been said about it. */
export function lastFailureOf(entry: Pick<Entry, 'error'>): string | undefined {
  const error = lastErrorOf(entry)
  return error && withoutVendorsWords(error)
}
