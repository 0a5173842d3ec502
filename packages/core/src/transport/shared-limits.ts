import * as z from 'zod'
import { parseJson } from '../json.ts'
import { AccountLimits, type UpstreamLimits } from './upstream-limits.ts'

/** Where processes keep the limits of accounts that they share. */
export interface LimitsStorage {
  /** What is stored, and the time by the clock that all share. */
  readonly read: (account: string) => Promise<StoredLimits>
  /** Changes what is stored, one caller after the other. `change` may run several times. */
  readonly change: <Result>(account: string, change: (stored: StoredLimits) => LimitsChange<Result>) => Promise<Result>
}

export interface StoredLimits {
  /** Undefined when nothing is, as long as the vendor answers. */
  readonly state: string | undefined
  /** Milliseconds since some moment. */
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

/** Limits that several processes share. Only what changes them is written: nothing, as long as the vendor answers. */
export function sharedLimits(storage: LimitsStorage, account: string): UpstreamLimits {
  const run = async <Result>(work: (limits: AccountLimits, now: number) => Result): Promise<Result> => {
    const change = ({ state, now }: StoredLimits) => {
      const limits = new AccountLimits(state === undefined ? undefined : SavedLimits.safeParse(parseJson(state)).data)
      const result = work(limits, now)
      return { result, state: limits.save(now) }
    }
    const before = await storage.read(account)
    const { result, state } = change(before)
    return state === before.state ? result : storage.change(account, change)
  }
  return {
    admit: (request) => run((limits, now) => limits.admit(request, now)),
    release: (slot) =>
      run((limits) => {
        limits.release(slot)
      }),
    report: (request, report) => run((limits, now) => limits.report(request, report, now)),
  }
}
