import type { NextStep, Suggestion } from '@mcp-toolkits/core'
import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/json'
import { isReversal } from '@mcp-toolkits/core/matching'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { quote } from '@mcp-toolkits/core/text'
import { type CallName, type ItemType, itemTypes } from './calls.ts'
import { isDateTime, readDateTime } from './date-time.ts'
import { dateTimeFields, fieldsOf, identityNames, idFields, personNames, plainName, unusedFields } from './fields.ts'
import { withDeclaredTypes } from './declared-types.ts'
import { type Finding, findingsIn, groupFindings, indexOfItem, rangesOf } from './findings.ts'
import { maxLooseLength, readLooseJson } from './loose-json.ts'
import { strictnessOf } from './strictness.ts'

/** Longer bodies are corrected in words only, because an error is read as a whole. In characters of its JSON. */
const maxChangeLength = 16_000
/** Longer bodies are not suggested. */
const maxSuggestionLength = 1_000

/** What an error says about a body that cannot be used as it is. */
export interface Advice {
  readonly text: Message
  /** Leads to a body without faults, or to the batch tool. */
  readonly next?: NextStep
  readonly suggestions?: readonly Suggestion[]
  /** Whether it leaves out calls that cannot be corrected. */
  readonly isPartial?: boolean
}

export interface AdviceOptions {
  readonly isStrict: boolean
  /** Whether the body came as arguments beside `request_body`. */
  readonly isSpread?: boolean
}

/** A change, as a finding has it. */
type Change = Pick<Finding, 'at' | 'problem'>

/** A body that is corrected step by step, and what was changed in it. */
class Correction {
  readonly changes: Change[] = []
  /** Whether one of them says what the caller did not: it is suggested and not proposed. */
  isGuess = false

  note(at: string, problem: string): void {
    this.changes.push({ at, problem })
  }
}

/**
 * How a body can be corrected without guessing: names of fields, forms of dates, notation and wrapping. It is for the caller to confirm
 * and never carried out. Undefined when there is nothing to say.
 */
export async function adviseOn(
  name: CallName,
  written: unknown,
  { isStrict, isSpread = false }: AdviceOptions,
): Promise<Advice | undefined> {
  // To parse megabytes of brackets takes long, and their correction could not be shown.
  if (typeof written === 'string' && written.length > maxLooseLength) return undefined
  const loose = typeof written === 'string' ? readLooseJson(written) : written
  const value = isSpread ? onlyBody(name, loose) : loose
  const correction = new Correction()
  const content = unwrap(name, value, correction)
  if (isSpread) {
    if (!isObject(content) || !isCallLike(name, content)) return undefined
    correction.note('', 'in request_body')
  }
  const list: readonly unknown[] | undefined = Array.isArray(content) ? content : isObject(content) ? listIn(content) : undefined
  if (name !== 'batch' && list) {
    if (list.length !== 1) return adviseBatch(name, list, isStrict)
    correction.note('', 'the only item of the list')
  }
  const [call = content] = list && name !== 'batch' ? list : []
  const other = name !== 'batch' && isObject(call) ? readType(call['type']) : undefined
  if (other && other !== name && isObject(call)) return adviseOtherTool(other, call, isStrict)
  const place = { at: '', correction }
  const body = name === 'batch' ? correctBatch(content, correction) : isObject(call) ? correctCall(name, call, place) : undefined
  const parsed = typeof written === 'string' ? parseJson(written) : value
  if (body && (parsed === undefined || typeof parsed === 'string')) correction.note('', 'its notation')
  return body && adviseBody(name, body, correction)
}

/** A call of another type than its tool. That tool is the next step where it takes the call. */
async function adviseOtherTool(type: ItemType, call: JsonObject, isStrict: boolean): Promise<Advice> {
  const { type: written, ...fields } = call
  const body = correctCall(type, fields, { at: '', correction: new Correction() })
  const tool = `EventPipelineApi.${toolNames[type]}`
  const text = sentence`Its type is ${quote(String(written))}: send it with ${{ tool }}.`
  const faults = (await findingsIn(type, body)).filter(({ isFault }) => isFault)
  const request_body = JSON.stringify(body)
  if (faults.length > 0 || isTooLong(request_body)) return { text }
  return { text, next: { tool, arguments: { mode: 'execute', request_body, ...(isStrict && enabled(type)) } } }
}

