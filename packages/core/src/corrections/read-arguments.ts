import { isDeepStrictEqual } from 'node:util'
import { InvalidInput, type NextStep, type Suggestion } from '../errors/errors.ts'
import { Message } from '../errors/message.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import { suggestionOf } from '../references/matching/closest-names.ts'
import { quote, truncate } from '../errors/text.ts'
import { clearingList, type GivenArguments, givenArguments } from './absent.ts'
import { allowedValues, type NameReading, readName, sameName, type Parameter, parametersOf } from './parameters.ts'
import { describeProblems, maxUnknownNames } from './problems.ts'
import { isBlank } from '../base/blank.ts'
import { aboutForm, isIdle } from './needless.ts'
import { isFiller, leaveOut } from './plausibility.ts'
import { changed, correctedRest } from './rest.ts'
import { foldSpelling } from './spelling.ts'
import { unwrap } from './unwrap.ts'
import { isNothing, readFor, readValue } from './values.ts'
import { dayNote } from './dates/today.ts'
import { type Reading, type Vocabulary, vocabularyOf } from './vocabulary.ts'
import * as z from 'zod'

/** Maximum characters of a value repeated in a notice. */
const maxQuoted = 60
/** Maximum notices returned: more would hardly be read. */
const maxNotices = 10
const likely = 0.9
const possible = 0.6

/** Arguments in the form that a tool expects. */
export interface ReadArguments {
  readonly args: JsonObject
  /** The arguments under their correct names, and those omitted as null or blank. */
  readonly given: GivenArguments
  /** Sentences about names and values that were read as something else. */
  readonly notices: readonly string[]
  /** The caller's own name for each parameter whose name was corrected. */
  readonly writtenNames: ReadonlyMap<string, string>
}

/** Reads every argument that can be read losslessly. A name spelled correctly takes precedence over other spellings. */
function readArguments(
  { input, parameters, today }: Pick<RefusedCall, 'input' | 'parameters' | 'today'>,
  written: JsonObject,
): ReadArguments {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const others = Object.keys(written).filter((name) => !byName.has(name))
  const targets = new Map(others.slice(0, parameters.length).map((name) => [name, sameName(name, parameters)?.name]))
  const isClaimedOnce = (target: string) =>
    !Object.hasOwn(written, target) && [...targets.values()].filter((each) => each === target).length === 1
  const notices: string[] = []
  const writtenNames = new Map<string, string>()
  const named = Object.entries(written).map(([name, value]): [string, unknown] => {
    const target = targets.get(name)
    if (target === undefined || !isClaimedOnce(target)) return [name, value]
    notices.push(`Read the argument ${quote(name, maxQuoted)} as ${target}.`)
    writtenNames.set(target, name)
    return [target, value]
  })
  const given = givenArguments(input, Object.fromEntries(named))
  const args = Object.entries(isObject(given.args) ? given.args : {}).map(([name, value]): [string, unknown] => {
    const parameter = byName.get(name)
    const reading = parameter && !parameter.accepts(value) ? readValue(parameter, value, today) : undefined
    // The error for a number above the maximum says the maximum, not that it is text.
    if (!reading || !('equal' in reading)) return [name, Number(value) > Number(parameter?.json['maximum']) ? Number(value) : value]
    const [before, after] = [value, reading.equal].map((each) => truncate(JSON.stringify(each), maxQuoted))
    if (String(value) !== String(reading.equal)) notices.push(`Read ${name} ${before} as ${after}.`)
    return [name, reading.equal]
  })
  return { args: Object.fromEntries(args), given, notices: notices.slice(0, maxNotices), writtenNames }
}

/** Reads arguments as the schema has them, if that is clear and loses nothing; throws `InvalidInput` with suggestions and any safe change. */
export function understandArguments<In extends z.ZodObject>(
  input: In,
  written: unknown,
  today: string,
  purpose: CallPurpose = {},
): ReadArguments & { data: z.output<In> } {
  const parameters = parametersOf(input)
  const { args, change } = unwrap({ input, parameters, today, effect: purpose.effect }, isObject(written) ? written : {})
  const read = readArguments({ input, parameters, today }, args)
  const parsed = z.safeParse(input, isObject(written) ? read.args : (written ?? {}), { reportInput: true })
  if (parsed.success && !change) return { ...read, data: parsed.data }
  // If the arguments were wrapped, report the problems of the call as written.
  const { error } = change ? z.safeParse(input, written, { reportInput: true }) : parsed
  const call = { input, parameters, written: args, unwrapping: change ?? {}, read, today, ...purpose }
  throw invalidArguments(call, isObject(written), error?.issues ?? [])
}

