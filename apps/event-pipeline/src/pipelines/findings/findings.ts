import { type Clock, isObject, type JsonObject, mapInSlices } from '@mcp-toolkits/core/base'
import { count, quote } from '@mcp-toolkits/core/errors'
import { type CallName, callsOf, type ItemType, itemTypes, type ParsedBody } from '../calls.ts'
import { isDateTime } from '../date-time.ts'
import { respeltMembers, typeMismatches } from './declared-types.ts'
import {
  fieldsOfIdentity,
  idFields,
  isAbsent,
  isIdList,
  isMergeEnd,
  isRemoval,
  isTraitsCommand,
  plainName,
  unusedFields,
} from '../fields.ts'
import { type Check, type Finding, fault, misdirected, remark, unread } from './finding.ts'
import {
  emailTrait,
  farTimes,
  mergedPeople,
  millisecondTraits,
  nameInProperties,
  paddedIds,
  screenName,
  traitRemovals,
  unsubscribedFlag,
  unsubscribingTraits,
  wordedDates,
} from './implausible.ts'
import { meantType, otherTypeOf } from './item-type.ts'
import { destructionBy, semanticEvent } from './reserved-events.ts'

/**
 * Finds a body's mistakes in a local check. In permissive mode the vendor returns 200 even for these, so the caller would not
 * otherwise notice. https://docs.customer.io/api/cdp/
 */
export async function findingsIn(name: CallName, json: JsonObject, clock?: Clock): Promise<Finding[]> {
  return name === 'batch' ? batchFindings(json, clock) : callFindings(name, json, clock)
}

function callFindings(type: ItemType, call: JsonObject, clock: Clock | undefined): Finding[] {
  const ofChecks = [...checks[type], ...commonChecks].flatMap((check) => check(call))
  const found = [...ofChecks, ...(clock ? farTimes(type, call, clock.now()) : []), ...memberFindings(type, call)]
  const isProcessed = !found.some(({ isFault }) => isFault)
  return [...found, ...unused(type, call, isProcessed)]
}

/** Faults in members of a call's fields. */
function memberFindings(type: ItemType, call: JsonObject): Finding[] {
  const ofTypes = typeMismatches(type, call).map(({ at, problem }) => fault(at, problem))
  const ofNames = respeltMembers(type, call).map(({ at, declared }) => remark(at, `is not read by Customer.io, which reads ${declared}.`))
  const { properties } = call
  const commands = isObject(properties) ? Object.keys(properties).filter(isTraitsCommand) : []
  return [...ofTypes, ...ofNames, ...commands.map((name) => remark(`properties.${name}`, `is only a property here. ${forTraits}`))]
}

async function batchFindings(json: JsonObject, clock: Clock | undefined): Promise<Finding[]> {
  const { batch } = json
  if (!Array.isArray(batch)) return [fault('batch', 'is required (a list of calls).')]
  const items: unknown[] = batch
  const ofItems = await mapInSlices(items, (item, index) => within(`batch[${index}]`, itemFindings(item, clock)), clock)
  return [
    ...(items.length === 0 ? [fault('batch', 'is empty.')] : []),
    ...object('context')(json),
    // Any call's context has the same members.
    ...memberFindings('track', { context: json['context'] }),
    ...Object.keys(json)
      .filter((name) => !besideBatch.includes(name))
      .map((name) => (isCallList(json[name]) ? unread : remark)(name, 'is ignored alongside "batch"; set it in each call.')),
    ...repeatedIds(items),
    ...ofItems.flat(),
  ]
}

/** True for a list that may hold other calls. */
const isCallList = (value: unknown) => Array.isArray(value) && value.some(isObject)

/** Names that may appear next to `batch`: the vendor reads the context, and its clients send the other names. */
const besideBatch = ['batch', 'context', 'type', 'writeKey', 'sentAt', 'timestamp', 'messageId', 'library', '_metadata']

/** Finds repeated ids: the vendor drops a call whose messageId it has seen, even if the call differs. */
function repeatedIds(items: readonly unknown[]): Finding[] {
  const seen = new Set<unknown>()
  return items.flatMap((item, index) => {
    const id = isObject(item) ? item['messageId'] : undefined
    const isRepeated = id !== undefined && seen.has(id)
    seen.add(id)
    return isRepeated ? [fault(`batch[${index}].messageId`, "repeats an earlier call's messageId, so Customer.io drops this call.")] : []
  })
}

