import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { type ItemType } from '../calls.ts'
import { isAbsent, isTraitsCommand, isView, pathOf } from '../fields.ts'
import { isAnonymous, isUuid } from './implausible.ts'
import { fromMemberList } from './other-forms.ts'
import { readType } from './item-type.ts'
import { effectOf } from './reserved-events.ts'
import { type Form, forms } from './tracker-forms.ts'

/** The calls with the same effect as a body in another tracker's form. */
export interface Translation {
  readonly tracker: string
  readonly calls: readonly JsonObject[]
  /** Paths of keys and settings that mean nothing here. */
  readonly leftOut: readonly string[]
  /** True if only traits that must not be overwritten are left: a call always overwrites them. */
  readonly isGuess?: boolean
}

/**
 * Translates a body for a tool, or for a batch without a type. Undefined if no form is certain, or if the body lacks what its call needs:
 * nothing is sent without its event or id.
 */
export function fromTracker(type: ItemType | undefined, written: JsonObject): Translation | undefined {
  const body = Object.fromEntries(Object.entries(written).map(([name, value]) => [respelt(name, written), value]))
  const fitting = forms.filter((form) => !form.isOwn || type === undefined || type === form.type)
  const rated = fitting.map((form) => ({ form, marks: marksIn(form, body) })).filter(({ marks }) => marks >= 2)
  const translations = rated.toSorted((a, b) => b.marks - a.marks).map(({ form }) => translate(form, type, body))
  return translations.find((each) => each !== undefined)
}

