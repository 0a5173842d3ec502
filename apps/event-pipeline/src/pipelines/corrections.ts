import type { NextStep, Suggestion } from '@mcp-toolkits/core'
import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/json'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { quote } from '@mcp-toolkits/core/text'
import { type CallName, type ItemType, itemTypes } from './calls.ts'
import { isDateTime, readDateTime } from './date-time.ts'
import { dateTimeFields, fieldsOf, identityNames, idFields, personNames, plainName, unusedFields } from './fields.ts'
import { type Finding, findingsIn, groupFindings, indexOfItem, rangesOf } from './findings.ts'
import { readLooseJson } from './loose-json.ts'

/** Longer bodies are corrected in words only: whoever reads an error reads all of it. In characters of its JSON. */
const maxChangeLength = 16_000
/** Longer bodies are not suggested. */
const maxSuggestionLength = 1_000

/** What an error says about a body that cannot be used as it is. */
export interface Advice {
  readonly text: Message
  /** Leads to a body without faults, or to the batch tool. */
  readonly next?: NextStep
  readonly suggestions?: readonly Suggestion[]
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
  const value = typeof written === 'string' ? readLooseJson(written) : written
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
  if (other && other !== name)
    return { text: sentence`Its type is ${quote(other)}: send it with ${{ tool: `EventPipelineApi.${toolNames[other]}` }}.` }
  const place = { at: '', correction }
  const body = name === 'batch' ? correctBatch(content, correction) : isObject(call) ? correctCall(name, call, place) : undefined
  if (body && typeof written === 'string' && !isObject(parseJson(written)) && !list) correction.note('', 'its notation')
  return body && adviseBody(name, body, correction)
}

/** A list for a tool that takes one call. The batch tool is the next step only where it takes every item as it is. */
async function adviseBatch(name: ItemType, list: readonly unknown[], isStrict: boolean): Promise<Advice | undefined> {
  if (list.length === 0) return undefined
  const tool = 'EventPipelineApi.SendBatchRequests'
  const batch = list.map((item) => (isObject(item) && item['type'] === undefined ? { type: name, ...item } : item))
  const text = sentence`This tool takes one call. Send several with ${{ tool }}: {"batch": [{"type": "${name}", …}, …]}.`
  const request_body = JSON.stringify({ batch })
  const findings = await findingsIn('batch', { batch })
  if (findings.length > 0 || isTooLong(request_body)) return { text }
  return { text, next: { tool, arguments: { mode: 'execute', request_body, ...(isStrict && { enable_strict_mode: 'True' }) } } }
}

async function adviseBody(name: CallName, body: JsonObject, { changes }: Correction): Promise<Advice | undefined> {
  const faults = (await findingsIn(name, body)).filter(({ isFault }) => isFault)
  const batch: readonly unknown[] = Array.isArray(body['batch']) ? body['batch'] : []
  const faulty = new Set(faults.map(indexOfItem))
  const canLeaveOut = name === 'batch' && !faulty.has(-1) && faulty.size < batch.length
  if (faults.length > 0 && !canLeaveOut) return adviseOnIdentity(name, body)
  if (changes.length === 0 && faulty.size === 0) return undefined
  const request_body = JSON.stringify(faulty.size === 0 ? body : { ...body, batch: batch.filter((_, index) => !faulty.has(index)) })
  const leftOut = faulty.size === 0 ? '' : `without batch[${rangesOf([...faulty].sort((a, b) => a - b))}]`
  const corrected = describeChanges(changes)
  if (isTooLong(request_body)) {
    const rest = leftOut === '' ? '' : `Send the other ${batch.length - faulty.size} ${leftOut}.`
    return { text: Message.of(corrected === '' ? '' : `Correct: ${corrected}.`, rest) }
  }
  const said = [corrected, leftOut].filter((each) => each !== '').join('; ')
  return { text: Message.of(`next.change has the body corrected: ${said}.`), next: { change: { request_body } } }
}

const isTooLong = (text: string) => JSON.stringify(text).length > maxChangeLength

function describeChanges(changes: readonly Change[]): string {
  const groups = groupFindings(changes.map((change) => ({ ...change, isFault: false })))
  return groups.map(({ at, problem }) => (at === '' ? problem : `${at}: ${problem}`)).join('; ')
}

