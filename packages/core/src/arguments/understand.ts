import { isDeepStrictEqual } from 'node:util'
import { InvalidInput, type Suggestion } from '../errors.ts'
import { isObject, type JsonObject } from '../json.ts'
import { suggestionOf } from '../matching/rank.ts'
import { quote, truncate } from '../text.ts'
import { type NameReading, readName, sameName, allowedValues, type Parameter, parametersOf } from './parameters.ts'
import { describeProblems, maxUnknownNames } from './problems.ts'
import { readValue } from './values.ts'
import { type Reading, vocabularyOf, words } from './vocabulary.ts'
import * as z from 'zod'

/** How much of a value a notice repeats. */
const maxQuoted = 60
/** More notices than an agent reads. */
const maxNotices = 10

/** Arguments in the form that a tool expects. */
export interface ReadArguments {
  readonly args: JsonObject
  /** Says what was read in another way. */
  readonly notices: readonly string[]
  /** The name under which the caller wrote a parameter, where it is another. */
  readonly writtenNames: ReadonlyMap<string, string>
}

/** The arguments with everything read that loses nothing. A name that exists as it is written always comes first. */
export function readArguments(parameters: readonly Parameter[], written: JsonObject, today: string): ReadArguments {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const others = Object.keys(written).filter((name) => !byName.has(name))
  const targets = new Map(others.slice(0, parameters.length).map((name) => [name, sameName(name, parameters)?.name]))
  const isClaimedOnce = (target: string) =>
    !Object.hasOwn(written, target) && [...targets.values()].filter((each) => each === target).length === 1
  const notices: string[] = []
  const writtenNames = new Map<string, string>()
  const args = Object.entries(written).map(([name, value]): [string, unknown] => {
    const target = targets.get(name)
    const readName = target !== undefined && isClaimedOnce(target) ? target : name
    const parameter = byName.get(readName)
    if (readName !== name) {
      notices.push(`Read the argument ${quote(name, maxQuoted)} as ${readName}.`)
      writtenNames.set(readName, name)
    }
    const reading = parameter && !parameter.accepts(value) ? readValue(parameter, value, today) : undefined
    if (!reading || !('equal' in reading)) return [readName, value]
    notices.push(`Read ${readName} ${shortJson(value)} as ${shortJson(reading.equal)}.`)
    return [readName, reading.equal]
  })
  return { args: Object.fromEntries(args), notices: notices.slice(0, maxNotices), writtenNames }
}

/** A value as JSON, cut. */
export function shortJson(value: unknown): string {
  return truncate(JSON.stringify(value), maxQuoted)
}

/**
 * The arguments of a call that its schema does not accept as they are. What is unambiguous and loses nothing is read at once: another
 * spelling of a name or a value, a number as text, one value for a list. Throws `InvalidInput` for anything else, with suggestions and,
 * where a single correction is safe, the change.
 */
export function understandArguments<In extends z.ZodObject>(
  input: In,
  written: unknown,
  today: string,
  purpose: CallPurpose = {},
): ReadArguments & { data: z.output<In> } {
  const parameters = parametersOf(input)
  const read = readArguments(parameters, isObject(written) ? written : {}, today)
  const parsed = z.safeParse(input, isObject(written) ? read.args : written, { reportInput: true })
  if (parsed.success) return { ...read, data: parsed.data }
  throw invalidArguments({ input, parameters, written, read, today, ...purpose }, parsed.error)
}

/** What a call is for, as far as it decides what its arguments can mean. */
export interface CallPurpose {
  /** Whether it only reads, so that a condition says what to find. */
  readonly isRead?: boolean
  /** The arguments that the caller wrote as null. */
  readonly nulls?: readonly string[]
}

/** A call whose arguments are not accepted, even as they were read. */
interface RefusedCall extends CallPurpose {
  readonly input: z.ZodObject
  readonly parameters: readonly Parameter[]
  readonly written: unknown
  readonly read: ReadArguments
  readonly today: string
}

/** A way to correct one argument: what to change, if that is clear, and what to suggest. */
interface Correction {
  readonly change?: JsonObject
  readonly suggestions: readonly Suggestion[]
}

const likely = 0.9
const possible = 0.6

/**
 * One error that says everything that is wrong with the arguments. `next.change` holds the corrections only where each is clear and the
 * corrected call is accepted; where two compete, both are suggestions.
 */