/** A call's purpose: in a read, a condition names things to find; only in an update can a null clear a field. */
export interface CallPurpose {
  readonly effect?: 'read' | 'create' | 'update' | 'delete' | undefined
  /** Time zone of `today`; UTC by default. */
  readonly timeZone?: string | undefined
}

/** A call whose arguments are invalid however they are read. */
interface RefusedCall extends CallPurpose {
  readonly input: z.ZodObject
  readonly parameters: readonly Parameter[]
  /** The arguments as the caller wrote them, but unwrapped. */
  readonly written: JsonObject
  /** The change that unwraps the arguments. */
  readonly unwrapping: JsonObject
  readonly read: ReadArguments
  readonly today: string
}

/** A way to correct one argument: the change, if it is clear, and suggestions. */
interface Correction {
  readonly change?: JsonObject
  /** Message about an argument that belongs to another tool or parameter, or that nothing supports. */
  readonly note?: Message | undefined
  readonly suggestions: readonly Suggestion[]
}

/** One error for all that is wrong; `next.change` holds the corrections if each is clear and the call is then valid. Rivals are suggested. */
function invalidArguments(call: RefusedCall, isCall: boolean, issues: readonly z.core.$ZodIssue[]): InvalidInput {
  const { parameters, read, unwrapping } = call
  const names = parameters.map(({ name }) => name)
  const fields = call.effect === 'read' ? [] : parameters.filter(({ isRequired }) => !isRequired).map(({ name }) => name)
  const message = describeProblems(issues, names, fields).join(' ')
  if (!isCall) return new InvalidInput(message)
  const corrected = [...correctNames(call), ...correctValues(call)]
  const clears = suggestClearing(call)
  const corrections = [...corrected, ...fillMissing(call, corrected), ...clears]
  const change = clears.some((each) => !each.change) ? undefined : combine(corrections, call)
  const isComplete = change && z.safeParse(call.input, readArguments(call, changed(call.written, change)).args).success
  const args = changed(read.args, change ?? {})
  const missing = parameters.filter(({ name, isRequired }) => isRequired && args[name] === undefined)
  const lookup = lookupFor(missing[0]?.vocabulary.lookup, corrections, args)
  const isWritten = (name: string) => !Object.hasOwn(unwrapping, name) || unwrapping[name] === null
  const whole = Object.entries({ ...unwrapping, ...change }).filter(([name, value]) => value !== null || isWritten(name))
  const notes = [...new Map(corrections.flatMap(({ note }) => (note ? [[JSON.stringify(note), note]] : []))).values()]
  const next = isComplete ? { change: Object.fromEntries(whole) } : notes.length > 0 ? undefined : lookup
  // Avoids suggesting a deletion when no tool can do what was asked.
  const isNoted = call.effect === 'delete' && Object.keys(read.args).some((name) => noteOn(call, name))
  const suggestions = isNoted ? [] : corrections.flatMap((correction) => correction.suggestions)
  const text = Message.of(message, ...notes, ...dayNotes(call, corrections), ...(next ? [] : clearPart(call, change)))
  return new InvalidInput(text, { suggestions, ...(next && { next }), rest: { args, missing: missing.map(({ name }) => name) } })
}

/** The part of a change that is clear, if another part prevents a proposal. A deletion is not to be done in part. */
function clearPart({ parameters, effect, read: { args } }: RefusedCall, change?: JsonObject): string[] {
  if (!change || effect === 'delete' || Object.values(change).every((value) => value === null)) return []
  const isAccepted = ([each, value]: [string, unknown]) => parameters.some(({ name, accepts }) => name === each && accepts(value))
  const all = changed(args, change)
  const left = parameters.map(({ name }) => name).filter((name) => all[name] !== undefined && !isAccepted([name, all[name]]))
  const rest = correctedRest(Object.fromEntries(Object.entries(all).filter(isAccepted)), left)
  return rest.length > 1_000 ? [] : [rest]
}

