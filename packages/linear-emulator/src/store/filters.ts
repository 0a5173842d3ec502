import { type JsonObject, toObject } from '@mcp-toolkits/emulator'
import { isUuid } from '../ids.ts'
import { parseDay, parseTime } from '../inputs.ts'
import { badArgument } from '../errors.ts'
import type { EntityType, FilterField, Operand } from './entity-type.ts'

/** Hands a value to the statement, and names its parameter. */
export type Bind = (value: string | number) => string

/** What is compared, and with what. */
export interface Comparison {
  readonly operand: Operand
  /** The expression, for `words` without quotes a column. */
  readonly sql: string
  readonly now: number
  readonly bind: Bind
}

/** A text as comparisons that ignore case see it. */
export const foldCase = (text: string) => text.normalize('NFC').toLowerCase()

/** A text as comparisons that ignore case and accents see it. */
export const foldAccents = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const tests: Readonly<Record<string, (a: string, b: string) => string>> = {
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

/** The condition that a comparator stands for; null and absent keys say nothing. */
export function compare(comparator: JsonObject, comparison: Comparison): string[] {
  return Object.entries(comparator)
    .filter(([, wanted]) => wanted !== null && wanted !== undefined)
    .map(([key, wanted]) => {
      if (key === 'null') return `${comparison.sql} is ${wanted === true ? '' : 'not '}null`
      if (key === 'and' || key === 'or') return nested(key, wanted, comparison)
      return test(key, wanted, comparison)
    })
    .filter((condition) => condition !== '')
}

/** An estimate can be compared with lists of comparators. */
function nested(key: 'and' | 'or', list: unknown, comparison: Comparison): string {
  const all: unknown[] = Array.isArray(list) ? list : []
  const each = all.map((comparator) => compare(toObject(comparator), comparison).join(' and ') || 'true')
  return each.length === 0 ? '' : `(${each.join(` ${key} `)})`
}

function test(key: string, wanted: unknown, comparison: Comparison): string {
  const [name, form] = /^(.*?)(IgnoreCaseAndAccent|IgnoreCase)?$/.exec(key)?.slice(1) ?? []
  const make = tests[name ?? '']
  if (make === undefined) throw badArgument(`There is no comparator ${key}.`)
  const isList = Array.isArray(wanted)
  const values = (isList ? wanted : [wanted]).map((one: unknown) => stored(one, comparison)).map(inForm(form))
  const bound = comparison.bind(isList ? JSON.stringify(values) : (values[0] ?? ''))
  if (comparison.operand === 'issueId') return byIdOrIdentifier(name, comparison.sql, (sql) => make(sql, bound))
  return `(${make(inColumn(comparison, form), bound)})`
}

/** Where an issue's id is compared, its identifier will do. */
const byIdOrIdentifier = (name: string | undefined, id: string, make: (sql: string) => string) =>
  `(${make(id)} ${name?.startsWith('n') === true ? 'and' : 'or'} ${make(id.replace(/id$/, 'identifier'))})`

const inForm = (form: string | undefined) => (one: string | number) =>
  typeof one === 'number' || form === undefined ? one : form === 'IgnoreCase' ? foldCase(one) : foldAccents(one)

/** The column that holds the text as the comparison sees it. SQLite's own `lower` knows ASCII alone. */
function inColumn({ operand, sql }: Comparison, form: string | undefined): string {
  if (form === undefined) return sql
  if (operand !== 'words') return `lower(${sql})`
  return form === 'IgnoreCase' ? `${sql}Fold` : `${sql}Bare`
}

/** A wanted value as the store holds such values. */
function stored(wanted: unknown, { operand, now }: Comparison): string | number {
  if (operand === 'moment') return parseTime(wanted, now)
  if (operand === 'day') return parseDay(wanted, now)
  if (operand === 'flag') return wanted === true ? 1 : 0
  if (operand === 'number') return Number(wanted)
  if (typeof wanted !== 'string') throw badArgument('The value to compare with must be text.')
  if (operand === 'id' && !isUuid(wanted)) throw badArgument(`"${wanted}" is not a UUID.`)
  if (operand === 'issueId') return isUuid(wanted) ? wanted.toLowerCase() : wanted.toUpperCase()
  return operand === 'id' ? wanted.toLowerCase() : wanted
}

/** A statement under construction: its parameters, and what relative values refer to. */
export interface StatementDraft {
  readonly entityTypes: ReadonlyMap<string, EntityType>
  readonly values: Record<string, string | number>
  readonly viewerId: string
  readonly now: number
}

/** Adds a parameter, and names it. */
export function bind(draft: StatementDraft, value: string | number): string {
  const name = `p${Object.keys(draft.values).length}`
  draft.values[name] = value
  return `:${name}`
}

/** The condition in SQL on the rows of `type`, called `alias`, that a filter stands for. Values reach it as parameters only. */
export function condition(draft: StatementDraft, filter: JsonObject, at: { readonly type: string; readonly alias: string }): string {
  const noun = entityTypeOf(draft.entityTypes, at.type)
  const parts = present(filter).map(([key, wanted]) => {
    if (key === 'and' || key === 'or') return combine(key, wanted, (each) => condition(draft, each, at))
    const field = noun.filters[key]
    if (field === undefined) throw badArgument(`${at.type} has no filter ${key}.`)
    return related(draft, field, { wanted: toObject(wanted), key, alias: at.alias })
  })
  return join(parts, 'and')
}

interface Wanted {
  readonly wanted: JsonObject
  readonly key: string
  readonly alias: string
}

function related(draft: StatementDraft, field: FilterField, { wanted, key, alias }: Wanted): string {
  if (field.kind === 'one') return onOne(draft, field, { wanted, alias })
  if (field.kind === 'many') return onMany(draft, field, { wanted, alias })
  const sql = field.sql?.(alias, asking(draft)) ?? `${alias}.${key}`
  return join(compare(wanted, { operand: field.operand, sql, now: draft.now, bind: (value) => bind(draft, value) }), 'and')
}

const asking = (draft: StatementDraft) => ({
  viewer: () => bind(draft, draft.viewerId),
  now: () => bind(draft, new Date(draft.now).toISOString()),
})

type Place = Pick<Wanted, 'wanted' | 'alias'>

/** The relation exists and matches; `null` asks whether it exists. */
function onOne(draft: StatementDraft, field: FilterField & { kind: 'one' }, { wanted, alias }: Place): string {
  const { and, or, null: isMissing, ...direct } = wanted
  const other = `${alias}_${field.key}`
  const exists = (inner: JsonObject) => {
    const matches = condition(draft, inner, { type: field.type, alias: other })
    return `exists (select 1 from ${entityTypeOf(draft.entityTypes, field.type).table} ${other} where ${other}.id = ${alias}.${field.key} and ${matches})`
  }
  const inner = (each: JsonObject) => onOne(draft, field, { wanted: each, alias })
  const parts = [
    ...(typeof isMissing === 'boolean' ? [`${alias}.${field.key} is ${isMissing ? '' : 'not '}null`] : []),
    ...(Array.isArray(and) && and.length > 0 ? [combine('and', and, inner)] : []),
    ...(Array.isArray(or) && or.length > 0 ? [combine('or', or, inner)] : []),
  ]
  return join(parts.length === 0 || present(direct).length > 0 ? [...parts, exists(direct)] : parts, 'and')
}

/** `some`, `every` (true of none), `length`, and direct keys, which mean `some`. */
function onMany(draft: StatementDraft, field: FilterField & { kind: 'many' }, { wanted, alias }: Place): string {
  const { and, or, some, every, length, null: isEmpty, ...direct } = wanted
  const other = `${alias}_m`
  const from = `from ${entityTypeOf(draft.entityTypes, field.type).table} ${other} where ${field.on(alias, other)}`
  const matches = (filter: JsonObject) => condition(draft, filter, { type: field.type, alias: other })
  const inner = (each: JsonObject) => onMany(draft, field, { wanted: each, alias })
  const parts = [
    ...(some ? [`exists (select 1 ${from} and ${matches(toObject(some))})`] : []),
    ...(every ? [`not exists (select 1 ${from} and (${matches(toObject(every))}) is not true)`] : []),
    ...(length ? [join(compareCount(draft, toObject(length), `(select count(*) ${from})`), 'and')] : []),
    ...(typeof isEmpty === 'boolean' ? [`${isEmpty ? 'not ' : ''}exists (select 1 ${from})`] : []),
    ...(present(direct).length > 0 ? [`exists (select 1 ${from} and ${matches(direct)})`] : []),
    ...(Array.isArray(and) ? [combine('and', and, inner)] : []),
    ...(Array.isArray(or) ? [combine('or', or, inner)] : []),
  ]
  return join(parts, 'and')
}

const compareCount = (draft: StatementDraft, comparator: JsonObject, sql: string) =>
  compare(comparator, { operand: 'number', sql, now: draft.now, bind: (value) => bind(draft, value) })

function combine(word: 'and' | 'or', list: unknown, each: (filter: JsonObject) => string): string {
  const all: unknown[] = Array.isArray(list) ? list : []
  return join(
    all.map((filter) => each(toObject(filter))),
    word,
  )
}

/** Joined as a balanced tree, since SQLite bounds the depth of an expression, not its length. */
function join(conditions: readonly string[], word: 'and' | 'or'): string {
  const all = conditions.filter((condition) => condition !== '')
  if (all.length === 0) return 'true'
  if (all.length === 1) return all[0] ?? 'true'
  const middle = Math.floor(all.length / 2)
  return `(${join(all.slice(0, middle), word)} ${word} ${join(all.slice(middle), word)})`
}

const present = (filter: JsonObject) => Object.entries(filter).filter(([, wanted]) => wanted !== null && wanted !== undefined)

/** The entity type of a GraphQL type. */
export function entityTypeOf(entityTypes: StatementDraft['entityTypes'], type: string): EntityType {
  const found = entityTypes.get(type)
  if (found === undefined) throw new Error(`There is no table of ${type}.`)
  return found
}
