import { createHmac, randomUUID } from 'node:crypto'
import { once } from '../../base/async.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { Conflict, Unavailable } from '../../errors/errors.ts'
import {
  type BegunRecord,
  type Identity,
  identityOf,
  type IdempotencyStore,
  type KeyState,
  type Operation,
  type OperationEnd,
  type OperationRequest,
} from './operation-types.ts'
import type { CallScope } from './call-deadline.ts'

/** Time, in milliseconds, that a call waits for another call with its key, or for an identical call in another process. */
const maxWaitMs = 20_000

/** Initial and maximum pause between checks on the other call, in milliseconds. */
const firstLookMs = 20
const lastLookMs = 500

/** Interval at which a running call renews its record, in milliseconds. Without a key, a record expires ten minutes after the last renewal. */
const touchMs = 60_000

export interface OperationOptions {
  readonly key?: string | undefined
  /** True if an earlier run of the call may have begun without the key. */
  readonly isLateKey?: boolean | undefined
  /** Describes the owner and the call. Called only if there is something to record. */
  readonly describe: () => Promise<Omit<OperationRequest, 'key'>>
  /** Opens the store. Called only if there is something to record. */
  readonly store: () => Promise<IdempotencyStore>
  readonly clock: Clock
}

/** A call's remaining time, and a way to extend it after waiting for another call. */
type WaitScope = Pick<CallScope, 'remainingMs' | 'extend'>

/** Thrown when a call need not run, because an earlier call with its key has a stored result. */
class HasStoredResult extends Error {
  override readonly name = 'HasStoredResult'
}

/** The operation of one call, until the call has ended. */
export class CallOperation implements Operation {
  /** An earlier call's stored result for the key, once found. This call then returns it. */
  storedResult: string | undefined
  readonly #options: OperationOptions
  readonly #describe: () => Promise<Omit<OperationRequest, 'key'>>
  readonly #listeners: ((end: OperationEnd) => void)[] = []
  readonly #ending = new AbortController()
  #beginning: Promise<Identity | undefined> | undefined
  #claiming: Promise<Identity> | undefined
  #recordId: string | undefined
  #touching: Timer | undefined
  #end: OperationEnd | undefined
  /** Monotonic time at which this call stops waiting for another call. */
  #waitsUntil: number | undefined
  #scope: WaitScope | undefined
  /** True if the record only reserves the key: neither this call nor an earlier one has created anything under it. */
  #isReservation = false
  #isLeftOpen = false
  #key: string | undefined
  #isLateKey: boolean | undefined

  constructor(options: OperationOptions) {
    this.#key = options.key
    this.#isLateKey = options.isLateKey
    this.#options = options
    this.#describe = once(options.describe)
  }

  get isKeyed(): boolean {
    return this.#key !== undefined
  }

  /** True if the operation has a record. */
  get hasBegun(): boolean {
    return this.#recordId !== undefined
  }

  readonly begin = (): Promise<Identity | undefined> => {
    this.#isReservation = false
    return this.#claiming ?? (this.#beginning ??= this.#begin())
  }

