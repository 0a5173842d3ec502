import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { quote } from '@mcp-toolkits/core/errors'
import { type ItemType, itemTypes } from '../calls.ts'
import { isDateTime, readDateTime } from '../date-time.ts'
import { withDeclaredTypes } from './declared-types.ts'
import {
  dateTimeFields,
  fieldOfLoneId,
  fieldsOf,
  idFields,
  isAbsent,
  type Member,
  pathOf,
  plainName,
  unsurePersonIds,
  unusedFields,
} from '../fields.ts'
import type { Finding } from './finding.ts'
import { isUnreadCreation, meansYes, meantAddress } from './implausible.ts'
import { meantType, readType } from './item-type.ts'
import { fromAnalytics, fromMemberList, fromOtherForm, fromParallelLists } from './other-forms.ts'
import { fromParties } from './parties.ts'
import { fromTrackApi } from './track-api.ts'
import { fromTracker } from './trackers.ts'
import { readLooseBody } from '../body/loose-body.ts'
import { listIn, unwrap } from '../body/wrapper.ts'

/** A change, in the form of a finding. */
export type Change = Pick<Finding, 'at' | 'problem'>

/** A step-by-step correction of a body, which records the changes. */
export class Correction {
  readonly changes: Change[] = []
  /** True if a change adds something that the caller did not say: the correction is then suggested instead of proposed. */
  isGuess = false

  readonly note = (at: string, problem: string): void => {
    this.changes.push({ at, problem })
  }
}

/** A batch tool's body from a list of calls, a list under a different name, or a single call. */
export function correctBatch(written: unknown, correction: Correction): JsonObject | undefined {
  const content = fromAnalytics(written) ?? fromParallelLists(written) ?? written
  const { batch, ...rest } = isObject(content) ? content : {}
  const list = [batch, content, listIn(rest), isObject(batch) && listIn(batch)].find((each) => Array.isArray(each))
  const single = isObject(batch) ? batch : batch === undefined ? content : undefined
  const items: readonly unknown[] = Array.isArray(list) ? list : [single]
  if (!list && !isObject(single)) return undefined
  if (!list) correction.note('', 'the call → {"batch": [...]}')
  else if (list !== batch) correction.note('', 'the list → "batch"')
  const beside = list || single === batch ? Object.entries(rest).filter(([, held]) => held !== list) : []
  const shared = Object.fromEntries(beside.filter(([name, value]) => /^(?:user|anonymous)id$/.test(plainName(name)) && !isAbsent(value)))
  // A key next to the calls shows which tracker's form they have.
  const key = beside.find(([name]) => name === 'api_key' || name === 'token')
  if (key) correction.note(key[0], 'left out')
  const others = beside.filter((each) => !Object.hasOwn(shared, each[0]) && each !== key)
  for (const name of Object.keys(shared)) correction.note(name, '→ the calls without an id')
  const typed = others.map(([name, value]) => [name, withDeclaredTypes('track', name, value, correction.note)] as const)
  const keyed = (item: unknown) =>
    key && isObject(item) && fromTracker(undefined, { ...item, [key[0]]: key[1] }) ? { ...item, [key[0]]: key[1] } : item
  const calls = items.flatMap((item, index) => correctItems(keyed(item), { at: `batch[${index}]`, correction, shared }))
  return { ...Object.fromEntries(typed), batch: calls }
}

/** True for a call that may name a person, at the top or in its details. */
const mayIdentify = (call: JsonObject) =>
  Object.entries(call).some(
    ([name, value]) =>
      /user|anon|person|customer|identifier|email|(?<!message|group|previous)id$/.test(plainName(name)) ||
      (isObject(value) && Object.keys(value).some((each) => /^(?:user|anonymous|distinct)id$/.test(plainName(each)))),
  )