/** The argument that makes a call strict. */
const enabled = (name: CallName) => ({ [strictnessOf[name].name]: strictnessOf[name].enabling })

/** A list for a tool that takes one call. The batch tool is the next step only where it takes every item as it is. */
async function adviseBatch(name: ItemType, list: readonly unknown[], isStrict: boolean): Promise<Advice | undefined> {
  if (list.length === 0) return undefined
  const tool = 'EventPipelineApi.SendBatchRequests'
  const batch = list.map((item) => (isObject(item) && item['type'] === undefined ? { type: name, ...item } : item))
  const text = sentence`This tool takes one call. Send several with ${{ tool }}: {"batch": [{"type": "${name}", …}, …]}.`
  const request_body = JSON.stringify({ batch })
  const findings = await findingsIn('batch', { batch })
  if (findings.length > 0 || isTooLong(request_body)) return { text }
  return { text, next: { tool, arguments: { mode: 'execute', request_body, ...(isStrict && enabled('batch')) } } }
}

async function adviseBody(name: CallName, body: JsonObject, { changes, isGuess }: Correction): Promise<Advice | undefined> {
  const identity = name === 'batch' ? undefined : await adviseOnIdentity(name, body)
  if (identity) return identity
  const faults = (await findingsIn(name, body)).filter(({ isFault }) => isFault)
  const batch: readonly unknown[] = Array.isArray(body['batch']) ? body['batch'] : []
  const faulty = new Set(faults.map(indexOfItem))
  const canLeaveOut = name === 'batch' && !faulty.has(-1) && faulty.size < batch.length
  if (faults.length > 0 && !canLeaveOut) return undefined
  if (changes.length === 0 && faulty.size === 0) return undefined
  const request_body = JSON.stringify(faulty.size === 0 ? body : { ...body, batch: batch.filter((_, index) => !faulty.has(index)) })
  const leftOut = faulty.size === 0 ? '' : `without batch[${rangesOf([...faulty].sort((a, b) => a - b))}]`
  const corrected = describeChanges(changes)
  if (isTooLong(request_body)) {
    const rest = leftOut === '' ? '' : `Send the other ${batch.length - faulty.size} ${leftOut}.`
    return { text: Message.of(corrected === '' ? '' : `Correct: ${corrected}.`, rest), isPartial: leftOut !== '' }
  }
  if (isGuess || leftOut !== '') {
    const said = [corrected, leftOut].filter((each) => each !== '').join('; ')
    return { text: Message.of(`This would be accepted: ${said}.`), ...suggest([request_body]), isPartial: leftOut !== '' }
  }
  return { text: Message.of(`next.change has the body corrected: ${corrected}.`), next: { change: { request_body } } }
}

const isTooLong = (text: string) => JSON.stringify(text).length > maxChangeLength

function describeChanges(changes: readonly Change[]): string {
  const groups = groupFindings(changes.map((change) => ({ ...change, isFault: false })))
  return groups.map(({ at, problem }) => `${at} ${problem}`.trim()).join('; ')
}

/** Names that can only be the id of the person whom a call identifies. */
const personIds = ['id', 'customerid', 'personid', 'userid']

