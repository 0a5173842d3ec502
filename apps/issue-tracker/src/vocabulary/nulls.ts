import { isObject, type JsonObject, parseJson, withoutNulls } from '@mcp-toolkits/core/base'
import { joinWords } from '@mcp-toolkits/core/errors'
import { absenceNotice, isBlank } from '@mcp-toolkits/core/tool'
import * as z from 'zod'

/**
 * Removes nulls from rows in arguments (perhaps JSON text), as from arguments. The notices are about nulls that may have been meant to
 * clear a field.
 */
export function rowsWithoutNulls(input: z.ZodObject, args: unknown): { readonly args: unknown; readonly notices: readonly string[] } {
  if (!isObject(args)) return { args, notices: [] }
  const shape: Readonly<Record<string, unknown>> = input.shape
  const notices: string[] = []
  const given = Object.entries(args).map(([name, value]): [string, unknown] => {
    const { [name]: schema } = shape
    const row = schema instanceof z.ZodArray && schema.element instanceof z.ZodObject ? schema.element : undefined
    const rows = typeof value === 'string' && row ? parseJson(value) : value
    if (!row || !Array.isArray(rows)) return [name, value]
    notices.push(...rowNotices(row, rows))
    const present = rows.map((each: unknown) => (isObject(each) ? withoutNulls(each) : each))
    return [name, typeof value === 'string' ? JSON.stringify(present) : present]
  })
  return { args: Object.fromEntries(given), notices }
}

/** The notice for a new issue whose assignee was null or blank, perhaps to leave it unassigned. */
export function assigneeNotice(effect: string, args: unknown): string | undefined {
  if (effect !== 'create' || !isObject(args)) return undefined
  const isUnset = (value: unknown) => value === null || (typeof value === 'string' && isBlank(value))
  const isMeant = (row: JsonObject) => Object.hasOwn(row, 'assignee') && isUnset(row['assignee'])
  if (![args, ...Object.values(args).flat()].filter(isObject).some(isMeant)) return undefined
  return 'A null or blank assignee means you. To unassign the issue, update it with fields_to_clear: ["assignee"]; next time, pass "none".'
}

function rowNotices(schema: z.ZodObject, rows: readonly unknown[]): string[] {
  const noticeOf = (row: unknown) => {
    if (!isObject(row)) return undefined
    const nulls = Object.keys(row).filter((name) => row[name] === null)
    return absenceNotice(schema, { args: withoutNulls(row), blanks: [], nulls }, true)
  }
  const found = rows.map((row, index) => ({ notice: noticeOf(row), number: String(index + 1) }))
  return [...Map.groupBy(found, ({ notice }) => notice)].flatMap(([notice, same]) => {
    if (notice === undefined) return []
    return [`${same.length === 1 ? 'Row' : 'Rows'} ${joinWords(same.map(({ number }) => number))}: ${notice}`]
  })
}