/** The vocabulary's note on an unknown argument or a refused value, if it has one. */
function noteOn({ input, parameters, read: { args } }: RefusedCall, name: string): Message | undefined {
  const keys = [...(parameters.some((each) => each.name === name) ? [] : [name]), `${name}:${String(args[name])}`].map(foldSpelling)
  return Message.fromJson(Object.entries(vocabularyOf(input).elsewhere ?? {}).find(([each]) => keys.includes(foldSpelling(each)))?.[1])
}

/** The next step for a missing parameter. A `lookup` function gets the corrected arguments, if every correction is clear. */
function lookupFor(lookup: Vocabulary['lookup'], corrections: readonly Correction[], args: JsonObject): NextStep | undefined {
  if (typeof lookup !== 'function') return corrections.some(({ suggestions }) => suggestions.length > 0) ? undefined : lookup
  return corrections.every((correction) => correction.change) ? lookup(args) : undefined
}

/** Corrections that add missing values: those that follow from the other arguments, as corrected. */
function fillMissing({ parameters, read: { args } }: RefusedCall, corrected: readonly Correction[]): Correction[] {
  const others = corrected.reduce((all, { change = {} }) => changed(all, change), args)
  return parameters.flatMap(({ name, isRequired, vocabulary }) => {
    const value = isRequired && others[name] === undefined ? vocabulary.ifMissing?.(others) : undefined
    const change = isObject(value) ? value : { [name]: value }
    // Tools share some schemas, so the value may be for another tool's parameter.
    return change[name] === undefined ? [] : [{ change, suggestions: isObject(value) ? suggestValue(change[name], name, likely) : [] }]
  })
}

/** Notes on how relative dates were read, including dates under wrong names. */
function dayNotes({ parameters, read, today, timeZone = 'UTC' }: RefusedCall, corrections: readonly Correction[]): string[] {
  const notes = parameters.flatMap((parameter) => {
    const isMoved = (name: string) => corrections.some(({ change }) => change?.[name] === null && Object.hasOwn(change, parameter.name))
    const written = Object.entries(read.args).filter(([name]) => name === parameter.name || isMoved(name))
    return written.map(([, value]) => dayNote(parameter, value, { date: today, timeZone }))
  })
  return [...new Set(notes)].filter((note) => note !== undefined)
}

/** Corrections for unknown names. */
function correctNames(call: RefusedCall): Correction[] {
  const { parameters, effect } = call
  const { args } = call.read
  const isVoid = (value: unknown) => value === null || (typeof value === 'string' && isBlank(value))
  const free = parameters.filter(({ name, item }) => !Object.hasOwn(args, name) || isVoid(args[name]) || item)
  const isUnknown = (name: string) => !parameters.some((parameter) => parameter.name === name)
  const unknown = Object.keys(args).filter(isUnknown).slice(0, maxUnknownNames)
  const found = unknown.map((name) => {
    const meant = readName(name, free)
    const clear = meant.filter(({ isClear }) => isClear).flatMap((reading) => changeFor(reading, name, call))
    const single =
      [args[name]].flat().length > 1
        ? meant.find(({ isClear, parameter: { json, item } }) => isClear && json['type'] === 'string' && !item)?.parameter
        : undefined
    const said = noteOn(call, name) ?? (single && Message.of(`"${single.name}" takes one value per call.`))
    // Nulls that clear nothing can be omitted; so can arguments that change nothing, or go to a tool without parameters.
    const isForm = effect === 'read' && (meant.length === 0 || args[name] === false) && aboutForm.test(foldSpelling(name))
    const isUnsaid = !said && (parameters.length === 0 || isForm)
    const isNeedless = clear.length === 0 && (isIdle(vocabularyOf(call.input), effect, args, name) || isUnsaid)
    const isDropped = isNeedless || (isVoid(args[name]) && effect !== 'update')
    const chosen = isDropped ? { change: { [name]: null } } : onlyMeaning(clear)
    const suggestions = (isDropped ? [] : meant).filter(canHold(args[name], call)).flatMap(({ parameter, confidence, isClear }) => {
      const isDoubtful = parameter.vocabulary.fits?.(args[name], { name, others: args }) === false
      const own = suggestionOf({ confidence: isDoubtful ? possible : confidence }, { value: parameter.name, parameter: name })
      return [own, ...(isClear && !isDoubtful ? suggestReading(readFor(call, parameter, args[name]), parameter.name) : [])]
    })
    const candidates = single ? suggestValue(args[name], single.name, possible) : suggestions
    return { suggestions: candidates, note: chosen && !isNeedless ? undefined : said, ...(chosen && { change: chosen.change }) }
  })
  // Suggests a parameter only for the closer of two names: `assignees`, not `owner`.
  const rivals = found.flatMap(({ suggestions }) => suggestions)
  const isClosest = ({ value, confidence }: Suggestion) => rivals.every((each) => each.value !== value || each.confidence <= confidence)
  return found.map((each) => ({ ...each, suggestions: each.suggestions.filter(isClosest) }))
}

