import { mapInSlices } from '@mcp-toolkits/core/async'
import type { Clock } from '@mcp-toolkits/core/clock'
import { isObject, type JsonObject } from '@mcp-toolkits/core/json'
import * as z from 'zod'
import type { ParsedBody } from './body.ts'
import { type CallName, callsOf, type ItemType, itemTypes } from './calls.ts'
import { quote } from '@mcp-toolkits/core/text'

/** Something in a body that the vendor would drop, ignore or reject; `at` is its path, empty for the body itself. */
export interface Finding {
  readonly at: string
  readonly problem: string
}

/**
 * The mistakes that a local check finds in a body. In permissive mode the vendor answers 200 even to these, so the caller would not
 * notice them otherwise. https://docs.customer.io/api/cdp/
 */
export async function findingsIn(name: CallName, json: JsonObject, clock?: Clock): Promise<Finding[]> {
  return name === 'batch' ? batchFindings(json, clock) : callFindings(name, json)
}

function callFindings(type: ItemType, call: JsonObject): Finding[] {
  return [...checks[type], ...commonChecks].flatMap((check) => check(call))
}

async function batchFindings(json: JsonObject, clock: Clock | undefined): Promise<Finding[]> {
  const { batch } = json
  if (!Array.isArray(batch)) return [{ at: 'batch', problem: 'is required: an array of calls.' }]
  const items: unknown[] = batch
  const ofItems = await mapInSlices(items, (item, index) => within(`batch[${index}]`, itemFindings(item)), clock)
  return [
    ...(items.length === 0 ? [{ at: 'batch', problem: 'is empty: there is nothing to process.' }] : []),
    ...object('context')(json),
    ...(json['integrations'] === undefined ? [] : [{ at: 'integrations', problem: 'has no effect beside "batch"; set it on each call.' }]),
    ...repeatedIds(items),
    ...ofItems.flat(),
  ]
}

/** The vendor drops a call whose messageId it has seen, even if the call differs. */
function repeatedIds(items: readonly unknown[]): Finding[] {
  const seen = new Set<unknown>()
  return items.flatMap((item, index) => {
    const id = isObject(item) ? item['messageId'] : undefined
    const isRepeated = id !== undefined && seen.has(id)
    seen.add(id)
    const problem = 'is also the messageId of an earlier call of the batch; this call would be dropped.'
    return isRepeated ? [{ at: `batch[${index}].messageId`, problem }] : []
  })
}

function itemFindings(item: unknown): Finding[] {
  if (!isObject(item)) return [{ at: '', problem: 'must be an object.' }]
  const type = itemTypes.find((each) => each === item['type'])
  return type ? callFindings(type, item) : [{ at: 'type', problem: `must be one of ${itemTypes.join(', ')}.` }]
}

/** The same findings with their paths below `base`. */
function within(base: string, findings: readonly Finding[]): Finding[] {
  return findings.map(({ at, problem }) => ({ at: at === '' ? base : `${base}.${at}`, problem }))
}

type Check = (call: JsonObject) => Finding[]

/** A rule about a call as a whole. */
const rule =
  (at: string, isMet: (call: JsonObject) => boolean, problem: string): Check =>
  (call) =>
    isMet(call) ? [] : [{ at, problem }]

/** A rule about a field that may be absent. */
const field = (name: string, isValid: (value: unknown) => boolean, problem: string): Check =>
  rule(name, (call) => call[name] === undefined || isValid(call[name]), problem)

const isString = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isId = (value: unknown) => isNumber(value) || (isString(value) && value !== '')
const dateTimeText = z.iso.datetime({ offset: true })
const isDateTime = (value: unknown) => dateTimeText.safeParse(value).success
const hasId = (call: JsonObject, ...names: readonly string[]) => names.some((name) => isId(call[name]))
const hasEmail = ({ traits }: JsonObject) => isObject(traits) && isId(traits['email'])

const object = (name: string) => field(name, isObject, 'must be an object.')
const string = (name: string) => field(name, isString, 'must be a string.')
const dateTime = (name: string) =>
  field(name, isDateTime, 'must be an ISO 8601 date and time such as 2026-01-31T12:00:00Z; Unix seconds are not accepted.')
