import { compare } from './comparators.ts'
import type { FilterField, Noun } from './noun.ts'
import { badArgument } from './refusals.ts'
import { fields, type Fields } from './values.ts'

/** A statement under construction: its parameters, and what relative values refer to. */
export interface Draft {
  readonly nouns: ReadonlyMap<string, Noun>
  readonly values: Record<string, string | number>
  readonly viewerId: string
  readonly now: number
}

/** Adds a parameter, and names it. */
export function bind(draft: Draft, value: string | number): string {
  const name = `p${Object.keys(draft.values).length}`
  draft.values[name] = value
  return `:${name}`
}

/** The condition in SQL on the rows of `type`, called `alias`, that a filter stands for. Values reach it as parameters only. */
export function condition(draft: Draft, filter: Fields, at: { readonly type: string; readonly alias: string }): string {
  const noun = nounOf(draft, at.type)
  const parts = present(filter).map(([key, wanted]) => {
    if (key === 'and' || key === 'or') return combine(key, wanted, (each) => condition(draft, each, at))
    const field = noun.filters[key]
    if (field === undefined) throw badArgument(`${at.type} has no filter ${key}.`)
    return related(draft, field, { wanted: fields(wanted), key, alias: at.alias })
  })
  return join(parts, 'and')
}

interface Wanted {
  readonly wanted: Fields
  readonly key: string
  readonly alias: string
}

function related(draft: Draft, field: FilterField, { wanted, key, alias }: Wanted): string {
  if (field.kind === 'one') return onOne(draft, field, { wanted, alias })
  if (field.kind === 'many') return onMany(draft, field, { wanted, alias })
  const sql = field.sql?.(alias, asking(draft)) ?? `${alias}.${key}`
  return join(compare(wanted, { operand: field.operand, sql, now: draft.now, bind: (value) => bind(draft, value) }), 'and')
}

const asking = (draft: Draft) => ({
  viewer: () => bind(draft, draft.viewerId),
  now: () => bind(draft, new Date(draft.now).toISOString()),
})

type Place = Pick<Wanted, 'wanted' | 'alias'>

/** The relation exists and matches; `null` asks whether it exists. */
function onOne(draft: Draft, field: FilterField & { kind: 'one' }, { wanted, alias }: Place): string {
  const { and, or, null: isMissing, ...direct } = wanted
  const other = `${alias}_${field.key}`
  const exists = (inner: Fields) => {
    const matches = condition(draft, inner, { type: field.type, alias: other })
    return `exists (select 1 from ${nounOf(draft, field.type).table} ${other} where ${other}.id = ${alias}.${field.key} and ${matches})`
  }
  const inner = (each: Fields) => onOne(draft, field, { wanted: each, alias })
  const parts = [
    ...(typeof isMissing === 'boolean' ? [`${alias}.${field.key} is ${isMissing ? '' : 'not '}null`] : []),
    ...(Array.isArray(and) && and.length > 0 ? [combine('and', and, inner)] : []),
    ...(Array.isArray(or) && or.length > 0 ? [combine('or', or, inner)] : []),
  ]
  return join(parts.length === 0 || present(direct).length > 0 ? [...parts, exists(direct)] : parts, 'and')
}

/** `some`, `every` (true of none), `length`, and direct keys, which mean `some`. */
function onMany(draft: Draft, field: FilterField & { kind: 'many' }, { wanted, alias }: Place): string {
  const { and, or, some, every, length, null: isEmpty, ...direct } = wanted
  const other = `${alias}_m`
  const from = `from ${nounOf(draft, field.type).table} ${other} where ${field.on(alias, other)}`
  const matches = (filter: Fields) => condition(draft, filter, { type: field.type, alias: other })
  const inner = (each: Fields) => onMany(draft, field, { wanted: each, alias })
  const parts = [
    ...(some ? [`exists (select 1 ${from} and ${matches(fields(some))})`] : []),
    ...(every ? [`not exists (select 1 ${from} and (${matches(fields(every))}) is not true)`] : []),
    ...(length ? [join(compareCount(draft, fields(length), `(select count(*) ${from})`), 'and')] : []),
    ...(typeof isEmpty === 'boolean' ? [`${isEmpty ? 'not ' : ''}exists (select 1 ${from})`] : []),
    ...(present(direct).length > 0 ? [`exists (select 1 ${from} and ${matches(direct)})`] : []),
    ...(Array.isArray(and) ? [combine('and', and, inner)] : []),
    ...(Array.isArray(or) ? [combine('or', or, inner)] : []),
  ]
  return join(parts, 'and')
}

const compareCount = (draft: Draft, comparator: Fields, sql: string) =>
  compare(comparator, { operand: 'number', sql, now: draft.now, bind: (value) => bind(draft, value) })

function combine(word: 'and' | 'or', list: unknown, each: (filter: Fields) => string): string {
  const all: unknown[] = Array.isArray(list) ? list : []
  return join(
    all.map((filter) => each(fields(filter))),
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

const present = (filter: Fields) => Object.entries(filter).filter(([, wanted]) => wanted !== null && wanted !== undefined)

/** The noun of a type. */
export function nounOf({ nouns }: Pick<Draft, 'nouns'>, type: string): Noun {
  const noun = nouns.get(type)
  if (noun === undefined) throw new Error(`There is no table of ${type}.`)
  return noun
}
