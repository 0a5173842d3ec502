import type { AccountRef } from '@mcp-toolkits/core/base'
import { type ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import type { Backlog } from '@mcp-toolkits/core/upstream'
import { type ChangeWatch, StoreLocked } from '@mcp-toolkits/sqlite'
import type { AddedFields, CallName, Fingerprint } from '../pipelines/calls.ts'

/** `refused`: the vendor does not accept the body as it is. `parked`: not sent before an operator or a caller asks for it. */
export const entryStates = ['open', 'delivered', 'refused', 'parked'] as const
export type EntryState = (typeof entryStates)[number]

/** Why an entry is parked. */
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

/** Decision on an entry after an attempt that did not deliver it. */
export type DeliveryDecision =
  | { readonly state: 'open'; readonly backoffMs: number }
  | { readonly state: 'refused' }
  | { readonly state: 'parked'; readonly reason: ParkReason }

/** Destination of an entry: a base URL or `embedded`, and a keyed hash of the API key. An entry is never sent anywhere else. */
export interface Destination {
  readonly origin: string
  readonly keyHash: string
  /** The account of the person who has entered the key; undefined for a key of the operator. The same key of two people is two destinations. */
  readonly account?: AccountRef | undefined
}

/** Values of the columns `origin` and `key_hash`; the latter has the hash, the owner and the profile. */
export function columnsOf({ origin, keyHash, account }: Destination): { readonly origin: string; readonly keyHash: string } {
  return { origin, keyHash: account ? [keyHash, account.owner, account.profile].join(' ') : keyHash }
}

/** The maker of a call, as rows name people who share a key; empty where each person has their own key, or there is no sign-in. */
export const ownerIn = ({ account }: Destination, owner: string | undefined): string => (account ? '' : (owner ?? ''))

/** The destination of a row. */
export function destinationOf(row: { readonly origin: string; readonly key_hash: string }): Destination {
  const [keyHash = '', owner, ...profile] = row.key_hash.split(' ')
  if (owner === undefined || profile.length === 0) return { origin: row.origin, keyHash: row.key_hash }
  return { origin: row.origin, keyHash, account: { owner, profile: profile.join(' ') } }
}

/** So many entries of a destination have a state. */
export interface Tally {
  readonly destination: Destination
  /** The person who has submitted them, if people share the key. */
  readonly owner: string
  readonly state: EntryState
  readonly entries: number
}

/** A destination with open entries, and how long until one of them may be due, in milliseconds. */
export interface WaitingDestination {
  readonly destination: Destination
  readonly ms: number
}

/** One request in the outbox. */
export interface Entry {
  readonly id: number
  /** The person who has submitted it, if people share the key. */
  readonly owner: string
  readonly destination: Destination
  readonly call: CallName
  /** True if the vendor is asked to validate it. */
  readonly isStrict: boolean
  /** True if every call in it has a `messageId`, so that sending it twice counts once. */
  readonly isIdentified: boolean
  /** The exact text to post; undefined once it is delivered. */
  readonly body: string | undefined
  readonly state: EntryState
  readonly reason: ParkReason | undefined
  readonly httpStatus: number | undefined
  /** The error of the latest attempt; the vendor's messages are in its details. */
  readonly error: ToolError | undefined
  readonly messageIds: readonly string[]
  /** Fields that were added to its calls before it was stored. In older rows the first entry of a delivery has them for all entries. */
  readonly added: readonly AddedFields[]
  readonly attempts: number
  readonly createdAt: number
  /** True if a call has returned that it was delivered or will be. */
  readonly isAnswered: boolean
}

/** A request to store before its first attempt. */
export interface NewEntry extends Pick<Entry, 'owner' | 'call' | 'isStrict' | 'isIdentified' | 'messageIds' | 'added'> {
  /** The same for all parts of one delivery. */
  readonly deliveryId: string
  readonly part: number
  readonly body: string
  readonly bodyHash: string
  /** The people it is about; entries about one person keep their order. */
  readonly persons: readonly string[]
  /** For each call with a `messageId`: the hashes of the submitted and of the sent call. */
  readonly messages: readonly { readonly messageId: string; readonly callerHash: string; readonly sentHash: string }[]
}

/** A call that is in the outbox already, and its hashes. */
export interface StoredCall {
  readonly entry: Entry
  readonly hashes: readonly string[]
}

/** Identity of a body, to find it among the entries. */
export interface EnqueueRequest {
  readonly destination: Destination
  readonly fingerprints: readonly Fingerprint[]
  readonly bodyHash: string
  /** The people it is about. */
  readonly persons: readonly string[]
  /** True for the hash of a body under an idempotency key: every entry that has it is of a call with that key. */
  readonly isKeyed: boolean
  readonly isStrict: boolean
  /** The call that submits it. If it ends before all is stored, nothing is. */
  readonly signal: AbortSignal
  /** True if a call of this process waits for the entry. */
  readonly hasCaller: (entry: number) => boolean
  /** Called within the transaction with the entries for which the call is going to wait. */
  readonly onStored: (entries: readonly number[]) => void
}

/** Entries that the outbox already has of a submission. */
export interface Duplicates {
  /** The stored call with the same `messageId`, for each call in order. */
  readonly storedCalls: readonly (StoredCall | undefined)[]
  /** The entries that this call continues: those of the oldest call with the same body that was never answered and does not run. */
  readonly continued: readonly Entry[]
  /** An entry of the latest delivery of the same body. */
  readonly latest: Entry | undefined
  /** The unanswered entries with the same body for which a call in another process waits. */
  readonly awaited: readonly number[]
}

/** Entries that a submission adds to the outbox. */
export interface EnqueuePlan {
  /** Existing entries with some of its calls. */
  readonly joined: readonly Entry[]
  /** Made one by one, because a large batch takes long. */
  readonly created: Iterable<NewEntry>
  /** The ids of the calls, in the order of the body. */
  readonly messageIds: readonly string[]
  readonly added: readonly AddedFields[]
  readonly notices: readonly string[]
}

export interface EnqueueResult extends Pick<EnqueuePlan, 'messageIds' | 'added' | 'notices'> {
  readonly entries: readonly Entry[]
  /** The first entry that is not delivered, if it could be claimed at once: no other worker can take it from the call. */
  readonly claimed: Entry | undefined
}

/** Wait of an entry until its next attempt, in milliseconds. */
export interface Wait {
  readonly ms: number
  /** True if it waits because the vendor asked to slow down. */
  readonly isHeld: boolean
  /** The vendor's answer at that time. */
  readonly holdError: ToolError | undefined
}

/** Claimant of an entry. An operator may send one although the vendor asked to slow down. */
export type Claimant = 'call' | 'background' | 'operator'

/**
 * The outbox on disk, as one process sees it; several may share it. Every method is one transaction. Throws `OutboxLocked` when another
 * program keeps the file locked.
 */
export interface OutboxStore {
  /** The key under which API keys are hashed; created once per outbox. */
  readonly hashKey: () => Promise<string>
  /**
   * Finds duplicates, stores the plan, reopens joined entries, records that a call of this process waits for the entries, and claims the
   * first one. A large batch is stored in steps, all or nothing, between which the event loop runs. Without a plan nothing is stored.
   */
  readonly enqueue: (
    request: EnqueueRequest,
    plan: (duplicates: Duplicates) => EnqueuePlan | undefined,
  ) => Promise<EnqueueResult | undefined>
  /** The entries that still exist. */
  readonly entries: (ids: readonly number[]) => Promise<Entry[]>
  /** Everything that is not delivered, oldest first, of every destination. */
  readonly undelivered: () => Promise<Entry[]>
  /** The oldest of those of a destination, without their bodies; only those of an owner, and those without one, if it is given. */
  readonly overview: (destination: Destination, of: { readonly owner: string | undefined; readonly limit: number }) => Promise<Entry[]>
  /** Counts undelivered entries of each destination, by owner and state. */
  readonly tally: () => Promise<readonly Tally[]>
  /** Undelivered entries of every destination: their number, and the time since when. */
  readonly backlog: () => Promise<Backlog[]>
  /**
   * Takes an entry for delivery; undefined when it is settled, not due, blocked by an older one or taken already, or when the vendor has
   * asked to slow down.
   */
  readonly claim: (id: number, by: Claimant) => Promise<Entry | undefined>
  /** Takes the oldest entry that can be delivered now. */
  readonly claimNext: (destination: Destination) => Promise<Entry | undefined>
  /** Time until an entry may be due, in milliseconds; undefined if none is open except those that this process sends. */
  readonly untilNextDue: (destination: Destination) => Promise<number | undefined>
  /** The same for all destinations with open entries, except those whose entries are all sent by this process. */
  readonly waiting: () => Promise<readonly WaitingDestination[]>
  /** Wait of an entry, with regard to older entries and to the vendor's requests to slow down. */
  readonly waitOf: (id: number) => Promise<Wait>
  /** Deletes the body of a delivered entry, but not its ids and hashes. */
  readonly recordDelivered: (id: number, httpStatus: number) => Promise<void>
  /**
   * Records a failed attempt as `decide` says, and holds back the later parts of a delivery that was not accepted. Resolves with the
   * decision, or undefined when another process has taken the entry over.
   */
  readonly recordFailure: (
    id: number,
    error: ToolError | undefined,
    decide: (entry: Entry) => DeliveryDecision,
  ) => Promise<DeliveryDecision | undefined>
  /** True if the vendor accepted the same call to the same destination in that time, in milliseconds ago. */
  readonly hasAccepted: (
    entry: Pick<Entry, 'call' | 'destination'>,
    ago: { readonly fromMs: number; readonly toMs: number },
  ) => Promise<boolean>
  /** Records that the calls have returned, so that the same body is a new event from now on. */
  readonly recordAnswered: (ids: readonly number[]) => Promise<void>
  /**
   * Records that a call ended without an answer, so that an identical one continues it. The entries for which no other call waits are
   * parked if the caller gave up before they were sent, unless a call has reported them as queued.
   */
  readonly recordAbandoned: (
    ids: readonly number[],
    call: { readonly isCancelled: boolean; readonly hasCaller: (entry: number) => boolean },
  ) => Promise<void>
  /** Makes entries due now in any state, as if never tried, with the later parts that they held back; except entries delivered or being sent. */
  readonly retry: (ids: readonly number[]) => Promise<void>
  /**
   * Parks the entries of a destination that wait and are not being sent, or that were parked because its key had ended; only those of an
   * owner if it is given. Resolves with their number. Those of a forgotten person that are being sent are parked once their attempt fails.
   */
  readonly park: (destination: Destination, reason: ParkReason, owner?: string) => Promise<number>
  /** Opens the entries of a destination again that were parked for that reason; resolves with how many. */
  readonly reopen: (destination: Destination, reason: ParkReason) => Promise<number>
  /**
   * Hands the entries of one destination to another, except those being sent; resolves with their number. Entries that waited or were
   * parked because the key was refused wait again, in their order.
   */
  readonly adopt: (from: Destination, to: Destination) => Promise<number>
  /** True if the vendor has accepted the key of a destination within `keyConfirmationMs`. */
  readonly isKeyConfirmed: (destination: Destination) => Promise<boolean>
  readonly setKeyConfirmed: (destination: Destination, isConfirmed: boolean) => Promise<void>
  /** Deletes an entry; false for one that is delivered, being sent or unknown. */
  readonly drop: (id: number) => Promise<boolean>
  /** Deletes old delivered entries, and parks those that a dead process was sending and that must not be sent again. */
  readonly purge: () => Promise<void>
  /** A number that changes when another process writes. */
  readonly changes: () => Promise<number>
  /** Makes this process the one that delivers to a destination in the background; false while another one is. */
  readonly acquireLease: (destination: Destination) => Promise<boolean>
  readonly releaseLease: (destination: Destination) => Promise<void>
  readonly watch: () => Promise<ChangeWatch>
  readonly close: () => Promise<void>
}

export function isSameDestination(a: Destination, b: Destination): boolean {
  return a.origin === b.origin && columnsOf(a).keyHash === columnsOf(b).keyHash
}

/**
 * Time that a key needs no other check once the vendor accepted it, in milliseconds: a key that is deleted there loses the events of that
 * long.
 */
export const keyConfirmationMs = 60 * 60 * 1000

/** The name of the lease for delivery in the background. */
export function leaseName(destination: Destination): string {
  const { origin, keyHash } = columnsOf(destination)
  return JSON.stringify(['drain', origin, keyHash])
}

/** The outbox stayed locked for some seconds; nothing was read or written. */
export class OutboxLocked extends Unavailable {}

/** Throws `OutboxLocked` instead of the error of the file, and any other error as it is. */
export function throwOutboxLocked(error: unknown): never {
  if (error instanceof StoreLocked)
    throw new OutboxLocked('Another program keeps the outbox locked; nothing was stored or sent. Call again in a moment.')
  throw error
}
