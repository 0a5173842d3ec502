import * as z from 'zod'
import { InvalidInput, withDetails } from '../errors/errors.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import { isBlank } from '../base/blank.ts'
import { joinWords } from '../errors/text.ts'
import { innerType, vocabularyOf } from './vocabulary.ts'

/** Arguments without the empty ones: blanks, and nulls, which some hosts send for every unset optional parameter. */
export interface GivenArguments {
  readonly args: unknown
  /** Optional parameters whose value was blank. */
  readonly blanks: readonly string[]
  readonly nulls: readonly string[]
}

/** Omits nulls and blanks, so neither erases anything. Blanks for required parameters and nulls for unknown names stay, to be refused. */
export function givenArguments(input: z.ZodObject, written: unknown): GivenArguments {
  if (!isObject(written)) return { args: written ?? {}, blanks: [], nulls: [] }
  const blanks: string[] = []
  const nulls: string[] = []
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const given = Object.entries(written).flatMap(([name, value]): [string, unknown][] => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (schema === undefined) return [[name, value]]
    if (value === null) {
      nulls.push(name)
      return []
    }
    // A blank for a required parameter is refused as empty, whichever characters it consists of.
    if (!isOptional(schema)) return [[name, typeof value === 'string' && isBlank(value) ? '' : value]]
    if (!isBlankValue(schema, value) || isVerbatim(schema, value, written)) return [[name, value]]
    blanks.push(name)
    return []
  })
  return { args: Object.fromEntries(given), blanks, nulls }
}

/** Names of the parameters that a call can leave out. */
export function optionalNames({ shape }: z.ZodObject): string[] {
  return Object.entries<z.core.$ZodType>(shape).flatMap(([name, schema]) => (isOptional(schema) ? [name] : []))
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined
}

/** True for text to take verbatim (see `verbatimUnless`): any non-empty text, or empty text if no alternative is given. */
function isVerbatim(schema: z.core.$ZodType, value: unknown, written: JsonObject): boolean {
  const { verbatimUnless: others } = vocabularyOf(schema)
  const isGiven = (other: unknown) => other !== undefined && other !== null && !(typeof other === 'string' && isBlank(other))
  return others !== undefined && (value !== '' || !others.some((name) => isGiven(written[name])))
}

/** True for a blank, and for a list of blanks unless the parameter takes any value. */
function isBlankValue(schema: z.core.$ZodType, value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value === 'string' && isBlank(value)
  const isEmpty = (item: unknown) => item === null || (typeof item === 'string' && isBlank(item))
  return value.length > 0 && !(innerType(schema) instanceof z.ZodUnknown) && value.every(isEmpty)
}

/**
 * The notice about omitted values, if any. A null is mentioned only in an update, where it may have been meant to clear a field, and only
 * if the host does not send null for everything unset.
 */
export function absenceNotice(input: z.ZodObject, { args, blanks, nulls }: GivenArguments, isUpdate: boolean): string | undefined {
  const optional = optionalNames(input).filter((name) => !(input.shape[name] instanceof z.ZodDefault))
  const isUnwritten = (name: string) => ![...nulls, ...blanks].includes(name) && isObject(args) && !Object.hasOwn(args, name)
  const meant = isUpdate && optional.some(isUnwritten) ? nulls.filter((name) => optional.includes(name)) : []
  const list = clearingList(input)
  const cleared = isObject(args) && list ? args[list.parameter] : undefined
  const names = [...blanks, ...meant].filter((name) => !(Array.isArray(cleared) && cleared.includes(name)))
  if (names.length === 0) return undefined
  const said = meant.length === 0 ? 'blank' : blanks.length === 0 ? 'null' : 'blank or null'
  const notice = `${joinWords(names)} ${names.length === 1 ? `was ${said} and counts` : `were ${said} and count`} as not given`
  if (!isUpdate) return `${notice}.`
  const clearable = (list?.fields ?? []).filter((field) => names.includes(field))
  const hint = clearable.length > 0 ? ` To clear ${joinWords(clearable)}, pass ${list?.parameter}: ${JSON.stringify(clearable)}.` : ''
  return `${notice}: nothing was cleared.${hint}`
}

