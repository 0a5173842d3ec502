import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { Message, type NextStep, quote, sentence, type Suggestion } from '@mcp-toolkits/core/errors'
import { maxLooseLength } from '@mcp-toolkits/core/references'
import { type CallName, type ItemType, strictnessOf } from '../calls.ts'
import { possibleDateTimes } from '../date-time.ts'
import { type Change, Correction, correctBatch, correctCall, translated } from './correction.ts'
import {
  dateTimeFields,
  fieldsOf,
  fieldsOfIdentity,
  idFields,
  isAbsent,
  isGroupList,
  isIdList,
  isMergeEnd,
  isNameList,
  namesCall,
  pathOf,
  plainName,
} from '../fields.ts'
import type { Finding } from './finding.ts'
import { describeFindings, findingsIn, groupFindings, indexOfItem, rangesOf } from './findings.ts'
import { isAnonymous, isUuid } from './implausible.ts'
import { meantType, type OtherCall, otherTypeOf } from './item-type.ts'
import { fromAnalytics, fromCompanies, fromParallelLists } from './other-forms.ts'
import { effectOf, reservedNameFor } from './reserved-events.ts'
import { completeBody, readLooseBody } from '../body/loose-body.ts'
import { isCallLike, listIn, onlyBody, unwrap } from '../body/wrapper.ts'

/**
 * Maximum JSON length of a corrected body, in characters. For a longer body, the error only describes the corrections, because a model
 * reads the whole error.
 */
const maxChangeLength = 16_000
/** Maximum length of a suggested body. */
const maxSuggestionLength = 1_000

/** Advice on a body that cannot be used unchanged. */
export interface Advice {
  readonly text: Message
  /** The call to make instead: one with a body without faults, or one to the batch tool. */
  readonly next?: NextStep
  readonly suggestions?: readonly Suggestion[]
  /** True if something remains that cannot be corrected. */
  readonly isPartial?: boolean
}

export interface AdviceOptions {
  readonly isStrict: boolean
  /** The current time, in milliseconds, for times in words. */
  readonly now?: number
  /** True if the body came as arguments outside `request_body`. */
  readonly isSpread?: boolean
}

/**
 * Corrections to a body that need no guessing: field names, date formats, notation and wrapping. The caller must confirm them; they are
 * never applied automatically. Undefined if there are none.
 */
export async function adviseOn(
  name: CallName,
  written: unknown,
  { isStrict, now, isSpread = false }: AdviceOptions,
): Promise<Advice | undefined> {
  // Parsing megabytes of brackets takes a long time, and their correction could not be shown.
  if (typeof written === 'string' && written.length > maxLooseLength) return undefined
  const read = typeof written === 'string' ? readLooseBody(written) : written
  const loose = read === undefined && typeof written === 'string' ? completeBody(written) : read
  const correction = new Correction()
  correction.isGuess = read === undefined
  const whole = isObject(loose) && name !== 'batch' ? translated(name, loose, { at: '', correction }) : undefined
  const content = unwrap(name, isSpread ? onlyBody(name, loose) : loose, (key) => {
    if (!whole) correction.note('', `taken out of ${quote(key)}`)
  })
  const isOfEnds = name === 'alias' && isObject(content) && Object.keys(content).some(isMergeEnd)
  const list = name === 'batch' || whole ? undefined : listOf(name, content, isSpread)
  if (isSpread && !whole && !list && !isOfEnds && !(isObject(content) && isCallLike(name, content))) return undefined
  if (isSpread) correction.note('', 'moved into request_body')
  if (typeof written === 'string' && !isObject(parseJson(written))) correction.note('', 'written as JSON')
  if (name === 'batch') {
    const body = correctBatch(content, correction)
    return body && adviseBody(name, body, correction)
  }
  if (list && list.length !== 1) return adviseBatch(name, list, isStrict)
  if (list) correction.note('', 'the only item of the list')
  const [given = content] = list ?? []
  if (!isObject(given)) return undefined
  const meant = whole ?? translated(name, given, { at: '', correction })
  const { type, ...fields } = meant?.[0] ?? given
  const call = meant && type === name ? fields : (meant?.[0] ?? given)
  const several = meant && meant.length > 1 ? meant : eachOf(name, call)
  const said = correction.changes.length > 0 ? `Its body: ${describeChanges(correction.changes)}.` : ''
  if (several && name === 'alias') return adviseOnEnds(name, given)
  if (several) {
    const batch = await adviseBatch(name, several, isStrict)
    return batch && { ...batch, text: batch.text.and(meant ? said : '') }
  }
  const other = otherTypeOf(name, call)
  const elsewhere = other && (await adviseOtherTool(other, isStrict))
  if (elsewhere?.next || elsewhere?.isPartial) return { ...elsewhere, text: elsewhere.text.and(meant ? said : '') }
  const body = correctCall(name, withoutAction(name, call, correction), { at: '', correction })
  const own = adviseOnTimes(await findingsIn(name, body), { body, correction, now }) ?? (await adviseBody(name, body, correction))
  return own ?? (other?.field === 'type' || other?.field === 'groupId' ? elsewhere : adviseOnReserved(name, body, isStrict))
}

