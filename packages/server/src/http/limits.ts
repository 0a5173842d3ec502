import type { CallLimits } from '../call-limiter.ts'

/** What HTTP mode allows; docs/hosting.md and docs/people.md tell operators. Times are in milliseconds. Tests of a server shorten these. */
export interface HttpLimits {
  /** From the connection to the last header. */
  readonly headersMs: number
  /** From the first byte of a request to the last. */
  readonly requestMs: number
  /** How long a connection stays open without a request: longer than balancers leave theirs, so that they never use one that is closing. */
  readonly keepAliveMs: number
  /** How long a client may take nothing of its answer. */
  readonly stalledMs: number
  readonly maxConnections: number
  /** Loopback addresses have no such limit: a proxy on the same machine uses one for all its clients. */
  readonly maxConnectionsPerAddress: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** Requests of all clients, in flight or waiting. */
  readonly maxRequests: number
  /** Requests of one client, by its address; with an identity provider, those of one person. */
  readonly perClient: CallLimits
  /** Requests of one client for results of several megabytes, which are in flight only a few at a time. */
  readonly maxLargePerClient: number
  /** Subscriptions of one client, which stay open. */
  readonly maxSubscriptionsPerClient: number
}

export const defaultLimits: HttpLimits = {
  headersMs: 20_000,
  requestMs: 120_000,
  keepAliveMs: 75_000,
  stalledMs: 60_000,
  maxConnections: 2_000,
  maxConnectionsPerAddress: 200,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxRequests: 1_000,
  perClient: { maxInFlight: 64, maxCost: 32 * 1024 * 1024, maxWaiting: 256, maxWaitingSize: Infinity },
  maxLargePerClient: 2,
  maxSubscriptionsPerClient: 256,
}

/** How many requests one person may make on one replica. */
export interface PersonRate {
  readonly requests: number
  readonly seconds: number
}

/** Several agents of one person at work all the time; a loop without a pause is stopped. */
export const defaultPersonRate: PersonRate = { requests: 1_200, seconds: 60 }

/** The same for every server. */
export const fixedLimits = {
  /** A larger body is answered 413 while it is still arriving. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** A few fields, one with a credential. */
  maxFormBytes: 64 * 1024,
  /** In characters; headers are limited besides. */
  maxTokenLength: 12 * 1024,
  /** How long the rest of a body that is too large is read and dropped after the answer. */
  lingerMs: 2_000,
  /** How long requests in flight may take once draining has begun. */
  drainMs: 30_000,
  /** How long a check of readiness may take, and how long its outcome counts: everyone may ask. */
  readyCheckMs: 2_000,
  readyFreshMs: 500,
} as const
