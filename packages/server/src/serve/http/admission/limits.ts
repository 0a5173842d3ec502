import { callsOfKind, type CallLimits } from '../../../mcp/calls/call-limiter.ts'

/** Limits of HTTP mode; docs/hosting.md and docs/people.md tell operators. Times are in milliseconds. Tests of a server shorten these. */
export interface HttpLimits {
  /** From the connection to the last header. */
  readonly headersMs: number
  /** From the first byte of a request to the last. */
  readonly requestMs: number
  /**
   * Time that a connection stays open without a request: longer than balancers leave theirs, so that they never use one that is closing.
   */
  readonly keepAliveMs: number
  /** Time that a client may go without taking any of its answer. */
  readonly stalledMs: number
  /** Connections without a request that is answered for someone known. */
  readonly maxUnknownConnections: number
  /** Requests to pages and to the authorization server, whose senders are unknown. */
  readonly maxAnonymous: number
  /** From the headers of such a request to the last byte of its body: a form or a few fields. */
  readonly anonymousBodyMs: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** Calls of all clients that are in flight, and those that wait. */
  readonly maxCalls: number
  readonly maxWaitingCalls: number
  /** Subscriptions of all clients. */
  readonly maxSubscriptions: number
  /** Calls of one client, by its address; with an identity provider, those of one person. Other requests have the same limit for themselves. */
  readonly perClient: CallLimits
  /** Subscriptions of one client, which stay open. */
  readonly maxSubscriptionsPerClient: number
}

export const defaultLimits: HttpLimits = {
  headersMs: 20_000,
  requestMs: 120_000,
  keepAliveMs: 75_000,
  stalledMs: 60_000,
  maxUnknownConnections: 2_000,
  maxAnonymous: 128,
  anonymousBodyMs: 10_000,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxCalls: 1_000,
  maxWaitingCalls: 2_000,
  maxSubscriptions: 2_000,
  perClient: {
    maxInFlight: 64,
    maxOfKind: callsOfKind,
    maxCost: 32 * 1024 * 1024,
    maxWaiting: 256,
    maxWaitingSize: 16 * 1024 * 1024,
  },
  maxSubscriptionsPerClient: 256,
}

/** Most requests of one person on one replica. */
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
  /** A larger body arrives only when its client has room for it: the others are as many as there are connections. */
  smallBodyBytes: 64 * 1024,
  /** A few fields, one with a credential. */
  maxFormBytes: 64 * 1024,
  /** In characters; headers are limited besides. */
  maxTokenLength: 12 * 1024,
  /** Time after the answer in which the rest of an oversized body is read and dropped. */
  lingerMs: 2_000,
  /** Time for requests in flight once draining has begun. */
  drainMs: 30_000,
  /** Time for a check of readiness, and for which its outcome counts: anyone may ask. */
  readyCheckMs: 2_000,
  readyFreshMs: 500,
} as const
