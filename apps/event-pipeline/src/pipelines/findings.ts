import { isObject, type JsonObject } from '@mcp-toolkits/core/json'
import * as z from 'zod'
import type { Body } from './body.ts'
import { type CallName, callsOf, type ItemType, itemTypes } from './calls.ts'

/** Something in a body that the vendor would drop, ignore or reject; `at` is its path, empty for the body itself. */
export interface Finding {
  readonly at: string
  readonly problem: string
}

const dateTimeText = z.iso.datetime({ offset: true })

type Check = (call: JsonObject) => Finding[]

/**
 * What a local check finds wrong with a body. In permissive mode the vendor answers 200 to all of it, so nothing else tells the
 * caller. https://docs.customer.io/api/cdp/
 */
export function findingsIn(name: CallName, json: JsonObject): Finding[] {
  return name === 'batch' ? batchFindings(json) : callFindings(name, json)
}

function callFindings(type: ItemType, call: JsonObject): Finding[] {
  return [...checks[type], ...common].flatMap((check) => check(call))
}

const checks: Readonly<Record<ItemType, readonly Check[]>> = {
  identify: [needsPerson({ orEmail: true }), notOnlyAnonymous, object('traits'), personTraits],
  track: [required('event'), needsPersonOrGroup, object('properties'), text('groupId'), semanticEvent],
  page: [needsPerson({ orEmail: false }), text('name'), object('properties')],
  screen: [needsPerson({ orEmail: false }), text('name'), object('properties')],
  group: [required('groupId'), addsPerson, object('traits'), groupTraits],
  alias: [required('previousId'), required('userId'), mergesTwo],
}

