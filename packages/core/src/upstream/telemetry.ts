/** Measurements of requests to a vendor. Its methods never throw and never see content. */
export interface Telemetry {
  /** Starts measuring one attempt. */
  readonly startRequest: (request: MeasuredRequest) => RequestMeasurement
  /** A request waited before it could be sent. */
  readonly waited: (wait: MeasuredWait) => void
  /** An attempt to refresh an access token ended: it succeeded, the provider had ended the login, or it failed. */
  readonly tokenRefreshed: (outcome: 'refreshed' | 'ended' | 'failed') => void
  /** Runs work that belongs to no call, even if a call started it. */
  readonly inBackground: <Result>(work: () => Result) => Result
  /** Reads the undelivered events when metrics are collected, until the returned function is called. */
  readonly watchBacklog: (read: () => Promise<readonly Backlog[]>) => () => void
}

/** The measurement of one running attempt. */
export interface RequestMeasurement {
  /** The response has begun. */
  readonly onStatus: (status: number) => void
  /** The attempt has failed but not yet ended. */
  readonly onError: (error: unknown) => void
  readonly end: () => void
}

export interface MeasuredRequest {
  readonly url: string
  readonly method: string
  /** The vendor's name for the operation, fixed by the client; never text from a caller. */
  readonly operation?: string | undefined
  /** Number of known earlier attempts. */
  readonly retries: number
}

/** Undelivered events in one state, for all accounts. */
export interface Backlog {
  readonly state: 'waiting' | 'refused' | 'parked'
  readonly entries: number
  /** Age of the oldest event; 0 if there are none. */
  readonly oldestSeconds: number
}

export interface MeasuredWait extends Pick<MeasuredRequest, 'url'> {
  /** The vendor had asked us to slow down, or the wait was between two attempts. */
  readonly reason: 'rate limit' | 'backoff'
  readonly ms: number
}

/** Measures nothing. */
export const noTelemetry: Telemetry = {
  startRequest: () => ({ onStatus: () => undefined, onError: () => undefined, end: () => undefined }),
  waited: () => undefined,
  tokenRefreshed: () => undefined,
  inBackground: (work) => work(),
  watchBacklog: () => () => undefined,
}
