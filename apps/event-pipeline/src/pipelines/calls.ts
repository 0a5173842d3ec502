import { createHash, hash } from 'node:crypto'
import { type Clock, isObject, type JsonObject, mapInSlices, stringMember } from '@mcp-toolkits/core/base'
import { canonicalMembers, canonicalText, type Span } from './body/json-text.ts'

/** A body's exact text and the spans of its parts, so that text can be added without touching the rest. */
export interface BodyText {
  readonly text: string
  /** The elements of `batch`; empty for other calls. */
  readonly items: readonly Span[]
  /** The top-level members, name and value. */
  readonly members: ReadonlyMap<string, Span>
}

/** A request body with its value. */
export interface ParsedBody extends BodyText {
  readonly json: JsonObject
  readonly notices: readonly string[]
}

/** Text to add to a body, and its position. */
export interface Insertion {
  readonly at: number
  readonly text: string
}

/** A body with text added, in the order of the positions. */
export function withInsertions({ text, items, members }: BodyText, insertions: readonly Insertion[]): BodyText {
  if (insertions.length === 0) return { text, items, members }
  const parts = insertions.map(({ at, text: added }, index) => `${text.slice(insertions[index - 1]?.at ?? 0, at)}${added}`)
  let next = 0
  let shift = 0
  /** Positions must be passed in ascending order. */
  const moved = (position: number) => {
    for (let insertion = insertions[next]; insertion && insertion.at < position; insertion = insertions[next]) {
      shift += insertion.text.length
      next += 1
    }
    return position + shift
  }
  const move = ({ start, end }: Span) => ({ start: moved(start), end: moved(end) })
  const rewind = () => {
    next = 0
    shift = 0
  }
  const movedItems = items.map(move)
  rewind()
  return {
    text: parts.join('') + text.slice(insertions.at(-1)?.at),
    items: movedItems,
    members: new Map([...members].map(([name, span]) => [name, move(span)])),
  }
}

/** The seven operations of the Pipelines API; each is also the path it is posted to. https://docs.customer.io/api/cdp/ */
export const callNames = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'batch'] as const
export type CallName = (typeof callNames)[number]

/** The operations that a batch may contain. */
export type ItemType = Exclude<CallName, 'batch'>
export const itemTypes: readonly ItemType[] = ['identify', 'track', 'page', 'screen', 'group', 'alias']

/** A call in a body: the body itself, or an item in its batch. */
export interface Call {
  /** Its path: empty for the body itself, `batch[N]` for an item. */
  readonly at: string
  /** Empty for an item without a type. */
  readonly type: string
  readonly json: unknown
  readonly span: Span
}

/** A body's calls, in order. A batch whose `batch` is not an array counts as one call. */
export function callsOf(name: CallName, { text, json, items }: ParsedBody): Call[] {
  const batch: unknown = json['batch']
  if (name !== 'batch' || !Array.isArray(batch)) return [{ at: '', type: name, json, span: { start: 0, end: text.trimEnd().length } }]
  const calls: unknown[] = batch
  return items.map((span, index) => {
    const call = calls[index]
    return { at: `batch[${index}]`, type: stringMember(call, 'type') ?? '', json: call, span }
  })
}

/** A call's identity: its id and a layout-independent hash. */
export interface Fingerprint {
  readonly messageId: string | undefined
  readonly hash: string
}

/** The two fields that we add to calls that lack them: the id that identifies repeats, and the call's time. */
export interface CallIdentity {
  readonly messageId: string
  readonly timestamp: string
}

export interface AddedFields extends Partial<CallIdentity> {
  readonly at: string
}

/** One call, prepared for the outbox. */
export interface PreparedCall extends Fingerprint {
  /** The call's hash without its `messageId`: it identifies a repeat that passes the id we added. */
  readonly hashWithoutId: string
  /** The call's identity as sent, with the added fields. */
  readonly sent: Fingerprint
  readonly added: AddedFields
  /** Ids of the people that the call is about. */
  readonly persons: readonly string[]
}

/** A body, prepared for the outbox. */
export interface PreparedBody {
  readonly calls: readonly PreparedCall[]
  /** A layout-independent hash of the whole body. */
  readonly hash: string
  /** The text to send, with the added fields. */
  readonly sent: BodyText
}

/** Prepares a body. `create` is called once per call and returns fields to add if the call lacks them. Other work may run meanwhile. */
export async function prepareBody(
  name: CallName,
  body: ParsedBody,
  { create, clock }: { readonly create: (() => CallIdentity) | undefined; readonly clock: Clock },
): Promise<PreparedBody> {
  const prepared = await mapInSlices(callsOf(name, body), (call) => prepareCall(body.text, call, create), clock)
  const insertions = prepared.flatMap(({ insertion }) => insertion ?? [])
  return {
    calls: prepared.map(({ call }) => call),
    hash: await hashBody(name, body, { prepared, clock }),
    sent: withInsertions(body, insertions),
  }
}

