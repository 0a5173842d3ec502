import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import type { ItemType } from '../calls.ts'
import { plainName } from '../fields.ts'
import { declaredFields } from '../openapi.ts'

/** A value inside a field, of a different type than the vendor declares. */
export interface TypeMismatch {
  /** The value's path in the call: `context.device.type`. */
  readonly at: string
  readonly problem: string
}

/** Finds values inside a call's fields whose types differ from what the vendor declares. Undeclared members may be anything. */
export function typeMismatches(type: ItemType, call: JsonObject): TypeMismatch[] {
  // The field itself is checked with the other fields.
  return Object.entries(declaredFields[type]).flatMap(([name, schema]) => membersOf(schema, call[name], name).flatMap(mismatchesIn))
}

/** A member that the vendor ignores because it expects a different spelling of the name. */
export interface RespeltMember {
  readonly at: string
  readonly declared: string
}

/** Fields' members whose names differ only in case and separators from a declared but absent member: `context.user_agent`. */
export function respeltMembers(type: ItemType, call: JsonObject): RespeltMember[] {
  return Object.entries(declaredFields[type]).flatMap(([field, schema]) => {
    const held = call[field]
    const names = isObject(held) ? Object.keys(held).map((name) => [name, declaredName(schema, held, name)] as const) : []
    return names.flatMap(([name, declared]) =>
      declared === undefined ? [] : [{ at: `${field}.${name}`, declared: `${field}.${declared}` }],
    )
  })
}

/** The declared member that a name stands for, unless that member is present. */
function declaredName({ properties }: JsonObject, held: JsonObject, name: string): string | undefined {
  if (!isObject(properties) || Object.hasOwn(properties, name)) return undefined
  const plain = plainName(name).replace(/^(?:pagelocation|currenturl)$/, 'url')
  const declared = Object.keys(properties).find((each) => [plainName(each), `page${plainName(each)}`].includes(plain))
  return declared === undefined || Object.hasOwn(held, declared) ? undefined : declared
}

/** Converts each value inside a field to its declared type if nothing is lost: "true" for true, 42 for "42", "iOS" for "ios". */
export function withDeclaredTypes(type: ItemType, name: string, value: unknown, onChange: (at: string, change: string) => void): unknown {
  const schema = Object.hasOwn(declaredFields[type], name) ? declaredFields[type][name] : undefined
  return schema === undefined || !isObject(value) ? value : correctMembers({ at: name, schema, value }, onChange)
}

interface Place {
  readonly at: string
  readonly schema: JsonObject
  readonly value: unknown
}

function mismatchesIn(place: Place): TypeMismatch[] {
  const { at, schema, value } = place
  if (!isDeclared(schema, value)) return [{ at, problem: `must be ${describe(schema)}.` }]
  return membersOf(schema, value, at).flatMap(mismatchesIn)
}

/** An object's members or a list's items that have a declared type. */
function membersOf(schema: JsonObject, value: unknown, at: string): Place[] {
  const { properties = {}, additionalProperties: others, items } = schema
  if (Array.isArray(value))
    return isObject(items) ? value.map((item: unknown, index) => ({ at: `${at}[${index}]`, schema: items, value: item })) : []
  if (!isObject(value) || !isObject(properties)) return []
  return Object.entries(value).flatMap(([name, held]) => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : others
    return isObject(declared) ? [{ at: `${at}.${name}`, schema: declared, value: held }] : []
  })
}

function isDeclared({ type, enum: values }: JsonObject, value: unknown): boolean {
  if (Array.isArray(values)) return values.includes(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === undefined || typeof value === type
}

function describe({ type, enum: values }: JsonObject): string {
  if (Array.isArray(values)) return `one of ${values.join(', ')}`
  if (type === 'boolean') return 'true or false'
  return type === 'array' ? 'a list' : type === 'object' ? 'an object' : 'a string'
}

function correctMembers(place: Place, onChange: (at: string, change: string) => void): unknown {
  const { at, schema, value: written } = place
  if (!isObject(written)) return written
  const taken = new Set<string>()
  const named = Object.entries(written).map(([name, held]): [string, unknown] => {
    const declared = declaredName(schema, written, name)
    if (declared === undefined || taken.has(declared)) return [name, held]
    taken.add(declared)
    onChange(`${at}.${name}`, `→ ${at}.${declared}`)
    return [declared, held]
  })
  const members = new Map(membersOf(schema, Object.fromEntries(named), at).map((member) => [member.at, member]))
  const corrected = named.flatMap(([name, held]): [string, unknown][] => {
    const member = members.get(`${at}.${name}`)
    if (!member) return [[name, held]]
    if (isDeclared(member.schema, held)) return [[name, correctMembers(member, onChange)]]
    if (held === null) {
      onChange(member.at, 'null left out')
      return []
    }
    const meant = readAs(member.schema, held)
    if (meant !== undefined) onChange(member.at, `→ ${JSON.stringify(meant)}`)
    return [[name, meant ?? held]]
  })
  return Object.fromEntries(corrected)
}

/** The value converted to the declared type; undefined if that would be a guess. */
function readAs({ type, enum: values }: JsonObject, value: unknown): unknown {
  const text = typeof value === 'string' ? value.trim() : ''
  if (Array.isArray(values)) return values.find((each) => String(each) === text.toLowerCase())
  if (type === 'boolean') return /^(?:true|yes|on)$/i.test(text) ? true : /^(?:false|no|off)$/i.test(text) ? false : undefined
  if (type === 'string') return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
  if (type === 'array') return text === '' ? undefined : [value]
  const object = type === 'object' && text.startsWith('{') ? parseJson(text) : undefined
  return isObject(object) ? object : undefined
}
