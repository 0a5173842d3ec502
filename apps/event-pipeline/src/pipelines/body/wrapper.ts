import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isReversal, readLooseJson } from '@mcp-toolkits/core/references'
import { words } from '@mcp-toolkits/core/tool'
import { type CallName, itemTypes } from '../calls.ts'
import { fieldsOf, fieldsOfIdentity, plainName, unusedFields } from '../fields.ts'

/** Names of objects that only wrap the body. */
const wrappers = ['body', 'requestbody', 'payload', 'data', 'message', 'json', 'params', 'arguments', 'args', 'input', 'request']
/** Names that may appear next to the body in such an object. */
const besideBody = words('mode type method endpoint path url enablestrictvalidation enablestrictmode writekey apikey sentat')

/** The content of an object that only wraps a body; `onUnwrap` receives the wrapper's name. */
export function unwrap(name: CallName, value: unknown, onUnwrap: (key: string) => void): unknown {
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
  onUnwrap(key)
  return unwrap(name, inner, onUnwrap)
}

/** The body, if it is the only argument, under a name that neither means something else nor negates the parameter. */
export function onlyBody(name: CallName, args: unknown): unknown {
  const [[key, held] = ['', undefined], ...others] = isObject(args) ? Object.entries(args) : []
  const inner = typeof held === 'string' && /^\s*[[{]/.test(held) ? readLooseJson(held) : held
  const isBody = isObject(inner) ? isCallLike(name, inner) : Array.isArray(inner)
  if (!isBody || others.length > 0 || isReversal(key, 'request_body')) return args
  if (name === 'batch') return listNames.includes(plainName(key)) ? args : inner
  const [unused] = unusedFields(name, { [key]: held })
  return unused && !unused.isAboutPerson && (unused.home === undefined || unused.home.endsWith(`.${key}`)) ? inner : args
}

const isType = (name: CallName, type: unknown) => typeof type === 'string' && plainName(type) === name

/** True if an object has a field of a call, under the field's own name or an alternative one. */
export function isCallLike(name: CallName, value: JsonObject): boolean {
  if (name === 'batch') return listIn(value) !== undefined || itemTypes.some((type) => isCallLike(type, value))
  const known = new Set(fieldsOf(name))
  const homes = unusedFields(name, value).map(({ home = '' }) => home)
  return Object.keys(value).some((key) => known.has(key) || fieldsOfIdentity(key) !== undefined) || homes.some((home) => known.has(home))
}

/** Callers' names for `batch`. */
const listNames = ['batch', 'events', 'items', 'calls', 'requests', 'messages', 'data', 'body']

/** The list of calls in an object. */
export function listIn(value: JsonObject): readonly unknown[] | undefined {
  const lists = Object.entries(value).filter(([key, held]) => listNames.includes(plainName(key)) && Array.isArray(held))
  const [[, list] = []] = lists
  return lists.length === 1 && Array.isArray(list) ? list : undefined
}