/** The calls that a list or an object of lists stands for. Arguments next to the list must be ids or keys, so that nothing else is lost. */
function listOf(name: ItemType, content: unknown, isSpread: boolean): readonly unknown[] | undefined {
  const list: readonly unknown[] | undefined = Array.isArray(content) ? content : undefined
  const form = list ?? fromAnalytics(content) ?? fromParallelLists(content) ?? (name === 'group' ? fromCompanies(content) : undefined)
  if (form || !isObject(content)) return form
  const others = Object.keys(content).filter((each) => !isIdentity(each) && !isKey(each))
  return isSpread && others.length > 1 ? undefined : callsIn(content)
}

const isKey = (name: string) => /^(?:api|write)_?key$|^\$?token$/i.test(name)

/** The list of calls in an object that is not a call itself; an event's items are not calls. */
function callsIn(content: JsonObject): readonly unknown[] | undefined {
  const ids = Object.entries(content).filter(([name, value]) => isIdentity(name) && typeof value !== 'object')
  const rest = Object.fromEntries(Object.entries(content).filter(([name]) => !ids.some(([each]) => each === name)))
  if (namesCall(rest)) return undefined
  const isCall = (item: unknown) => namesCall(item) || (isObject(item) && Object.keys(item).some(isIdentity))
  const lists = Object.values(rest).filter((held): held is unknown[] => Array.isArray(held) && held.length > 0 && held.every(isCall))
  if (ids.length === 0) return listIn(rest) ?? (lists.length === 1 ? lists[0] : undefined)
  const { events = rest['batch'] ?? rest['actions'] } = rest
  const list: readonly unknown[] | undefined = Array.isArray(events) && events.every(isObject) ? events : undefined
  return list?.map((item) => (isObject(item) ? { ...Object.fromEntries(ids), ...item } : item))
}

/** True for an id's name, except for "id", which a product may have too. */
const isIdentity = (name: string) =>
  (fieldsOfIdentity(name) !== undefined && name !== 'id') || /^(?:user|anonymous)_?id$|^identifier_to_/i.test(name)

/** A call about several people, events or views, as one call for each. */
function eachOf(type: ItemType, call: JsonObject): readonly JsonObject[] | undefined {
  const members = Object.entries(call).map(([name, value]) => ({ name, value }))
  const people = members.find((member) => isIdList(member, call))
  const groups = members.find((member) => isGroupList(type, member, call))
  const { name, value: list } = people ?? groups ?? members.find((member) => isNameList(type, member, call)) ?? {}
  if (!Array.isArray(list) || list.length < 2) return undefined
  const others = Object.fromEntries(Object.entries(call).filter(([each]) => each !== name && each !== 'messageId'))
  const field = people ? 'userId' : groups ? 'groupId' : type === 'track' ? 'event' : 'name'
  return list.map((each) => ({ [field]: String(each), ...others }))
}

/** A call to the vendor's other API without the members that name its kind: `"type": "person", "action": "identify"`. */
function withoutAction(name: ItemType, call: JsonObject, correction: Correction): JsonObject {
  if (meantType(call['action'])?.type !== name) return call
  correction.note('action', 'left out')
  return Object.fromEntries(Object.entries(call).filter(([key]) => key !== 'type' && key !== 'action'))
}

