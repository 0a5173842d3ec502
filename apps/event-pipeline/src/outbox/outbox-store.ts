import type { AccountRef } from '@mcp-toolkits/core/base'
import { type ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import type { Backlog } from '@mcp-toolkits/core/upstream'
import { type ChangeWatch, StoreLocked } from '@mcp-toolkits/sqlite'
import type { AddedFields, CallName, Fingerprint } from '../pipelines/calls.ts'

/** `refused`: the vendor does not accept the body as it is. `parked`: not sent until an operator or a caller asks for it. */
export const entryStates = ['open', 'delivered', 'refused', 'parked'] as const
export type EntryState = (typeof entryStates)[number]

/** Reasons for parking an entry. */
export const parkReasons = [
  'cancelled',
  'unauthenticated',
  'redirected',
  'unknown_outcome',
  'earlier_part_refused',
  'not_accepted',
  'key_ended',
  'person_forgotten',
  'damaged',
] as const
export type ParkReason = (typeof parkReasons)[number]

/** The decision on an entry after an attempt that did not deliver it. */
export type DeliveryDecision =
  | { readonly state: 'open'; readonly backoffMs: number }
  | { readonly state: 'refused' }
  | { readonly state: 'parked'; readonly reason: ParkReason }

/** An entry's destination: a base URL or `embedded`, and a keyed hash of the API key. An entry is never sent elsewhere. */
export interface Destination {
  readonly origin: string
  readonly keyHash: string
  /** The account of the person who entered the key; undefined for the operator's key. The same key from two people is two destinations. */
  readonly account?: AccountRef | undefined
}

/** Values of the `origin` and `key_hash` columns; the latter contains the hash, owner and profile. */
export function columnsOf({ origin, keyHash, account }: Destination): { readonly origin: string; readonly keyHash: string } {
  return { origin, keyHash: account ? [keyHash, account.owner, account.profile].join(' ') : keyHash }
}

/** The `owner` in rows, if people share a key; empty if each person has their own key or there is no sign-in. */
export const ownerIn = ({ account }: Destination, owner: string | undefined): string => (account ? '' : (owner ?? ''))

/** A row's destination. */
export function destinationOf(row: { readonly origin: string; readonly key_hash: string }): Destination {
  const [keyHash = '', owner, ...profile] = row.key_hash.split(' ')
  if (owner === undefined || profile.length === 0) return { origin: row.origin, keyHash: row.key_hash }
  return { origin: row.origin, keyHash, account: { owner, profile: profile.join(' ') } }
}

/** The number of a destination's entries in a state. */
export interface Tally {
  readonly destination: Destination
  /** The person who submitted the entries, if people share the key. */
  readonly owner: string
  readonly state: EntryState
  readonly entries: number
}

/** A destination with open entries, and the time, in milliseconds, until one of them may be due. */
export interface WaitingDestination {
  readonly destination: Destination
  readonly ms: number
}

/** One request in the outbox. */
export interface Entry {
  readonly id: number
  /** The person who submitted the entry, if people share the key. */
  readonly owner: string
  readonly destination: Destination
  readonly call: CallName
  /** True if the vendor is asked to validate the body. */
  readonly isStrict: boolean
  /** True if each of its calls has a `messageId`, so the vendor counts it once even if it is sent twice. */
  readonly isIdentified: boolean
  /** The exact text to post; undefined once delivered. */
  readonly body: string | undefined
  readonly state: EntryState
  readonly reason: ParkReason | undefined
  readonly httpStatus: number | undefined
  /** The latest attempt's error; the vendor's messages are in its details. */
  readonly error: ToolError | undefined
  readonly messageIds: readonly string[]
  /** Fields added to the calls before the entry was stored. In older rows, a delivery's first entry lists them for all its entries. */
  readonly added: readonly AddedFields[]
  readonly attempts: number
  readonly createdAt: number
  /** True if a call has reported that the entry was or will be delivered. */
  readonly isAnswered: boolean
}

/** A request to store before its first attempt. */
export interface NewEntry extends Pick<Entry, 'owner' | 'call' | 'isStrict' | 'isIdentified' | 'messageIds' | 'added'> {
  /** Id that is the same for all parts of a delivery. */
  readonly deliveryId: string
  readonly part: number
  readonly body: string
  readonly bodyHash: string
  /** The people that the entry is about; entries about one person keep their order. */
  readonly persons: readonly string[]
  /** For each call with a `messageId`, the hashes of the submitted and the sent call. */
  readonly messages: readonly { readonly messageId: string; readonly callerHash: string; readonly sentHash: string }[]
}

/** A call already in the outbox, and its hashes. */
export interface StoredCall {
  readonly entry: Entry
  readonly hashes: readonly string[]
}

/** A submission, and how to find it among the entries. */
export interface EnqueueRequest {
  readonly destination: Destination
  readonly fingerprints: readonly Fingerprint[]
  readonly bodyHash: string
  /** The people that the body is about. */
  readonly persons: readonly string[]
  /** True if the hash depends on an idempotency key, so that every entry with the hash belongs to a call with that key. */
  readonly isKeyed: boolean
  readonly isStrict: boolean
  /** The submitting call's signal. If the signal aborts before everything is stored, nothing is stored. */
  readonly signal: AbortSignal
  /** True if a call in this process is waiting for the entry. */
  readonly hasCaller: (entry: number) => boolean
  /** Called within the transaction with the entries that the call will wait for. */
  readonly onStored: (entries: readonly number[]) => void
}

/** A submission's entries that are already in the outbox. */
export interface Duplicates {
  /** The stored call with the same `messageId`, for each call in order. */
  readonly storedCalls: readonly (StoredCall | undefined)[]
  /** The entries to continue: those of the oldest call with the same body that was never answered and is not running. */
  readonly continued: readonly Entry[]
  /** An entry from the latest delivery of the same body. */
  readonly latest: Entry | undefined
  /** The unanswered entries with the same body that calls in other processes are waiting for. */
  readonly awaited: readonly number[]
}

/** Entries that a submission adds to the outbox. */
export interface EnqueuePlan {
  /** Existing entries that contain some of the submission's calls. */
  readonly joined: readonly Entry[]
  /** Created one at a time, because a large batch takes a long time. */
  readonly created: Iterable<NewEntry>
  /** The calls' ids, in the order of the body. */
  readonly messageIds: readonly string[]
  readonly added: readonly AddedFields[]
  readonly notices: readonly string[]
}

export interface EnqueueResult extends Pick<EnqueuePlan, 'messageIds' | 'added' | 'notices'> {
  readonly entries: readonly Entry[]
  /** The first undelivered entry, if it could be claimed at once, so that no other worker can take it from the call. */
  readonly claimed: Entry | undefined
}

/** Time, in milliseconds, until an entry's next attempt. */
export interface Wait {
  readonly ms: number
  /** True if the entry is waiting because the vendor asked us to slow down. */
  readonly isHeld: boolean
  /** The vendor's response that asked us to slow down. */
  readonly holdError: ToolError | undefined
}

/** An entry's claimant. An operator may send an entry even though the vendor asked us to slow down. */
export type Claimant = 'call' | 'background' | 'operator'

/**
 * One process's view of an outbox, which several processes may share. Almost every method is one transaction. Throws `OutboxLocked` if
 * another program keeps the outbox's file locked.
 */
export interface OutboxStore {
  /** Returns the key that API keys are hashed with; it is created once per outbox. */
  readonly hashKey: () => Promise<string>
  /**
   * Finds duplicates, stores the plan, reopens joined entries, records that a call in this process is waiting for the entries, and claims
   * the first one. A large batch is stored all or nothing, in steps between which the event loop runs. If there is no plan, nothing is
   * stored.
   */
  readonly enqueue: (
    request: EnqueueRequest,
    plan: (duplicates: Duplicates) => EnqueuePlan | undefined,
  ) => Promise<EnqueueResult | undefined>
  /** The entries with these ids that still exist. */
  readonly entries: (ids: readonly number[]) => Promise<Entry[]>
  /** All undelivered entries, oldest first, for every destination. */
  readonly undelivered: () => Promise<Entry[]>
  /** A destination's oldest undelivered entries, without bodies; with an owner, only theirs and those without an owner. */
  readonly overview: (destination: Destination, of: { readonly owner: string | undefined; readonly limit: number }) => Promise<Entry[]>
  /** Counts each destination's undelivered entries, by owner and state. */
  readonly tally: () => Promise<readonly Tally[]>
  /** Number and age of the undelivered entries for all destinations. */
  readonly backlog: () => Promise<Backlog[]>
  /**
   * Takes an entry for delivery; undefined if it is settled, not due, blocked by an older entry or already taken, or if the vendor asked
   * us to slow down.
   */
  readonly claim: (id: number, by: Claimant) => Promise<Entry | undefined>
  /** Takes the oldest deliverable entry. */
  readonly claimNext: (destination: Destination) => Promise<Entry | undefined>
  /** Time, in milliseconds, until an entry may be due; undefined if the only open entries are those this process is sending. */
  readonly untilNextDue: (destination: Destination) => Promise<number | undefined>
  /** Like `untilNextDue`, for all destinations with open entries, except those whose entries are all being sent by this process. */
  readonly waiting: () => Promise<readonly WaitingDestination[]>
  /** An entry's wait, considering older entries and the vendor's requests to slow down. */
  readonly waitOf: (id: number) => Promise<Wait>
  /** Deletes the body of a delivered entry, but not its ids and hashes. */
  readonly recordDelivered: (id: number, httpStatus: number) => Promise<void>
  /**
   * Records a failed attempt as decided by `decide`, and holds back the later parts of a delivery that was not accepted. Resolves
   * with the decision, or undefined if another process has taken the entry over.
   */
  readonly recordFailure: (
    id: number,
    error: ToolError | undefined,
    decide: (entry: Entry) => DeliveryDecision,
  ) => Promise<DeliveryDecision | undefined>
  /** True if the vendor accepted another entry for the same endpoint and destination within a time range, in milliseconds before now. */
  readonly hasAccepted: (
    entry: Pick<Entry, 'call' | 'destination'>,
    ago: { readonly fromMs: number; readonly toMs: number },
  ) => Promise<boolean>
  /** Records that the calls have returned, so that from now on, the same body is a new event. */
  readonly recordAnswered: (ids: readonly number[]) => Promise<void>
  /**
   * Records that a call ended unanswered, so that an identical one continues it. Entries that no other call is waiting for are parked if
   * the caller gave up before they were sent, unless a call has reported them as queued.
   */
  readonly recordAbandoned: (
    ids: readonly number[],
    call: { readonly isCancelled: boolean; readonly hasCaller: (entry: number) => boolean },
  ) => Promise<void>
  /**
   * Makes undelivered entries due at once, as if never tried, along with the later parts they held back. Skips entries that are
   * delivered or being sent.
   */
  readonly retry: (ids: readonly number[]) => Promise<void>
  /**
   * Parks a destination's entries that are waiting but not being sent, or that were parked because its key had been removed; with an
   * owner, only theirs. Resolves to the count. A forgotten person's entries that are being sent are parked once their attempt fails.
   */
  readonly park: (destination: Destination, reason: ParkReason, owner?: string) => Promise<number>
  /** Reopens a destination's entries that were parked for a reason; resolves with their number. */
  readonly reopen: (destination: Destination, reason: ParkReason) => Promise<number>
  /**
   * Moves one destination's entries to another, except those being sent; resolves with their number. Entries that were waiting, or that
   * were parked because the key was refused, wait again in their original order.
   */
  readonly adopt: (from: Destination, to: Destination) => Promise<number>
  /** True if the vendor has accepted a destination's key within `keyConfirmationMs`. */
  readonly isKeyConfirmed: (destination: Destination) => Promise<boolean>
  readonly setKeyConfirmed: (destination: Destination, isConfirmed: boolean) => Promise<void>
  /** Deletes an entry; false if it is delivered, being sent or unknown. */
  readonly drop: (id: number) => Promise<boolean>
  /** Deletes old delivered entries, and parks a dead process's entries that must not be sent again. */
  readonly purge: () => Promise<void>
  /** A number that changes when another process writes. */
  readonly changes: () => Promise<number>
  /** Makes this process the background sender for a destination; false while another one is. */
  readonly acquireLease: (destination: Destination) => Promise<boolean>
  readonly releaseLease: (destination: Destination) => Promise<void>
  readonly watch: () => Promise<ChangeWatch>
  readonly close: () => Promise<void>
}

export function isSameDestination(a: Destination, b: Destination): boolean {
  return a.origin === b.origin && columnsOf(a).keyHash === columnsOf(b).keyHash
}

/**
 * Time, in milliseconds, for which a key is not checked again once the vendor has accepted it: if the key is deleted at the vendor, events
 * may be lost for that long.
 */
export const keyConfirmationMs = 60 * 60 * 1000

/** The name of the lease for background delivery. */
export function leaseName(destination: Destination): string {
  const { origin, keyHash } = columnsOf(destination)
  return JSON.stringify(['drain', origin, keyHash])
}

/** Error if the outbox stays locked for seconds; nothing was read or written. */
export class OutboxLocked extends Unavailable {}

/** Throws `OutboxLocked` instead of the file's error, and any other error unchanged. */
export function throwOutboxLocked(error: unknown): never {
  if (error instanceof StoreLocked)
    throw new OutboxLocked('Another program keeps the outbox locked; nothing was stored or sent. Call again in a moment.')
  throw error
}