/** Accepts parameters that could hold the value: a name, for example, is neither a boolean nor one of a few words. */
function canHold(value: unknown, { today }: RefusedCall): (reading: NameReading) => boolean {
  const isFree = (parameter: Parameter) => parameter.json['type'] !== 'boolean' && allowedValues(parameter).length === 0
  return ({ parameter }) =>
    (typeof value === 'string' ? isFree(parameter) : typeof value !== 'boolean') || readValue(parameter, value, today) !== undefined
}

/** A name's only possible meaning; if there are several, the one without which the call stays incomplete. */
function onlyMeaning(meanings: ReturnType<typeof changeFor>): Pick<Correction, 'change'> | undefined {
  const needed = meanings.filter(({ parameter }) => parameter.isRequired)
  const [only, ...others] = needed.length > 0 ? needed : meanings
  return others.length === 0 ? only : undefined
}

/** Moves a value to the parameter that its name means; empty if the parameter does not accept the value. */
function changeFor(
  { parameter, isOpposite = false, implied = {} }: NameReading,
  name: string,
  { parameters, effect, read: { args }, today }: RefusedCall,
): { readonly parameter: Parameter; readonly change: JsonObject }[] {
  const { [name]: written, ...others } = args
  if (parameter.vocabulary.fits?.(written, { name, others }) === false) return []
  const { [parameter.name]: own = written, ...more } = { ...implied, ...parameter.vocabulary.implies?.(written, { name, others }) }
  // An implied value never replaces one that the caller wrote.
  if (Object.entries(more).some(([other, value]) => Object.hasOwn(args, other) && args[other] !== value)) return []
  if (parameter.isRequired && losesArguments(written, parameters, { ...args, ...more })) return []
  const reading = readFor({ effect, today }, parameter, own)
  if (!reading || 'possible' in reading) return []
  const value = 'equal' in reading ? reading.equal : reading.likely
  const meant = merged(args[parameter.name], value) ?? value
  if (isOpposite && typeof meant !== 'boolean') return []
  return [{ parameter, change: { [name]: null, [parameter.name]: isOpposite ? !meant : meant, ...more } }]
}

/** True if a record has, besides the name of its thing, an argument that the call lacks. */
const losesArguments = (record: unknown, parameters: readonly Parameter[], args: JsonObject) =>
  isObject(record) && parameters.some(({ name, isRequired }) => !isRequired && Object.hasOwn(record, name) && !Object.hasOwn(args, name))

/** Fields to clear, if the tool takes a list of them: one or two nulls mean it; more nulls, or a blank, can also mean "not set". */
function suggestClearing({ input, parameters, unwrapping, read: { args, given } }: RefusedCall): Correction[] {
  const list = clearingList(input)
  if (!list || Object.hasOwn(args, list.parameter)) return []
  const free = parameters.filter(({ name }) => !Object.hasOwn(args, name))
  const unknown = Object.keys(args).filter((name) => args[name] === null)
  const meant = unknown.slice(0, maxUnknownNames).map((name) => readName(name, free).find(({ isClear }) => isClear)?.parameter.name ?? '')
  const fields = [...given.nulls, ...given.blanks, ...meant]
  const cleared = fields.filter((field) => list.fields.includes(field))
  // A null in a wrapper, as in GraphQL, is written on purpose.
  const own = Object.keys(unwrapping).length > 0 ? [...given.nulls, ...meant] : given.nulls
  const isMeant = fields.length <= 2 && own.length === fields.length && cleared.length === fields.length
  const removed = Object.fromEntries([...given.nulls, ...unknown].map((name) => [name, null]))
  const change = isMeant && { change: { ...removed, [list.parameter]: cleared } }
  return cleared.length === 0 ? [] : [{ suggestions: suggestValue(cleared, list.parameter, isMeant ? likely : possible), ...change }]
}

