import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import type { ItemType } from '../calls.ts'
import { idFields, isAbsent, isMergeEnd, isView, namesIn, plainName } from '../fields.ts'
import { viewOf } from './reserved-events.ts'

type Note = (name: string, problem: string) => void

/** Translates a call from the vendor's other API or from another event tracker into the vendor's fields. */
export function fromOtherForm(type: ItemType, written: JsonObject, note: Note): JsonObject {
  // Keys of other trackers, and the kind of Mixpanel's group.
  const names = ['$token', 'api_key', 'apiKey', ...(isAbsent(written['$group_id']) ? [] : ['$group_key'])]
  const unread = names.filter((name) => Object.hasOwn(written, name))
  for (const name of unread) note(name, 'left out')
  const given = without(written, unread)
  const call = type === 'alias' ? withCurrentId(withFlatEnds(given, note), note) : given
  const isViewed = type === 'page' || type === 'screen'
  const named = isViewed ? withView(type, withNamedView(type, call, note), note) : type === 'track' ? withFlatEvent(call, note) : call
  return withOuterIds(type, withFlatIdentifiers(type === 'group' ? withFlatGroup(named, note) : named, note), note)
}

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

/** Leaves out an event that only names the call's type, and takes a screen's name out of the properties: `"firebase_screen": "Map"`. */
function withView(type: 'page' | 'screen', call: JsonObject, note: Note): JsonObject {
  const { event, properties } = call
  const [name] = namesIn(type, call)
  const rest = isView(event) ? without(call, ['event']) : call
  if (rest !== call) note('event', 'left out')
  if (name === undefined || !isObject(properties)) return rest
  note(`properties.${name}`, '→ name')
  return { ...rest, name: properties[name], properties: without(properties, [name]) }
}

/** Reads `"screen": {"name": "Start", "tab": "Home"}`. */
function withNamedView(type: 'page' | 'screen', call: JsonObject, note: Note): JsonObject {
  const { [type]: view, ...others } = call
  const { name, ...details } = isObject(view) ? view : {}
  if (typeof name !== 'string' || !isAbsent(call['name'])) return call
  note(`${type}.name`, '→ name')
  return { ...others, name, ...(Object.keys(details).length > 0 && { [type]: details }) }
}

/** Reads Amplitude's `"groups": {"company": "acme"}`. */
function withFlatGroup(call: JsonObject, note: Note): JsonObject {
  const name = ['groups', '$groups'].find((each) => isObject(call[each])) ?? ''
  const [kind, id] = (isObject(call[name]) ? soleMember(call[name]) : undefined) ?? []
  if (kind === undefined || !isAbsent(call['groupId']) || (typeof id !== 'string' && typeof id !== 'number')) return call
  note(`${name}.${kind}`, '→ groupId')
  return { groupId: String(id), ...without(call, [name, 'groupId']) }
}

/** Events in the form of Google Analytics, where the ids are alongside the events. */
export function fromAnalytics(content: unknown): readonly JsonObject[] | undefined {
  const { events, user_id: userId, client_id: client, app_instance_id: anonymousId = client, ...others } = isObject(content) ? content : {}
  const { user_properties: properties, ...rest } = others
  const hasTraits = isObject(properties) && userId !== undefined
  const beside = hasTraits ? rest : others
  const list = (Array.isArray(events) ? events : []).filter(isObject)
  const isForm =
    Array.isArray(events) && list.length === events.length && list.every(({ name, params }) => typeof name === 'string' && isObject(params))
  if (!isForm || list.length === 0) return undefined
  const ids = { ...(userId !== undefined && { userId }), ...(anonymousId !== undefined && { anonymousId }) }
  const calls = list.map(({ name, params, ...own }) => ({
    type: viewOf(name) ?? 'track',
    ...ids,
    event: name,
    properties: params,
    ...beside,
    ...own,
  }))
  const plain = Object.entries(hasTraits ? properties : {}).map(([name, held]) => [name, isObject(held) ? held['value'] : held] as const)
  return hasTraits ? [...calls, { type: 'identify', userId, traits: Object.fromEntries<unknown>(plain) }] : calls
}

/** Calls in Braze's form, which has lists of people's attributes next to lists of events. */
export function fromParallelLists(content: unknown): readonly unknown[] | undefined {
  const { attributes, events, ...others } = isObject(content) ? content : {}
  const lists = [events, attributes].filter((each) => each !== undefined)
  const isAlone = (each: unknown) =>
    events === undefined && !(isObject(each) && ['external_id', 'braze_id', 'email'].some((name) => !isAbsent(each[name])))
  const isForm =
    attributes !== undefined &&
    lists.every(Array.isArray) &&
    ![attributes].flat().some(isAlone) &&
    Object.keys(others).every((name) => name === 'api_key')
  if (!isForm || !Array.isArray(attributes)) return undefined
  return [
    ...(Array.isArray(events) ? events : []).map((event: unknown) => (isObject(event) ? { ...event, type: 'track' } : event)),
    ...attributes.map((person: unknown) => ({ type: 'identify', attributes: person })),
  ]
}

