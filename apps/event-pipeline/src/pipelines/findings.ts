import * as z from 'zod'
import { isObject, itemTypes, type CallName, type ItemType, type JsonObject } from './call.ts'
import type { Finding } from './finding.ts'
import { semanticFindings } from './semantic-events.ts'

const dateTimeText = z.iso.datetime({ offset: true })

type Check = (call: JsonObject) => Finding[]

/**
 * Everything the local check finds in a body. In permissive mode the vendor answers 200 to all of it, so this is the only word a
 * caller gets. https://docs.customer.io/api/cdp/
 */
export function findingsOf(name: CallName, json: JsonObject): Finding[] {
  return name === 'batch' ? batchFindings(json) : callFindings(name, json)
}

function callFindings(type: ItemType, call: JsonObject): Finding[] {
  return [...checks[type], ...common].flatMap((check) => check(call))
}

const checks: Readonly<Record<ItemType, readonly Check[]>> = {
  identify: [somePerson(true), anonymousOnly, object('traits'), traits],
  track: [nonEmpty('event'), somePersonOrGroup, object('properties'), text('groupId'), semanticFindings],
  page: [somePerson(false), text('name'), object('properties')],
  screen: [somePerson(false), text('name'), object('properties')],
  group: [nonEmpty('groupId'), nobodyAdded, object('traits'), groupTraits],
  alias: [nonEmpty('previousId'), nonEmpty('userId'), mergedWithItself],
}

const common: readonly Check[] = [
  ids,
  object('context'),
  integrations,
  nonEmptyIfThere('messageId'),
  ...['timestamp', 'originalTimestamp', 'sentAt'].map(dateTime),
  ...['receivedAt', 'version'].map(setByService),
]

function batchFindings(json: JsonObject): Finding[] {
  const { batch } = json
  if (!Array.isArray(batch)) return [{ at: 'batch', problem: 'is required: an array of calls.' }]
  const items: unknown[] = batch
  return [
    ...(items.length === 0 ? [{ at: 'batch', problem: 'is empty: there is nothing to process.' }] : []),
    ...object('context')(json),
    ...(json['integrations'] === undefined ? [] : [{ at: 'integrations', problem: 'has no effect beside "batch"; set it on each call.' }]),
    ...repeatedIds(items),
    ...items.flatMap((item, index) => itemFindings(item).map(({ at, problem }) => ({ at: join(`batch[${index}]`, at), problem }))),
  ]
}

/** The vendor drops a call whose messageId it has seen, whatever the call says. */
function repeatedIds(items: readonly unknown[]): Finding[] {
  const seen = new Set<unknown>()
  return items.flatMap((item, index) => {
    const id = isObject(item) ? item['messageId'] : undefined
    const again = id !== undefined && seen.has(id)
    seen.add(id)
    return again
      ? [{ at: `batch[${index}].messageId`, problem: 'stands on an earlier call of the batch too; this one would be dropped.' }]
      : []
  })
}

function itemFindings(item: unknown): Finding[] {
  if (!isObject(item)) return [{ at: '', problem: 'must be an object.' }]
  const type = itemTypes.find((each) => each === item['type'])
  return type ? callFindings(type, item) : [{ at: 'type', problem: `must be one of ${itemTypes.join(', ')}.` }]
}

function join(base: string, at: string): string {
  return at === '' ? base : `${base}.${at}`
}

function isId(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}

function emailOf(call: JsonObject): unknown {
  return isObject(call['traits']) ? call['traits']['email'] : undefined
}

function somePerson(byEmail: boolean): Check {
  return (call) => {
    if (isId(call['userId']) || isId(call['anonymousId'])) return []
    if (byEmail && isId(emailOf(call))) return []
    return [{ at: '', problem: `needs userId or anonymousId${byEmail ? ' (or traits.email)' : ''}; without one nobody is found.` }]
  }
}

function somePersonOrGroup(call: JsonObject): Finding[] {
  const known = ['userId', 'anonymousId', 'groupId'].some((name) => isId(call[name]))
  return known ? [] : [{ at: '', problem: 'needs userId, anonymousId or groupId; without one the event belongs to nobody.' }]
}

function anonymousOnly(call: JsonObject): Finding[] {
  const only = isId(call['anonymousId']) && !isId(call['userId']) && !isId(emailOf(call))
  return only
    ? [{ at: 'anonymousId', problem: 'alone does not create a person: Customer.io ignores anonymous identify calls. Add userId.' }]
    : []
}

