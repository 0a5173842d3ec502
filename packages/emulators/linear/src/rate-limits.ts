import { rateLimited } from './errors.ts'

/** One account's hourly requests and complexity points. */
export interface RateLimits {
  readonly requests: number
  readonly points: number
}

const hour = 3_600_000

/** A token bucket, which refills evenly; Linear's documentation calls it a leaky bucket. */
interface Bucket {
  remaining: number
  at: number
}

/** One account's buckets. */
export interface RateLimiter {
  readonly limits: RateLimits
  /** Takes one request from the bucket or throws `rateLimited`. */
  readonly takeRequest: () => void
  /** Takes an operation's points from the bucket or throws `rateLimited`. */
  readonly takePoints: (points: number) => void
  /** Headers for every response. */
  readonly headers: () => Record<string, string>
  readonly status: () => readonly RateLimitStatus[]
  readonly refill: () => void
}

export interface RateLimitStatus {
  readonly type: string
  readonly requestedAmount: number
  readonly allowedAmount: number
  readonly period: number
  readonly remainingAmount: number
  readonly reset: number
}

/** Creates an account's buckets, both full. */
export function createRateLimiter(limits: RateLimits, now: () => number): RateLimiter {
  const requests: Bucket = { remaining: limits.requests, at: now() }
  const points: Bucket = { remaining: limits.points, at: now() }
  const take = (bucket: Bucket, { limit, amount, what }: { limit: number; amount: number; what: string }) => {
    replenish(bucket, limit, now())
    if (bucket.remaining < amount) throw rateLimited(limit, what)
    bucket.remaining -= amount
  }
  const reset = (bucket: Bucket, limit: number) => Math.ceil(bucket.at + ((limit - bucket.remaining) / limit) * hour)
  const status = (type: string, bucket: Bucket, limit: number): RateLimitStatus => {
    replenish(bucket, limit, now())
    const remainingAmount = Math.floor(bucket.remaining)
    return { type, requestedAmount: 0, allowedAmount: limit, period: hour, remainingAmount, reset: reset(bucket, limit) }
  }
  const statuses = () => [status('REQUEST', requests, limits.requests), status('COMPLEXITY', points, limits.points)] as const
  return {
    limits,
    takeRequest() {
      take(requests, { limit: limits.requests, amount: 1, what: 'requests' })
    },
    takePoints(amount) {
      take(points, { limit: limits.points, amount, what: 'complexity points' })
    },
    headers() {
      const [forRequests, forPoints] = statuses()
      return { ...headersOf('Requests', forRequests), ...headersOf('Complexity', forPoints) }
    },
    status: statuses,
    refill() {
      requests.remaining = limits.requests
      points.remaining = limits.points
    },
  }
}

/** All users' budgets: https://linear.app/developers/rate-limiting. */
export interface RateLimiters {
  readonly of: (caller: { readonly kind: 'key' | 'oauth'; readonly viewerId: string }) => RateLimiter
  readonly refill: () => void
}

export function createRateLimiters(limits: Readonly<Record<'key' | 'oauth', RateLimits>>, now: () => number): RateLimiters {
  const limiters = new Map<string, RateLimiter>()
  return {
    of({ kind, viewerId }) {
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

function replenish(bucket: Bucket, limit: number, now: number): void {
  bucket.remaining = Math.min(limit, bucket.remaining + (Math.max(0, now - bucket.at) / hour) * limit)
  bucket.at = now
}

const headersOf = (name: string, { allowedAmount, remainingAmount, reset }: RateLimitStatus) => ({
  [`x-ratelimit-${name.toLowerCase()}-limit`]: String(allowedAmount),
  [`x-ratelimit-${name.toLowerCase()}-remaining`]: String(remainingAmount),
  [`x-ratelimit-${name.toLowerCase()}-reset`]: String(reset),
})
