import { createHmac, randomUUID } from 'node:crypto'
import { abortReason, type Clock } from './clock.ts'
import { Conflict, Unavailable } from './errors.ts'
import { type Identity, identityOf, type IdempotencyStore, type KeyState, type Operation, type OperationRequest } from './idempotency.ts'

/** How long a call waits for another one with its key, in milliseconds. */
const maxWaitMs = 20_000

/** How long it waits before it looks again, in milliseconds: at first, and at most. */
const firstLookMs = 20
const lastLookMs = 500

export interface OperationOptions {
  readonly request: OperationRequest
  /** Opens the store, when the operation begins. */
  readonly store: () => Promise<IdempotencyStore>
  readonly clock: Clock
  /** Aborted when the call has ended. */
  readonly signal: AbortSignal
}

/** Thrown for a call whose key has a stored result: the call ends with that. */
export class StoredResult extends Error {
  readonly result: string

  constructor(result: string) {
    super('The call has a stored result.')
    this.result = result
  }
}

/** The operation of one running call, from its begin to its end. */
export class CallOperation implements Operation {
  readonly #options: OperationOptions
  #begun: Promise<Identity> | undefined
  #recordId: string | undefined
  #hasEnded = false
  /** When it stops to wait for another call with its key, as monotonic time. */
  #waitsUntil: number | undefined

  constructor(options: OperationOptions) {
    this.#options = options
  }

  /** Whether its record is on disk. */
  get hasBegun(): boolean {
    return this.#recordId !== undefined
  }

  /**
   * Throws `StoredResult` for a key whose call has one, `Conflict` for one that came with other arguments, and `Unavailable` when another
   * call with the key takes too long. Does nothing without a key.
   */
  async throwIfKnown(): Promise<void> {
    const { request, store, clock, signal } = this.#options
    const { key } = request
    if (key === undefined) return
    const { find } = await store()
    this.#waitsUntil ??= clock.monotonic() + maxWaitMs
    for (let lookMs = firstLookMs; ; lookMs = Math.min(2 * lookMs, lastLookMs)) {
      const state = await find({ ...request, key })
      signal.throwIfAborted()
      if (state?.kind !== 'running') {
        throwState(state)
        return
      }
      const leftMs = this.#waitsUntil - clock.monotonic()
      if (leftMs <= 0) throw stillRunning()
      await clock.sleep(Math.min(lookMs, leftMs), signal)
    }
  }

  readonly begin = (mint?: () => Promise<string>): Promise<Identity> => (this.#begun ??= this.#begin(mint))

  /** Ends it for a call that has its answer; with a key, `result` is returned to repeats. Only the first of `complete` and `abandon` counts. */
  async complete(result?: string): Promise<void> {
    await this.#end(({ complete }, id) => complete(id, result))
  }

  /** Ends it for a call that has no answer, so that an identical call continues it. An operation that is about to begin does not. */
  async abandon(): Promise<void> {
    await this.#end(({ abandon }, id) => abandon(id))
  }

  async #end(end: (store: IdempotencyStore, id: string) => Promise<void>): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.#recordId !== undefined) await end(await this.#options.store(), this.#recordId)
  }

  async #begin(mint: (() => Promise<string>) | undefined): Promise<Identity> {
    const { request, store, signal } = this.#options
    signal.throwIfAborted()
    const { begin, abandon } = await store()
    for (;;) {
      const outcome = await begin(request, mint ?? (() => Promise.resolve(mintFor(request))))
      if (outcome.kind === 'running') await this.throwIfKnown()
      else if (outcome.kind === 'begun') {
        this.#recordId = outcome.id
        if (this.#hasEnded || signal.aborted) {
          await abandon(outcome.id)
          throw abortReason(signal)
        }
        return identityOf(outcome.identity, outcome.isRepeat)
      } else throwState(outcome)
    }
  }
}

/** With a key it is the same on every machine, and differs for other arguments: a key may come again when it has been forgotten. */
function mintFor({ account, tool, argumentsHash, key }: OperationRequest): string {
  if (key === undefined) return randomUUID()
  return createHmac('sha256', account)
    .update(JSON.stringify([tool, key, argumentsHash]))
    .digest('base64url')
}

function throwState(state: KeyState | undefined): void {
  if (state?.kind === 'done') throw new StoredResult(state.result)
  if (state?.kind === 'different')
    throw new Conflict(
      'An earlier call had the same idempotency key and other arguments. Nothing was done. Repeat that call as it was, or use another key for this one.',
    )
}

function stillRunning(): Unavailable {
  return new Unavailable('Another call with the same idempotency key is still running. Nothing was done twice. Make the same call again.', {
    retryAfterSeconds: 5,
  })
}
