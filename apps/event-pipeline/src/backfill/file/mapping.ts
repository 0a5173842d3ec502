import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { InvalidInput, joinWords, quote } from '@mcp-toolkits/core/errors'
import { rank } from '@mcp-toolkits/core/references'
import type { ItemType } from '../../pipelines/calls.ts'
import { readDateTime } from '../../pipelines/date-time.ts'
import { dateTimeFields, fieldsOf, idFields, unusedFields } from '../../pipelines/fields.ts'
import type { Plan } from '../record.ts'
import { holdsRoundedNumber } from './rows.ts'

/** A row as a call, and the problems with cells that cannot be read as required. */
export interface MappedRow {
  readonly item: Readonly<Record<string, unknown>>
  readonly problems: readonly { readonly at: string; readonly problem: string }[]
}

export interface RowMapper {
  /** Turns a row's cells into a call. */
  readonly map: (cells: JsonObject) => MappedRow
  /** Columns that the mapping names. */
  readonly columns: readonly string[]
}

const kinds = ['text', 'number', 'boolean', 'time', 'json'] as const
type Kind = (typeof kinds)[number]

interface Field {
  readonly path: readonly string[]
  readonly column: string
  /** Undefined leaves the cell unchanged. */
  readonly kind: Kind | undefined
  /** A constant for every row, instead of a cell. */
  readonly constant: string | undefined
}

/**
 * A plan's mapper for rows with these columns. Throws `InvalidInput` for a mapping that does not match the call or, if there is no mapping,
 * for columns that are not fields.
 */
export function mapperOf({ call, mapping }: Pick<Plan, 'call' | 'mapping'>, columns: readonly string[]): RowMapper {
  if (call === undefined) return { map: (cells) => ({ item: cells, problems: [] }), columns: [] }
  // An object comes before its members, which it would otherwise overwrite.
  const fields = Object.entries(mapping ?? ownMapping(call, columns))
    .map(([at, written]) => fieldOf(call, at, written))
    .toSorted((one, other) => one.path.length - other.path.length)
  return {
    map(cells) {
      const item: Record<string, unknown> = { type: call }
      const problems = fields.flatMap((field) => place(item, field, cells))
      return { item, problems }
    },
    columns: fields.flatMap(({ column, constant }) => (constant === undefined ? [column] : [])),
  }
}

/** The named columns that are neither among `columns` nor members of one of them. */
export const missingColumns = (named: readonly string[], columns: readonly string[]): readonly string[] =>
  named.filter((column) => !columns.some((each) => each === column || column.startsWith(`${each}.`)))

/** The mapping for columns named after fields. Throws for any other column, with the likely mapping. */
function ownMapping(call: ItemType, columns: readonly string[]): Readonly<Record<string, string>> {
  const named = columns.filter((name) => name !== '')
  const isField = (name: string) => name === 'type' || fieldsOf(call).includes(name.split('.')[0] ?? '')
  const own = Object.fromEntries(named.filter((name) => name !== 'type').map((name) => [name, name]))
  if (named.every(isField)) return own
  const probe = Object.fromEntries(named.map((name) => [name, dateNames.test(name) ? '2026-01-31T00:00:00Z' : 'x']))
  const homes = new Map(unusedFields(call, probe).map(({ name, home }) => [name, home]))
  const likely = Object.fromEntries(
    named.flatMap((name): [string, string][] => {
      const home = isField(name) ? name : homes.get(name)
      return home === undefined ? [] : [[home, name]]
    }),
  )
  throw new InvalidInput(
    `The columns ${joinWords(
      named
        .filter((name) => !isField(name))
        .slice(0, 10)
        .map((name) => quote(name)),
    )} are not fields of ${call}, so "mapping" is needed. Nothing was sent. Check the proposed mapping: a column without a field is left out.`,
    { next: { change: { mapping: likely } } },
  )
}

const dateNames = /(?:time|date|_at|At|ts)$/i

function fieldOf(call: ItemType, at: string, written: string): Field {
  const path = at.split('.')
  const [root = ''] = path
  const isPath = path.every((name) => name !== '' && !['__proto__', 'constructor', 'prototype'].includes(name))
  if (!isPath || !fieldsOf(call).includes(root))
    throw new InvalidInput(
      `mapping has ${quote(at)}, and ${call} has no such field. Fields: ${fieldsOf(call).join(', ')}. Details go into properties.NAME or traits.NAME.`,
    )
  if (written.startsWith('=')) return { path, column: '', kind: undefined, constant: written.slice(1) }
  const [, column = written, named] = /^(.*):(\w+)$/.exec(written) ?? []
  const kind = kinds.find((each) => each === named)
  return {
    path,
    column: kind ? column : written,
    kind: kind ?? (isTime(at) ? 'time' : idFields.includes(at) ? 'text' : undefined),
    constant: undefined,
  }
}

const isTime = (at: string) => dateTimeFields.includes(at) || at === 'traits.createdAt'

/** Minimum confidence for proposing a column: a less likely one would only distract. */
const minConfidence = 0.55

export function unknownColumns(missing: readonly string[], columns: readonly string[]): InvalidInput {
  const named = joinWords(missing.map((name) => quote(name)))
  const suggestions = missing.flatMap((name) =>
    rank(name, columns)
      .filter(({ confidence }) => confidence > minConfidence)
      .slice(0, 3),
  )
  return new InvalidInput(`The file has no column ${named}. Nothing was sent. Columns: ${columns.slice(0, 50).join(', ')}.`, {
    suggestions: suggestions.map(({ value, confidence }) => ({ value, confidence, parameter: 'mapping' })),
  })
}

function place(item: Record<string, unknown>, { path, column, kind, constant }: Field, cells: JsonObject): MappedRow['problems'] {
  const cell = constant ?? cellOf(cells, column)
  if (cell === undefined || cell === null || cell === '') return []
  const value = constant ?? readAs(kind, cell)
  if (value === undefined)
    return [{ at: path.join('.'), problem: `is ${quote(textOf(cell), 80)}, which is not a valid ${kind ?? 'value'}.` }]
  if (holdsRoundedNumber(value))
    return [{ at: path.join('.'), problem: `is ${quote(textOf(cell), 80)}, which would be rounded: map it as text.` }]
  let holder = item
  for (const name of path.slice(0, -1)) holder = memberOf(holder, name)
  holder[path.at(-1) ?? ''] = value
  return []
}

function memberOf(holder: Record<string, unknown>, name: string): Record<string, unknown> {
  const held: Record<string, unknown> = isObject(holder[name]) ? { ...holder[name] } : {}
  holder[name] = held
  return held
}

/** A column's cell, or a member of an object in it. */
function cellOf(cells: JsonObject, column: string): unknown {
  if (Object.hasOwn(cells, column)) return cells[column]
  return column.split('.').reduce<unknown>((held, name) => (isObject(held) && Object.hasOwn(held, name) ? held[name] : undefined), cells)
}

const textOf = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell))

const isNumeric = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value))

function readAs(kind: Kind | undefined, cell: unknown): unknown {
  const text = typeof cell === 'string' ? cell.trim() : cell
  switch (kind) {
    case 'number':
      return isNumeric(text) ? Number(text) : undefined
    case 'boolean':
      return /^(?:true|1|yes)$/i.test(textOf(text)) ? true : /^(?:false|0|no)$/i.test(textOf(text)) ? false : undefined
    case 'time':
      return readDateTime(text)
    case 'json':
      return typeof text === 'string' ? parseJson(text) : text
    case 'text':
      return textOf(cell)
    case undefined:
      return cell
  }
}