/** Translates a body in the form of another API or tracker into calls, for a tool or, without a type, for a batch. */
export function translated(type: ItemType | undefined, body: JsonObject, { at, correction }: Place): readonly JsonObject[] | undefined {
  const own = fromTrackApi(body)
  if (own) correction.note(at, 'translated from the Track API')
  const other = own ? undefined : fromTracker(type, body)
  if (other) correction.note(at, `translated from the form of ${other.tracker}`)
  for (const name of other?.leftOut ?? []) correction.note(at === '' ? name : `${at}.${name}`, 'left out')
  if (other?.isGuess) {
    correction.isGuess = true
    correction.note(at, '$set_once → traits, which overwrites them')
  }
  const parties = own || other ? undefined : fromParties(type, body)
  if (parties) correction.note(at, 'the ids taken out of their objects')
  return own ?? other?.calls ?? parties
}

/** A batch item as the calls that it stands for. */
function correctItems(written: unknown, place: Place): unknown[] {
  const read = typeof written === 'string' ? readLooseBody(written) : written
  const item = isObject(read) ? read : written
  if (item !== written) place.correction.note(place.at, 'as an object')
  const meant = isObject(item) ? translated(readType(item['type']), item, place) : undefined
  return meant?.map((each) => correctItem(each, { ...place, shared: {} })) ?? [correctItem(item, place)]
}

/** Fields specific to one item type, for items without a type. */
const tellingNames: readonly (readonly [readonly string[], ItemType])[] = [
  [['event', 'eventname', 'eventtype'], 'track'],
  [['previousid', 'prev', 'previous'], 'alias'],
  [['groupid'], 'group'],
  [['traits'], 'identify'],
]

/** Names under which an item's type may be given. */
const typeKeys = ['type', 'method', 'call', 'kind', 'action', 'operation', 'op', 'eventtype', 'calltype', 'path', 'endpoint', 'tool']

interface Place {
  readonly at: string
  readonly correction: Correction
  /** Ids alongside the batch, for calls without an id. */
  readonly shared?: JsonObject
}

/** A type in the place of the event's name: `"event": "track", "name": "Login"`. Without the name, it may also be the event. */
function withTypeOfEvent(item: JsonObject, { at, correction }: Place): JsonObject {
  const { event, ...rest } = item
  const { name, ...others } = rest
  const type = itemTypes.find((each) => each === event)
  if (type === undefined || Object.keys(rest).some((each) => typeKeys.includes(plainName(each)))) return item
  correction.note(`${at}.event`, '→ type')
  if (type !== 'track') return { type, ...rest }
  if (typeof name !== 'string') correction.isGuess = true
  return { type, ...others, event: name ?? event }
}

function correctItem(written: unknown, place: Place): unknown {
  if (!isObject(written)) return written
  const item = withTypeOfEvent(written, place)
  const { at, correction, shared = {} } = place
  const names = Object.keys(item).map(plainName)
  const typed = ['type', ...Object.keys(item)].find((each) => typeKeys.includes(plainName(each)) && readType(item[each]))
  // `{"track": {}}`
  const [only = '', ...others] = Object.keys(item)
  const named = typed === undefined && others.length === 0 && isObject(item[only]) ? [only, only] : [typed, item[typed ?? 'type']]
  const meant = meantType(named[1])
  const told = tellingNames.find(([fields]) => fields.some((field) => names.includes(field)))?.[1]
  const type = meant?.type ?? (isAbsent(item['type']) ? told : undefined)
  if (!type) return item
  if (item['type'] !== type) correction.note(`${at}.type`, `"${type}"`)
  if (meant?.isGuess && type !== (told ?? 'track')) correction.isGuess = true
  const renamed = Object.fromEntries(Object.entries(item).filter(([each]) => each !== 'type' && (each !== named[0] || typed === undefined)))
  const unwrapped = unwrap(type, renamed, (key) => {
    correction.note(at, `taken out of ${quote(key)}`)
  })
  const call = isObject(unwrapped) ? unwrapped : renamed
  const added = mayIdentify(call) ? {} : shared
  if (type === 'alias' && Object.keys(added).length > 0) correction.isGuess = true
  return correctCall(type, { type, ...call, ...added }, place)
}

