import { isUuid } from './ids.ts'
import { day, moment } from './moments.ts'
import { badArgument } from './refusals.ts'
import { fields, type Fields } from './values.ts'

/** What is compared: `words` are texts that can also be searched ignoring case and accents; `exists` is a flag. */
export type Operand = 'text' | 'words' | 'id' | 'issueId' | 'number' | 'moment' | 'day' | 'flag'

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
export const fold = (text: string) => text.normalize('NFC').toLowerCase()

/** A text as comparisons that ignore case and accents see it. */
export const bare = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

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
export function compare(comparator: Fields, comparison: Comparison): string[] {
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
  const each = all.map((comparator) => compare(fields(comparator), comparison).join(' and ') || 'true')
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
  typeof one === 'number' || form === undefined ? one : form === 'IgnoreCase' ? fold(one) : bare(one)

/** The column that holds the text as the comparison sees it. SQLite's own `lower` knows ASCII alone. */
function inColumn({ operand, sql }: Comparison, form: string | undefined): string {
  if (form === undefined) return sql
  if (operand !== 'words') return `lower(${sql})`
  return form === 'IgnoreCase' ? `${sql}Fold` : `${sql}Bare`
}

/** A wanted value as the store holds such values. */
function stored(wanted: unknown, { operand, now }: Comparison): string | number {
  if (operand === 'moment') return moment(wanted, now)
  if (operand === 'day') return day(wanted, now)
  if (operand === 'flag') return wanted === true ? 1 : 0
  if (operand === 'number') return Number(wanted)
  if (typeof wanted !== 'string') throw badArgument('The value to compare with must be text.')
  if (operand === 'id' && !isUuid(wanted)) throw badArgument(`"${wanted}" is not a UUID.`)
  if (operand === 'issueId') return isUuid(wanted) ? wanted.toLowerCase() : wanted.toUpperCase()
  return operand === 'id' ? wanted.toLowerCase() : wanted
}