function nobodyAdded(call: JsonObject): Finding[] {
  return isId(call['userId']) || isId(call['anonymousId'])
    ? []
    : [{ at: '', problem: 'has no userId or anonymousId: no person is added to the group.' }]
}

function mergedWithItself(call: JsonObject): Finding[] {
  return isId(call['userId']) && call['userId'] === call['previousId']
    ? [{ at: 'previousId', problem: 'is the userId itself: there is nothing to merge.' }]
    : []
}

function nonEmpty(name: string): Check {
  return (call) => {
    const value = call[name]
    if (typeof value === 'string' && value !== '') return []
    if (typeof value === 'number' && name !== 'event') return []
    return [{ at: name, problem: 'is required: a text that is not empty.' }]
  }
}

function nonEmptyIfThere(name: string): Check {
  return (call) => {
    const value = call[name]
    return value === undefined || (typeof value === 'string' && value !== '')
      ? []
      : [{ at: name, problem: 'must be a text that is not empty; without it a repeat is not recognised.' }]
  }
}

function text(name: string): Check {
  return (call) => (call[name] === undefined || typeof call[name] === 'string' ? [] : [{ at: name, problem: 'must be a text.' }])
}

function object(name: string): Check {
  return (call) => (call[name] === undefined || isObject(call[name]) ? [] : [{ at: name, problem: 'must be an object.' }])
}

/** Numbers as ids go out as they are: official clients send them, and what strict mode says to them is not documented. */
function ids(call: JsonObject): Finding[] {
  return ['userId', 'anonymousId', 'groupId', 'previousId'].flatMap((name) => {
    const value = call[name]
    if (value === undefined || typeof value === 'string') return []
    const problem = typeof value === 'number' ? 'is a number; ids are texts. Put it in quotes.' : 'must be a text.'
    return [{ at: name, problem }]
  })
}

/** The vendor's own examples send null here. */
function integrations(call: JsonObject): Finding[] {
  const value = call['integrations']
  return value === undefined || value === null || isObject(value)
    ? []
    : [{ at: 'integrations', problem: 'must be an object of destination name to true or false.' }]
}

function dateTime(name: string): Check {
  return (call) => {
    const value = call[name]
    return value === undefined || isDateTime(value)
      ? []
      : [{ at: name, problem: 'must be an ISO 8601 date and time such as 2026-01-31T12:00:00Z; Unix seconds are not understood.' }]
  }
}

function isDateTime(value: unknown): boolean {
  return dateTimeText.safeParse(value).success
}

function setByService(name: string): Check {
  return (call) => (call[name] === undefined ? [] : [{ at: name, problem: 'is set by the service and ignored here.' }])
}

function traits(call: JsonObject): Finding[] {
  if (!isObject(call['traits'])) return []
  const { email, createdAt, unsubscribed } = call['traits']
  const switches: readonly unknown[] = [undefined, null, true, false, 0, 1, '0', '1']
  const spelt = typeof unsubscribed === 'string' && ['true', 'false'].includes(unsubscribed.toLowerCase())
  return [
    ...(email === undefined || typeof email === 'string' ? [] : [{ at: 'traits.email', problem: 'must be a text.' }]),
    ...(createdAt === undefined || isDateTime(createdAt)
      ? []
      : [{ at: 'traits.createdAt', problem: 'must be an ISO 8601 date and time.' }]),
    ...(switches.includes(unsubscribed) || spelt ? [] : [{ at: 'traits.unsubscribed', problem: 'must be true or false.' }]),
  ]
}

function isWhole(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^[1-9]\d*$/.test(`${value}`)
}

function groupTraits(call: JsonObject): Finding[] {
  if (!isObject(call['traits'])) return []
  const { objectTypeId, relationshipAttributes } = call['traits']
  const whole = objectTypeId === undefined || isWhole(objectTypeId)
  return [
    ...(whole ? [] : [{ at: 'traits.objectTypeId', problem: 'must be a whole number from 1, as text or number.' }]),
    ...(relationshipAttributes === undefined || isObject(relationshipAttributes)
      ? []
      : [{ at: 'traits.relationshipAttributes', problem: 'must be an object.' }]),
  ]
}
