import { setTimeout as delay } from 'node:timers/promises'
import { ToolError } from '@mcp-toolkits/core'
import type { PipelinesClient } from '../pipelines/client.ts'
import { passing, type Entry } from './entry.ts'
import { senderLifetime, type Destination, type Ledger } from './ledger.ts'

/** How long an entry rests after its first failure, in milliseconds; doubled with every further one. */
const firstRest = 1_000
const longestRest = 5 * 60 * 1000

/** How long the attempts at one entry may take in the background, in milliseconds. */
const fullBudget = 25_000

/** How often a process asks whether it is its turn to drain, in milliseconds. */
const leaseInterval = 250

export interface CourierOptions {
  readonly ledger: Ledger
  readonly client: PipelinesClient
  readonly destination: Destination
  /** Takes the name of what went wrong in the background, where no call is there to be told. */
  readonly report: (problem: string) => void
}

/** Sends entries of the outbox, one after another, and says in the ledger what became of each. */
export class Courier {
  readonly #options: CourierOptions
  readonly #stop = new AbortController()
  readonly #heartbeat: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined

  constructor(options: CourierOptions) {
    this.#options = options
    this.#heartbeat = setInterval(() => {
      options.ledger.beat()
    }, senderLifetime / 5)
    this.#heartbeat.unref()
  }

  /**
   * Sends one claimed entry and settles it. Resolves with the vendor's status; throws the error that kept it from being taken, which
   * leaves the entry open when a later attempt may succeed.
   */
  async send(entry: Entry, signal: AbortSignal, budgetMs = fullBudget): Promise<number> {
    const { ledger, client } = this.#options
    const identified = entry.message_ids !== '[]'
    try {
      const status = await client.post({
        name: entry.call,
        text: entry.body ?? '',
        strict: entry.strict === 1,
        signal,
        repeatable: identified,
        budgetMs,
      })
      ledger.delivered(entry.id, status)
      return status
    } catch (error) {
      this.#settle(entry, error, signal)
      throw error
    }
  }

  /** Looks for entries that are due, now or when the first of them is. */
  wake(): void {
    if (this.#stop.signal.aborted) return
    const due = this.#options.ledger.nextDue(this.#options.destination)
    clearTimeout(this.#timer)
    if (due === undefined) return
    this.#timer = setTimeout(() => void this.drain(), Math.max(0, due - Date.now()))
    this.#timer.unref()
  }

  /** Sends one open entry and no other; leaves it open when it has to wait behind an older one. */
  async sendOnly(id: number): Promise<void> {
    const { ledger } = this.#options
    if (ledger.claim(id, 'drain')) await this.send(ledger.entry(id), this.#stop.signal).catch(() => undefined)
  }

  /** Sends all entries that are due, oldest first, unless another process is doing so. */
  drain(): Promise<void> {
    this.#round ??= this.#sendDue()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.report(error instanceof Error ? error.name : typeof error)
      })
      .finally(() => {
        this.#round = undefined
        this.wake()
      })
    return this.#round
  }

  /** Stops what runs in the background; its entries stay open. */
  async close(): Promise<void> {
    this.#stop.abort(new DOMException('The server is closing.', 'AbortError'))
    clearInterval(this.#heartbeat)
    clearTimeout(this.#timer)
    await this.#round
  }

  async #sendDue(): Promise<void> {
    const { ledger, destination } = this.#options
    const { signal } = this.#stop
    while (!ledger.lease()) await delay(leaseInterval, undefined, { signal })
    try {
      for (let entry = ledger.next(destination); entry && !signal.aborted; entry = ledger.next(destination)) {
        if (!ledger.claim(entry.id, 'drain')) break
        await this.send(entry, signal).catch(() => undefined)
        if (!ledger.lease()) break
      }
    } finally {
      ledger.endLease()
    }
  }

  #settle({ id, attempts, message_ids: ids }: Entry, error: unknown, signal: AbortSignal): void {
    const { ledger } = this.#options
    if (this.#stop.signal.aborted) ledger.postponed(id, Date.now())
    else if (signal.aborted) ledger.parked(id, 'cancelled')
    else if (!(error instanceof ToolError)) ledger.postponed(id, Date.now() + restAfter(attempts))
    else this.#settleKnown(id, error, { attempts, identified: ids !== '[]' })
  }

  #settleKnown(id: number, error: ToolError, { attempts, identified }: { attempts: number; identified: boolean }): void {
    const { ledger } = this.#options
    const { retryAfterSeconds, httpStatus } = error.details
    const rest = retryAfterSeconds === undefined ? restAfter(attempts) : retryAfterSeconds * 1000
    if (error.code === 'unauthenticated') ledger.parked(id, 'unauthenticated', httpStatus)
    else if (!passing.includes(error.code)) ledger.refused(id, httpStatus ?? null)
    else if (httpStatus !== undefined && httpStatus >= 300 && httpStatus < 400) ledger.parked(id, 'redirected', httpStatus)
    else if (error.details.retryable === false) ledger.parked(id, 'not_accepted', httpStatus)
    else if (!identified && error.code === 'unavailable') ledger.parked(id, 'unknown_outcome', httpStatus)
    else ledger.postponed(id, Date.now() + rest)
  }
}

function restAfter(attempts: number): number {
  return Math.round(Math.min(longestRest, firstRest * 2 ** Math.min(attempts, 20)) * (0.5 + Math.random() / 2))
}