interface Preparation {
  readonly call: PreparedCall
  readonly canonical: string
  readonly insertion: Insertion | undefined
}

/**
 * Prepares a call. Fields are added as text before the closing brace: everything else stays identical, byte for byte, including large
 * numbers and spacing.
 */
function prepareCall(text: string, { at, type, json, span }: Call, create: (() => CallIdentity) | undefined): Preparation {
  const messageId = stringMember(json, 'messageId')
  const own = text.slice(span.start, span.end)
  if (!isObject(json)) {
    const canonical = canonicalText(own)
    const call = { messageId, hash: hashOf(type, canonical) }
    return { call: { ...call, hashWithoutId: call.hash, sent: call, added: { at }, persons: [] }, canonical, insertion: undefined }
  }
  const members = canonicalMembers(own)
  const canonical = `{${members.join(',')}}`
  const hash = hashOf(type, canonical)
  const hashWithoutId =
    messageId === undefined ? hash : hashOf(type, `{${members.filter((each) => !each.startsWith('"messageId":')).join(',')}}`)
  const persons = personIdsOf(json)
  const fields = Object.fromEntries(Object.entries<string>({ ...create?.() }).filter(([field]) => json[field] === undefined))
  const addedMembers = Object.entries(fields).map(([field, value]) => `"${field}":${JSON.stringify(value)}`)
  if (addedMembers.length === 0)
    return { call: { messageId, hash, hashWithoutId, sent: { messageId, hash }, added: { at }, persons }, canonical, insertion: undefined }
  const sent = {
    messageId: messageId ?? fields['messageId'],
    hash: hashOf(type, `{${[...members, ...addedMembers].sort().join(',')}}`),
  }
  const separator = members.length === 0 ? '' : ','
  const insertion = { at: span.end - 1, text: `${separator}${addedMembers.join(',')}` }
  return { call: { messageId, hash, hashWithoutId, sent, added: { at, ...fields }, persons }, canonical, insertion }
}

/** Number of a batch's calls to hash at a time: at most a megabyte. */
const hashedCalls = 32

/** A hash of a body's canonical text, which is assembled from its calls' texts. */
async function hashBody(
  name: CallName,
  { text, items, members }: ParsedBody,
  { prepared, clock }: { readonly prepared: readonly Preparation[]; readonly clock: Clock },
): Promise<string> {
  if (name !== 'batch' || items.length === 0) return sha256(`${name}\n${canonicalText(text)}`)
  const others = [...members].filter(([member]) => member !== 'batch')
  const texts = others.flatMap(([, { start, end }]) => canonicalMembers(`{${text.slice(start, end)}}`)).sort()
  const batch = '"batch":['
  const before = texts.filter((other) => other < batch).map((other) => `${other},`)
  const after = texts.filter((other) => other > batch).map((other) => `,${other}`)
  const body = createHash('sha256').update(`${name}\n{${before.join('')}${batch}`)
  const starts = Array.from({ length: Math.ceil(prepared.length / hashedCalls) }, (_, index) => index * hashedCalls)
  const hashCalls = (start: number) => {
    const calls = prepared.slice(start, start + hashedCalls).map(({ canonical }) => canonical)
    body.update(`${start === 0 ? '' : ','}${calls.join(',')}`)
  }
  await mapInSlices(starts, hashCalls, clock)
  return body.update(`]${after.join('')}}`).digest('base64')
}

const hashOf = (type: string, canonical: string) => sha256(`${type}\n${canonical}`)

function sha256(text: string): string {
  return hash('sha256', text, 'base64')
}

/** Ids of the people that a call is about, two for an alias; entries that share an id are sent in order. */
function personIdsOf(call: JsonObject): string[] {
  const ids = ['userId', 'anonymousId', 'previousId'].flatMap((field) => {
    const id = call[field]
    return typeof id === 'string' || typeof id === 'number' ? [`${id}`] : []
  })
  return ids.length > 0 ? ids : ['/nobody']
}

/** The values that enable strict validation. Each tool accepts only the value in its documentation. */
export const enablingValues = ['True', '1'] as const
export type EnablingValue = (typeof enablingValues)[number]

/** A tool's strictness parameter: its name and the value that enables it. */
export interface StrictnessParameter {
  readonly name: 'enable_strict_validation' | 'enable_strict_mode'
  readonly enabling: EnablingValue
}

/** Each operation's strictness parameter, as specified. */
export const strictnessOf: Readonly<Record<CallName, StrictnessParameter>> = {
  identify: { name: 'enable_strict_validation', enabling: 'True' },
  track: { name: 'enable_strict_validation', enabling: 'True' },
  page: { name: 'enable_strict_mode', enabling: '1' },
  screen: { name: 'enable_strict_validation', enabling: '1' },
  group: { name: 'enable_strict_validation', enabling: '1' },
  alias: { name: 'enable_strict_validation', enabling: 'True' },
  batch: { name: 'enable_strict_mode', enabling: 'True' },
}