/** Mistakes in one batch item. */
export function itemFindings(item: unknown, clock: Clock | undefined): Finding[] {
  // Text that contains a call must not be dropped from a batch that is sent.
  if (!isObject(item)) return [(/^\s*\{.*\}\s*$/s.test(String(item)) ? misdirected : fault)('', 'must be an object.')]
  const type = itemTypes.find((each) => each === item['type'])
  return type
    ? callFindings(type, item, clock)
    : [fault('type', `must be one of ${itemTypes.join(', ')}.${describeMeant(item['action'] ?? item['type'])}`)]
}

function describeMeant(written: unknown): string {
  const meant = meantType(written)
  return meant && meant.type !== written ? ` ${quote(String(written))} may mean ${meant.type}.` : ''
}

const isEmpty = (value: unknown) => isAbsent(value) || ['{}', '[]'].includes(JSON.stringify(value))

/**
 * Fields that the vendor does not read, with the proper place of each. A call is misdirected if the vendor processes it without an id or a
 * value that could be moved: an event cannot be completed later.
 */
function unused(type: ItemType, call: JsonObject, isProcessed: boolean): Finding[] {
  const { type: written } = call
  const other = otherTypeOf(type, call)
  const isMeant = other !== undefined && isProcessed && callFindings(other.type, other.call, undefined).length === 0
  const isOther = typeof written === 'string' && written.toLowerCase() !== type
  const ofType = isRemoval(type, { name: 'type', value: written })
    ? [misdirected('type', `is ignored: a call of type ${type} removes nothing. ${removals[type]}`)]
    : isOther
      ? [(isMeant ? misdirected : remark)('type', `is ignored: this is a call of type ${type}.`)]
      : []
  const ofFields = unusedFields(type, call).map(({ name, home, isAboutPerson, isMovable }) => {
    if (name === other?.field && (isMeant || name === 'action'))
      return misdirected(name, `is ignored by Customer.io: it belongs in a call of type ${other.type}.`)
    if (home !== undefined) {
      const [written, read] = [call[name], call[home]]
      const decides = isProcessed && idFields.includes(home)
      if (decides && isId(written) && isId(read) && String(written) !== String(read))
        return misdirected(name, `differs from ${home}, which Customer.io reads. Keep the one that you mean.`)
      const isLost = isProcessed && isMovable && !isEmpty(written)
      return (isLost || (decides && isAbsent(read)) ? misdirected : remark)(name, `is ignored by Customer.io; move it to ${home}.`)
    }
    if (isRemoval(type, { name, value: call[name] }))
      return misdirected(name, `is ignored by Customer.io: a call of type ${type} removes nothing. ${removals[type]}`)
    if (isProcessed && isIdList({ name, value: call[name] }, call))
      return misdirected(name, 'is ignored by Customer.io: a call is about one person. Send one call for each.')
    if (type === 'alias' && isMergeEnd(name) && !(isId(call['previousId']) && isId(call['userId'])))
      return misdirected(name, 'may be either end of the merge, which cannot be undone.')
    if (!isProcessed && typeof call[name] === 'object' && !isEmpty(call[name]) && !hasId(call, ...person))
      return misdirected(name, 'is ignored by Customer.io, which reads the id and the event only at the top of the body.')
    const ids = fieldsOfIdentity(name) !== undefined && !hasId(call, ...person) ? ` If it is the id, write userId or anonymousId.` : ''
    const place = isAboutPerson ? ` ${forTraits}` : ids
    return remark(name, `is ignored by Customer.io: ${type} has no such field.${place}`)
  })
  return [...ofType, ...ofFields]
}

const forTraits = "A person's traits go in an identify call."

/** The way to remove what each call adds. */
const removals: Readonly<Record<ItemType, string>> = {
  identify: 'To delete the person, track the event "User Deleted" with the userId.',
  group:
    'To take the person out of the group, track the event "Relationship Deleted" with userId, properties.objectId and properties.objectTypeId; to delete the group, "Object Deleted" with an anonymousId and these properties.',
  alias: 'A merge cannot be undone.',
  ...{ track: '', page: '', screen: '' },
}