/** A call for each group in Intercom's form, alongside nothing but the person's id: `"companies": [{"company_id": "acme", "plan": "pro"}]`. */
export function fromCompanies(content: unknown): readonly JsonObject[] | undefined {
  const { companies, ...ids } = isObject(content) ? content : {}
  const list: readonly unknown[] = Array.isArray(companies) ? companies : []
  const calls = list.flatMap((each) => {
    const { company_id: groupId, ...traits } = isObject(each) ? each : {}
    return typeof groupId === 'string' || typeof groupId === 'number' ? [{ ...ids, groupId: String(groupId), traits }] : []
  })
  const areIds = Object.keys(ids).every((name) => /^(?:user|anonymous|external)_?id$/i.test(name))
  return areIds && calls.length === list.length && calls.length > 0 ? calls : undefined
}

/** Reads `"primary": {"id": "ada"}` in a merge. */
function withFlatEnds(call: JsonObject, note: Note): JsonObject {
  const ends = Object.entries(call).map(([name, value]): [string, unknown] => {
    const [key = '', id] = (isObject(value) ? soleMember(value) : undefined) ?? []
    if (!isMergeEnd(name) || !['id', 'email', 'external_id'].includes(key) || typeof id === 'object') return [name, value]
    note(`${name}.${key}`, `→ ${name}`)
    return [name, id]
  })
  return Object.fromEntries(ends)
}

/** Reads PostHog's `distinct_id` beside an id that its name says is the previous one: it is the one that stays. */
function withCurrentId(call: JsonObject, note: Note): JsonObject {
  const [name, ...more] = Object.keys(call).filter((each) => plainName(each) === 'distinctid')
  const hasPrevious = Object.keys(call).some((each) => plainName(each) === 'previousid')
  if (name === undefined || more.length > 0 || !hasPrevious || !isAbsent(call['userId'])) return call
  note(name, '→ userId')
  return { ...without(call, [name]), userId: call[name] }
}

/** Reads `"event": {"name": "Paid", "properties": {}}`. */
function withFlatEvent(call: JsonObject, note: Note): JsonObject {
  const { event } = call
  if (!isObject(event)) return call
  const names = Object.entries(event).filter(
    ([key, value]) => ['name', 'eventname', 'type'].includes(plainName(key)) && typeof value === 'string',
  )
  const [[key, name] = []] = names
  const others = Object.entries(event).filter(([each]) => each !== key)
  if (key === undefined || names.length > 1 || others.some(([each]) => Object.hasOwn(call, each))) return call
  note(`event.${key}`, '→ event')
  for (const [each] of others) note(`event.${each}`, `→ ${each}`)
  return { ...call, event: name, ...Object.fromEntries(others) }
}

/** Reads `"identifiers": {"email": "ada@example.com"}`, and an object's identifiers: `{"object_type_id": "1", "object_id": "acme"}`. */
function withFlatIdentifiers(call: JsonObject, note: Note): JsonObject {
  const { identifiers, ...others } = call
  if (!isObject(identifiers)) return call
  const names = Object.keys(identifiers)
  const isFlat =
    names.length > 0 && names.every((name) => ['email', 'objectid', 'objecttypeid'].includes(plainName(name)) && others[name] === undefined)
  if (!isFlat) return call
  for (const name of names) note(`identifiers.${name}`, `→ ${name}`)
  return { ...identifiers, ...others }
}

/** Takes the call's id out of its properties or traits, if it has no other. */
function withOuterIds(type: ItemType, call: JsonObject, note: Note): JsonObject {
  if (['userId', 'anonymousId'].some((name) => !isAbsent(call[name]))) return call
  const container = ['traits', 'properties'].find((name) => isObject(call[name])) ?? ''
  const held = call[container]
  if (!isObject(held)) return call
  const fields = ['userId', 'anonymousId', ...(type === 'group' && isAbsent(call['groupId']) ? ['groupId'] : [])]
  const found = Object.entries(held).flatMap(([name, value]) => {
    const field = fields.find((each) => idFields.includes(each) && plainName(each) === plainName(name))
    return field !== undefined && ['string', 'number'].includes(typeof value) && value !== '' ? [{ name, field, value }] : []
  })
  if (found.length === 0 || new Set(found.map(({ field }) => field)).size < found.length) return call
  for (const { name, field } of found) note(`${container}.${name}`, `→ ${field}`)
  const moved = new Set(found.map(({ name }) => name))
  const rest = Object.fromEntries(Object.entries(held).filter(([name]) => !moved.has(name)))
  return { ...Object.fromEntries(found.map(({ field, value }) => [field, value])), ...call, [container]: rest }
}

function soleMember(object: JsonObject): readonly [string, unknown] | undefined {
  const [first, ...others] = Object.entries(object)
  return others.length === 0 ? first : undefined
}

/** An object from a list of its members: `[{"key": "total", "value": 42}]`, `[{"total": 42}]`. Undefined if a name repeats. */
export function fromMemberList(list: readonly unknown[]): JsonObject | undefined {
  const members = list.map((item) => (isObject(item) ? memberIn(item) : undefined))
  const names = members.map((member) => member?.[0])
  if (list.length === 0 || names.includes(undefined) || new Set(names).size < names.length) return undefined
  return Object.fromEntries(members.flatMap((member) => (member ? [member] : [])))
}

/** Keys under which such a list gives a member's name. */
const keyNames = ['key', 'name', 'property', 'trait', 'attribute', 'field']

function memberIn(item: JsonObject): readonly [string, unknown] | undefined {
  const key = keyNames.find((name) => typeof item[name] === 'string')
  const isPair = Object.keys(item).length === 2 && key !== undefined && Object.hasOwn(item, 'value')
  return isPair ? [String(item[key]), item['value']] : soleMember(item)
}
