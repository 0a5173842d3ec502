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
} from './operation-store.ts'
import type { CallScope } from './call-scope.ts'

/** Time that a call waits for another one with its key, or for an identical one in another process, in milliseconds. */
const maxWaitMs = 20_000

/** Time that it waits before it looks again, in milliseconds: at first, and at most. */
const firstLookMs = 20
const lastLookMs = 500

/**
 * Interval at which a running call shows that it runs, in milliseconds: short beside the ten minutes in which it can be continued when it
 * is lost.
 */
const touchMs = 60_000

export interface OperationOptions {
  readonly key?: string | undefined
  /** Owner and call of the operation. Asked only when there is something to record. */
  readonly describe: () => Promise<Omit<OperationRequest, 'key'>>
  /** Opens the store, when there is something to record. */
  readonly store: () => Promise<IdempotencyStore>
  readonly clock: Clock
}

/** The time of the call that may wait for another one. */
type WaitScope = Pick<CallScope, 'remainingMs' | 'extend'>

/** Thrown for a call that need not run, because an earlier call with its key has a stored result. */
class HasStoredResult extends Error {
  override readonly name = 'HasStoredResult'
}

/** The operation of one call, until the call has ended. */
export class CallOperation implements Operation {
  readonly isKeyed: boolean
  /** The stored result of an earlier call with the key, once it has been found: then this call ends with it. */
  storedResult: string | undefined
  readonly #options: OperationOptions
  readonly #request: () => Promise<OperationRequest>
  readonly #listeners: ((end: OperationEnd) => void)[] = []
  readonly #ending = new AbortController()
  #beginning: Promise<Identity | undefined> | undefined
  #claiming: Promise<Identity> | undefined
  #recordId: string | undefined
  #touching: Timer | undefined
  #end: OperationEnd | undefined
  /** When it stops waiting for another call, as monotonic time. */
  #waitsUntil: number | undefined
  #scope: WaitScope | undefined
  /** True if its record is there for the key alone: neither this call nor an earlier one has created anything under it. */
  #isReservation = false
  #isLeftOpen = false

  constructor(options: OperationOptions) {
    const { key, describe } = options
    this.isKeyed = key !== undefined
    this.#options = options
    this.#request = once(async () => ({ ...(await describe()), key }))
  }

  /** True if it has a record. */
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
    this.#isLeftOpen = this.isKeyed
  }

  readonly onEnd = (listener: (end: OperationEnd) => void): void => {
    if (this.#end === undefined) this.#listeners.push(listener)
    else listener(this.#end)
  }

  /**
   * Waits while another call with the key runs. Throws `HasStoredResult`, after setting `storedResult`, when the key has a result, `Conflict`
   * for other arguments, and `Unavailable` when the other call takes too long or the time of `scope` is up. A call that got its key after
   * it had waited has its whole time again. Does nothing without a key.
   */
  async checkKey(scope = this.#scope): Promise<void> {
    const { key } = this.#options
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

  /** Waits a while for another call. Throws `Unavailable` when that takes too long, or when the time of this one is up. */
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
   * Records a call with a key that has its result; one that created nothing has no record before. A result with open ends is not stored.
   * Throws as `checkKey` does.
   */
  async completeWith(result: string): Promise<void> {
    if (this.#isLeftOpen) return this.abandon()
    if (this.#recordId === undefined) await this.claim()
    await this.#finish('answered', async (store, id) => {
      await store.complete(id, result).catch(async (error: unknown) => {
        await store.abandon(id)
        throw error
      })
    })
  }

  /** Ends it for a call whose answer has been written to its caller. Only the first end counts. */
  async complete(): Promise<void> {
    await this.#finish('answered', (store, id) => store.complete(id))
  }

  /**
   * Ends it for a call without an answer, so that an identical call continues it. If it is just beginning, nothing is sent any more. A key
   * that was only reserved is free again, also for other arguments.
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

  /** The store, for a call that has not ended. */
  async #openStore(): Promise<IdempotencyStore> {
    this.#ending.signal.throwIfAborted()
    return this.#options.store()
  }

  /** The identity of a record that this call works on; undefined after a wait for another call that does. */
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
    this.#touch(store, outcome.id)
    return identityOf(outcome.identity, outcome.isRepeat)
  }

  /** Restarts the lifetime of the record while the call runs. When that fails, the record keeps its age. */
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

/** With a key it is the same on every machine, and differs for other arguments: a key may come again when it has been forgotten. */
function ownIdentity({ account, tool, argumentsHash, key }: OperationRequest): string {
  if (key === undefined) return randomUUID()
  return createHmac('sha256', account)
    .update(JSON.stringify([tool, key, argumentsHash]))
    .digest('base64url')
}

function otherArguments(): Conflict {
  const text =
    'An earlier call of this tool had the same idempotency key and other arguments, so nothing was done. Use another key for this call, or repeat the earlier one unchanged.'
  return new Conflict(text, { sent: 'no' })
}

function stillRunning(isKeyed: boolean): Unavailable {
  const text = isKeyed
    ? 'Another call with the same idempotency key is still running, so this one did nothing. Make it again, with the same key.'
    : 'An identical call is still running in another process of this server, so this one did nothing. Make it again.'
  return new Unavailable(text, { sent: 'no', retryAfterSeconds: 5 })
}