/** Findings with their paths moved below `base`. */
function within(base: string, findings: readonly Finding[]): Finding[] {
  return findings.map(({ at, ...finding }) => ({ at: at === '' ? base : `${base}.${at}`, ...finding }))
}

/** Maximum kinds of findings, and maximum item ranges, to list. */
const maxGroups = 20
const maxRanges = 20

/** Groups findings, so that a fault in several items is listed once: `batch[0-3,7].event`. */
export function groupFindings(findings: readonly Finding[]): Pick<Finding, 'at' | 'problem'>[] {
  const groups = Map.groupBy(findings, ({ at, problem }) => `${at.replace(itemIndex, 'batch[]')}\n${problem}`)
  const listed = [...groups.values()].slice(0, maxGroups).flatMap(([first, ...others]) => {
    if (!first) return []
    const indexes = [first, ...others].map(indexOfItem)
    return [{ at: first.at.replace(itemIndex, `batch[${rangesOf(indexes)}]`), problem: first.problem }]
  })
  const more = groups.size - maxGroups
  return more > 0 ? [...listed, { at: '', problem: `has ${count(more, 'more kind')} of finding, which are not listed.` }] : listed
}

const itemIndex = /^batch\[(\d+)\]/

/** The index of the batch item that a finding is about; -1 for the batch itself. */
export const indexOfItem = ({ at }: Pick<Finding, 'at'>) => Number(itemIndex.exec(at)?.[1] ?? -1)

/** Ascending numbers as ranges: `0-3,7`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last && number <= last[1] + 1) last[1] = number
    else ranges.push([number, number])
  }
  const texts = ranges.slice(0, maxRanges).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  return `${texts.join(',')}${ranges.length > maxRanges ? ',…' : ''}`
}

/** Grouped findings as sentences: `Missing: event (non-empty string). timestamp must be …` */
export function describeFindings(findings: readonly Finding[]): string {
  const required = /^is required(?: (\(.*\)))?\.$/
  const groups = groupFindings(findings)
  const missing = groups.flatMap(({ at, problem }) => {
    const [isRequired, kind = ''] = required.exec(problem) ?? []
    return isRequired === undefined ? [] : [`${at} ${kind}`.trim()]
  })
  const others = groups
    .filter(({ problem }) => !required.test(problem))
    .map(({ at, problem }) => `${at === '' ? 'The body' : at} ${problem}`)
  return [...(missing.length > 0 ? [`Missing: ${missing.join(', ')}.`] : []), ...others].join(' ')
}

/** A rule about a call as a whole. */
const rule =
  (at: string, isMet: (call: JsonObject) => boolean, problem: string, find = fault): Check =>
  (call) =>
    isMet(call) ? [] : [find(at, problem)]

/** A rule about a field that may be absent. */
const field = (name: string, isValid: (value: unknown) => boolean, problem: string, find = fault): Check =>
  rule(name, (call) => call[name] === undefined || isValid(call[name]), problem, find)

const isString = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isId = (value: unknown): value is string | number => isNumber(value) || (isString(value) && value !== '')
const hasId = (call: JsonObject, ...names: readonly string[]) => names.some((name) => isId(call[name]))
const hasEmail = ({ traits }: JsonObject) => isObject(traits) && isId(traits['email'])

const object = (name: string) => field(name, isObject, 'must be an object.')
const string = (name: string) => field(name, isString, 'must be a string.')
const dateTime = (name: string) => field(name, isDateTime, 'must be a date and time in ISO 8601, as in 2026-01-31T12:00:00Z.')
const readOnly = (name: string) => field(name, () => false, 'is set by Customer.io; yours is ignored.', remark)
const required = (name: string) =>
  rule(
    name,
    (call) => (name === 'event' ? isId(call[name]) && isString(call[name]) : !isAbsent(call[name])),
    'is required (non-empty string).',
  )

/** Rule about an id. Numbers are sent unchanged: official clients send them, and strict mode's treatment of them is undocumented. */
const id = (name: string) => (call: JsonObject) =>
  isNumber(call[name]) ? [remark(name, 'is a number; write ids as strings.')] : field(name, isString, 'must be a string.')(call)

