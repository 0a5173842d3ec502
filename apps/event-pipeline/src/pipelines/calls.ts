import { createHash } from 'node:crypto'
import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/json'
import { type Node, parseTree } from 'jsonc-parser'
import type { ParsedBody, Span } from './body.ts'

/** The seven operations of the Pipelines API; each is also the path it is posted to. https://docs.customer.io/api/cdp/ */
export const callNames = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'batch'] as const
export type CallName = (typeof callNames)[number]

/** The operations that a batch may hold. */
export type ItemType = Exclude<CallName, 'batch'>
export const itemTypes: readonly ItemType[] = ['identify', 'track', 'page', 'screen', 'group', 'alias']

/** One call of a body: the body itself, or an item of its batch. */
export interface Call {
  /** Its path: empty for the body itself, `batch[N]` for an item. */
  readonly at: string
  /** Empty for an item without a type. */
  readonly type: string
  readonly json: unknown
  readonly span: Span
}

/** The calls of a body, in order. A batch whose `batch` is no array counts as one call. */
export function callsOf(name: CallName, { text, json, items }: ParsedBody): Call[] {
  const batch: unknown = json['batch']
  if (name !== 'batch' || !Array.isArray(batch)) return [{ at: '', type: name, json, span: { start: 0, end: text.trimEnd().length } }]
  const calls: unknown[] = batch
  return items.map((span, index) => {
    const call = calls[index]
    return { at: `batch[${index}]`, type: stringMember(call, 'type') ?? '', json: call, span }
  })
}

/** What identifies a call: its id, and a hash that does not depend on its layout. */
export interface Fingerprint {
  readonly messageId: string | undefined
  readonly hash: string
}

export function fingerprints(name: CallName, body: ParsedBody): Fingerprint[] {
  return callsOf(name, body).map(({ type, json, span }) => ({
    messageId: stringMember(json, 'messageId'),
    hash: sha256(`${type}\n${canonicalText(body.text.slice(span.start, span.end))}`),
  }))
}

/** A hash of a whole body that does not depend on its layout. */
export function bodyHash(name: CallName, { text }: ParsedBody): string {
  return sha256(`${name}\n${canonicalText(text)}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** JSON text with sorted keys and without white space; numbers and strings are not changed. */
function canonicalText(text: string): string {
  const root = parseTree(text)
  return root ? canonicalNode(root, text) : text.trim()
}

function canonicalNode(node: Node, text: string): string {
  const children = node.children ?? []
  if (node.type === 'array') return `[${children.map((child) => canonicalNode(child, text)).join(',')}]`
  if (node.type === 'object') {
    const members = children.map((property) => (property.children ?? []).map((part) => canonicalNode(part, text)).join(':'))
    return `{${members.sort().join(',')}}`
  }
  return text.slice(node.offset, node.offset + node.length)
}

/** The two fields that we add to calls without them: the id by which a repeat is recognized, and the time of the call. */
export interface CallIdentity {
  readonly messageId: string
  readonly timestamp: string
}

/** What was added to one call. */
export interface AddedFields extends Partial<CallIdentity> {
  readonly at: string
}

/**
 * Adds `messageId` and `timestamp` where they are absent, as text before the closing brace: everything else stays byte for byte the
 * same, large numbers and spacing included. `create` is called once for every call.
 */
export function addIdentities(
  name: CallName,
  body: ParsedBody,
  create: () => CallIdentity,
): { readonly text: string; readonly added: readonly AddedFields[] } {
  const additions = callsOf(name, body).flatMap(({ at, span, json }) => {
    if (!isObject(json)) return []
    const fields = Object.fromEntries(Object.entries(create()).filter(([field]) => json[field] === undefined))
    const separator = Object.keys(json).length === 0 ? '' : ','
    return Object.keys(fields).length === 0 ? [] : [{ at, fields, separator, brace: span.end - 1 }]
  })
  const parts = additions.map(({ fields, separator, brace }, index) => {
    const start = additions[index - 1]?.brace ?? 0
    return `${body.text.slice(start, brace)}${separator}${JSON.stringify(fields).slice(1, -1)}`
  })
  const end = additions.at(-1)?.brace ?? 0
  return { text: parts.join('') + body.text.slice(end), added: additions.map(({ at, fields }) => ({ at, ...fields })) }
}

/**
 * The ids of the people that a body is about, both of an alias; entries that share one are sent in order. Calls without a person
 * keep their order among themselves.
 */
export function personsIn(name: CallName, body: ParsedBody): string[] {
  const calls = callsOf(name, body)
  return calls.length === 0 ? [`/${name}`] : calls.flatMap(({ json }) => (isObject(json) ? personsOf(json) : []))
}

function personsOf(call: JsonObject): string[] {
  const ids = ['userId', 'anonymousId', 'previousId'].flatMap((field) => {
    const id = call[field]
    return typeof id === 'string' || typeof id === 'number' ? [`${id}`] : []
  })
  return ids.length > 0 ? ids : ['/nobody']
}