const common: readonly Check[] = [
  ids,
  object('context'),
  integrations,
  notEmpty('messageId'),
  ...['timestamp', 'originalTimestamp', 'sentAt'].map(dateTime),
  ...['receivedAt', 'version'].map(readOnly),
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

/** The vendor drops a call whose messageId it has seen, even if the call differs. */
function repeatedIds(items: readonly unknown[]): Finding[] {
  const seen = new Set<unknown>()
  return items.flatMap((item, index) => {
    const id = isObject(item) ? item['messageId'] : undefined
    const isRepeated = id !== undefined && seen.has(id)
    seen.add(id)
    return isRepeated
      ? [{ at: `batch[${index}].messageId`, problem: 'is also the messageId of an earlier call of the batch; this call would be dropped.' }]
      : []
  })
}

function itemFindings(item: unknown): Finding[] {
  if (!isObject(item)) return [{ at: '', problem: 'must be an object.' }]
  const type = itemTypes.find((each) => each === item['type'])
  return type ? callFindings(type, item) : [{ at: 'type', problem: `must be one of ${itemTypes.join(', ')}.` }]
}

/** A reserved event without these fields has no effect. */
function semanticEvent(call: JsonObject): Finding[] {
  return missingFields(call).map((at) => ({ at, problem: `is needed by the reserved event "${String(call['event'])}".` }))
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

function needsPerson({ orEmail }: { readonly orEmail: boolean }): Check {
  return (call) => {
    if (isId(call['userId']) || isId(call['anonymousId'])) return []
    if (orEmail && isId(emailOf(call))) return []
    return [{ at: '', problem: `needs userId or anonymousId${orEmail ? ' (or traits.email)' : ''}; without one no person is found.` }]
  }
}

function needsPersonOrGroup(call: JsonObject): Finding[] {
  const known = ['userId', 'anonymousId', 'groupId'].some((name) => isId(call[name]))
  return known ? [] : [{ at: '', problem: 'needs userId, anonymousId or groupId; without one the event belongs to no person or group.' }]
}

function notOnlyAnonymous(call: JsonObject): Finding[] {
  const only = isId(call['anonymousId']) && !isId(call['userId']) && !isId(emailOf(call))
  return only
    ? [{ at: 'anonymousId', problem: 'alone does not create a person: Customer.io ignores anonymous identify calls. Add userId.' }]
    : []
}

function addsPerson(call: JsonObject): Finding[] {
  return isId(call['userId']) || isId(call['anonymousId'])
    ? []
    : [{ at: '', problem: 'has no userId or anonymousId: no person is added to the group.' }]
}

function mergesTwo(call: JsonObject): Finding[] {
  return isId(call['userId']) && call['userId'] === call['previousId']
    ? [{ at: 'previousId', problem: 'is the same as userId: there is nothing to merge.' }]
    : []
}

function required(name: string): Check {
  return (call) => {
    const value = call[name]
    if (typeof value === 'string' && value !== '') return []
    if (typeof value === 'number' && name !== 'event') return []
    return [{ at: name, problem: 'is required: a string that is not empty.' }]
  }
}

function notEmpty(name: string): Check {
  return (call) => {
    const value = call[name]
    return value === undefined || (typeof value === 'string' && value !== '')
      ? []
      : [{ at: name, problem: 'must be a string that is not empty; otherwise a repeat is not recognized.' }]
  }
}

function text(name: string): Check {
  return (call) => (call[name] === undefined || typeof call[name] === 'string' ? [] : [{ at: name, problem: 'must be a string.' }])
}

function object(name: string): Check {
  return (call) => (call[name] === undefined || isObject(call[name]) ? [] : [{ at: name, problem: 'must be an object.' }])
}

/** Numbers are sent as they are: official clients send them, and how strict mode treats them is not documented. */
function ids(call: JsonObject): Finding[] {
  return ['userId', 'anonymousId', 'groupId', 'previousId'].flatMap((name) => {
    const value = call[name]
    if (value === undefined || typeof value === 'string') return []
    const problem = typeof value === 'number' ? 'is a number; ids are strings. Put it in quotes.' : 'must be a string.'
    return [{ at: name, problem }]
  })
}

/** The vendor's own examples send null here. */
function integrations(call: JsonObject): Finding[] {
  const value = call['integrations']
  return value === undefined || value === null || isObject(value)
    ? []
    : [{ at: 'integrations', problem: 'must be an object that maps destination names to true or false.' }]
}

function dateTime(name: string): Check {
  return (call) => {
    const value = call[name]
    return value === undefined || isDateTime(value)
      ? []
      : [{ at: name, problem: 'must be an ISO 8601 date and time such as 2026-01-31T12:00:00Z; Unix seconds are not accepted.' }]
  }
}

function isDateTime(value: unknown): boolean {
  return dateTimeText.safeParse(value).success
}

function readOnly(name: string): Check {
  return (call) => (call[name] === undefined ? [] : [{ at: name, problem: 'is set by the service; a value from a client is ignored.' }])
}

function personTraits(call: JsonObject): Finding[] {
  if (!isObject(call['traits'])) return []
  const { email, createdAt, unsubscribed } = call['traits']
  const flags: readonly unknown[] = [undefined, null, true, false, 0, 1, '0', '1']
  const isSpelled = typeof unsubscribed === 'string' && ['true', 'false'].includes(unsubscribed.toLowerCase())
  return [
    ...(email === undefined || typeof email === 'string' ? [] : [{ at: 'traits.email', problem: 'must be a string.' }]),
    ...(createdAt === undefined || isDateTime(createdAt)
      ? []
      : [{ at: 'traits.createdAt', problem: 'must be an ISO 8601 date and time.' }]),
    ...(flags.includes(unsubscribed) || isSpelled ? [] : [{ at: 'traits.unsubscribed', problem: 'must be true or false.' }]),
  ]
}

function isPositiveInteger(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^[1-9]\d*$/.test(`${value}`)
}

function groupTraits(call: JsonObject): Finding[] {
  if (!isObject(call['traits'])) return []
  const { objectTypeId, relationshipAttributes } = call['traits']
  const isValidType = objectTypeId === undefined || isPositiveInteger(objectTypeId)
  return [
    ...(isValidType ? [] : [{ at: 'traits.objectTypeId', problem: 'must be an integer from 1, as a string or a number.' }]),
    ...(relationshipAttributes === undefined || isObject(relationshipAttributes)
      ? []
      : [{ at: 'traits.relationshipAttributes', problem: 'must be an object.' }]),
  ]
}

/** A reserved event name, which makes the vendor do more than record the event. https://docs.customer.io/api/cdp/#section/Semantic-events */
interface SemanticEvent {
  /** Paths of the fields without which it has no effect. */
  readonly needs: readonly string[]
  /** What it destroys, to complete "a reserved event that …". */
  readonly destroys?: string
}

const semanticEvents: Readonly<Record<string, SemanticEvent>> = {
  'Device Created or Updated': { needs: ['userId', 'context.device.token'] },
  'Device Deleted': { needs: ['userId', 'context.device.token'], destroys: 'removes the device' },
  'User Deleted': { needs: ['userId'], destroys: 'deletes the person' },
  'User Suppressed': { needs: ['userId'], destroys: 'deletes the person and blocks adding them again' },
  'User Unsuppressed': { needs: ['userId'] },
  'Relationship Deleted': { needs: ['userId', 'properties.objectId'], destroys: 'removes the relationship of the person to the object' },
  'Object Deleted': { needs: ['anonymousId', 'properties.objectId'], destroys: 'deletes the object' },
  'Report Delivery Event': { needs: ['properties.deliveryId', 'properties.metric'] },
  'Report Content Event': { needs: ['properties.actionType', 'properties.contentId'] },
}

function semanticEventOf(call: JsonObject): SemanticEvent | undefined {
  const { event } = call
  return typeof event === 'string' && Object.hasOwn(semanticEvents, event) ? semanticEvents[event] : undefined
}

/** The fields that a reserved event lacks, as paths. */
function missingFields(call: JsonObject): string[] {
  return (semanticEventOf(call)?.needs ?? []).filter((path) => valueAt(call, path) === undefined)
}

/** One sentence for each event of a body that destroys something. */
export function destructionNotices(name: CallName, body: Body): string[] {
  return callsOf(name, body).flatMap(({ at, type, json }) => {
    const destroys = type === 'track' && isObject(json) ? semanticEventOf(json)?.destroys : undefined
    if (destroys === undefined || !isObject(json)) return []
    return [`${at === '' ? '' : `${at}: `}"${String(json['event'])}" is a reserved event that ${destroys}.`]
  })
}

function valueAt(call: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), call)
}
