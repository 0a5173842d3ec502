import * as z from 'zod'
import { InvalidInput, withDetails } from '../errors/errors.ts'
import { isObject } from '../base/json.ts'
import { isBlank } from './plausibility.ts'
import { joinWords } from '../errors/text.ts'
import { innerType, vocabularyOf } from './vocabulary.ts'

/** Arguments without those that say nothing: null, which strict hosts send for every optional parameter, and blanks. */
export interface GivenArguments {
  readonly args: unknown
  /** The parameters that were written as a blank. */
  readonly blanks: readonly string[]
  /** Lists whose blank items were left out. */
  readonly shortened: readonly string[]
  readonly nulls: readonly string[]
}

/**
 * Leaves out null and blank values, so that neither ever erases anything. Blanks for required parameters, and a null for a name that the
 * tool does not have, are kept to be refused.
 */
export function givenArguments(input: z.ZodObject, written: unknown): GivenArguments {
  if (!isObject(written)) return { args: written ?? {}, blanks: [], shortened: [], nulls: [] }
  const blanks: string[] = []
  const shortened: string[] = []
  const nulls: string[] = []
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const given = Object.entries(written).flatMap(([name, value]): [string, unknown][] => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (schema === undefined) return [[name, value]]
    if (value === null) {
      nulls.push(name)
      return []
    }
    // A blank for a required parameter is refused as empty, whatever it consists of.
    if (!isOptional(schema)) return [[name, typeof value === 'string' && isBlank(value) ? '' : value]]
    const kept = withoutBlanks(schema, value)
    if (kept !== value) (kept === undefined ? blanks : shortened).push(name)
    return kept === undefined ? [] : [[name, kept]]
  })
  return { args: Object.fromEntries(given), blanks, shortened, nulls }
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined
}

/** Undefined for a blank, and for a list of blanks. A list may hold them where a parameter takes any value. */
function withoutBlanks(schema: z.core.$ZodType, value: unknown): unknown {
  if (typeof value === 'string') return isBlank(value) ? undefined : value
  if (!Array.isArray(value)) return value
  const items: readonly unknown[] = value
  const kept = items.filter((item) => item !== null && !(typeof item === 'string' && isBlank(item)))
  if (kept.length === items.length || innerType(schema) instanceof z.ZodUnknown) return value
  return kept.length > 0 ? kept : undefined
}

/**
 * The notice for values that were left out, if any. A null is noticed only in an update, where it may have been meant to clear a field, and
 * only from a host that does not send null for everything it leaves unset.
 */
export function absenceNotice(
  input: z.ZodObject,
  { args, blanks, shortened, nulls }: GivenArguments,
  isUpdate: boolean,
): string | undefined {
  const settable = Object.entries<z.core.$ZodType>(input.shape).filter(
    ([, schema]) => isOptional(schema) && !(schema instanceof z.ZodDefault),
  )
  const optional = settable.map(([name]) => name)
  const isUnwritten = (name: string) => !nulls.includes(name) && !blanks.includes(name) && isObject(args) && !Object.hasOwn(args, name)
  const meant = isUpdate && optional.some(isUnwritten) ? nulls.filter((name) => optional.includes(name)) : []
  const cleared = clearedIn(input, args)
  const names = [...blanks, ...meant].filter((name) => !cleared.includes(name))
  const items = shortened.length > 0 ? `Blank items of ${joinWords(shortened)} were left out.` : undefined
  if (names.length === 0) return items
  const said = meant.length === 0 ? 'blank' : blanks.length === 0 ? 'null' : 'blank or null'
  const [was, counts] = names.length === 1 ? ['was', 'counts'] : ['were', 'count']
  const notice = `${joinWords(names)} ${was} ${said} and ${counts} as not given`
  const sentence = isUpdate ? `${notice}: nothing was cleared.${clearingHint(input, names)}` : `${notice}.`
  return items === undefined ? sentence : `${sentence} ${items}`
}

/** The fields that the call clears, so that a null for one of them says nothing new. */
function clearedIn(input: z.ZodObject, args: unknown): readonly unknown[] {
  const value = isObject(args) ? args[clearingList(input)?.parameter ?? ''] : undefined
  return Array.isArray(value) ? value : []
}

/**
 * An error of an update with what it did not get. Clearing is proposed where a blank was all that was given, as it is then the only thing
 * that the call can mean; never for a null, which hosts send unasked, and never for a long text, which nothing brings back.
 */
export function withAbsence(error: unknown, input: z.ZodObject, given: GivenArguments): unknown {
  const notice = absenceNotice(input, given, true)
  if (!(error instanceof InvalidInput) || notice === undefined) return error
  const left = given.nulls.length > 0 ? [] : given.blanks
  const list = clearingList(input)
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const isAlone = isObject(given.args) && Object.keys(given.args).every((name) => shape[name] && !isOptional(shape[name]))
  const isLong = (name: string) => isLongText(shape[name])
  const areClearable = list !== undefined && left.length > 0 && left.every((name) => list.fields.includes(name) && !isLong(name))
  const clearing = list && { ...Object.fromEntries(left.map((name) => [name, null])), [list.parameter]: left }
  const next = isAlone && areClearable && clearing ? { next: { change: clearing } } : {}
  return withDetails(error, error.text.and(notice), { ...next, ...error.details })
}

/** Longest text that is a name, a date or a reference, in characters. */
const maxShortText = 10_000

function isLongText(schema: z.core.$ZodType | undefined): boolean {
  const inner = schema && innerType(schema)
  return inner instanceof z.ZodString && (inner.maxLength ?? Infinity) > maxShortText
}

/** Sentence on the names that the tool's parameter for clearing fields takes; empty if it has none. */
function clearingHint(input: z.ZodObject, names: readonly string[]): string {
  const { parameter = '', fields = [] } = clearingList(input) ?? {}
  const clearable = fields.filter((field) => names.includes(field))
  return clearable.length > 0 ? ` To clear ${joinWords(clearable)}, pass ${parameter}: ${JSON.stringify(clearable)}.` : ''
}

/** The parameter that lists fields to clear, and the fields that it takes. */
export function clearingList(input: z.ZodObject): { readonly parameter: string; readonly fields: readonly string[] } | undefined {
  const [parameter, schema] = Object.entries<z.core.$ZodType>(input.shape).find(([, each]) => vocabularyOf(each).isClearing === true) ?? []
  const list = schema && innerType(schema)
  if (parameter === undefined || !(list instanceof z.ZodArray && list.element instanceof z.ZodEnum)) return undefined
  return { parameter, fields: list.element.options.map(String) }
}