/** PostHog's own name for what its libraries spell `distinctId`. */
function respelt(name: string, written: JsonObject): string {
  const snake = /^(?:distinctId|groupKey|groupType)$/.test(name) ? name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`) : name
  return Object.hasOwn(written, snake) ? name : snake
}

/** The object with a form's fields, which may be the only one in a list. */
function framed({ frame }: Form, written: JsonObject): JsonObject | undefined {
  const held = frame === undefined ? written : valueAt(written, frame)
  const list: readonly unknown[] = Array.isArray(held) ? held : [held]
  return list.length === 1 ? list.find(isObject) : undefined
}

function marksIn(form: Form, written: JsonObject): number {
  const { marks, frame } = form
  const held = framed(form, written)
  if (!held) return 0
  const found = marks.filter((mark) => !isAbsent(valueAt(held, mark.replace('!', ''))))
  const isReserved = found.length > 0 && /^\$/.test(String(held['event'])) && Object.values(form.places).includes('person')
  return found.length + found.filter((mark) => mark.endsWith('!')).length + Number(frame !== undefined || isReserved)
}

interface Moved {
  readonly rest: JsonObject
  readonly call: JsonObject
  readonly leftOut: readonly string[]
}

function translate(form: Form, tool: ItemType | undefined, written: JsonObject): Translation | undefined {
  const rest = framed(form, written)
  if (!rest) return undefined
  const start: Moved = { rest, call: {}, leftOut: [] }
  const moved = Object.entries(form.places).reduce((state, [path, place]) => move(state, path, place), start)
  const { once, ...known } = moved.call
  const isGuess = isObject(once) && form.type === 'identify' && known['traits'] === undefined
  // Beside other fields, such traits would be lost or overwritten.
  if (once !== undefined && !isGuess) return undefined
  const call = typedCall(form, tool, joined(isGuess ? { ...known, traits: once } : known, moved.rest))
  if (!call || !isComplete(call)) return undefined
  const { traits, ...event } = call
  const { type, userId } = event
  const isBeside = type !== 'identify' && type !== 'group' && isObject(traits) && userId !== undefined
  const calls = isBeside ? [event, { type: 'identify', userId, traits }] : [call]
  return { tracker: form.tracker, calls, leftOut: moved.leftOut, isGuess }
}

function move(state: Moved, path: string, place: string): Moved {
  const { call, leftOut } = state
  const value = valueAt(state.rest, path)
  if (isAbsent(value)) return state
  const rest = withoutPath(state.rest, path)
  if (place === 'frame') return { ...state, rest }
  if (place === 'out') return { call, rest, leftOut: [...leftOut, path] }
  if (place === 'once') return { call: { ...call, once: value }, rest, leftOut }
  if (place === 'unset') {
    const names: readonly unknown[] = Array.isArray(value) ? value : isObject(value) ? Object.keys(value) : [value]
    return { ...state, rest, call: joined(call, { traits: Object.fromEntries(names.map((name) => [String(name), ''])) }) }
  }
  const [home, member] = pathOf(place === 'person' ? personField(value) : place)
  const isContainer = home === 'properties' || home === 'traits'
  const given = isContainer
    ? member === undefined
      ? membersIn(value)
      : { [member]: value }
    : home.endsWith('Id') && typeof value === 'number'
      ? String(value)
      : value
  const isFree = isContainer ? isObject(given) : !isObject(value) && isAbsent(call[home]) && isAbsent(rest[home])
  return isFree ? { ...state, rest, call: joined(call, { [home]: given }) } : state
}

/** The field for an id of a known or an anonymous person; a UUID may be either, so the caller has to say which. */
const personField = (id: unknown) => (isAnonymous(String(id)) ? 'anonymousId' : isUuid(String(id)) ? 'distinct_id' : 'userId')

/** An object's members, even if given as a list in which each has a typed value: `[{"key": "plan", "value": {"string_value": "pro"}}]`. */
function membersIn(value: unknown): unknown {
  const members = Array.isArray(value) ? fromMemberList(value) : value
  if (!isObject(members) || members === value) return members
  const plain = Object.entries(members).map(([name, held]) => [name, isObject(held) ? Object.values(held)[0] : held] as const)
  return Object.fromEntries<unknown>(plain)
}

/** The call with its type here; undefined for a merge, which needs the caller's choice, and for details without a place. */
function typedCall({ type: own }: Form, tool: ItemType | undefined, { kind, ...call }: JsonObject): JsonObject | undefined {
  const { event, properties, ...others } = call
  const isOfView = event === undefined || isView(event)
  const view = tool === 'page' || tool === 'screen' ? tool : isOfView ? 'page' : 'track'
  const type = effectOf(event) ?? readType(kind) ?? (own === 'view' ? view : own)
  if (type === 'page' || type === 'screen') {
    const { name = isOfView ? undefined : event } = call
    return { type, ...others, ...(name !== undefined && { name }), ...(properties !== undefined && { properties }) }
  }
  if (type === 'track' || effectOf(event) === undefined) return { type, ...call }
  const isLost =
    type === 'alias' || (isObject(properties) && Object.keys(properties).some((name) => !name.startsWith('$') || isTraitsCommand(name)))
  return isLost ? undefined : { type, ...others }
}

function isComplete({ type, event, userId, anonymousId, distinct_id: id, groupId, traits, email }: JsonObject): boolean {
  const hasId = [userId, anonymousId, id].some((each) => !isAbsent(each))
  if (type === 'group') return !isAbsent(groupId)
  if (type === 'identify') return !isAbsent(userId) || !isAbsent(email ?? (isObject(traits) ? traits['email'] : undefined))
  return hasId && (type !== 'track' || typeof event === 'string')
}

/** The fields of two calls, with their properties and traits merged. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  const both = Object.entries(other).map(([name, value]) => {
    const held = one[name]
    return [name, isObject(held) && isObject(value) ? { ...held, ...value } : value] as const
  })
  return { ...one, ...Object.fromEntries<unknown>(both) }
}

const valueAt = (object: unknown, path: string) =>
  path.split('.').reduce<unknown>((held, name) => (isObject(held) ? held[name] : undefined), object)

/** The object without the value at a path, and without objects that this leaves empty. */
function withoutPath(object: JsonObject, path: string): JsonObject {
  const [name, inner] = pathOf(path)
  const { [name]: held, ...others } = object
  const left = inner !== undefined && isObject(held) ? withoutPath(held, inner) : {}
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left }
}
