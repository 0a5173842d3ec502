import { createHash, randomUUID } from 'node:crypto'
import type { Clock } from '@mcp-toolkits/core/base'
import { storageFailure, ToolError, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import type { Operation, OperationEnd } from '@mcp-toolkits/core/tool'
import type { ChangeWatch } from '@mcp-toolkits/sqlite'
import { type AddedFields, type CallName, type ParsedBody, prepareBody, type PreparedBody } from '../pipelines/calls.ts'
import type { Finding } from '../pipelines/findings/finding.ts'
import { checkSizes } from '../pipelines/body/limits.ts'
import type { ClockSkew } from '../pipelines/clock-skew.ts'
import type { DeliveryWorker } from './delivery-worker.ts'
import { type KeyIsSetBy, withExplanation } from './explanation.ts'
import { orderingKeysOf, planEnqueue } from './enqueue.ts'
import { type Destination, type EnqueueResult, type Entry, OutboxLocked, type OutboxStore, ownerIn } from './outbox-store.ts'

export interface Submission {
  readonly name: CallName
  readonly body: ParsedBody
  readonly isStrict: boolean
  /** Faults found in the body by a local check. */
  readonly findings: readonly Finding[]
}

export interface SubmitOptions {
  /** Claimed only if the call has an idempotency key: otherwise, the outbox recognizes repeats. */
  readonly operation: Operation
  /** Identifies the caller on a multi-user server: equal bodies from two people are two events. */
  readonly owner?: string | undefined
  readonly signal: AbortSignal
  readonly progress: (done: number, total?: number, message?: string) => void
}

export interface Receipt {
  /** `queued`: stored, to be sent as soon as the vendor can be reached. */
  readonly outcome: 'delivered' | 'queued'
  /** True if the vendor is asked to validate the body. */
  readonly isStrict: boolean
  /** The vendor's status; undefined while queued. */
  readonly httpStatus: number | undefined
  readonly messageIds: readonly string[]
  readonly added: readonly AddedFields[]
  readonly notices: readonly string[]
  /** False if an earlier call delivered everything. */
  readonly wasSent: boolean
  /** The waiting entries, the earliest time of the next attempt, and our message for the latest error. */
  readonly waiting: { readonly entries: readonly number[]; readonly nextAttemptAt: string; readonly lastError?: string } | undefined
  /** Storage shared by the servers that may send the event. */
  readonly storedIn: 'database' | 'data directory'
  /** The server's operator, who can run its commands. */
  readonly operatedBy: 'caller' | 'others'
  /** A single call's size when sent; 0 for a batch, whose calls are measured individually. */
  readonly callBytes: number
}

/** A call with its submission in the outbox. */
interface WaitingCall extends Pick<SubmitOptions, 'signal'> {
  readonly ids: readonly number[]
  readonly stopWaiting: () => void
}

export interface OutboxOptions {
  readonly store: OutboxStore
  readonly worker: DeliveryWorker
  readonly destination: Destination
  readonly clock: Clock
  /** True to add `messageId` and `timestamp` to calls that lack them. */
  readonly addIds: boolean
  readonly skew: ClockSkew
  readonly storedIn: Receipt['storedIn']
  readonly keyIsSetBy: KeyIsSetBy
  /** Paths of damaged outboxes that were moved out of the way at startup. */
  readonly setAside: readonly string[]
}

/** Maximum time, in milliseconds, that a call waits for one of its entries to be delivered: shorter than clients' timeouts. */
const maxWaitMs = 25_000
const minBudgetMs = 1_000

/** Interval, in milliseconds, at which a waiting call rechecks its entry even if no change is signalled: a worker's death signals none. */
const recheckMs = 1_000

/** Maximum difference, in milliseconds, between two computations of the same time. */
const toleranceMs = 50

/** Stores events on disk before delivering them, so that network and process failures neither lose nor duplicate events. */
export class Outbox {
  readonly #options: OutboxOptions
  /** Number of this process's calls waiting for each entry. */
  readonly #callers = new Map<number, number>()

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /**
   * Enqueues a submission and waits for its delivery. Resolves `queued` if the vendor cannot be reached in time. Throws a typed error if
   * the submission was not accepted; its body stays in the outbox.
   */
  async submit(submission: Submission, options: SubmitOptions): Promise<Receipt> {
    const { store, worker, keyIsSetBy } = this.#options
    const { operation, signal } = options
    const enqueued = await this.#enqueue(submission, options).catch(throwNotStored)
    const ids = enqueued.entries.map(({ id }) => id)
    const waited = new Set(ids)
    const stopWaiting = () => {
      for (const id of waited) this.#removeCaller(id)
      waited.clear()
    }
    // Stops waiting at once, so that a repeat can take over a cancelled call even while the cancelled call is still ending.
    signal.addEventListener('abort', stopWaiting, { once: true })
    if (signal.aborted) stopWaiting()
    try {
      // If the file is locked by now, the stored submission is delivered later.
      const delivered = await this.#waitForAll(enqueued, options).catch(undefinedIfLocked)
      const receipt = await this.#receipt(submission, enqueued, delivered ?? [])
      operation.onEnd((end) => void this.#end(end, { ids, stopWaiting, signal }))
      return receipt
    } catch (error) {
      await this.#end('abandoned', { ids, stopWaiting, signal })
      throw error instanceof ToolError ? withExplanation(error, submission, await store.entries(ids), keyIsSetBy) : error
    } finally {
      worker.wake()
    }
  }

  /**
   * Resends an entry that is waiting or was not accepted, and waits for it like the call that stored it. Throws if the entry is refused.
   */
  async resend(id: number, signal: AbortSignal): Promise<Receipt['outcome']> {
    const { store, worker } = this.#options
    await store.retry([id])
    try {
      return (await this.#waitFor(id, signal, undefined)) ? 'delivered' : 'queued'
    } finally {
      worker.wake()
    }
  }

  /** Records a call's outcome. Until a call is recorded as answered, it counts as waiting for its events. */
  async #end(end: OperationEnd, { ids, stopWaiting, signal }: WaitingCall): Promise<void> {
    const { store, worker } = this.#options
    if (end === 'abandoned') stopWaiting()
    await worker.record(async () => {
      if (end === 'answered') await store.recordAnswered(ids)
      else await store.recordAbandoned(ids, { isCancelled: signal.aborted, hasCaller: (id) => this.#callers.has(id) })
      stopWaiting()
    })
  }

  async #enqueue(submission: Submission, { operation, owner, signal }: SubmitOptions): Promise<EnqueueResult> {
    const { store, destination } = this.#options
    const { name, body, isStrict } = submission
    checkSizes(name, body)
    const prepared = await this.#prepare(submission, { operation, owner })
    // Set inside the transaction, because other calls in the same transaction must see that this one is waiting. The transaction may run
    // several times.
    let waited: readonly number[] = []
    const setWaited = (ids: readonly number[]) => {
      for (const id of waited) this.#removeCaller(id)
      for (const id of ids) this.#addCaller(id)
      waited = ids
    }
    const request = {
      destination,
      fingerprints: prepared.calls,
      bodyHash: prepared.hash,
      persons: orderingKeysOf(name, prepared.calls),
      isKeyed: operation.isKeyed,
      isStrict,
      signal,
      hasCaller: (id: number) => this.#callers.has(id),
      onStored: setWaited,
    }
    const isIdentified = prepared.calls.length > 0 && prepared.calls.every(({ messageId }) => messageId !== undefined)
    try {
      return await this.#afterEqualCalls(signal, (hasToWait) =>
        store.enqueue(request, (found) => {
          setWaited([])
          if (!isIdentified && hasToWait(found.awaited)) return undefined
          return planEnqueue({ name, isStrict, owner: ownerIn(destination, owner), ...prepared }, found)
        }),
      )
    } catch (error) {
      setWaited([])
      throw error
    }
  }

  /**
   * Waits while an earlier call with an equal body is waiting in another process, then enqueues. If the earlier call is answered, this one
   * is a second event; if the earlier call's process dies, this one is its repeat.
   */
  async #afterEqualCalls(
    signal: AbortSignal,
    enqueue: (hasToWait: (awaited: readonly number[]) => boolean) => Promise<EnqueueResult | undefined>,
  ): Promise<EnqueueResult> {
    const { store, clock } = this.#options
    const deadline = clock.monotonic() + maxWaitMs
    // Calls that begin later do not count; otherwise, a call might never get its turn while others keep sending the same event.
    let earlier: readonly number[] | undefined
    const hasToWait = (awaited: readonly number[]) => {
      earlier = earlier?.filter((id) => awaited.includes(id)) ?? awaited
      return earlier.length > 0
    }
    let watch: ChangeWatch | undefined
    for (;;) {
      const enqueued = await enqueue(hasToWait)
      if (enqueued) return enqueued
      const ms = deadline - clock.monotonic()
      if (ms <= 0)
        throw new Unavailable('A call with the same body is still running on another replica; this one was neither stored nor sent.')
      if (watch) await watch.next(Math.min(ms, recheckMs), signal)
      else watch = await store.watch()
    }
  }

  /**
   * Prepares a submission. An idempotency key determines the added ids and the hash, so two bodies are equal only with the same key
   * and for the same person.
   */
  async #prepare({ name, body }: Submission, { operation, owner }: Pick<SubmitOptions, 'operation' | 'owner'>): Promise<PreparedBody> {
    const { clock, addIds } = this.#options
    const timestamp = new Date(clock.now()).toISOString()
    const identity = operation.isKeyed ? await operation.claim() : undefined
    let made = 0
    const create = () => ({ messageId: identity ? identity.uuid(`${made++}`) : randomUUID(), timestamp })
    const prepared = await prepareBody(name, body, { create: addIds ? create : undefined, clock })
    const scope = [identity?.value, owner].filter((each) => each !== undefined)
    if (scope.length === 0) return prepared
    const hash = createHash('sha256')
      .update([prepared.hash, ...scope].join('\n'))
      .digest('base64')
    if (!identity) return { ...prepared, hash }
    return { ...prepared, calls: prepared.calls.map((call) => ({ ...call, messageId: call.sent.messageId })), hash }
  }

  /** Returns the delivered entries, up to the first entry that must wait. */
  async #waitForAll({ entries, claimed }: EnqueueResult, options: SubmitOptions): Promise<Entry[]> {
    const delivered: Entry[] = []
    for (const [index, { id }] of entries.entries()) {
      const entry = await this.#waitFor(id, options.signal, claimed?.id === id ? claimed : undefined)
      if (!entry) return delivered
      delivered.push(entry)
      if (entries.length > 1) options.progress(index + 1, entries.length, `request ${index + 1} of ${entries.length}`)
    }
    return delivered
  }

  /** The entry once it is delivered; undefined if it must wait. Throws the error if it was not accepted. */
  async #waitFor(id: number, signal: AbortSignal, claimed: Entry | undefined): Promise<Entry | undefined> {
    const { store, worker, clock } = this.#options
    const deadline = clock.monotonic() + maxWaitMs
    let expectedAt = clock.monotonic()
    const deliveredAtOnce = claimed && (await this.#deliver(claimed, signal, maxWaitMs))
    if (deliveredAtOnce) return deliveredAtOnce
    const watch = await store.watch()
    if (!claimed) expectedAt += (await store.waitOf(id)).ms
    worker.wake()
    for (;;) {
      signal.throwIfAborted()
      const [entry] = await store.entries([id])
      if (!entry) {
        throw new Unavailable(`Entry ${id} in the outbox was dropped while the call was waiting for it; it was not sent.`, {
          retryable: false,
        })
      }
      if (entry.state === 'delivered') return entry
      if (entry.state !== 'open') throw errorOf(entry)
      const claimedNow = await store.claim(id, 'call')
      const delivered = claimedNow && (await this.#deliver(claimedNow, signal, Math.max(minBudgetMs, deadline - clock.monotonic())))
      if (delivered) return delivered
      const { ms, isHeld } = await store.waitOf(id)
      const isPostponed = ms > 0 && clock.monotonic() + ms > expectedAt + toleranceMs
      // If the wait grew although the vendor did not ask us to slow down, the vendor is unreachable, so waiting longer is useless.
      if (clock.monotonic() + ms > deadline || (isPostponed && !isHeld)) return undefined
      await watch.next(ms > 0 ? Math.min(ms, recheckMs) : recheckMs, signal)
    }
  }

  async #deliver(entry: Entry, signal: AbortSignal, budgetMs: number): Promise<Entry | undefined> {
    const { store, worker } = this.#options
    try {
      const httpStatus = await worker.deliver(entry, { signal, budgetMs, isShared: () => this.#callers.has(entry.id) })
      return { ...entry, state: 'delivered', httpStatus }
    } catch (error) {
      const [current] = await store.entries([entry.id])
      if (!signal.aborted && current?.state === 'open') return undefined
      throw error
    }
  }

  async #receipt({ name }: Submission, enqueued: EnqueueResult, delivered: readonly Entry[]): Promise<Receipt> {
    const { store, clock, skew, setAside, storedIn, keyIsSetBy } = this.#options
    const { entries: before, messageIds, added, notices } = enqueued
    const missing = before.slice(delivered.length).map(({ id }) => id)
    const entries = missing.length > 0 ? [...delivered, ...(await store.entries(missing))] : delivered
    const open = entries.filter(({ state }) => state !== 'delivered')
    const common = {
      isStrict: entries.every(({ isStrict }) => isStrict),
      messageIds,
      added,
      notices: [...notices, ...skew.noticesFor(added), ...setAside.map((path) => setAsideNotice(path, keyIsSetBy))],
      wasSent: before.some(({ state }) => state !== 'delivered'),
      storedIn,
      operatedBy: keyIsSetBy === 'caller' ? ('caller' as const) : ('others' as const),
      callBytes: name === 'batch' ? 0 : Buffer.byteLength(before[0]?.body ?? ''),
    }
    if (open.length === 0) return { ...common, outcome: 'delivered', httpStatus: entries.at(-1)?.httpStatus ?? 200, waiting: undefined }
    const waits = await Promise.all(open.map(({ id }) => store.waitOf(id)))
    const lastError = [...open.map(({ error }) => error), ...waits.map(({ holdError }) => holdError)].find(
      (error) => error !== undefined,
    )?.message
    const waiting = {
      entries: open.map(({ id }) => id),
      nextAttemptAt: new Date(clock.now() + Math.min(...waits.map(({ ms }) => ms))).toISOString(),
      ...(lastError !== undefined && { lastError }),
    }
    return { ...common, outcome: 'queued', httpStatus: undefined, waiting }
  }

  #addCaller(id: number): void {
    this.#callers.set(id, (this.#callers.get(id) ?? 0) + 1)
  }

  #removeCaller(id: number): void {
    const count = (this.#callers.get(id) ?? 1) - 1
    if (count > 0) this.#callers.set(id, count)
    else this.#callers.delete(id)
  }
}

