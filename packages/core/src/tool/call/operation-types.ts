import { createHmac } from 'node:crypto'

/** The part of a call that creates something. */
export interface Operation {
  /**
   * Takes over the record left by an identical call; undefined if there is none. A tool whose vendor generates ids then asks the vendor for
   * an id and claims it. Throws like `claim`.
   */
  readonly begin: () => Promise<Identity | undefined>
  /**
   * Stores `id`, or an identity of our own, once per call: the record is then on disk, and if this call is lost, an identical call
   * continues it. A record left behind, even since `begin`, is taken over instead, and `id` is dropped. Throws before anything is sent
   * if the record cannot be written.
   */
  readonly claim: (id?: string) => Promise<Identity>
  /** Continues the operation under a new id, because the item with the old id is gone. The new id is on disk when this resolves. */
  readonly renew: (id: string) => Promise<Identity>
  /**
   * Keeps calls with the same key from running at the same time, for a write that may never begin. If the call fails before the write
   * begins, the key is free again. Throws like `claim`. Does nothing without a key.
   */
  readonly reserveKey: () => Promise<void>
  /** Marks the result as incomplete: it is returned but not stored, so a repeat with the key does the rest. */
  readonly leaveOpen: () => void
  /** True if the caller gave an idempotency key. */
  readonly isKeyed: boolean
  /**
   * Calls `listener` once, when the call has ended, even if no operation has begun; at once if the call has already ended. The
   * listener must not throw.
   */
  readonly onEnd: (listener: (end: OperationEnd) => void) => void
}

/**
 * `answered`: the result is stored, or was delivered to the caller. `abandoned`: the call failed, or its result did not reach the caller.
 */
export type OperationEnd = 'answered' | 'abandoned'

/** Source of ids for what an operation creates. */
export interface Identity {
  /** Stays the same in a repeat; the claimed id, if the vendor generates ids. */
  readonly value: string
  /** True if an earlier call began the operation and was never answered. */
  readonly isRepeat: boolean
  /** The id for one created item, such as `issue` or `attachment`, as a version 4 UUID. */
  readonly uuid: (part: string) => string
}

/** Makes an identity from its value. */
export function identityOf(value: string, isRepeat: boolean): Identity {
  return {
    value,
    isRepeat,
    uuid(part) {
      const bytes = createHmac('sha256', value).update(part).digest().subarray(0, 16)
      // Version and variant: https://www.rfc-editor.org/rfc/rfc9562#section-5.4
      bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
      bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    },
  }
}

/** An operation's owner, and what distinguishes the operation from others. */
export interface OperationRequest {
  readonly account: string
  /** The canonical name of the tool, without the prefix. */
  readonly tool: string
  /** Equal for identical calls to the tool. */
  readonly argumentsHash: string
  /** The caller's idempotency key, if given. */
  readonly key?: string | undefined
  /** True if the call may have received its key after it began: a record without a key is then taken over too. */
  readonly isLateKey?: boolean | undefined
}

/** A key's state: its call has a stored result, is running in some process, or had different arguments. */
export type KeyState = { readonly kind: 'done'; readonly result: string } | { readonly kind: 'running' } | { readonly kind: 'different' }

/** The record of an operation that has begun. */
export interface BegunRecord {
  readonly kind: 'begun'
  readonly id: string
  /** The claimed identity: this call's or an earlier one's. */
  readonly identity: string
  readonly isRepeat: boolean
}

/** Time, in milliseconds, during which the record of a call without a key can be taken over. */
export const unkeyedLifetimeMs = 10 * 60_000

/** Time, in milliseconds, that a key is remembered. */
export const keyLifetimeMs = 24 * 60 * 60_000

/** Maximum size of a stored result, in UTF-8 bytes. */
export const maxResultBytes = 64 * 1024

/**
 * Operation records. A record belongs to the process that began it. It can be taken over once that process has abandoned it or is dead:
 * a keyed record by a call with that key and the same arguments, a keyless record by any identical call, oldest first. Two callers never
 * get the same record.
 */
export interface IdempotencyStore {
  /**
   * Takes over a record, durably; returns undefined and writes nothing if there is none. A `KeyState` is returned only with a key,
   * except for `running` from a store that judges liveness by heartbeats: then an identical call is running in another process, which may
   * have died.
   */
  readonly begin: (request: OperationRequest) => Promise<BegunRecord | KeyState | undefined>
  /** Takes over a record like `begin`, or else writes a new one with this identity, durably. */
  readonly claim: (request: OperationRequest, identity: string) => Promise<BegunRecord | KeyState>
  /** Finds a key's state; undefined if the call may run. Writes nothing. */
  readonly find: (request: OperationRequest & { readonly key: string }) => Promise<KeyState | undefined>
  /** Gives a running operation a new identity, durably. Does nothing for an ended operation. */
  readonly renew: (id: string, identity: string) => Promise<void>
  /** Gives a running operation a key, durably, with a key's lifetime. Does nothing for an ended operation. */
  readonly assignKey: (id: string, key: string) => Promise<void>
  /**
   * Restarts a running operation's lifetime, in a way that survives this process, so a lost long call can still be continued. Does
   * nothing for an ended operation.
   */
  readonly touch: (id: string) => Promise<void>
  /**
   * Completes an operation whose call was answered. A result is stored with its key, durably. Without a key or a result, the record is
   * removed for all processes, even if this one dies. Throws `RangeError` for an oversized result. Does nothing for an ended operation.
   */
  readonly complete: (id: string, result?: string) => Promise<void>
  /** Hands an unanswered call's operation to the next identical call at once. */
  readonly abandon: (id: string) => Promise<void>
  /** Hands over unfinished operations to the next identical calls, and closes the files. */
  readonly close: () => Promise<void>
}