function invalidArguments(call: RefusedCall, { issues }: z.ZodError): InvalidInput {
  const { parameters, written, read } = call
  const texts = describeProblems(
    issues,
    parameters.map(({ name }) => name),
  )
  const message = texts.join(' ')
  if (!isObject(written)) return new InvalidInput(message)
  const corrections = [...correctNames(call), ...correctValues(call)]
  const clears = suggestClearing(call)
  const suggestions = [...corrections.flatMap((correction) => correction.suggestions), ...clears]
  const change = clears.length > 0 ? undefined : combine(corrections, { ...call, written })
  const isComplete = change && isAccepted(change, { ...call, written })
  const missing = parameters.find(({ name, isRequired }) => isRequired && read.args[name] === undefined)
  const lookup = suggestions.length > 0 ? undefined : missing?.vocabulary.lookup
  const next = isComplete ? { change } : lookup
  return new InvalidInput(message, { suggestions, ...(next && { next }) })
}

/** What the unknown names may mean. */
function correctNames(call: RefusedCall): Correction[] {
  const { parameters, isRead = false } = call
  const { args } = call.read
  const free = parameters.filter(({ name }) => !Object.hasOwn(args, name))
  const unknown = Object.keys(args)
    .filter((name) => !parameters.some((parameter) => parameter.name === name))
    .slice(0, maxUnknownNames)
  return unknown.map((name) => {
    const wrapped = isRead || !conditions.has(name) ? unwrap(call, name) : undefined
    if (wrapped) return wrapped
    const meant = readName(name, free)
    const clear = meant.filter(({ isClear }) => isClear).flatMap((reading) => changeFor(reading, name, call))
    const chosen = onlyMeaning(clear)
    const suggestions = meant
      .filter(canHold(args[name], call))
      .map(({ parameter, confidence }) => suggestionOf({ confidence }, { value: parameter.name, parameter: name }))
    return { suggestions, ...(chosen && { change: chosen.change }) }
  })
}

/** Whether a parameter may be meant with a value: no name or address is true or false. */
function canHold(value: unknown, { today }: RefusedCall): (reading: NameReading) => boolean {
  return ({ parameter }) =>
    parameter.json['type'] !== 'boolean' || typeof value !== 'string' || readValue(parameter, value, today) !== undefined
}

interface MovedValue {
  readonly parameter: Parameter
  readonly change: JsonObject
}

/** The only thing that a name can mean. Where it can mean several, the one without which the call stays incomplete. */
function onlyMeaning(meanings: readonly MovedValue[]): MovedValue | undefined {
  const needed = meanings.filter(({ parameter }) => parameter.isRequired)
  const [only, ...others] = needed.length > 0 ? needed : meanings
  return others.length === 0 ? only : undefined
}

/** Names for all or some arguments of a call. Any other name has a meaning: `{ "exclude": { … } }`. */
const wrappers = new Set(
  words(
    'input inputs arguments args params parameters payload data body fields values properties options request filter filters where changes',
  ),
)

function isWrapper(name: string, input: z.ZodObject): boolean {
  return wrappers.has(name) || vocabularyOf(input).wrappers?.includes(name) === true
}

/** Wrappers of what is looked for. In a write they say which items are meant, not what to write. */
const conditions = new Set(['filter', 'filters', 'where'])

/** The arguments of a call that are wrapped in one: `{ "input": { … } }`. None where a name in it repeats an argument or is unknown. */
function unwrap({ input, parameters, read: { args } }: RefusedCall, name: string): Correction | undefined {
  const { [name]: wrapped, ...rest } = args
  if (!isWrapper(name, input) || !isObject(wrapped)) return undefined
  const change: Record<string, unknown> = { [name]: null }
  for (const [each, value] of Object.entries(wrapped)) {
    const target = sameName(each, parameters)?.name
    if (target === undefined || Object.hasOwn(rest, target) || Object.hasOwn(change, target)) return undefined
    change[target] = value
  }
  return { change, suggestions: [] }
}

/** Moves a value to the parameter that its name means; none where the parameter does not accept it. */
function changeFor(
  { parameter, isOpposite = false, implied = {} }: NameReading,
  name: string,
  { input, parameters, read: { args }, today }: RefusedCall,
): MovedValue[] {
  const { [name]: written, ...others } = args
  if (parameter.vocabulary.fits?.(written, { name, others }) === false) return []
  // What a name implies never replaces what the caller wrote.
  if (Object.entries(implied).some(([other, value]) => Object.hasOwn(args, other) && args[other] !== value)) return []
  const reading = readValue(parameter, written, today)
  if (!reading || 'possible' in reading) return []
  const meant = 'equal' in reading ? reading.equal : reading.likely
  if (isOpposite && typeof meant !== 'boolean') return []
  if ((parameter.isRequired || isWrapper(name, input)) && losesArguments(written, { parameters, args })) return []
  return [{ parameter, change: { [name]: null, [parameter.name]: isOpposite ? !meant : meant, ...implied } }]
}