/** The bodies that may be meant where an id has another name. Only the one reading of the id of a person is proposed. */
async function adviseOnIdentity(name: ItemType, body: JsonObject): Promise<Advice | undefined> {
  if (name === 'group' ? body['groupId'] !== undefined : body['userId'] !== undefined || body['anonymousId'] !== undefined) return undefined
  const readings = Object.entries(body).flatMap(([key, value]) => {
    const given = isObject(value) && personNames.includes(plainName(key)) ? value['id'] : value
    const plain = given === value ? plainName(key) : 'personid'
    const fields = Object.hasOwn(identityNames, plain) ? (identityNames[plain] ?? []) : []
    if (typeof given !== 'string' && typeof given !== 'number') return []
    // The vendor ignores an identify call with an anonymousId alone.
    const fitting = fields.filter((field) => fieldsOf(name).includes(field) && !(name === 'identify' && field === 'anonymousId'))
    const others = Object.entries(body).filter(([each]) => each !== key)
    return fitting.map((field) => ({ key, plain, field, value: { [field]: String(given), ...Object.fromEntries(others) } }))
  })
  const findings = await Promise.all(readings.map(({ value }) => findingsIn(name, value)))
  const [first, ...others] = readings.filter((_, index) => findings[index]?.every(({ isFault }) => !isFault))
  if (!first) return undefined
  const text = Message.of(`Possible: ${[first, ...others].map(({ key, field }) => `${quote(key)} as ${field}`).join(', ')}.`)
  const suggestions = suggest([first, ...others].map(({ value }) => JSON.stringify(value)))
  const isOnly = others.length === 0 && personIds.includes(first.plain) && first.field === 'userId'
  const next = { change: { request_body: JSON.stringify(first.value) } }
  return { text, ...suggestions, ...(isOnly && { next }) }
}

/** Bodies as suggestions, the likeliest first. */
function suggest(bodies: readonly string[]): Pick<Advice, 'suggestions'> {
  const suggestions = bodies.map((value, index) => ({ parameter: 'request_body', value, confidence: index === 0 ? 0.7 : 0.5 }))
  return { suggestions: suggestions.filter(({ value }) => value.length <= maxSuggestionLength) }
}

/** Names of objects that only hold the body. */
const wrappers = ['body', 'requestbody', 'payload', 'data', 'message', 'json', 'params', 'arguments', 'args', 'input', 'request']
/** What may stand beside the body in such an object. */
const besideBody = ['mode', 'type', 'method', 'endpoint', 'path', 'url', 'enablestrictvalidation', 'enablestrictmode']

