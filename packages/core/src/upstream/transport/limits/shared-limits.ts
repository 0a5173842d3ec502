import * as z from 'zod'
import type { Clock } from '../../../base/clock.ts'
import { parseJson } from '../../../base/json.ts'
import { AccountLimits, type UpstreamLimits } from './upstream-limits.ts'

/** Storage for each account's limits, which several processes share. */
export interface LimitsStorage {
  /** Reads the stored limits, and the time on the shared clock. */
  readonly read: (account: string) => Promise<StoredLimits>
  /** Changes the stored limits, one caller at a time. `change` may run several times. */
  readonly change: <Result>(account: string, change: (stored: StoredLimits) => LimitsChange<Result>) => Promise<Result>
}

export interface StoredLimits {
  /** Undefined if nothing is stored, as is the case while the vendor answers normally. */
  readonly state: string | undefined
  /** Milliseconds since an arbitrary point in time. */
  readonly now: number
}

export interface LimitsChange<Result> extends Pick<StoredLimits, 'state'> {
  readonly result: Result
}

const SavedLimits = z.object({
  holds: z.array(z.tuple([z.string(), z.object({ until: z.number(), unasked: z.number() })])),
  slots: z.array(z.number()),
  retries: z.object({ tokens: z.number(), quietSince: z.number() }),
  breaker: z.object({
    state: z.enum(['closed', 'open', 'probing']),
    failures: z.number(),
    failingSince: z.number(),
    openings: z.number(),
    probeAt: z.number(),
  }),
})

/** Time, in milliseconds, that a read of the storage stays valid. */
const freshMs = 1_000

export interface SharedLimitsOptions {
  readonly storage: LimitsStorage
  /** Identifies the account in the storage. */
  readonly account: () => Promise<string>
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * Limits that several processes share. As long as the vendor answers, nothing is written, and storage is read at most once per second: what
 * this process learns applies to its own requests at once, and to other processes' requests within a second.
 */
export function sharedLimits(options: SharedLimitsOptions): UpstreamLimits {
  const shared = new SharedLimits(options)
  return {
    admit: (request) => shared.run((limits, now) => limits.admit(request, now)),
    release: (slot) =>
      shared.run((limits) => {
        limits.release(slot)
      }),
    report: (request, report) =>
      shared.run((limits, now) => limits.report(request, report, now), { isAnswer: report.outcome === 'answered' }),
  }
}

interface KnownLimits extends StoredLimits {
  /** Time of the read, by this process's clock. */
  readonly readAt: number
}

class SharedLimits {
  readonly #options: SharedLimitsOptions
  /** State as of the latest read or change, unless a change has begun since. */
  #known: KnownLimits | undefined
  /** The read that callers share. */
  #reading: Promise<KnownLimits> | undefined
  /** This process's running changes, and the number of changes begun so far. */
  readonly #changing = new Set<Promise<unknown>>()
  #changes = 0

  constructor(options: SharedLimitsOptions) {
    this.#options = options
  }

  async run<Result>(
    work: (limits: AccountLimits, now: number) => Result,
    { isAnswer = false }: { readonly isAnswer?: boolean } = {},
  ): Promise<Result> {
    const change = ({ state, now }: StoredLimits): LimitsChange<Result> => {
      const limits = new AccountLimits(state === undefined ? undefined : SavedLimits.safeParse(parseJson(state)).data)
      const result = work(limits, now)
      return { result, state: limits.save(now) }
    }
    const before = this.#believed(isAnswer) ?? (await this.#look())
    const { result, state } = change(before)
    return state === before.state ? result : this.#change(change)
  }

  /** The state, if it need not be read again. If no limits were stored at the last read, one more response is no reason to read again. */
  #believed(isAnswer: boolean): StoredLimits | undefined {
    if (!this.#known) return undefined
    const { state, now, readAt } = this.#known
    const ageMs = this.#options.clock.monotonic() - readAt
    return ageMs < freshMs || (isAnswer && state === undefined) ? { state, now: now + ageMs } : undefined
  }

  async #look(): Promise<StoredLimits> {
    // Other requests in this process may just have learned something that applies to this one.
    while (this.#changing.size > 0) await Promise.allSettled(this.#changing)
    const reading = (this.#reading ??= this.#read())
    try {
      const known = await reading
      if (this.#reading === reading) this.#known = known
      return known
    } finally {
      if (this.#reading === reading) this.#reading = undefined
    }
  }

  async #read(): Promise<KnownLimits> {
    const { storage, account, clock } = this.#options
    const readAt = clock.monotonic()
    return { ...(await storage.read(await account())), readAt }
  }

  async #change<Result>(change: (stored: StoredLimits) => LimitsChange<Result>): Promise<Result> {
    this.#known = undefined
    this.#reading = undefined
    this.#changes += 1
    const [number, isAlone] = [this.#changes, this.#changing.size === 0]
    const changing = this.#store(change)
    this.#changing.add(changing)
    try {
      const { result, known } = await changing
      // Several callers' changes may not finish in the order in which they take effect.
      if (isAlone && number === this.#changes) this.#known = known
      return result
    } finally {
      this.#changing.delete(changing)
    }
  }

  async #store<Result>(change: (stored: StoredLimits) => LimitsChange<Result>) {
    const { storage, account, clock } = this.#options
    const readAt = clock.monotonic()
    return storage.change(await account(), (stored) => {
      const { result, state } = change(stored)
      return { state, result: { result, known: { state, now: stored.now, readAt } } }
    })
  }
}
