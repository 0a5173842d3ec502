import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** How many requests one person may make on one replica. */
export interface PersonRate {
  readonly requests: number
  readonly seconds: number
}

/** Several agents of one person at work all the time; a loop without a pause is stopped. */
export const defaultPersonRate: PersonRate = { requests: 1_200, seconds: 60 }

/** Counts the requests of each person. */
export interface PersonLimits {
  /** Counts requests. Undefined when they may be made, otherwise the seconds after which one may be. */
  readonly count: (owner: string, requests: number) => Promise<number | undefined>
}

export function personLimits({ requests: points, seconds: duration }: PersonRate = defaultPersonRate): PersonLimits {
  const limiter = new RateLimiterMemory({ points, duration })
  return {
    async count(owner, requests) {
      try {
        await limiter.consume(owner, requests)
        return undefined
      } catch (error) {
        // It rejects with its answer when there are too many.
        if (!(error instanceof RateLimiterRes)) throw error
        return Math.max(1, Math.ceil(error.msBeforeNext / 1_000))
      }
    },
  }
}