  readonly claim = (id?: string): Promise<Identity> => {
    this.#isReservation = false
    return (this.#claiming ??= this.#claim(id))
  }

  readonly reserveKey = async (): Promise<void> => {
    if (!this.isKeyed || this.#beginning !== undefined || this.#claiming !== undefined) return
    this.#isReservation = true
    await (this.#claiming = this.#claim())
  }

  readonly renew = (id: string): Promise<Identity> => (this.#claiming = this.#renew(id, this.claim(id)))

  readonly leaveOpen = (): void => {
    this.#isLeftOpen = true
  }

  /** Gives a keyless call's operation a key, because the call outlives its request. */
  async assignKey(key: string): Promise<void> {
    this.#key = key
    this.#isLateKey = true
    if (this.#end === undefined && this.#recordId !== undefined) await (await this.#options.store()).assignKey(this.#recordId, key)
  }

  readonly onEnd = (listener: (end: OperationEnd) => void): void => {
    if (this.#end === undefined) this.#listeners.push(listener)
    else listener(this.#end)
  }

  /**
   * Waits while another call with the key is running; does nothing without a key. After a wait, the call gets its full time again. Throws
   * `HasStoredResult`, with `storedResult` set, if the key has a result, `Conflict` if it was used with different arguments, and
   * `Unavailable` if the other call takes too long or `scope` is out of time.
   */
  async checkKey(scope = this.#scope): Promise<void> {
    const key = this.#key
    this.#scope = scope
    if (key === undefined) return
    const request = await this.#request()
    const store = await this.#options.store()
    const { signal } = this.#ending
    for (let lookMs = firstLookMs; ; lookMs = longerLook(lookMs)) {
      const state = await store.find({ ...request, key })
      signal.throwIfAborted()
      if (state === undefined) {
        this.#endWait()
        return
      }
      if (state.kind !== 'running') throw this.#refusal(state)
      await this.#wait(lookMs)
    }
  }

  /** Waits a moment for another call. Throws `Unavailable` if all waits together take too long, or if this call is out of time. */
  async #wait(ms: number): Promise<void> {
    const { clock } = this.#options
    this.#waitsUntil ??= clock.monotonic() + Math.min(maxWaitMs, this.#scope?.remainingMs() ?? maxWaitMs)
    const leftMs = this.#waitsUntil - clock.monotonic()
    if (leftMs <= 0) throw stillRunning(this.isKeyed)
    await clock.sleep(Math.min(ms, leftMs), this.#ending.signal)
  }

  #endWait(): void {
    if (this.#waitsUntil !== undefined) this.#scope?.extend()
  }

  /**
   * Stores the result of a call with a key. A call that created nothing gets its record only here. The result is not stored if the
   * operation was left open. Throws like `checkKey`.
   */
  async completeWith(result: string): Promise<void> {
    if (this.#isLeftOpen && this.isKeyed) return this.abandon()
    if (this.#recordId === undefined) await this.claim()
    await this.#finish('answered', async (store, id) => {
      await store.complete(id, result).catch(async (error: unknown) => {
        await store.abandon(id)
        throw error
      })
    })
  }

  /** Completes an operation once its call's answer has reached the caller. Only the first outcome counts. */
  async complete(): Promise<void> {
    await this.#finish('answered', (store, id) => store.complete(id))
  }

  /**
   * Abandons the operation of an unanswered call, so that an identical call continues it. An operation that is still beginning sends
   * nothing. A key that was only reserved becomes free again, even for other arguments.
   */
  async abandon(): Promise<void> {
    await this.#finish('abandoned', (store, id) => this.#leave(store, id))
  }

  async #leave(store: IdempotencyStore, id: string): Promise<void> {
    await (this.#isReservation ? store.complete(id) : store.abandon(id))
  }

  async #finish(end: OperationEnd, write: (store: IdempotencyStore, id: string) => Promise<void>): Promise<void> {
    if (this.#end !== undefined) return
    this.#end = end
    this.#touching?.cancel()
    this.#ending.abort(new Error('The call has ended.'))
    for (const listener of this.#listeners.splice(0)) listener(end)
    if (this.#recordId !== undefined) await write(await this.#options.store(), this.#recordId)
  }

  async #begin(): Promise<Identity | undefined> {
    const store = await this.#openStore()
    const request = await this.#request()
    for (let lookMs = firstLookMs; ; lookMs = longerLook(lookMs)) {
      const outcome = await store.begin(request)
      if (outcome === undefined) return undefined
      const identity = await this.#hold(store, outcome, lookMs)
      if (identity) return identity
    }
  }

  async #claim(id?: string): Promise<Identity> {
    const begun = await this.#beginning
    if (begun) return begun
    const store = await this.#openStore()
    const request = await this.#request()
    const claimed = id ?? ownIdentity(request)
    for (let lookMs = firstLookMs; ; lookMs = longerLook(lookMs)) {
      const identity = await this.#hold(store, await store.claim(request, claimed), lookMs)
      if (identity) return identity
    }
  }

  async #request(): Promise<OperationRequest> {
    return { ...(await this.#describe()), key: this.#key, isLateKey: this.#isLateKey }
  }

  /** The store, for a call that has not ended. */
  async #openStore(): Promise<IdempotencyStore> {
    this.#ending.signal.throwIfAborted()
    return this.#options.store()
  }

  /** The record's identity if this call holds it; undefined after waiting for the call that does. */
  async #hold(store: IdempotencyStore, outcome: BegunRecord | KeyState, lookMs: number): Promise<Identity | undefined> {
    const { signal } = this.#ending
    if (outcome.kind === 'running') {
      await (this.isKeyed ? this.checkKey() : this.#wait(lookMs))
      return undefined
    }
    if (outcome.kind !== 'begun') throw this.#refusal(outcome)
    if (!this.isKeyed) this.#endWait()
    this.#recordId = outcome.id
    if (outcome.isRepeat) this.#isReservation = false
    if (signal.aborted) await this.#leave(store, outcome.id)
    signal.throwIfAborted()
    // The key may have arrived while the record was being written.
    if (this.#key !== undefined && this.#isLateKey === true) await store.assignKey(outcome.id, this.#key)
    this.#touch(store, outcome.id)
    return identityOf(outcome.identity, outcome.isRepeat)
  }

  /** Renews the record while the call is running. A failed renewal is skipped. */
  #touch(store: IdempotencyStore, id: string): void {
    const timer = this.#options.clock.timer(touchMs, () => {
      store.touch(id).catch(() => undefined)
      timer.restart()
    })
    timer.unref()
    this.#touching = timer
  }

  async #renew(id: string, claimed: Promise<Identity>): Promise<Identity> {
    const { isRepeat } = await claimed
    this.#ending.signal.throwIfAborted()
    if (this.#recordId !== undefined) await (await this.#options.store()).renew(this.#recordId, id)
    return identityOf(id, isRepeat)
  }

  #refusal(state: Exclude<KeyState, { kind: 'running' }>): Error {
    if (state.kind === 'different') return otherArguments()
    this.storedResult = state.result
    return new HasStoredResult('An earlier call with this key has a result.')
  }
}

const longerLook = (ms: number) => Math.min(2 * ms, lastLookMs)

/**
 * A new identity. With a key, every machine derives the same one. It depends on the arguments too, because a caller can reuse an expired
 * key.
 */
function ownIdentity({ account, tool, argumentsHash, key }: OperationRequest): string {
  if (key === undefined) return randomUUID()
  return createHmac('sha256', account)
    .update(JSON.stringify([tool, key, argumentsHash]))
    .digest('base64url')
}

function otherArguments(): Conflict {
  const text =
    'An earlier call of this tool used the same idempotency key with other arguments, so nothing was done. Use another key for this call, or repeat the earlier call unchanged.'
  return new Conflict(text, { sent: 'no' })
}

function stillRunning(isKeyed: boolean): Unavailable {
  const text = isKeyed
    ? 'Another call with the same idempotency key is still running, so this one did nothing. Make it again, with the same key.'
    : 'An identical call is still running in another process of this server, so this one did nothing. Make it again.'
  return new Unavailable(text, { sent: 'no', retryAfterSeconds: 5 })
}
