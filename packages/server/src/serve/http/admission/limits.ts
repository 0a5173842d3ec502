import { callsOfKind, type CallLimits } from '../../../mcp/calls/call-limiter.ts'

/** Limits in HTTP mode, documented in docs/hosting.md and docs/people.md. Times are in milliseconds. Server tests shorten them. */
export interface HttpLimits {
  /** Timeout from the connection to the last header. */
  readonly headersMs: number
  /** Timeout from a request's first byte to its last. */
  readonly requestMs: number
  /**
   * Time that a connection stays open without a request: longer than load balancers keep idle connections, so that they never use a closing
   * connection.
   */
  readonly keepAliveMs: number
  /** Time that a client may go without reading any of its response. */
  readonly stalledMs: number
  /** Maximum number of connections on which no known sender has made a request. */
  readonly maxUnknownConnections: number
  /** Maximum number of requests to pages and to the authorization server, whose senders are unknown. */
  readonly maxAnonymous: number
  /** Timeout from an anonymous request's headers to its body's last byte; the body is a form or a few fields. */
  readonly anonymousBodyMs: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** Maximum number of calls in flight, and of waiting calls, from all clients together. */
  readonly maxCalls: number
  readonly maxWaitingCalls: number
  /** Maximum number of subscriptions from all clients together. */
  readonly maxSubscriptions: number
  /**
   * Limits on calls from one client address or, with an identity provider, from one person. Other requests have a separate limit of the
   * same size.
   */
  readonly perClient: CallLimits
  /** Maximum number of subscriptions, which stay open, from one client. */
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

/** Rate limit for the requests of one person on one replica. */
export interface PersonRate {
  readonly requests: number
  readonly seconds: number
}

/** Default rate: enough for several of a person's agents that work all the time, but low enough to stop a loop without pauses. */
export const defaultPersonRate: PersonRate = { requests: 1_200, seconds: 60 }

/** Limits that are the same for every server. */
export const fixedLimits = {
  /** Maximum size of a body; a larger body is answered with 413 while still arriving. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** Size above which a body is read only when its client's limits leave room; there can be as many smaller bodies as connections. */
  smallBodyBytes: 64 * 1024,
  /** Maximum size of a form: a few fields, one with a credential. */
  maxFormBytes: 64 * 1024,
  /** Maximum length of a token, in characters; headers are also limited. */
  maxTokenLength: 12 * 1024,
  /** Time, after the response, for which the rest of an oversized body is read and dropped. */
  lingerMs: 2_000,
  /** Time that requests in flight have to finish once draining has begun. */
  drainMs: 30_000,
  /** Timeout of a readiness check, and time for which its outcome is reused, because anyone may request one. */
  readyCheckMs: 2_000,
  readyFreshMs: 500,
} as const
