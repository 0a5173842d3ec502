import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { quote } from '@mcp-toolkits/core/errors'
import { type ItemType, itemTypes } from '../calls.ts'
import { isDateTime, readDateTime } from '../date-time.ts'
import { withDeclaredTypes } from './declared-types.ts'
import {
  dateTimeFields,
  directionNames,
  fieldOfLoneId,
  fieldsOf,
  idFields,
  isAbsent,
  plainName,
  unsurePersonIds,
  unusedFields,
} from '../fields.ts'
import type { Finding } from './finding.ts'
import { meantType, readType } from './item-type.ts'
import { readLooseJson } from '../body/loose-json.ts'
import { listIn } from '../body/wrapper.ts'

/** A change, as a finding has it. */
export type Change = Pick<Finding, 'at' | 'problem'>

/** A body that is corrected step by step, with the changes. */
export class Correction {
  readonly changes: Change[] = []
  /** True if one of them says something that the caller did not: it is suggested and not proposed. */
  isGuess = false

  note(at: string, problem: string): void {
    this.changes.push({ at, problem })
  }
}

/** A body of the batch tool from a list of calls, one under another name, or a single call. */
export function correctBatch(content: unknown, correction: Correction): JsonObject | undefined {
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

/** Fields that only one type of item has, for items without a type. */
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
  const meant = meantType(named?.[1] ?? item['type'])
  const told = isAbsent(item['type']) ? tellingNames.find(([fields]) => fields.some((field) => names.includes(field)))?.[1] : undefined
  const type = meant?.type ?? told
  if (!type) return item
  if (item['type'] !== type) correction.note(`${at}.type`, `"${type}"`)
  if (meant?.isGuess !== false) correction.isGuess = true
  const renamed = Object.entries(item).filter(([each]) => each !== 'type' && each !== named?.[0])
  return correctCall(type, { type, ...Object.fromEntries(renamed) }, place)
}

/** A call with its fields under the vendor's names and in the vendor's forms, in the same order. */
export function correctCall(type: ItemType, call: JsonObject, { at, correction }: Place): JsonObject {
  const note = (name: string, problem: string) => {
    correction.note(at === '' ? name : `${at}.${name}`, problem)
  }
  const onMove = (from: string, home: string) => {
    note(from, `→ ${home}`)
    // An alias merges two people for good: which is which is for the caller to confirm.
    if ((type === 'alias' && directionNames.includes(plainName(from))) || (home === 'userId' && unsurePersonIds.includes(plainName(from))))
      correction.isGuess = true
  }
  const { fields, isWhole } = takeIdsOut(type, call, onMove)
  if (!isWhole) correction.isGuess = true
  const given = moveFields(type, fields, onMove)
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

/**
 * Takes the id of a person or a group out of an object: `"user": {"id": "ada"}`. Its other members become traits of an identify or a group
 * call about that; other calls have no place for them, and are not whole without them.
 */
function takeIdsOut(type: ItemType, call: JsonObject, onMove: (from: string, home: string) => void) {
  const held = Object.entries(call).flatMap(([name, value]) => {
    if (!isObject(value)) return []
    const field = fieldOfLoneId(type, { name, value }, call)
    return field === undefined ? [] : [{ name, field, value }]
  })
  return held.reduce<{ readonly fields: JsonObject; readonly isWhole: boolean }>(
    ({ fields, isWhole }, { name, field, value }) => {
      if (held.filter((other) => other.field === field).length > 1) return { fields, isWhole }
      const others = Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name && each !== field))
      const { id, ...details } = value
      const { traits = {} } = fields
      const hasDetails = Object.keys(details).length > 0
      const hasPlace = isObject(traits) && field === (type === 'identify' ? 'userId' : type === 'group' && 'groupId')
      onMove(`${name}.id`, field)
      return {
        fields: { [field]: String(id), ...others, ...(hasDetails && hasPlace && { traits: { ...details, ...traits } }) },
        isWhole: isWhole && (!hasDetails || hasPlace),
      }
    },
    { fields: call, isWhole: true },
  )
}

/** Moves fields that the vendor does not read to their right places. If two fields have the same place, or it is taken, neither moves. */
function moveFields(type: ItemType, call: JsonObject, onMove: (from: string, home: string) => void): JsonObject {
  const unused = Map.groupBy(unusedFields(type, call), ({ home }) => home)
  const homes = [...unused].flatMap(([home, [first, ...others]]) => {
    const isFree = home !== undefined && first && others.length === 0 && (home.includes('.') || isAbsent(call[home]))
    return isFree ? [[first.name, home] as const] : []
  })
  const homeOf = new Map(homes)
  const taken = [...homeOf.values()]
  const renamed = Object.entries(call).flatMap(([name, value]) => {
    if (taken.includes(name)) return []
    const home = homeOf.get(name)
    if (home === undefined || home.includes('.')) return [[name, value] as const]
    onMove(name, home)
    return [[home, value] as const]
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