/** Checks on the members of `traits`, if it is an object. */
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

/** Empty ids alongside a usable one. */
const emptyIds: Check = (call) =>
  hasId(call, ...idFields) || hasEmail(call)
    ? idFields.flatMap((name) => (call[name] === '' ? [remark(name, 'is empty, so it counts as absent.')] : []))
    : []

/** Requires one of several ids. An id of the wrong type counts: its type is already a fault. */
const needs = (names: readonly string[], problem: string, find = fault) =>
  rule('', (call) => !names.every((name) => isAbsent(call[name])), problem, find)

const person = ['userId', 'anonymousId']
const viewChecks = [
  needs(person, 'needs userId or anonymousId.'),
  string('name'),
  field('name', (value) => value !== '', 'is empty, so the view has no name.', remark),
  object('properties'),
]

const checks: Readonly<Record<ItemType, readonly Check[]>> = {
  identify: [
    (call) => (hasEmail(call) ? [] : needs(person, 'needs userId, anonymousId or traits.email.')(call)),
    rule(
      'anonymousId',
      (call) => !hasId(call, 'anonymousId') || hasId(call, 'userId') || hasEmail(call),
      'alone identifies no one: Customer.io ignores anonymous identify calls. Add userId.',
      remark,
    ),
    object('traits'),
    traits(string('email'), dateTime('createdAt')),
    traits(emailTrait, unsubscribedFlag, unsubscribingTraits, millisecondTraits, wordedDates, traitRemovals),
    traitRemovals,
  ],
  track: [
    required('event'),
    needs([...person, 'groupId'], 'needs userId, anonymousId or groupId.'),
    object('properties'),
    string('groupId'),
    semanticEvent,
  ],
  page: [...viewChecks, nameInProperties('page')],
  screen: [...viewChecks, screenName],
  group: [
    required('groupId'),
    needs(person, 'has no userId or anonymousId, so no one is added to the group.', remark),
    object('traits'),
    traits(
      field('objectTypeId', isPositiveInteger, 'must be a positive integer, as a string or number.', unread),
      object('relationshipAttributes'),
      groupTraits,
      traitRemovals,
    ),
    traitRemovals,
  ],
  alias: [
    required('previousId'),
    required('userId'),
    rule(
      'previousId',
      (call) => !hasId(call, 'userId') || call['userId'] !== call['previousId'],
      'is the same as userId: there is nothing to merge.',
      remark,
    ),
    mergedPeople,
  ],
}

const commonChecks: readonly Check[] = [
  ...idFields.map(id),
  emptyIds,
  paddedIds,
  object('context'),
  // The vendor's own examples send null here.
  field('integrations', (value) => value === null || isObject(value), 'must be an object that maps destination names to true or false.'),
  string('messageId'),
  field('messageId', (value) => value !== '', 'is empty, so a repeat is not recognized.', remark),
  ...['timestamp', 'originalTimestamp', 'sentAt'].map(dateTime),
  ...['receivedAt', 'version'].map(readOnly),
]

/** Traits of a group that are about the person in it. */
function groupTraits(members: JsonObject): Finding[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const problem = 'is a trait of the whole group.'
    if (/^(?:action|operation|op)$/i.test(name) && isRemoval('group', { name, value }))
      return [misdirected(name, `${problem} ${removals.group}`)]
    const isPersonal = /^(?:role|permissions?|accesslevel|jobtitle|joinedat)$/.test(plainName(name))
    return isPersonal ? [remark(name, `${problem} This person's role in it goes in traits.relationshipAttributes.`)] : []
  })
}

function isPositiveInteger(value: unknown): boolean {
  return (isString(value) || isNumber(value)) && /^[1-9]\d*$/.test(`${value}`)
}

/** Notices about the data that a body deletes. */
export function destructionNotices(name: CallName, body: ParsedBody): string[] {
  const destructive = callsOf(name, body).flatMap(({ at, type, json }) => {
    const found = isObject(json) ? destructionBy({ ...json, type }) : undefined
    return found ? [{ ...found, at }] : []
  })
  return groupFindings(destructive).map(({ at, problem }) => `${at === '' ? '' : `${at}: `}${problem}`)
}
