import { type JsonObject, toObject } from '@mcp-toolkits/emulator'
import { badArgument } from '../errors.ts'
import { isUuid } from '../ids.ts'
import type { EntityType, EntityTypes, FilterField, Operand } from './entity-type.ts'
import { filterOf } from './filter-fields.ts'

const duration = /^(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
const date = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/
const dateTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/

/** Converts a year, month, day, date and time, or duration from `now` to the tables' time format. */
export function parseTime(value: unknown, now: number): string {
  if (value instanceof Date && Number.isFinite(value.getTime())) return value.toISOString()
  if (typeof value !== 'string') throw badArgument('A date must be text in ISO 8601.')
  const found = fromDuration(value, now) ?? fromDate(value) ?? fromDateTime(value)
  if (found === undefined) throw badArgument(`"${value}" is not a date in ISO 8601.`)
  return found
}

/** The same, in the tables' day format. */
export const parseDay = (value: unknown, now: number): string => parseTime(value, now).slice(0, 10)

function fromDuration(value: string, now: number): string | undefined {
  const match = duration.exec(value)
  if (match === null) return undefined
  const sign = match[1] === '-' ? -1 : 1
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(2)
    .map((part) => sign * Number(part || 0))
  const at = new Date(now)
  at.setUTCFullYear(at.getUTCFullYear() + years, at.getUTCMonth() + months, at.getUTCDate() + weeks * 7 + days)
  return toStoredTime(at.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000)
}

function fromDate(value: string): string | undefined {
  const match = date.exec(value)
  if (match === null) return undefined
  const [year = 0, month = 1, dayOfMonth = 1] = match.slice(1).map((part) => Number(part || 1))
  const at = new Date(Date.UTC(year, month - 1, dayOfMonth))
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === dayOfMonth
  return exists ? at.toISOString() : undefined
}

function fromDateTime(value: string): string | undefined {
  const match = dateTime.exec(value)
  if (match === null || fromDate(match[1] ?? '') === undefined) return undefined
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`
  return toStoredTime(Date.parse(zoned))
}

const toStoredTime = (time: number) =>
  Math.abs(time) < 8.64e15 && time < 253402300800000 && time > -62167219200000 ? new Date(time).toISOString() : undefined

/** The left side of a comparison. */
interface Comparison {
  readonly operand: Operand
  /** An expression; for `words`, an unquoted column name. */
  readonly sql: string
  /** The statement that gets the values as parameters. */
  readonly draft: StatementDraft
}

/** Folds text for comparisons that ignore case. */
export const foldCase = (text: string) => text.normalize('NFC').toLowerCase()

/** Folds text for comparisons that ignore case and accents. */
export const foldAccents = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const operators: Readonly<Record<string, (a: string, b: string) => string>> = {
  eq: (a, b) => `${a} = ${b}`,
  neq: (a, b) => `${a} <> ${b}`,
  lt: (a, b) => `${a} < ${b}`,
  lte: (a, b) => `${a} <= ${b}`,
  gt: (a, b) => `${a} > ${b}`,
  gte: (a, b) => `${a} >= ${b}`,
  in: (a, b) => `${a} in (select value from json_each(${b}))`,
  nin: (a, b) => `${a} not in (select value from json_each(${b}))`,
  contains: (a, b) => `instr(${a}, ${b}) > 0`,
  notContains: (a, b) => `instr(${a}, ${b}) = 0`,
  startsWith: (a, b) => `substr(${a}, 1, length(${b})) = ${b}`,
  notStartsWith: (a, b) => `substr(${a}, 1, length(${b})) <> ${b}`,
  endsWith: (a, b) => `substr(${a}, length(${a}) - length(${b}) + 1) = ${b} and length(${a}) >= length(${b})`,
  notEndsWith: (a, b) => `(substr(${a}, length(${a}) - length(${b}) + 1) <> ${b} or length(${a}) < length(${b}))`,
}

/** A comparator's conditions; null and absent keys add none. */
function compare(comparator: JsonObject, comparison: Comparison): string[] {
  return presentEntries(comparator)
    .map(([key, value]) => {
      if (key === 'null') return `${comparison.sql} is ${value === true ? '' : 'not '}null`
      if (key === 'and' || key === 'or') return compareList(key, value, comparison)
      return compareOne(key, value, comparison)
    })
    .filter((condition) => condition !== '')
}

/** Joins the conditions from a list of comparators, which only filters by estimate accept. */
function compareList(key: 'and' | 'or', list: unknown, comparison: Comparison): string {
  const all: unknown[] = Array.isArray(list) ? list : []
  const each = all.map((comparator) => compare(toObject(comparator), comparison).join(' and ') || 'true')
  return each.length === 0 ? '' : `(${each.join(` ${key} `)})`
}

function compareOne(key: string, value: unknown, comparison: Comparison): string {
  const [name, form] = /^(.*?)(IgnoreCaseAndAccent|IgnoreCase)?$/.exec(key)?.slice(1) ?? []
  const operator = operators[name ?? '']
  if (operator === undefined) throw badArgument(`There is no comparator ${key}.`)
  const isList = Array.isArray(value)
  const values = (isList ? value : [value]).map((one: unknown) => toStored(one, comparison)).map(fold(form))
  const bound = bind(comparison.draft, isList ? JSON.stringify(values) : (values[0] ?? ''))
  if (comparison.operand === 'issueId') return compareIssueId(name, comparison.sql, (sql) => operator(sql, bound))
  return `(${operator(columnFor(comparison, form), bound)})`
}

/** Compares both an issue's id and its identifier. */
const compareIssueId = (name: string | undefined, id: string, compareWith: (sql: string) => string) =>
  `(${compareWith(id)} ${name?.startsWith('n') === true ? 'and' : 'or'} ${compareWith(id.replace(/id$/, 'identifier'))})`

const fold = (form: string | undefined) => (value: string | number) =>
  typeof value === 'number' || form === undefined ? value : form === 'IgnoreCase' ? foldCase(value) : foldAccents(value)

/** The column with the folded text. SQLite's `lower` handles only ASCII. */
function columnFor({ operand, sql }: Comparison, form: string | undefined): string {
  if (form === undefined) return sql
  if (operand !== 'words') return `lower(${sql})`
  return form === 'IgnoreCase' ? `${sql}Fold` : `${sql}Bare`
}

/** A filter's value in stored form. */
function toStored(value: unknown, { operand, draft: { now } }: Comparison): string | number {
  if (operand === 'time') return parseTime(value, now)
  if (operand === 'day') return parseDay(value, now)
  if (operand === 'flag') return value === true ? 1 : 0
  if (operand === 'number') return Number(value)
  if (typeof value !== 'string') throw badArgument('The value to compare with must be text.')
  if (operand === 'id' && !isUuid(value)) throw badArgument(`"${value}" is not a UUID.`)
  if (operand === 'issueId') return isUuid(value) ? value.toLowerCase() : value.toUpperCase()
  return operand === 'id' ? value.toLowerCase() : value
}

/** A statement under construction: its parameters, and the caller and time for filters. */
export interface StatementDraft {
  readonly entityTypes: EntityTypes
  readonly values: (string | number)[]
  readonly viewerId: string
  readonly now: number
}

/** Maximum number of values in a filter: SQLite looks parameters up by name, which slows as their number grows. */
const maxValues = 2_500

/** Adds a parameter and returns its name. */
export function bind({ values }: StatementDraft, value: string | number): string {
  if (values.length === maxValues) throw badArgument(`A filter may have at most ${maxValues} values outside lists.`)
  return `:p${values.push(value) - 1}`
}

/** A statement's parameters, by name. */
export const parametersIn = ({ values }: StatementDraft): Record<string, string | number> =>
  Object.fromEntries(values.map((value, index) => [`p${index}`, value]))

/** A filter's SQL condition on rows of `type`, called `alias`. Values are always parameters. */
export function condition(draft: StatementDraft, filter: JsonObject, at: { readonly type: string; readonly alias: string }): string {
  const entityType = entityTypeOf(draft.entityTypes, at.type)
  const parts = presentEntries(filter).map(([key, value]) => {
    if (key === 'and' || key === 'or') return combine(key, value, (each) => condition(draft, each, at))
    const field = filterOf(draft.entityTypes, entityType, key)
    if (field === undefined) throw badArgument(`${at.type} has no filter ${key}.`)
    return fieldCondition(draft, field, { filter: toObject(value), key, alias: at.alias })
  })
  return join(parts, 'and')
}

interface FieldFilter {
  readonly filter: JsonObject
  readonly key: string
  readonly alias: string
}

function fieldCondition(draft: StatementDraft, field: FilterField, { filter, key, alias }: FieldFilter): string {
  if (field.kind === 'one') return oneCondition(draft, field, { filter, alias })
  if (field.kind === 'many') return manyCondition(draft, field, { filter, alias })
  const parameters = { viewer: () => bind(draft, draft.viewerId), now: () => bind(draft, new Date(draft.now).toISOString()) }
  const sql = field.sql?.(alias, parameters) ?? `${alias}.${key}`
  return join(compare(filter, { operand: field.operand, sql, draft }), 'and')
}

type RelationFilter = Omit<FieldFilter, 'key'>

/** Condition that the entity exists and matches; `null` asks whether it exists. */
function oneCondition(draft: StatementDraft, field: FilterField & { kind: 'one' }, { filter, alias }: RelationFilter): string {
  const { and, or, null: isMissing, ...direct } = filter
  const other = `${alias}_${field.key}`
  const exists = (inner: JsonObject) => {
    const matches = condition(draft, inner, { type: field.type, alias: other })
    return `exists (select 1 from ${entityTypeOf(draft.entityTypes, field.type).table} ${other} where ${other}.id = ${alias}.${field.key} and ${matches})`
  }
  const inner = (each: JsonObject) => oneCondition(draft, field, { filter: each, alias })
  const parts = [
    ...(typeof isMissing === 'boolean' ? [`${alias}.${field.key} is ${isMissing ? '' : 'not '}null`] : []),
    ...(Array.isArray(and) && and.length > 0 ? [combine('and', and, inner)] : []),
    ...(Array.isArray(or) && or.length > 0 ? [combine('or', or, inner)] : []),
  ]
  return join(parts.length === 0 || presentEntries(direct).length > 0 ? [...parts, exists(direct)] : parts, 'and')
}

/** Condition for `some`, `every` (true if there are no entities), `length`, and direct keys, which mean `some`. */
function manyCondition(draft: StatementDraft, field: FilterField & { kind: 'many' }, { filter, alias }: RelationFilter): string {
  const { and, or, some, every, length, null: isEmpty, ...direct } = filter
  const other = `${alias}_m`
  const from = `from ${entityTypeOf(draft.entityTypes, field.type).table} ${other} where ${field.on(alias, other)}`
  const matches = (inner: JsonObject) => condition(draft, inner, { type: field.type, alias: other })
  const inner = (each: JsonObject) => manyCondition(draft, field, { filter: each, alias })
  const parts = [
    ...(some ? [`exists (select 1 ${from} and ${matches(toObject(some))})`] : []),
    ...(every ? [`not exists (select 1 ${from} and (${matches(toObject(every))}) is not true)`] : []),
    ...(length ? [join(compare(toObject(length), { operand: 'number', sql: `(select count(*) ${from})`, draft }), 'and')] : []),
    ...(typeof isEmpty === 'boolean' ? [`${isEmpty ? 'not ' : ''}exists (select 1 ${from})`] : []),
    ...(presentEntries(direct).length > 0 ? [`exists (select 1 ${from} and ${matches(direct)})`] : []),
    ...(Array.isArray(and) ? [combine('and', and, inner)] : []),
    ...(Array.isArray(or) ? [combine('or', or, inner)] : []),
  ]
  return join(parts, 'and')
}

function combine(word: 'and' | 'or', list: unknown, each: (filter: JsonObject) => string): string {
  const all: unknown[] = Array.isArray(list) ? list : []
  return join(
    all.map((filter) => each(toObject(filter))),
    word,
  )
}

/** Joins conditions as a balanced tree, because SQLite limits the depth of an expression. */
function join(conditions: readonly string[], word: 'and' | 'or'): string {
  const all = conditions.filter((condition) => condition !== '')
  if (all.length === 0) return 'true'
  if (all.length === 1) return all[0] ?? 'true'
  const middle = Math.floor(all.length / 2)
  return `(${join(all.slice(0, middle), word)} ${word} ${join(all.slice(middle), word)})`
}

const presentEntries = (filter: JsonObject) => Object.entries(filter).filter(([, value]) => value !== null && value !== undefined)

/** The entity type for a GraphQL type. */
export function entityTypeOf(entityTypes: StatementDraft['entityTypes'], type: string): EntityType {
  const found = entityTypes.get(type)
  if (found === undefined) throw new Error(`There is no table of ${type}.`)
  return found
}
