import { setTimeout as delay } from 'node:timers/promises'
import { ToolError } from '@mcp-toolkits/core'
import { withoutVendorsWords, type PipelinesClient } from '../pipelines/client.ts'
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
const leaseInterval = 500

export interface CourierOptions {
  readonly ledger: Ledger
  readonly client: PipelinesClient
  readonly destination: Destination
  /** Takes the name of what went wrong in the background, where no call is there to be told. */
  readonly report: (problem: string) => void
  /** Takes what kept an entry waiting, in our own words. */
  readonly putOff: (entry: number, failure: Failure) => void
}

/** Why an attempt failed that is made again. */
export interface Failure {
  readonly last_error: string
  readonly http_status?: number
}

/** Sends entries of the outbox and says in the ledger what became of each. */
export class Courier {
  readonly #options: CourierOptions
  readonly #stop = new AbortController()
  readonly #heartbeat: NodeJS.Timeout
  readonly #unwritten: (() => void)[] = []
  #busy = 0
  #wakeAt = Infinity
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined

  constructor(options: CourierOptions) {
    this.#options = options
    this.#heartbeat = setInterval(() => {
      if (this.#busy === 0 && this.#unwritten.length === 0) return
      this.#guarded(() => {
        options.ledger.senders.beat()
        this.#writeAgain()
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
    const posting = {
      name: entry.call,
      text: entry.body ?? '',
      strict: entry.strict === 1,
      signal,
      repeatable: entry.identified === 1,
      budgetMs,
    }
    const status = await client.post(posting).catch((error: unknown) => {
      this.#write(() => {
        this.#undelivered(entry, error, signal)
      })
      throw error
    })
    this.#write(() => {
      ledger.delivered(entry.id, status)
    })
  }

  #undelivered(entry: Entry, error: unknown, signal: AbortSignal): void {
    const { ledger } = this.#options
    const told =
      error instanceof ToolError
        ? { error: JSON.stringify(error), status: error.details.httpStatus ?? null }
        : { error: null, status: null }
    const promised = ledger.isShared(entry.id) ? { answered: 1 } : {}
    const verdict = verdictOn(error, { ...(ledger.entry(entry.id) ?? entry), ...promised }, this.#interruption(signal))
    ledger.undelivered(entry.id, verdict, told)
    if (verdict.state !== 'open' || !(error instanceof ToolError)) return
    const { httpStatus } = error.details
    this.#options.putOff(entry.id, {
      last_error: withoutVendorsWords(error),
      ...(httpStatus !== undefined && { http_status: httpStatus }),
    })
  }

  /** Writes what became of an entry, later if the disk refuses now: that must not pass for what the vendor said. */
  #write(settle: () => void): void {
    try {
      settle()
    } catch (error) {
      this.#report(error)
      this.#unwritten.push(settle)
    }
  }

  #writeAgain(): void {
    for (const settle of this.#unwritten.splice(0)) this.#write(settle)
  }

  /** Notes how a call ended; a disk that refuses that must not replace the call's answer. */
  afterCall(note: () => void): void {
    this.#write(note)
    this.wake()
  }

  /** Sends one entry and no other; leaves it open when it has to wait for an older one. */
  async sendOnly(id: number): Promise<void> {
    const entry = this.#options.ledger.claim(id, 'drain')
    if (entry) await this.whileAlive(() => this.send(entry, this.#stop.signal)).catch(() => undefined)
  }

  /** Looks for entries that are due, now or when the first of them is. */
  wake(): void {
    if (this.#stop.signal.aborted) return
    const due = this.#due()
    if (due === undefined) return
    const at = Math.min(Date.now() + latest, Math.max(Date.now() + soonest, due))
    // A timer that is set already and fires no later is left alone; many who ask would otherwise put it off for ever.
    if (this.#wakeAt <= at) return
    clearTimeout(this.#timer)
    this.#wakeAt = at
    this.#timer = setTimeout(() => {
      this.#wakeAt = Infinity
      void this.drain()
    }, at - Date.now())
    this.#timer.unref()
  }

  #due(): number | undefined {
    try {
      return this.#options.ledger.nextDue(this.#options.destination)
    } catch (error) {
      this.#report(error)
      return Date.now() + senderLifetime
    }
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
    ledger.forget()
    while (!ledger.senders.lease()) {
      await delay(leaseInterval, undefined, { signal })
      if (!ledger.next(destination)) return
    }
    try {
      for (let entry = ledger.next(destination); entry && !signal.aborted; entry = ledger.next(destination)) {
        const claimed = ledger.claim(entry.id, 'drain')
        if (claimed) await this.send(claimed, signal).catch(() => undefined)
      }
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