/** The notice, if any, that defaults replaced nulls in a write. */
export function defaultsNotice({ shape }: z.ZodObject, { nulls }: GivenArguments): string | undefined {
  const defaultOf = (schema: unknown): unknown => schema instanceof z.ZodDefault && schema.def.defaultValue
  const set = nulls.filter((name) => defaultOf(shape[name]) !== false)
  return set.map((name) => `${name} was null, so the default ${JSON.stringify(defaultOf(shape[name]))} applied.`).join(' ') || undefined
}

/**
 * Mentions omitted values in an update's error. Proposes to clear fields if the call gives nothing else, because it can then have no other
 * meaning; never a long text field, whose content could not be restored.
 */
export function withAbsence(error: unknown, input: z.ZodObject, given: GivenArguments): unknown {
  const notice = absenceNotice(input, given, true)
  if (!(error instanceof InvalidInput) || notice === undefined) return error
  const { blanks, nulls } = given
  // A host that sends null for whatever is unset sends more of them.
  const left = nulls.length <= 2 ? [...blanks, ...nulls] : []
  const list = clearingList(input)
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const isAlone = isObject(given.args) && Object.keys(given.args).every((name) => shape[name] && !isOptional(shape[name]))
  const isMeant = list && isAlone && left.length > 0 && left.every((name) => list.fields.includes(name) && !isLongText(shape[name]))
  const change = isMeant && { ...Object.fromEntries(left.map((name) => [name, null])), [list.parameter]: left }
  return withDetails(error, error.text.and(notice), { ...(change && { next: { change } }), ...error.details })
}

/**
 * Error for an update whose only long text is blank, alongside other changes: the caller may have meant to empty it, and success would
 * suggest that it was emptied. Several blanks are not an error: some hosts send one for every unset parameter.
 */
export function blankText(input: z.ZodObject, { args, blanks }: GivenArguments): InvalidInput | undefined {
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const [name = '', ...others] = blanks
  const list = clearingList(input)
  const given = isObject(args) ? args : {}
  const cleared = list && given[list.parameter]
  const hasChanges = Object.keys(given).some((each) => shape[each] && isOptional(shape[each]))
  const hasText = Object.keys(given).some((each) => isLongText(shape[each]))
  if (others.length > 0 || !hasChanges || hasText || !isLongText(shape[name]) || (Array.isArray(cleared) && cleared.includes(name)))
    return undefined
  const way = list?.fields.includes(name) === true ? ` To empty it, leave it out and pass ${list.parameter}: ["${name}"].` : ''
  const text = `"${name}" is blank, which does not clear it; nothing was changed. Leave it out to keep the current text.${way}`
  return new InvalidInput(text, { next: { change: { [name]: null } } })
}

/** Maximum length, in characters, of a name, a date or a reference. */
const maxShortText = 10_000

function isLongText(schema: z.core.$ZodType | undefined): boolean {
  const inner = schema && innerType(schema)
  return inner instanceof z.ZodString && (inner.maxLength ?? Infinity) > maxShortText
}

/** The parameter that lists fields to clear, and the fields it accepts. */
export function clearingList(input: z.ZodObject): { readonly parameter: string; readonly fields: readonly string[] } | undefined {
  const clears = (name: string, type: z.core.$ZodType) => ({ ...vocabularyOf(type), ...vocabularyOf(input).parameters?.[name] }).isClearing
  const [parameter, schema] = Object.entries<z.core.$ZodType>(input.shape).find((each) => clears(...each)) ?? []
  const list = schema && innerType(schema)
  if (parameter === undefined || !(list instanceof z.ZodArray && list.element instanceof z.ZodEnum)) return undefined
  return { parameter, fields: list.element.options.map(String) }
}