/** Rethrows a storage failure with a note that the event was neither stored nor sent, which the caller must know. */
export function throwNotStored(error: unknown): never {
  const failure = storageFailure(error)
  if (!failure) throw error
  throw withDetails(failure, failure.text.and('The event was neither stored nor sent.'), failure.details)
}

function setAsideNotice(path: string, keyIsSetBy: KeyIsSetBy): string {
  const place = keyIsSetBy === 'caller' ? ` to ${path}` : ' aside'
  return `The outbox was damaged when the server started and was moved${place}. It may contain events from earlier calls that were never sent.`
}

function undefinedIfLocked(error: unknown): undefined {
  if (!(error instanceof OutboxLocked)) throw error
  return undefined
}

/** The error for an entry that was refused or parked by another call or in the background. */
function errorOf({ reason, error }: Entry): ToolError {
  if (error && reason !== 'cancelled') return error
  if (reason === 'unknown_outcome')
    return new Unavailable("Customer.io's response was lost, so the request may or may not have been accepted.", { retryable: false })
  if (reason === 'damaged') return new Unavailable('The stored request is damaged on disk, so it is not sent.', { retryable: false })
  const detail = reason === undefined ? '' : ` (${reason.replaceAll('_', ' ')})`
  return new Unavailable(`The request is parked${detail} and will not be sent automatically.`, { retryable: false })
}