/** The content of an object that only wraps a body. */
function unwrap(name: CallName, value: unknown, correction: Correction): unknown {
  if (!isObject(value)) return value
  const [first, ...others] = Object.entries(value).filter(([key]) => !besideBody.includes(plainName(key)))
  if (!first || others.length > 0) return value
  const [key, held] = first
  const isText = typeof held === 'string'
  const isWrapper =
    wrappers.includes(plainName(key)) || (key === name && (name !== 'batch' || isText)) || (key === 'event' && name === 'track')
  const inner = typeof held === 'string' && /^\s*[[{]/.test(held) ? readLooseJson(held) : held
  const isBody = isObject(inner) ? isCallLike(name, inner) : Array.isArray(inner)
  if (!isWrapper || !isBody || (!isType(name, value['type']) && value['type'] !== undefined)) return value
  correction.note('', `taken out of ${quote(key)}`)
  return unwrap(name, inner, correction)
}

/** The body that is the only argument, under a name that has no other meaning and does not turn this one around. */
function onlyBody(name: CallName, args: unknown): unknown {
  const [[key, held] = ['', undefined], ...others] = isObject(args) ? Object.entries(args) : []
  const inner = typeof held === 'string' && /^\s*[[{]/.test(held) ? readLooseJson(held) : held
  const isBody = isObject(inner) ? isCallLike(name, inner) : Array.isArray(inner)
  if (!isBody || others.length > 0 || isReversal(key, 'request_body')) return args
  if (name === 'batch') return listNames.includes(plainName(key)) ? args : inner
  const [unused] = unusedFields(name, { [key]: held })
  const isUnknown = unused?.home === undefined ? unused !== undefined && !unused.isAboutPerson : unused.home.endsWith(`.${key}`)
  return isUnknown ? inner : args
}

const isType = (name: CallName, type: unknown) => typeof type === 'string' && plainName(type) === name

/** Whether an object has a field of a call, under any name. */
function isCallLike(name: CallName, value: JsonObject): boolean {
  if (name === 'batch') return listIn(value) !== undefined || itemTypes.some((type) => isCallLike(type, value))
  const known = new Set(fieldsOf(name))
  const homes = unusedFields(name, value).map(({ home = '' }) => home)
  return (
    Object.keys(value).some((key) => known.has(key) || Object.hasOwn(identityNames, plainName(key))) ||
    homes.some((home) => known.has(home))
  )
}

/** Other names of `batch`. */
const listNames = ['batch', 'events', 'items', 'calls', 'requests', 'messages', 'data', 'body']

/** The list of calls in an object. */
function listIn(value: JsonObject): readonly unknown[] | undefined {
  const lists = Object.entries(value).filter(([key, held]) => listNames.includes(plainName(key)) && Array.isArray(held))
  const [[, list] = []] = lists
  return lists.length === 1 && Array.isArray(list) ? list : undefined
}

/** A body of the batch tool from a list of calls, one under another name, or a single call. */
function correctBatch(content: unknown, correction: Correction): JsonObject | undefined {
  if (Array.isArray(content)) {
    correction.note('', 'the list → {"batch": [...]}')
    return correctItems({}, content, correction)
  }
  if (!isObject(content)) return undefined
  const { batch, ...rest } = content
  if (Array.isArray(batch)) return correctItems(rest, batch, correction)
  const list = listIn(content) ?? textList(batch) ?? (isObject(batch) ? listIn(batch) : undefined)
  if (list) {
    correction.note('', 'the list → "batch"')
    return correctItems(Object.fromEntries(Object.entries(rest).filter(([, held]) => held !== list)), list, correction)
  }
  const single = isObject(batch) && Object.keys(rest).length === 0 ? batch : content
  if (batch !== undefined && single === content) return undefined
  correction.note('', 'the call → {"batch": [...]}')
  return correctItems({}, [single], correction)
}

function textList(batch: unknown): readonly unknown[] | undefined {
  const list = typeof batch === 'string' ? readLooseJson(batch) : undefined
  return Array.isArray(list) ? list : undefined
}

function correctItems(rest: JsonObject, items: readonly unknown[], correction: Correction): JsonObject {
  const note = (at: string, change: string) => {
    correction.note(at, change)
  }
  const others = Object.entries(rest).map(([name, value]) => [name, withDeclaredTypes('track', name, value, note)] as const)
  return { ...Object.fromEntries(others), batch: items.map((item, index) => correctItem(item, { at: `batch[${index}]`, correction })) }
}

/** A type as it is written with what it is about, without case and separators: `trackEvent`, `page_view`, `IdentifyUser`. */
const writtenType = /^(?:send)?(identify|track|page|screen|group|alias)(?:user|person|customer|event|view|call|identity)*$/

/** The tool of each call. */
const toolNames: Readonly<Record<ItemType, string>> = {
  identify: 'IdentifyPersonAndAssignTraits',
  track: 'TrackUserEvent',
  page: 'SendPageViewEvent',
  screen: 'SendScreenViewEvent',
  group: 'AddToGroup',
  alias: 'AliasUserIdentity',
}

function readType(value: unknown): ItemType | undefined {
  const [, type] = typeof value === 'string' ? (writtenType.exec(plainName(value)) ?? []) : []
  return itemTypes.find((each) => each === type)
}

/** Fields by which an item without a type can be only one. */
const tellingNames: readonly (readonly [readonly string[], ItemType])[] = [
  [['event', 'eventname'], 'track'],
  [['previousid', 'prev', 'previous'], 'alias'],
  [['groupid'], 'group'],
  [['traits'], 'identify'],
]

/** Names under which an item may have its type. */
const typeKeys = ['type', 'method', 'call', 'kind', 'action', 'operation', 'op', 'eventtype', 'calltype']

interface Place {
  readonly at: string
  readonly correction: Correction
}

function correctItem(item: unknown, place: Place): unknown {
  if (!isObject(item)) return item
  const { at, correction } = place
  const [[key, inner] = [], ...others] = Object.entries(item)
  const wrapping = itemTypes.find((type) => type === key)
  if (wrapping && others.length === 0 && isObject(inner)) {
    correction.note(at, `taken out of ${quote(wrapping)}`)
    return { type: wrapping, ...correctCall(wrapping, inner, place) }
  }
  const names = Object.keys(item).map(plainName)
  const named = Object.entries(item).find(([each, held]) => typeKeys.includes(plainName(each)) && readType(held))
  const told = item['type'] === undefined ? tellingNames.find(([fields]) => fields.some((field) => names.includes(field)))?.[1] : undefined
  const type = readType(named?.[1]) ?? told
  if (!type) return item
  if (item['type'] !== type) correction.note(`${at}.type`, `"${type}"`)
  if (!named) correction.isGuess = true
  const renamed = Object.entries(item).map(([each, held]): [string, unknown] => (each === named?.[0] ? ['type', type] : [each, held]))
  return correctCall(type, { ...(!named && { type }), ...Object.fromEntries(renamed) }, place)
}

/** A call with its fields under the vendor's names and in the vendor's forms, in the same order. */
function correctCall(type: ItemType, call: JsonObject, { at, correction }: Place): JsonObject {
  const note = (name: string, problem: string) => {
    correction.note(at === '' ? name : `${at}.${name}`, problem)
  }
  const given = moveFields(type, call, (from, home) => {
    note(from, `→ ${home}`)
  })
  const known = fieldsOf(type)
  const present = Object.entries(given).filter(([name, value]) => {
    const isEmpty = value === null && known.includes(name) && name !== 'integrations'
    if (isEmpty) note(name, 'null left out')
    return !isEmpty
  })
  const corrected = present.map(([name, value]) => [name, withDeclaredTypes(type, name, correctValue(name, value, note), note)] as const)
  return Object.fromEntries(corrected)
}

const isName = (value: unknown) => (typeof value === 'string' && value !== '') || Number.isSafeInteger(value)

/** The value of a field in the form that the vendor reads. */
function correctValue(name: string, value: unknown, note: (name: string, problem: string) => void): unknown {
  if (idFields.includes(name) && Number.isSafeInteger(value)) {
    note(name, 'as text')
    return String(value)
  }
  if ([...idFields, 'event', 'name', 'messageId'].includes(name) && Array.isArray(value) && value.length === 1 && isName(value[0])) {
    note(name, 'the only item of the list')
    return String(value[0])
  }
  if (dateTimeFields.includes(name)) return correctDateTime(name, value, note)
  if (!['traits', 'properties', 'context', 'integrations'].includes(name)) return value
  const object = typeof value === 'string' && /^\s*\{/.test(value) ? readLooseJson(value) : value
  if (!isObject(object)) return value
  if (object !== value) note(name, 'as an object')
  return name === 'traits' && object['createdAt'] !== undefined
    ? { ...object, createdAt: correctDateTime('traits.createdAt', object['createdAt'], note) }
    : object
}

function correctDateTime(name: string, value: unknown, note: (name: string, problem: string) => void): unknown {
  const moment = isDateTime(value) ? undefined : readDateTime(value)
  if (moment === undefined) return value
  note(name, `${quote(String(value))} → "${moment}"`)
  return moment
}

/** Moves what the vendor does not read to where it does. Where two fields have the same home, or it is taken, nothing is moved. */
function moveFields(type: ItemType, call: JsonObject, onMove: (from: string, home: string) => void): JsonObject {
  const unused = Map.groupBy(unusedFields(type, call), ({ home }) => home)
  const homes = [...unused].flatMap(([home, [first, ...others]]) => {
    const isFree = home !== undefined && first && others.length === 0 && (home.includes('.') || call[home] === undefined)
    return isFree ? [[first.name, home] as const] : []
  })
  const homeOf = new Map(homes)
  const renamed = Object.entries(call).map(([name, value]) => {
    const home = homeOf.get(name)
    if (home === undefined || home.includes('.')) return [name, value] as const
    onMove(name, home)
    return [home, value] as const
  })
  return homes.reduce((fields, [name, home]) => moveInto(fields, { name, home, onMove }), Object.fromEntries<unknown>(renamed))
}

interface Move {
  readonly name: string
  /** A path of two names. */
  readonly home: string
  readonly onMove: (from: string, home: string) => void
}

/** Moves a field into the object that its home names; nothing when that holds it already. */
function moveInto(fields: JsonObject, { name, home, onMove }: Move): JsonObject {
  const dot = home.indexOf('.')
  const [container, inner] = [home.slice(0, dot), home.slice(dot + 1)]
  const held = fields[container] ?? {}
  if (dot < 0 || !isObject(held) || Object.hasOwn(held, inner)) return fields
  onMove(name, home)
  const { [name]: value, ...others } = fields
  return { ...others, [container]: { ...held, [inner]: value } }
}
