import { setTimeout as delay } from 'node:timers/promises'
import { ToolError } from '@mcp-toolkits/core'
import type { PipelinesClient } from '../pipelines/client.ts'
import type { Destination, Entry } from './entry.ts'
import type { Ledger } from './ledger.ts'
import { senderLifetime } from './senders.ts'
import { verdictOn, type Interruption } from './verdict.ts'

/** How long the attempts at one entry may take in the background, in milliseconds. */
const fullBudget = 25_000

/** Shortest and longest time between two looks for entries that are due, in milliseconds. */
const soonest = 50
const latest = 60_000

/** How often a process asks whether it is its turn to drain, in milliseconds. */
const leaseInterval = 250

export interface CourierOptions {
  readonly ledger: Ledger
  readonly client: PipelinesClient
  readonly destination: Destination
  /** Takes the name of what went wrong in the background, where no call is there to be told. */
  readonly report: (problem: string) => void
}

/** Sends entries of the outbox and says in the ledger what became of each. */
export class Courier {
  readonly #options: CourierOptions
  readonly #stop = new AbortController()
  readonly #heartbeat: NodeJS.Timeout
  #busy = 0
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined

  constructor(options: CourierOptions) {
    this.#options = options
    this.#heartbeat = setInterval(() => {
      if (this.#busy === 0) return
      this.#guarded(() => {
        options.ledger.senders.beat()
      })
    }, senderLifetime / 5)
    this.#heartbeat.unref()
  }

  /** Gives signs of life for as long as `work` takes, so that no other process takes its entries over. */
  async whileAlive<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1
    try {
      return await work()
    } finally {
      this.#busy -= 1
    }
  }

  /**
   * Sends one claimed entry and settles it. Throws the error that kept it from being taken, which leaves the entry open when a later
   * attempt may succeed.
   */
  async send(entry: Entry, signal: AbortSignal, budgetMs = fullBudget): Promise<void> {
    const { ledger, client } = this.#options
    try {
      const posting = {
        name: entry.call,
        text: entry.body ?? '',
        strict: entry.strict === 1,
        signal,
        repeatable: entry.identified === 1,
        budgetMs,
      }
      ledger.delivered(entry.id, await client.post(posting))
    } catch (error) {
      const told =
        error instanceof ToolError
          ? { error: JSON.stringify(error), status: error.details.httpStatus ?? null }
          : { error: null, status: null }
      ledger.undelivered(entry.id, verdictOn(error, ledger.entry(entry.id) ?? entry, this.#interruption(signal)), told)
      throw error
    }
  }

  /** Sends one entry and no other; leaves it open when it has to wait for an older one. */
  async sendOnly(id: number): Promise<void> {
    const entry = this.#options.ledger.claim(id, 'drain')
    if (entry) await this.whileAlive(() => this.send(entry, this.#stop.signal)).catch(() => undefined)
  }

  /** Looks for entries that are due, now or when the first of them is. */
  wake(): void {
    if (this.#stop.signal.aborted) return
    this.#guarded(() => {
      const due = this.#options.ledger.nextDue(this.#options.destination)
      clearTimeout(this.#timer)
      if (due === undefined) return
      this.#timer = setTimeout(() => void this.drain(), Math.min(latest, Math.max(soonest, due - Date.now())))
      this.#timer.unref()
    })
  }

  /** Sends all entries that are due, oldest first, once no other process is doing so. */
  drain(): Promise<void> {
    this.#round ??= this.whileAlive(() => this.#sendDue())
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#report(error)
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
    if (!ledger.next(destination)) return
    while (!ledger.senders.lease()) await delay(leaseInterval, undefined, { signal })
    try {
      for (let entry = ledger.next(destination); entry && !signal.aborted; entry = ledger.next(destination)) {
        const claimed = ledger.claim(entry.id, 'drain')
        if (claimed) await this.send(claimed, signal).catch(() => undefined)
      }
      ledger.forget()
    } finally {
      ledger.senders.endLease()
    }
  }

  #interruption(signal: AbortSignal): Interruption {
    if (this.#stop.signal.aborted) return 'closing'
    return signal.aborted ? 'cancelled' : undefined
  }

  /** The disk can be full or locked at any time; that must not end the process. */
  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    this.#options.report(error instanceof Error ? error.name : typeof error)
  }
}
