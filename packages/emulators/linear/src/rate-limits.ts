import { rateLimited } from './errors.ts'

/** One account's hourly requests and complexity points. */
export interface RateLimits {
  readonly requests: number
  readonly points: number
}

const hour = 3_600_000

export interface RateLimitStatus {
  readonly type: string
  readonly requestedAmount: number
  readonly allowedAmount: number
  readonly period: number
  readonly remainingAmount: number
  readonly reset: number
}

/** A full token bucket, which refills evenly; Linear's documentation calls it a leaky bucket. `what` is a plural noun for its contents. */
function openBucket(limit: number, { type, what, now }: { readonly type: string; readonly what: string; readonly now: () => number }) {
  let remaining = limit
  let at = now()
  const replenish = () => {
    const time = now()
    remaining = Math.min(limit, remaining + (Math.max(0, time - at) / hour) * limit)
    at = time
  }
  return {
    take: (amount: number) => {
      replenish()
      if (remaining < amount) throw rateLimited(limit, what)
      remaining -= amount
    },
    status: (): RateLimitStatus => {
      replenish()
      const reset = Math.ceil(at + ((limit - remaining) / limit) * hour)
      return { type, requestedAmount: 0, allowedAmount: limit, period: hour, remainingAmount: Math.floor(remaining), reset }
    },
    refill: () => {
      remaining = limit
    },
  }
}

/** One account's buckets, both full. */
function createRateLimiter(limits: RateLimits, now: () => number) {
  const requests = openBucket(limits.requests, { type: 'REQUEST', what: 'requests', now })
  const points = openBucket(limits.points, { type: 'COMPLEXITY', what: 'complexity points', now })
  return {
    /** Takes one request from the bucket or throws `rateLimited`. */
    takeRequest: () => {
      requests.take(1)
    },
    /** Takes an operation's points from the bucket or throws `rateLimited`. */
    takePoints: points.take,
    /** Headers for every response. */
    headers: () => ({ ...headersOf('requests', requests.status()), ...headersOf('complexity', points.status()) }),
    status: () => [requests.status(), points.status()],
    refill: () => {
      requests.refill()
      points.refill()
    },
  }
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

/** All users' budgets: https://linear.app/developers/rate-limiting. */
export function createRateLimiters(limits: Readonly<Record<'key' | 'oauth', RateLimits>>, now: () => number) {
  const limiters = new Map<string, RateLimiter>()
  return {
    of: ({ kind, viewerId }: { readonly kind: 'key' | 'oauth'; readonly viewerId: string }) => {
      const name = `${kind} ${viewerId}`
      const limiter = limiters.get(name) ?? createRateLimiter(limits[kind], now)
      limiters.set(name, limiter)
      return limiter
    },
    refill() {
      for (const limiter of limiters.values()) limiter.refill()
    },
  }
}

const headersOf = (name: string, { allowedAmount, remainingAmount, reset }: RateLimitStatus) => ({
  [`x-ratelimit-${name}-limit`]: String(allowedAmount),
  [`x-ratelimit-${name}-remaining`]: String(remainingAmount),
  [`x-ratelimit-${name}-reset`]: String(reset),
})