/** The tool for each call. */
const toolNames: Readonly<Record<CallName, string>> = {
  identify: 'IdentifyPersonAndAssignTraits',
  track: 'TrackUserEvent',
  page: 'SendPageViewEvent',
  screen: 'SendScreenViewEvent',
  group: 'AddToGroup',
  alias: 'AliasUserIdentity',
  batch: 'SendBatchRequests',
}
const toolOf = (name: CallName) => `EventPipelineApi.${toolNames[name]}`

/** Advises sending a call of another type with that type's tool. Gives no next step if the caller must first choose or confirm an id. */
async function adviseOtherTool({ type, call, field }: OtherCall, isStrict: boolean): Promise<Advice> {
  const correction = new Correction()
  const body = correctCall(type, call, { at: '', correction })
  const text = sentence`Send a call of type ${type} with ${{ tool: toolOf(type) }}.`
  // The traits may be the person's.
  if (field === 'groupId' && body['traits'] !== undefined) return { text: text.and('In a group call, traits describe the group.') }
  const choice = type === 'page' || type === 'screen' ? await adviseOnIdentity(type, body, correction.isGuess) : adviseOnEnds(type, body)
  const bodies = type === 'alias' ? (choice?.suggestions ?? []).map(({ value }) => value) : []
  const doubt = choice?.text ?? (correction.isGuess ? Message.of(`Possible: ${describeChanges(correction.changes)}.`) : undefined)
  return doubt ? { text: text.and(doubt, bodies.join(' or ')), isPartial: true } : { text, ...(await sendWith(type, body, isStrict)) }
}

/** Advice on a list passed to a tool that takes one call. */
async function adviseBatch(name: ItemType, list: readonly unknown[], isStrict: boolean): Promise<Advice | undefined> {
  if (list.length === 0) return undefined
  const typed = list.map((item) => (isObject(item) && item['type'] === undefined ? { type: name, ...item } : item))
  const correction = new Correction()
  const corrected = correctBatch({ batch: typed }, correction)
  const text = sentence`This tool takes one call. Send several with ${{ tool: toolOf('batch') }}: {"batch": [{"type": "${name}", …}, …]}.`
  return { text, ...(corrected && !correction.isGuess && (await sendWith('batch', corrected, isStrict))) }
}

/** The call to a different tool, if that tool accepts the body without findings. */
async function sendWith(name: CallName, body: JsonObject, isStrict: boolean): Promise<Pick<Advice, 'next'>> {
  const request_body = JSON.stringify(body)
  const findings = await findingsIn(name, body)
  const { name: strictness, enabling } = strictnessOf[name]
  const args = { mode: 'execute', request_body, ...(isStrict && { [strictness]: enabling }) }
  return findings.length > 0 || isTooLong(request_body) ? {} : { next: { tool: toolOf(name), arguments: args } }
}

async function adviseBody(name: CallName, body: JsonObject, { changes, isGuess }: Correction): Promise<Advice | undefined> {
  const identity = name === 'batch' ? undefined : (adviseOnEnds(name, body) ?? (await adviseOnIdentity(name, body, isGuess)))
  if (identity) return identity
  const findings = await findingsIn(name, body)
  const isLost = ({ at, isUnread }: Finding) => isUnread && changes.length > 0 && (name !== 'batch' || indexOfItem({ at }) < 0)
  const faults = findings.filter((finding) => finding.isFault || isLost(finding))
  const batch: readonly unknown[] = Array.isArray(body['batch']) ? body['batch'] : []
  const faulty = new Set(faults.map(indexOfItem))
  const canLeaveOut = name === 'batch' && !faulty.has(-1) && faulty.size < batch.length
  if ((name !== 'batch' || faulty.has(-1)) && faults.length > 0 && changes.length > 0) {
    // Any unknown field may be the missing one.
    const isMissing = faults.some(({ at, problem }) => at === '' || problem.startsWith('is required'))
    const sure = changes.filter(
      ({ at, problem }) => !isMissing || !/^→ (?:properties|traits)\./.test(problem) || problem.endsWith('.url') || at === '',
    )
    const done = `${isGuess ? 'Possible changes' : 'Changes to make'}: ${describeChanges(sure)}. Problems that remain: ${describeFindings(findings)}`
    return { text: Message.of(sure.length > 0 ? done : ''), isPartial: true }
  }
  if ((faults.length > 0 && !canLeaveOut) || changes.length + faulty.size === 0) return undefined
  const isPartial = faulty.size > 0
  const request_body = JSON.stringify(isPartial ? { ...body, batch: batch.filter((_, index) => !faulty.has(index)) } : body)
  const ranges = rangesOf([...faulty].sort((a, b) => a - b))
  const said = [...(changes.length > 0 ? [describeChanges(changes)] : []), ...(isPartial ? [`batch[${ranges}] left out`] : [])].join('; ')
  if (isTooLong(request_body)) {
    const rest = isPartial ? `Leave out batch[${ranges}], and send the other ${batch.length - faulty.size}.` : ''
    return { text: Message.of(changes.length > 0 ? `Changes to make: ${describeChanges(changes)}.` : '', rest), isPartial }
  }
  if (isGuess || isPartial)
    return { text: Message.of(`With these changes it would be accepted: ${said}.`), ...suggest([request_body]), isPartial }
  const left = findings.length > 0 ? `Problems that remain: ${describeFindings(findings)}` : ''
  return { text: Message.of(`next.change has the corrected body: ${said}.`, left), next: { change: { request_body } } }
}

