import type { ErrorCode } from '@mcp-toolkits/core'
import { integer, optional, text, type RowOf } from '@mcp-toolkits/store'
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
  /** The exact text to post; null once it is delivered. */
  body: optional(text),
  state: isState,
  reason: optional(text),
  http_status: optional(integer),
  message_ids: text,
  added: text,
  attempts: integer,
  next_attempt_at: integer,
  created_at: integer,
  settled_at: optional(integer),
  /** 1 once a caller has been told what became of it. */
  answered: integer,
}
export type Entry = RowOf<typeof entryShape>

export const entryColumns = Object.keys(entryShape).join(', ')

/** Errors that leave an entry open, because a later attempt may succeed. */
export const passing: readonly ErrorCode[] = ['unavailable', 'rate_limited']

/** Ids of the calls in an entry, in order. */
export function messageIdsIn({ message_ids: ids }: Entry): string[] {
  const parsed: unknown = JSON.parse(ids)
  return Array.isArray(parsed) ? parsed.filter((id) => typeof id === 'string') : []
}