const readOnly = (name: string) => field(name, () => false, 'is set by the service; a value from a client is ignored.')
const required = (name: string) =>
  rule(
    name,
    (call) => (name === 'event' ? isId(call[name]) && isString(call[name]) : isId(call[name])),
    'is required: a string that is not empty.',
  )

/** Numbers are sent as they are: official clients send them, and how strict mode treats them is not documented. */
const id = (name: string) => (call: JsonObject) =>
  field(name, isString, isNumber(call[name]) ? 'is a number; ids are strings. Put it in quotes.' : 'must be a string.')(call)

/** Checks of the members of `traits`, where it is an object. */
const traits =
  (...rules: readonly Check[]): Check =>
  (call) => {
    const members = call['traits']
    return isObject(members)
      ? within(
          'traits',
          rules.flatMap((check) => check(members)),
        )
      : []
  }

const needsPerson = rule('', (call) => hasId(call, 'userId', 'anonymousId'), 'needs userId or anonymousId; without one no person is found.')

const checks: Readonly<Record<ItemType, readonly Check[]>> = {
  identify: [
    rule(
      '',
      (call) => hasId(call, 'userId', 'anonymousId') || hasEmail(call),
      'needs userId or anonymousId (or traits.email); without one no person is found.',
    ),
    rule(
      'anonymousId',
      (call) => !hasId(call, 'anonymousId') || hasId(call, 'userId') || hasEmail(call),
      'alone does not create a person: Customer.io ignores anonymous identify calls. Add userId.',
    ),
    object('traits'),
    traits(
      string('email'),
      field('createdAt', isDateTime, 'must be an ISO 8601 date and time.'),
      field('unsubscribed', isFlag, 'must be true or false.'),
    ),
  ],
  track: [
    required('event'),
    rule(
      '',
      (call) => hasId(call, 'userId', 'anonymousId', 'groupId'),
      'needs userId, anonymousId or groupId; without one the event belongs to no person or group.',
    ),
    object('properties'),
    string('groupId'),
    semanticEvent,
  ],
  page: [needsPerson, string('name'), object('properties')],
  screen: [needsPerson, string('name'), object('properties')],
  group: [
    required('groupId'),
    rule('', (call) => hasId(call, 'userId', 'anonymousId'), 'has no userId or anonymousId: no person is added to the group.'),
    object('traits'),
    traits(
      field('objectTypeId', isPositiveInteger, 'must be an integer from 1, as a string or a number.'),
      object('relationshipAttributes'),
    ),
  ],
  alias: [
    required('previousId'),
    required('userId'),
    rule(
      'previousId',
      (call) => !hasId(call, 'userId') || call['userId'] !== call['previousId'],
      'is the same as userId: there is nothing to merge.',
    ),
  ],
}

const commonChecks: readonly Check[] = [
  ...['userId', 'anonymousId', 'groupId', 'previousId'].map(id),
  object('context'),
  // The vendor's own examples send null here.
  field('integrations', (value) => value === null || isObject(value), 'must be an object that maps destination names to true or false.'),
  field(
    'messageId',
    (value) => isString(value) && value !== '',
    'must be a string that is not empty; otherwise a repeat is not recognized.',
  ),
  ...['timestamp', 'originalTimestamp', 'sentAt'].map(dateTime),
  ...['receivedAt', 'version'].map(readOnly),
]

/** The vendor accepts several spellings. */
function isFlag(value: unknown): boolean {
  return isString(value)
    ? ['true', 'false', '0', '1'].includes(value.toLowerCase())
    : [null, true, false, 0, 1].some((flag) => flag === value)
}

function isPositiveInteger(value: unknown): boolean {
  return (isString(value) || isNumber(value)) && /^[1-9]\d*$/.test(`${value}`)
}

/** A reserved event without these fields has no effect. */
function semanticEvent(call: JsonObject): Finding[] {
  return missingFields(call).map((at) => ({ at, problem: `is needed by the reserved event ${quote(String(call['event']))}.` }))
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
export function destructionNotices(name: CallName, body: ParsedBody): string[] {
  return callsOf(name, body).flatMap(({ at, type, json }) => {
    const destroys = type === 'track' && isObject(json) ? semanticEventOf(json)?.destroys : undefined
    if (destroys === undefined || !isObject(json)) return []
    return [`${at === '' ? '' : `${at}: `}${quote(String(json['event']))} is a reserved event that ${destroys}.`]
  })
}

function valueAt(call: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), call)
}
