import { type ToolError, Unavailable } from '@mcp-toolkits/core'
import type { ChangeWatch } from '@mcp-toolkits/store'
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
] as const
export type ParkReason = (typeof parkReasons)[number]

/** What follows from an attempt that did not deliver an entry. */
export type DeliveryDecision =
  | { readonly state: 'open'; readonly backoffMs: number }
  | { readonly state: 'refused' }
  | { readonly state: 'parked'; readonly reason: ParkReason }

/** Where an entry goes: a base URL or `embedded`, and a keyed hash of the API key. No entry is ever sent anywhere else. */
export interface Destination {
  readonly origin: string
  readonly keyHash: string
}

/** One request in the outbox. */
export interface Entry {
  readonly id: number
  readonly destination: Destination
  readonly call: CallName
  /** Whether the vendor is asked to validate it. */
  readonly isStrict: boolean
  /** Whether every call in it has a `messageId`, so that sending it twice counts once. */
  readonly isIdentified: boolean
  /** The exact text to post; undefined once it is delivered. */
  readonly body: string | undefined
  readonly state: EntryState
  readonly reason: ParkReason | undefined
  readonly httpStatus: number | undefined
  /** What the latest attempt failed with, in our words; the vendor's are in its details. */
  readonly error: ToolError | undefined
  readonly messageIds: readonly string[]
  /** What was added to the body before it was stored; on the first entry of a delivery. */
  readonly added: readonly AddedFields[]
  readonly attempts: number
  readonly createdAt: number
  /** Whether a caller has been told that it was delivered or will be. */
  readonly isAnswered: boolean
}

/** A request to be stored before its first attempt. */
export interface NewEntry extends Pick<Entry, 'call' | 'isStrict' | 'isIdentified' | 'messageIds' | 'added'> {
  /** The same for all parts of one delivery. */
  readonly deliveryId: string
  readonly part: number
  readonly body: string
  readonly bodyHash: string
  /** The people it is about; entries about one person keep their order. */
  readonly persons: readonly string[]
  /** Of each call with a `messageId`: its hashes as the caller wrote it and as it is sent. */
  readonly messages: readonly { readonly messageId: string; readonly callerHash: string; readonly sentHash: string }[]
}

/** A call that is in the outbox already. */
export interface KnownCall {
  readonly entry: Entry
  readonly hashes: readonly string[]
}

/** What identifies a body, to find it among the entries. */
export interface EnqueueRequest {
  readonly destination: Destination
  readonly fingerprints: readonly Fingerprint[]
  readonly bodyHash: string
  /** How far back a body without ids is looked for, in milliseconds since 1970. */
  readonly since: number
  readonly isStrict: boolean
}

/** What the outbox holds of a body. */
export interface Duplicates {
  /** For each call, in order. */
  readonly known: readonly (KnownCall | undefined)[]
  /** The entries of the latest delivery of the same body. */
  readonly earlier: readonly Entry[]
  /** Whether a call that still runs waits for that delivery, in any process. */
  readonly isEarlierAwaited: boolean
}

/** How a body enters the outbox. */
export interface EnqueuePlan {
  /** Entries that carry some of its calls already. */
  readonly joined: readonly Entry[]
  readonly created: readonly NewEntry[]
  /** The ids of the calls, in the order of the body. */
  readonly messageIds: readonly string[]
  readonly added: readonly AddedFields[]
  readonly notices: readonly string[]
}

export interface Enqueued extends Pick<EnqueuePlan, 'messageIds' | 'added' | 'notices'> {
  readonly entries: readonly Entry[]
}

/**
 * The outbox on disk, as one worker sees it; several workers, in any process, may share it. Every method is one transaction. Throws
 * `OutboxLocked` when another program keeps the file locked.
 */
export interface OutboxStore {
  /** The key under which API keys are hashed; created once per outbox. */
  readonly hashKey: () => Promise<string>
  /** Looks for duplicates, stores what `plan` says, reopens what is joined, and notes that a call of this worker waits for all of it. */
  readonly enqueue: (request: EnqueueRequest, plan: (found: Duplicates) => EnqueuePlan) => Promise<Enqueued>
  /** The entries that still exist. */
  readonly entries: (ids: readonly number[]) => Promise<Entry[]>
  /** Everything that is not delivered, oldest first, of every destination. */
  readonly undelivered: () => Promise<Entry[]>
  /** Takes an entry for delivery; undefined when it is settled, not due, blocked by an older one or taken by another worker. */
  readonly claim: (id: number, by: 'call' | 'background') => Promise<Entry | undefined>
  /** Takes the oldest entry that can be delivered now. */
  readonly claimNext: (destination: Destination) => Promise<Entry | undefined>
  /** When there may be something to deliver, in milliseconds since 1970; undefined when nothing is open but what this worker sends. */
  readonly nextDue: (destination: Destination) => Promise<number | undefined>
  /** Before when an entry cannot be sent, on its own account or that of older ones, in milliseconds since 1970. */
  readonly notBefore: (id: number) => Promise<number>
  /** Forgets the body of a delivered entry and keeps its ids and hashes. */
  readonly recordDelivered: (id: number, httpStatus: number) => Promise<void>
  /**
   * Records a failed attempt as `decide` says, and holds back the later parts of a delivery that was not accepted. Resolves with the
   * decision, or undefined when another worker has taken the entry over.
   */
  readonly recordFailure: (
    id: number,
    error: ToolError | undefined,
    decide: (entry: Entry) => DeliveryDecision,
  ) => Promise<DeliveryDecision | undefined>
  /** Notes that callers have their answer, so that the same body is a new event from now on. */
  readonly recordAnswered: (ids: readonly number[]) => Promise<void>
  /** Parks entries whose callers gave up before they were sent; those that were promised to a caller stay open. */
  readonly parkCancelled: (ids: readonly number[]) => Promise<void>
  /** Makes entries due now, whatever their state, with the parts held back behind them; not those that are delivered or being sent. */
  readonly retry: (ids: readonly number[]) => Promise<void>
  /** Deletes an entry; false for one that is delivered, being sent or unknown. */
  readonly drop: (id: number) => Promise<boolean>
  /** Deletes what was delivered long ago, and parks what a dead worker was sending and cannot be sent twice. */
  readonly purge: () => Promise<void>
  /** Tells other workers that this one is alive, so that they leave its entries alone. */
  readonly heartbeat: () => Promise<void>
  /** Makes this worker the one that delivers in the background; false while another is. */
  readonly acquireLease: () => Promise<boolean>
  readonly releaseLease: () => Promise<void>
  readonly watch: () => Promise<ChangeWatch>
  readonly close: () => Promise<void>
}

export function isSameDestination(a: Destination, b: Destination): boolean {
  return a.origin === b.origin && a.keyHash === b.keyHash
}

/** The outbox stayed locked for some seconds; nothing was read or written. */
export class OutboxLocked extends Unavailable {}
