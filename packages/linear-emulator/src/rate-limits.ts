import { rateLimited } from './errors.ts'

/** What one account may ask for in an hour. */
export interface RateLimits {
  readonly requests: number
  readonly points: number
}

const hour = 3_600_000

/** One leaky bucket: it refills evenly. */
interface Bucket {
  left: number
  at: number
}

/** The buckets of one account. */
export interface RateLimiter {
  readonly limits: RateLimits
  /** Takes one request from the bucket, or refuses it. */
  readonly takeRequest: () => void
  /** Takes the points of an operation, or refuses it. */
  readonly takePoints: (points: number) => void
  /** What all answers tell about the budget: linear.md §3.2. */
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

/** Opens the buckets of an account, full. */
export function createRateLimiter(limits: RateLimits, now: () => number): RateLimiter {
  const requests: Bucket = { left: limits.requests, at: now() }
  const points: Bucket = { left: limits.points, at: now() }
  const take = (bucket: Bucket, { limit, amount, what }: { limit: number; amount: number; what: string }) => {
    leak(bucket, limit, now())
    if (bucket.left < amount) throw rateLimited(limit, what)
    bucket.left -= amount
  }
  const reset = (bucket: Bucket, limit: number) => Math.ceil(bucket.at + ((limit - bucket.left) / limit) * hour)
  const status = (type: string, bucket: Bucket, limit: number): RateLimitStatus => {
    leak(bucket, limit, now())
    const remainingAmount = Math.floor(bucket.left)
    return { type, requestedAmount: 0, allowedAmount: limit, period: hour, remainingAmount, reset: reset(bucket, limit) }
  }
  const both = () => [status('REQUEST', requests, limits.requests), status('COMPLEXITY', points, limits.points)] as const
  return {
    limits,
    takeRequest() {
      take(requests, { limit: limits.requests, amount: 1, what: 'requests' })
    },
    takePoints(amount) {
      take(points, { limit: limits.points, amount, what: 'complexity points' })
    },
    headers() {
      const [forRequests, forPoints] = both()
      return { ...headersOf('Requests', forRequests), ...headersOf('Complexity', forPoints) }
    },
    status: both,
    refill() {
      requests.left = limits.requests
      points.left = limits.points
    },
  }
}

function leak(bucket: Bucket, limit: number, now: number): void {
  bucket.left = Math.min(limit, bucket.left + (Math.max(0, now - bucket.at) / hour) * limit)
  bucket.at = now
}

const headersOf = (name: string, { allowedAmount, remainingAmount, reset }: RateLimitStatus) => ({
  [`x-ratelimit-${name.toLowerCase()}-limit`]: String(allowedAmount),
  [`x-ratelimit-${name.toLowerCase()}-remaining`]: String(remainingAmount),
  [`x-ratelimit-${name.toLowerCase()}-reset`]: String(reset),
})
