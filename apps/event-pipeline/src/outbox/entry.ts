import { integer, nullable, text, type RowOf } from '@mcp-toolkits/store'
import { callNames, type CallName } from '../pipelines/call.ts'

/**
 * Where a request is. `open`: to be sent, or being sent. `delivered`: taken by the vendor, its body forgotten. `refused`: the vendor
 * will not have it as it is. `parked`: not sent again by itself; `reason` says why.
 */
export const entryStates = ['open', 'delivered', 'refused', 'parked'] as const
export type EntryState = (typeof entryStates)[number]

/** Why an entry is parked. */
export type ParkReason = 'cancelled' | 'unauthenticated' | 'redirected' | 'unknown_outcome' | 'earlier_part_refused' | 'not_accepted'

const isCall = (value: unknown): value is CallName => callNames.some((name) => name === value)
const isState = (value: unknown): value is EntryState => entryStates.some((state) => state === value)

/** The columns of one request in the outbox. */
export const entryShape = {
  id: integer,
  /** What the parts of one call have in common. */
  delivery_id: text,
  part: integer,
  origin: text,
  key_hash: text,
  call: isCall,
  strict: integer,
  /** 1 when every call in it has a messageId, so that sending it twice counts once. */
  identified: integer,
  /** The exact text to post; null once it is delivered. */
  body: nullable(text),
  state: isState,
  reason: nullable(text),
  http_status: nullable(integer),
  /** JSON of the error that a caller was or would be told; while open, of the latest attempt. */
  error: nullable(text),
  message_ids: text,
  added: text,
  attempts: integer,
  next_attempt_at: integer,
  created_at: integer,
  settled_at: nullable(integer),
  /** 1 once a caller has been told what became of it. */
  answered: integer,
}
export type Entry = RowOf<typeof entryShape>

export const entryColumns = Object.keys(entryShape).join(', ')

/** Ids of the calls in an entry, in order. */
export function messageIdsIn({ message_ids: ids }: Pick<Entry, 'message_ids'>): string[] {
  const parsed: unknown = JSON.parse(ids)
  return Array.isArray(parsed) ? parsed.filter((id) => typeof id === 'string') : []
}

/** Where entries go: a base URL or `embedded`, and a keyed hash of the API key. An entry is only ever sent to its own. */
export interface Destination {
  readonly origin: string
  readonly keyHash: string
}

/** Whether an entry may be sent to a destination: the same origin with the same key. */
export function isFor({ origin, key_hash: keyHash }: Entry, destination: Destination): boolean {
  return origin === destination.origin && keyHash === destination.keyHash
}

/** One request to be written down before its first attempt. */
export interface NewEntry {
  readonly deliveryId: string
  readonly part: number
  readonly call: CallName
  readonly strict: boolean
  readonly identified: boolean
  readonly body: string
  readonly givenHash: string
  /** Whom it is about; entries about one person keep their order. */
  readonly persons: readonly string[]
  readonly messages: readonly { readonly messageId: string; readonly givenHash: string; readonly sentHash: string }[]
  readonly messageIds: readonly string[]
  readonly added: string
}

/** A call that an entry already holds. */
export interface KnownMessage {
  readonly entry: Entry
  readonly hashes: readonly string[]
}