const isTooLong = (text: string) => JSON.stringify(text).length > maxChangeLength

function describeChanges(changes: readonly Change[]): string {
  const groups = groupFindings(changes.map((change) => ({ ...change, isFault: false })))
  return groups.map(({ at, problem }) => `${at} ${problem}`.trim()).join('; ')
}

/** The bodies that may be meant if an id has a different name. A field called "id" is proposed only if it can only be the person's id. */
async function adviseOnIdentity(name: ItemType, body: JsonObject, isGuess: boolean): Promise<Advice | undefined> {
  const hasGroup = body['groupId'] !== undefined
  if ((hasGroup || name !== 'group') && !(isAbsent(body['userId']) && isAbsent(body['anonymousId']))) return undefined
  const own = Object.entries(body).filter(([key, value]) => !(idFields.includes(key) && isAbsent(value)))
  const { properties } = body
  const isOfPostHog = name === 'track' && own.some(([key]) => plainName(key) === 'distinctid')
  const emails = Object.entries(isObject(properties) && !hasGroup && !isOfPostHog ? properties : {}).filter(
    ([key]) => plainName(key) === 'email',
  )
  const readings = [...own, ...emails].flatMap(([key, value]) => {
    const fields = fieldsOfIdentity(key) ?? []
    if (typeof value !== 'string' && typeof value !== 'number') return []
    const others = Object.fromEntries(own.filter(([each]) => each !== key))
    const isOfGroup = name === 'group' && hasGroup && fields.includes('groupId')
    const fitting = isOfGroup ? [] : fields.filter((field) => fieldsOf(name).includes(field) && isAbsent(body[field]))
    const first = isAnonymous(String(value)) ? 'anonymousId' : undefined
    const ordered = fitting.toSorted((a, b) => Number(b === first) - Number(a === first))
    return ordered.map((field) => ({ key, field, id: String(value), value: { [field]: String(value), ...others } }))
  })
  const findings = await Promise.all(readings.map(({ value }) => findingsIn(name, value)))
  const meant = readings.filter(({ field }, index) => {
    // The vendor ignores an identify call with only an anonymousId.
    return !(name === 'identify' && field === 'anonymousId') && findings[index]?.every(({ isFault }) => !isFault)
  })
  const [first, ...others] = meant
  if (!first) return undefined
  const text = Message.of(`Possible: ${meant.map(({ key, field }) => `${quote(key)} as ${field}`).join(', ')}.`)
  // Next to an event, "id" is the person's unless it looks like an event's id.
  const isOfEvent = isUuid(first.id) || /^(?:e|evt|event|msg|message|orde?r?|txn?|pay|inv)[-_]/i.test(first.id)
  const isSure = others.length === 0 || (name === 'track' && !isOfEvent)
  const sure = isOfPostHog ? 'distinctid' : 'id'
  const isOnly = !isGuess && isSure && first.field === 'userId' && meant.every(({ key }) => plainName(key) === sure)
  const next = { change: { request_body: JSON.stringify(first.value) } }
  return { text, ...suggest(meant.map(({ value }) => JSON.stringify(value))), ...(isOnly && { next }) }
}