/** Records a move, which leaves something behind if `isPartly`. */
type OnMove = (from: string, home: string, isPartly?: boolean) => void

/** A call with its fields under the vendor's names and in the vendor's forms, in the same order. */
export function correctCall(type: ItemType, call: JsonObject, { at, correction }: Place): JsonObject {
  const note = (name: string, problem: string) => {
    correction.note(at === '' ? name : `${at}.${name}`, problem)
  }
  const onMove: OnMove = (from, home, isPartly) => {
    note(from, `→ ${home}${isPartly ? ', without the rest' : ''}`)
    if (isPartly || (home === 'userId' && unsurePersonIds.includes(plainName(from)))) correction.isGuess = true
  }
  const given = moveFields(type, takeIdsOut(type, fromOtherForm(type, call, note), onMove), onMove)
  const known = fieldsOf(type)
  const corrected = Object.entries(given).flatMap(([name, value]) => {
    if (value !== null || !known.includes(name) || name === 'integrations')
      return [[name, withDeclaredTypes(type, name, correctValue(type, { name, value }, note), note)] as const]
    note(name, 'null left out')
    return []
  })
  // A field may belong in an object that was text until now.
  return moveFields(type, Object.fromEntries(corrected), onMove)
}

const isName = (value: unknown) => (typeof value === 'string' && value !== '') || Number.isSafeInteger(value)

/** A field's value in the form that the vendor reads. */
function correctValue(type: ItemType, { name, value: written }: Member, note: (name: string, problem: string) => void): unknown {
  const isText = [...idFields, 'event', 'name', 'messageId'].includes(name)
  const value: unknown = isText && Array.isArray(written) && written.length === 1 && isName(written[0]) ? written[0] : written
  if (value !== written) note(name, 'the only item of the list')
  if (isText && (idFields.includes(name) || value !== written) && Number.isSafeInteger(value)) {
    note(name, 'as text')
    return String(value)
  }
  if (dateTimeFields.includes(name)) return correctDateTime(name, value, note)
  if (!['traits', 'properties', 'context', 'integrations'].includes(name)) return value
  const isAddress = type === 'page' && name === 'properties' && /^https?:\/\/\S+$/.test(String(value))
  const read = isAddress ? { url: value } : typeof value === 'string' ? readLooseBody(value) : value
  const object = Array.isArray(read) && ['traits', 'properties'].includes(name) ? fromMemberList(read) : read
  if (!isObject(object)) return value
  if (object !== value) note(name, 'as an object')
  return name === 'traits' ? correctTraits(object, note) : object
}

/** Traits that Mixpanel reserves; without the dollar sign, they have the same names here. */
const marked = /^\$(?=(?:email|name|first_name|last_name|phone|avatar|city|region|country_code|timezone)$)/

function correctTraits(traits: JsonObject, note: (name: string, problem: string) => void): JsonObject {
  for (const [from, value] of Object.entries(traits)) {
    const isCreation = isUnreadCreation(from, value) && readDateTime(value) !== undefined
    const to = isCreation ? 'createdAt' : from.replace(marked, '')
    if (to === from || Object.hasOwn(traits, to)) continue
    note(`traits.${from}`, `→ traits.${to}`)
    return correctTraits(Object.fromEntries(Object.entries(traits).map(([name, held]) => [name === from ? to : name, held])), note)
  }
  const { createdAt, unsubscribed, $set: set } = traits
  if (isObject(set) && Object.keys(traits).length === 1) {
    note('traits.$set', '→ traits')
    return correctTraits(set, note)
  }
  const email = meantAddress(traits['email'])
  if (email !== undefined) note('traits.email', `→ ${quote(email)}`)
  const isYes = meansYes(unsubscribed)
  if (isYes) note('traits.unsubscribed', '→ true')
  return {
    ...traits,
    ...(createdAt !== undefined && { createdAt: correctDateTime('traits.createdAt', createdAt, note) }),
    ...(isYes && { unsubscribed: true }),
    ...(email !== undefined && { email }),
  }
}