/** Whether a record has more than its name to say: another of its keys is an argument that the call does not have yet. */
function losesArguments(record: unknown, { parameters, args }: { parameters: readonly Parameter[]; args: JsonObject }): boolean {
  if (!isObject(record)) return false
  return Object.keys(record).some((key) => {
    const target = sameName(key, parameters)
    return target !== undefined && !target.isRequired && !Object.hasOwn(args, target.name)
  })
}

/** A null may be what is not set, or clear a value: where the tool has a list of what to clear, it is suggested. */
function suggestClearing({ parameters, read: { args }, nulls = [] }: RefusedCall): Suggestion[] {
  return parameters
    .filter(({ name, vocabulary }) => vocabulary.isClearing === true && !Object.hasOwn(args, name))
    .flatMap((list) => {
      const clearable = list.item ? allowedValues(list.item) : []
      return nulls.flatMap((name) => {
        const field = sameName(name, parameters)?.name
        return clearable.includes(field) ? suggestValue(field, list.name, possible) : []
      })
    })
}

/** What the values may mean that their parameters do not accept. */
function correctValues({ parameters, read: { args, writtenNames }, today }: RefusedCall): Correction[] {
  return parameters.flatMap((parameter): Correction[] => {
    const { name } = parameter
    const value = args[name]
    if (value === undefined || parameter.accepts(value)) return []
    const reading = readValue(parameter, value, today)
    const values = reading ? meaningsOf(reading) : suggestItems(parameter, value, today)
    const confidence = reading && 'likely' in reading ? likely : possible
    const given: readonly unknown[] = parameter.item && Array.isArray(value) ? value : []
    const suggestions = values.flatMap((each) => suggestValue(each, name, confidence)).filter((each) => !given.includes(each.value))
    const writtenName = writtenNames.get(name)
    const change =
      reading && 'likely' in reading && !(parameter.isRequired && losesArguments(value, { parameters, args }))
        ? { ...(writtenName !== undefined && { [writtenName]: null }), [name]: reading.likely }
        : undefined
    return [{ suggestions, ...(change && { change }) }]
  })
}

/** What a reading may mean; nothing where that is certain. */
function meaningsOf(reading: Reading): readonly unknown[] {
  if ('equal' in reading) return []
  return 'likely' in reading ? [reading.likely] : reading.possible
}

/** What single items of a list may mean where the list as a whole cannot be corrected. */
function suggestItems({ item }: Parameter, value: unknown, today: string): readonly unknown[] {
  if (!item || !Array.isArray(value)) return []
  const items: readonly unknown[] = value
  const meant = items.slice(0, 12).flatMap((each) => {
    const reading = item.accepts(each) ? undefined : readValue(item, each, today)
    return reading ? meaningsOf(reading) : []
  })
  return [...new Set(meant)]
}

function suggestValue(value: unknown, parameter: string, confidence: number): Suggestion[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value]
  return values.map((each) => ({ value: typeof each === 'string' ? each : JSON.stringify(each), parameter, confidence }))
}

/** All clear corrections as one change; undefined where two of them disagree or there is none. */
function combine(corrections: readonly Correction[], { written }: { readonly written: JsonObject }): JsonObject | undefined {
  const change: Record<string, unknown> = {}
  for (const [name, value] of corrections.flatMap((correction) => Object.entries(correction.change ?? {}))) {
    if (Object.hasOwn(change, name) && !isDeepStrictEqual(change[name], value)) return undefined
    if (value !== written[name]) change[name] = value
  }
  return Object.keys(change).length > 0 ? change : undefined
}

/** Whether the corrected call would be accepted, read as any other call is. */
function isAccepted(change: JsonObject, call: RefusedCall & { readonly written: JsonObject }): boolean {
  const { input, parameters, written, today } = call
  const corrected = Object.fromEntries(Object.entries({ ...written, ...change }).filter(([, value]) => value !== null))
  return z.safeParse(input, readArguments(parameters, corrected, today).args).success
}