/** Both directions of a merge whose sides do not tell which one stays: a merge cannot be undone, so neither is proposed. */
function adviseOnEnds(name: CallName, body: JsonObject): Advice | undefined {
  const ends = (name === 'alias' ? endsIn(body) : []).toSorted((a, b) => Number(isMergedEnd(b)) - Number(isMergedEnd(a)))
  const [one, other] = ends.map(({ id }) => id)
  if (one === undefined || other === undefined || ends.length > 2 || !(isAbsent(body['previousId']) || isAbsent(body['userId'])))
    return undefined
  const bodies = [
    { previousId: one, userId: other },
    { previousId: other, userId: one },
  ].map((each) => JSON.stringify(each))
  const text = 'previousId is merged into userId for good. A merge cannot be undone, so no next step is given: choose the id that stays.'
  return { text: Message.of(text), ...suggest(bodies, true) }
}

interface MergeEnd {
  readonly name: string
  readonly id: string
}

/** The ids of the people to merge, at any depth. */
function endsIn(held: unknown, name = ''): MergeEnd[] {
  if (isObject(held)) {
    const members = Object.entries(held).filter(([each]) => !/label|type$/i.test(each))
    return members.flatMap(([each, value]) => endsIn(value, isMergeEnd(each) ? `${name} ${each}` : name))
  }
  if (Array.isArray(held)) return held.flatMap((each: unknown) => endsIn(each, name))
  return name !== '' && (typeof held === 'string' || typeof held === 'number') && held !== '' ? [{ name, id: String(held) }] : []
}

/** True for an id that looks like the one to be merged away. */
const isMergedEnd = ({ name, id }: MergeEnd) => isAnonymous(id) || /secondary|duplicate|loser|source|from|old|to_merge/i.test(name)

/** The call with the effect of another tracker's event, or the reserved event that a command means, which cannot be undone. */
async function adviseOnReserved(name: ItemType, body: JsonObject, isStrict: boolean): Promise<Advice | undefined> {
  const { event, properties, ...others } = body
  const type = name === 'track' ? effectOf(event) : undefined
  // Both trackers that have this event give the ids of a merge as properties.
  if (type)
    return adviseOtherTool(
      { type, call: { ...others, ...(type === 'alias' && isObject(properties) ? properties : { properties }) }, field: 'event' },
      isStrict,
    )
  const meant = name === 'track' && typeof event === 'string' ? reservedNameFor(event) : undefined
  if (meant === undefined) return undefined
  return {
    text: Message.of('To record an ordinary event, choose another name.'),
    ...suggest([JSON.stringify({ ...body, event: meant })], true),
  }
}

/** The bodies that may be meant if the only fault is a time in words or in a different order. */
function adviseOnTimes(findings: readonly Finding[], { body, correction, now }: TimedBody): Advice | undefined {
  const [fault, ...others] = findings.filter(({ isFault }) => isFault)
  if (!fault || others.length > 0 || now === undefined || ![...dateTimeFields, 'traits.createdAt'].includes(fault.at)) return undefined
  const [field, member] = pathOf(fault.at)
  const held = body[field]
  const times = possibleDateTimes(member === undefined ? held : isObject(held) ? held[member] : undefined, now)
  if (times.length === 0) return undefined
  const bodies = times.map((time) => ({ ...body, [field]: member === undefined ? time : { ...(isObject(held) && held), [member]: time } }))
  const changes = correction.changes.length > 0 ? `${describeChanges(correction.changes)}; ` : ''
  const text =
    `Possible: ${changes}${fault.at} as ${times.join(' or ')}. Check the day and the time zone. ${describeFindings(findings.filter(({ isFault }) => !isFault))}`.trim()
  return {
    text: Message.of(text),
    ...suggest(
      bodies.map((each) => JSON.stringify(each)),
      times.length > 1,
    ),
  }
}

interface TimedBody {
  readonly body: JsonObject
  readonly correction: Correction
  readonly now: number | undefined
}

/** Bodies as suggestions, the likeliest first unless all are equally likely. */
function suggest(bodies: readonly string[], areEqual = false): Pick<Advice, 'suggestions'> {
  const suggestions = bodies.map((value, index) => ({ parameter: 'request_body', value, confidence: index === 0 && !areEqual ? 0.7 : 0.5 }))
  return { suggestions: suggestions.filter(({ value }) => value.length <= maxSuggestionLength) }
}