/** The bodies that may be meant where an id has another name. */
async function adviseOnIdentity(name: CallName, body: JsonObject): Promise<Advice | undefined> {
  if (name === 'batch') return undefined
  const readings = Object.entries(body).flatMap(([key, value]) => {
    const given = isObject(value) && personNames.includes(plainName(key)) ? value['id'] : value
    const plain = given === value ? plainName(key) : 'personid'
    const fields = Object.hasOwn(identityNames, plain) ? (identityNames[plain] ?? []) : []
    if (typeof given !== 'string' && typeof given !== 'number') return []
    // The vendor ignores an identify call with an anonymousId alone.
    const fitting = fields.filter((field) => fieldsOf(name).includes(field) && !(name === 'identify' && field === 'anonymousId'))
    return fitting.map((field) => ({ key, field, id: String(given) }))
  })
  const bodies = readings.map(({ key, field, id }) => {
    const others = Object.entries(body).filter(([each]) => each !== key)
    return { key, field, value: { [field]: id, ...Object.fromEntries(others) } }
  })
  const findings = await Promise.all(bodies.map(({ value }) => findingsIn(name, value)))
  const valid = bodies.filter((_, index) => findings[index]?.every(({ isFault }) => !isFault))
  const suggestions = valid.map(({ value }, index) => ({
    parameter: 'request_body',
    value: JSON.stringify(value),
    confidence: index === 0 ? 0.7 : 0.5,
  }))
  if (suggestions.length === 0) return undefined
  const said = valid.map(({ key, field }) => `${quote(key)} as ${field}`).join(', ')
  return {
    text: sentence`Possible readings: ${said}.`,
    suggestions: suggestions.filter(({ value }) => value.length <= maxSuggestionLength),
  }
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
  const isWrapper = wrappers.includes(plainName(key)) || (key === name && name !== 'batch') || (key === 'event' && name === 'track')
  const inner = typeof held === 'string' && /^\s*[[{]/.test(held) ? readLooseJson(held) : held
  const isBody = isObject(inner) ? isCallLike(name, inner) : Array.isArray(inner)
  if (!isWrapper || !isBody || (!isType(name, value['type']) && value['type'] !== undefined)) return value
  correction.note('', `taken out of ${quote(key)}`)
  return unwrap(name, inner, correction)
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
  const list = listIn(content) ?? textList(batch)
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
  return { ...rest, batch: items.map((item, index) => correctItem(item, { at: `batch[${index}]`, correction })) }
}

/** Other spellings of types, without case and separators. */
const typeNames: Readonly<Record<string, ItemType>> = {
  ...Object.fromEntries(itemTypes.map((type) => [type, type])),
  pageview: 'page',
  screenview: 'screen',
}

/** The tool of each call. */
const toolNames: Readonly<Record<ItemType, string>> = {
  identify: 'IdentifyPersonAndAssignTraits',
  track: 'TrackUserEvent',
  page: 'SendPageViewEvent',
  screen: 'SendScreenViewEvent',
  group: 'AddToGroup',
  alias: 'AliasUserIdentity',
}

const readType = (value: unknown) =>
  typeof value === 'string' && Object.hasOwn(typeNames, plainName(value)) ? typeNames[plainName(value)] : undefined

/** Fields by which an item without a type can be only one. */
const tellingNames: readonly (readonly [readonly string[], ItemType])[] = [
  [['event', 'eventname'], 'track'],
  [['previousid', 'prev', 'previous'], 'alias'],
  [['groupid'], 'group'],
  [['traits'], 'identify'],
]

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
  const named = Object.entries(item).find(([each, held]) => ['type', 'method', 'call', 'kind'].includes(plainName(each)) && readType(held))
  const told = item['type'] === undefined ? tellingNames.find(([fields]) => fields.some((field) => names.includes(field)))?.[1] : undefined
  const type = readType(named?.[1]) ?? told
  if (!type) return item
  if (item['type'] !== type) correction.note(`${at}.type`, `"${type}"`)
  const rest = Object.fromEntries(Object.entries(item).filter(([each]) => each !== 'type' && each !== named?.[0]))
  return { type, ...correctCall(type, rest, place) }
}

/** A call with its fields under the vendor's names and in the vendor's forms. */
function correctCall(type: ItemType, call: JsonObject, { at, correction }: Place): JsonObject {
  const path = (name: string) => (at === '' ? name : `${at}.${name}`)
  const fields = new Map(Object.entries(call))
  for (const name of fieldsOf(type)) {
    if (fields.get(name) !== null || name === 'integrations') continue
    fields.delete(name)
    correction.note(path(name), 'null left out')
  }
  for (const name of ['traits', 'properties', 'context', 'integrations']) {
    const held = fields.get(name)
    const object = typeof held === 'string' && /^\s*\{/.test(held) ? readLooseJson(held) : undefined
    if (!isObject(object)) continue
    fields.set(name, object)
    correction.note(path(name), 'an object instead of text')
  }
  moveFields(type, fields, (from, home) => {
    correction.note(path(from), `→ ${home}`)
  })
  for (const name of idFields) {
    const id = fields.get(name)
    if (!Number.isSafeInteger(id)) continue
    fields.set(name, String(id))
    correction.note(path(name), 'text instead of a number')
  }
  const traits = fields.get('traits')
  const toDateTime = (name: string, given: unknown) => {
    const moment = given === undefined || isDateTime(given) ? undefined : readDateTime(given)
    if (moment !== undefined) correction.note(path(name), `${quote(String(given))} → "${moment}"`)
    return moment ?? given
  }
  for (const name of dateTimeFields) if (fields.has(name)) fields.set(name, toDateTime(name, fields.get(name)))
  if (isObject(traits) && traits['createdAt'] !== undefined)
    fields.set('traits', { ...traits, createdAt: toDateTime('traits.createdAt', traits['createdAt']) })
  return Object.fromEntries(fields)
}

/** Moves what the vendor does not read to where it does. Where two fields have the same home, or it is taken, nothing is moved. */
function moveFields(type: ItemType, fields: Map<string, unknown>, onMove: (from: string, home: string) => void): void {
  const unused = unusedFields(type, Object.fromEntries(fields))
  const byHome = Map.groupBy(unused, ({ home }) => home)
  for (const [home, [first, ...others]] of byHome) {
    if (home === undefined || !first || others.length > 0) continue
    const dot = home.indexOf('.')
    const [top, inner] = dot < 0 ? [home] : [home.slice(0, dot), home.slice(dot + 1)]
    const held = fields.get(top)
    const members = isObject(held) ? held : held === undefined ? {} : undefined
    if (inner === undefined ? held !== undefined : !members || Object.hasOwn(members, inner)) continue
    const value = fields.get(first.name)
    fields.delete(first.name)
    fields.set(top, inner === undefined ? value : { ...members, [inner]: value })
    onMove(first.name, home)
  }
}
