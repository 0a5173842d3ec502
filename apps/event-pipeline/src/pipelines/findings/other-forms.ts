import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import type { ItemType } from '../calls.ts'
import { idFields, isAbsent, plainName } from '../fields.ts'

type Note = (name: string, problem: string) => void

/** A call with the vendor's fields, from the form of its other API or of another event tracker. */
export function fromOtherForm(type: ItemType, call: JsonObject, note: Note, onGuess: () => void): JsonObject {
  const flat = type === 'track' ? withFlatEvent(call, note) : type === 'alias' ? withFlatEnds(call, note, onGuess) : call
  return withOuterIds(type, withFlatIdentifiers(withOuterMembers(flat, note), note), note)
}

/** Events in the form of Google Analytics, which has the ids alongside them. */
export function fromAnalytics(content: unknown): readonly JsonObject[] | undefined {
  const { events, user_id: userId, client_id: anonymousId, ...beside } = isObject(content) ? content : {}
  const list = (Array.isArray(events) ? events : []).filter(isObject)
  const isForm =
    Array.isArray(events) && list.length === events.length && list.every(({ name, params }) => typeof name === 'string' && isObject(params))
  if (!isForm || list.length === 0) return undefined
  const ids = { ...(userId !== undefined && { userId }), ...(anonymousId !== undefined && { anonymousId }) }
  return list.map(({ name, params, ...own }) => ({ type: 'track', ...ids, event: name, properties: params, ...beside, ...own }))
}

/** Fields of an event that Mixpanel keeps in its properties. */
const innerNames: Readonly<Record<string, string>> = { distinct_id: 'distinct_id', time: 'timestamp', $insert_id: 'messageId' }

/** Takes an event's own fields out of properties that have the id, unless the event has an id itself. */
function withOuterMembers(call: JsonObject, note: Note): JsonObject {
  const { properties } = call
  const isInner = isObject(properties) && !isAbsent(properties['distinct_id'])
  if (!isInner || ['userId', 'anonymousId', 'distinct_id'].some((name) => !isAbsent(call[name]))) return call
  const moved = Object.entries(innerNames).filter(([name, field]) => properties[name] !== undefined && call[field] === undefined)
  for (const [name, field] of moved) note(`properties.${name}`, `→ ${field}`)
  const rest = Object.fromEntries(Object.entries(properties).filter(([name]) => !moved.some(([each]) => each === name)))
  return { ...call, ...Object.fromEntries(moved.map(([name, field]) => [field, properties[name]])), properties: rest }
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

/** Reads `"primary": {"id": "ada"}, "secondary": {"id": "a1"}`. An email address may belong to a person with an id. */
function withFlatEnds(call: JsonObject, note: Note, onGuess: () => void): JsonObject {
  return mapMembers(call, (name, value) => {
    const end = ['primary', 'secondary'].includes(plainName(name)) && isObject(value) ? soleMember(value) : undefined
    if (end?.[0] !== 'id' && end?.[0] !== 'email') return value
    if (end[0] === 'email') onGuess()
    note(`${name}.${end[0]}`, `→ ${name}`)
    return end[1]
  })
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

function mapMembers(object: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]))
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