function correctDateTime(name: string, value: unknown, note: (name: string, problem: string) => void): unknown {
  const moment = isDateTime(value) ? undefined : readDateTime(value)
  if (moment === undefined) return value
  note(name, `${quote(String(value))} → "${moment}"`)
  return moment
}

/**
 * Takes a person's or group's id out of an object: `"user": {"id": "ada"}`. Its other members become traits in an identify or group call
 * about that person or group; members without a place stay.
 */
function takeIdsOut(type: ItemType, call: JsonObject, onMove: OnMove): JsonObject {
  const held = Object.entries(call).flatMap(([name, value]) => {
    const field = isObject(value) ? fieldOfLoneId(type, { name, value }, call) : undefined
    return field !== undefined && isObject(value) ? [{ name, field, value }] : []
  })
  const [only, ...others] = held
  const { traits = {} } = call
  if (!only || others.length > 0 || !isObject(traits)) return call
  const { name, field } = only
  const { id, ...details } = only.value
  const hasDetails = Object.keys(details).length > 0
  const isPartly = hasDetails && !((type === 'identify' && field === 'userId') || (type === 'group' && field === 'groupId'))
  if (isPartly && name === field) return call
  onMove(`${name}.id`, field, isPartly)
  const rest = Object.fromEntries(Object.entries(call).filter(([each]) => each !== name && each !== field))
  const left = isPartly ? { [name]: details } : hasDetails && { traits: { ...details, ...traits } }
  return { [field]: String(id), ...rest, ...left }
}

/**
 * Moves fields that the vendor does not read to their proper places. If two fields have the same place, or the place is taken, they stay.
 */
function moveFields(type: ItemType, call: JsonObject, onMove: OnMove): JsonObject {
  const homes = unusedFields(type, call).flatMap(({ name, home, isMovable }) => {
    const isHeld = home !== undefined && idFields.includes(home) && isObject(call[name])
    return home !== undefined && isMovable && !isHeld ? [[name, home] as const] : []
  })
  const homeOf = new Map(homes)
  const taken = [...homeOf.values()]
  const renamed = Object.entries(call).flatMap(([name, value]) => {
    if (taken.includes(name)) return []
    const home = homeOf.get(name)
    if (home === undefined || home.includes('.')) return [[name, value] as const]
    onMove(name, home)
    return [[home, isObject(value) && isObject(call[home]) ? { ...call[home], ...value } : value] as const]
  })
  return homes.reduce((fields, [name, home]) => moveInto(fields, { name, home, onMove }), Object.fromEntries<unknown>(renamed))
}

interface Move {
  readonly name: string
  /** The target, as a path of two names. */
  readonly home: string
  readonly onMove: OnMove
}

/** Moves a field into the object that its home names, unless that object already has it. */
function moveInto(fields: JsonObject, { name, home, onMove }: Move): JsonObject {
  const [container, inner] = pathOf(home)
  const held = fields[container] ?? {}
  if (inner === undefined || !isObject(held) || Object.hasOwn(held, inner)) return fields
  const [, attribute = ''] = /^relationshipAttributes\.(.*)$/.exec(inner) ?? []
  const { relationshipAttributes: attributes = {} } = held
  if (attribute !== '' && (!isObject(attributes) || Object.hasOwn(attributes, attribute))) return fields
  onMove(name, home)
  const { [name]: value, ...others } = fields
  const moved =
    attribute === '' ? { [inner]: value } : { relationshipAttributes: { ...(isObject(attributes) && attributes), [attribute]: value } }
  return { ...others, [container]: { ...held, ...moved } }
}