/** Corrections for values that their parameters do not accept. */
function correctValues(call: RefusedCall): Correction[] {
  const { parameters, read } = call
  const { args, writtenNames } = read
  const wrong = parameters.filter(({ name, accepts }) => args[name] !== undefined && !accepts(args[name]))
  const list = clearingList(call.input)
  const isUpdate = call.effect === 'update'
  // In an update, `due_date: "none"` names a field to clear.
  const cleared = wrong.map(({ name }) => name).filter((name) => list?.fields.includes(name) === true && isNothing(args[name]))
  const others: readonly unknown[] = list && Array.isArray(args[list.parameter]) ? [args[list.parameter]].flat() : []
  return wrong.map((parameter): Correction => {
    const { name } = parameter
    const value = args[name]
    const note = noteOn(call, name)
    if (note !== undefined) return { suggestions: [], note }
    const removal = { [writtenNames.get(name) ?? name]: null }
    if (list && cleared.includes(name)) {
      const change = { ...removal, [list.parameter]: [...new Set([...others, ...cleared])] }
      return { change, suggestions: suggestValue(name, list.parameter, likely) }
    }
    const implied = parameter.vocabulary.implies?.(value, { name, others: args })
    const isFree = (other: string) => other === name || args[other] === undefined || args[other] === implied?.[other]
    if (implied && Object.keys(implied).every(isFree)) return { change: { ...removal, ...implied }, suggestions: [] }
    const reading = readFor(call, parameter, value)
    // A default would take the place of an omitted value.
    const isFilled = parameter.json['default'] === undefined && isFiller(value, isUpdate)
    const isUnset = reading ? 'likely' in reading && reading.likely === null : isFilled
    if (isUnset && !parameter.isRequired) {
      const note = reading && !isUpdate ? Message.of(`Leave ${quote(name)} out.`) : leaveOut([name], isUpdate)
      return { suggestions: [], note, ...((reading !== undefined || isUpdate) && { change: removal }) }
    }
    const given: readonly unknown[] = parameter.item && Array.isArray(value) ? value : []
    const suggestions = suggestReading(reading, name).filter((each) => !given.includes(each.value))
    const isClear = reading && 'likely' in reading && !(parameter.isRequired && losesArguments(value, parameters, args))
    return { suggestions, ...(isClear && { change: { ...removal, [name]: reading.likely } }) }
  })
}

function suggestReading(reading: Reading | undefined, parameter: string): Suggestion[] {
  if (!reading || 'equal' in reading) return []
  if ('likely' in reading) return suggestValue(reading.likely, parameter, likely)
  return reading.possible.flatMap((value) => suggestValue(value, parameter, possible))
}

function suggestValue(value: unknown, parameter: string, confidence: number): Suggestion[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value]
  return values.map((each) => ({ value: typeof each === 'string' ? each : JSON.stringify(each), parameter, confidence }))
}

/** Every clear correction as one change; undefined if two disagree, or if nothing is left to change. */
function combine(corrections: readonly Correction[], { written, unwrapping }: RefusedCall): JsonObject | undefined {
  const change: Record<string, unknown> = {}
  for (const [name, each] of corrections.flatMap((correction) => Object.entries(correction.change ?? {}))) {
    const value = merged(change[name], each) ?? each
    if (value === each && Object.hasOwn(change, name) && !isDeepStrictEqual(change[name], value)) return undefined
    if (value !== written[name] || value === null) change[name] = value
  }
  return Object.keys({ ...unwrapping, ...change }).length > 0 ? change : undefined
}

/** Two lists as one. */
function merged(one: unknown, other: unknown): unknown[] | undefined {
  const lists = [one, other]
  return lists.every(Array.isArray) ? [...new Set(lists.flat())] : undefined
}
