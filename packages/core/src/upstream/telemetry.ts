/** Measurements of requests to a vendor. No method throws an error, and none sees content. */
export interface Telemetry {
  /** Measures one attempt until it ends. */
  readonly startRequest: (request: MeasuredRequest) => RequestMeasurement
  /** A request waited before it could be sent. */
  readonly waited: (wait: MeasuredWait) => void
  /** An access token was to be refreshed: it was, the provider has ended the login, or the refresh failed. */
  readonly tokenRefreshed: (outcome: 'refreshed' | 'ended' | 'failed') => void
  /** Does work that belongs to no call, although a call may have started it. */
  readonly inBackground: <Result>(work: () => Result) => Result
  /** Reads the undelivered events when metrics are collected, until the returned function is called. */
  readonly watchBacklog: (read: () => Promise<readonly Backlog[]>) => () => void
}

/** The measurement of one attempt that is under way. */
export interface RequestMeasurement {
  /** The response begins. */
  readonly onStatus: (status: number) => void
  /** The attempt has failed; its end is still to come. */
  readonly onError: (error: unknown) => void
  readonly end: () => void
}

export interface MeasuredRequest {
  readonly url: string
  readonly method: string
  /** The vendor's name for the operation, as the client fixes it; never a text of a caller. */
  readonly operation?: string | undefined
  /** Attempts before this one, as far as they are known. */
  readonly retries: number
}

/** Undelivered events in one state, to any account. */
export interface Backlog {
  readonly state: 'waiting' | 'refused' | 'parked'
  readonly entries: number
  /** The age of the oldest one; 0 when there is none. */
  readonly oldestSeconds: number
}

export interface MeasuredWait extends Pick<MeasuredRequest, 'url'> {
  /** Because the vendor had asked to slow down, or between two attempts. */
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
