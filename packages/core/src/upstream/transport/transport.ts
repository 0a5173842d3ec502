import { raceAbort, startTimeout, type TimeoutScope } from '../../base/async.ts'
import type { Clock } from '../../base/clock.ts'
import { type ErrorDetails, RateLimited, ToolError, Unavailable } from '../../errors/errors.ts'
import { afterAttempt, isTransient } from '../attempts.ts'
import { type MeasuredRequest, noTelemetry, type Telemetry } from '../telemetry.ts'
import { count } from '../../errors/text.ts'
import type { CallScope } from '../../tool/call/call-deadline.ts'
import { noResponse, unknownOutcome } from './no-response.ts'
import { canRepeat, type Failure, minAttemptMs, type Repeat, waitToRetry } from './request-retry.ts'
import { type CompleteResponse, type Fetch, OversizedResponse, readWhole } from './response.ts'
import type { Admission, AttemptReport, Hold, UpstreamLimits } from './limits/upstream-limits.ts'

/** Options of a vendor's client. */
export interface ClientOptions {
  /** Adds the credential, and sends requests to `url` only. */
  readonly fetch: Fetch
  /** The API's root, without a trailing slash. */
  readonly url: string
  readonly clock?: Clock | undefined
  /** Kept in this client's memory if absent. */
  readonly limits?: UpstreamLimits | undefined
  readonly telemetry?: Telemetry | undefined
}

export interface TransportOptions {
  /** Fetch that adds the credential. */
  readonly fetch: Fetch
  /** The vendor's name in messages: "Customer.io". */
  readonly vendor: string
  /** Shared by all calls that use the same account. */
  readonly limits: UpstreamLimits
  /** Detects the vendor asking us to slow down; by default, only a response read as `RateLimited` counts. */
  readonly holdsIn?: ((response: Pick<Response, 'status' | 'headers'>, error: ToolError | undefined) => readonly Hold[]) | undefined
  /** Returns a number in [0, 1), like `Math.random`. */
  readonly random?: (() => number) | undefined
  readonly telemetry?: Telemetry | undefined
}

/** A request, identical in every attempt. */
export interface TransportRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Never a stream, so that the request can be repeated. Do not change the bytes while it is in flight. */
  readonly body?: string | URLSearchParams | Uint8Array<ArrayBuffer> | undefined
  /** True if the request changes anything at the vendor; by default, every method but GET does. */
  readonly isWrite?: boolean | undefined
  /** Names a group of requests that has its own quota at the vendor, besides the account's. */
  readonly operation?: string | undefined
}

export interface SendOptions extends TransportRequest {
  /**
   * Condition for repeating the request. `always`: a repeat is harmless, because the request only reads or contains an id by which the
   * vendor recognizes it. `refused`: only after a response that asks us to slow down. `never`: not at all. `always` by default.
   */
  readonly repeat?: Repeat | undefined
  /**
   * Behaviour while the vendor accepts no requests: `wait` for as long as the deadline allows; `refuse` at once, with an error; `ignore`
   * the hold, for an operator who wants a request sent now. `wait` by default.
   */
  readonly holds?: 'wait' | 'refuse' | 'ignore' | undefined
  /** Maximum number of attempts; five by default. */
  readonly maxAttempts?: number | undefined
  /** Timeout, in milliseconds, for one attempt, up to its response's last byte; 8 seconds by default. */
  readonly attemptMs?: number | undefined
  /** Maximum size of the response's body, in bytes, both as sent and as decoded; 16 MiB by default. */
  readonly maxBytes?: number | undefined
}

export interface StreamOptions extends TransportRequest {
  /** True if the attempt repeats a failed request. */
  readonly isRetry: boolean
  /** Maximum time, in milliseconds, that may pass without a byte. */
  readonly silenceMs: number
}

/** Sends requests to one vendor, within a call's scope and the limits that all calls share. Follows no redirects. */
export interface Transport {
  /**
   * Sends a request until `read` accepts its complete response, and resolves with `read`'s result. `read` throws typed errors; transient
   * ones are retried with backoff, as far as the scope's deadline, the retry budget and the request allow. Throws the last error;
   * `Unavailable` if there was no response; `RateLimited`, sending nothing, while the vendor accepts no requests.
   */
  readonly send: <Result>(options: SendOptions, read: (response: CompleteResponse) => Result, scope: CallScope) => Promise<Result>
  /**
   * Makes one attempt and passes its response to `read` as it arrives; `read` calls `onData` for each part. Whatever `read` leaves unread
   * is cancelled. Throws `read`'s errors, `ResponseTimeout` or `Unavailable`. If the limits refuse the attempt, the error has `sent:
   * 'no'`.
   */
  readonly stream: <Result>(
    options: StreamOptions,
    read: (response: Response, onData: () => void) => Promise<Result>,
    scope: CallScope,
  ) => Promise<Result>
}

/** Statuses that a retry may fix. */
export const transientStatuses: readonly number[] = [408, 429, 500, 502, 503, 504, 522, 524]

/** Error for a response that does not arrive in time. */
export class ResponseTimeout extends Unavailable {}

/** Share of the remaining time that an attempt may take if another can follow. */
const attemptShare = 0.6

export function createTransport(options: TransportOptions): Transport {
  const { limits, random, telemetry } = options
  return {
    async send(request, read, scope) {
      const { repeat = 'always', holds = 'wait', attemptMs = 8_000 } = request
      const maxAttempts = repeat === 'never' ? 1 : (request.maxAttempts ?? 5)
      const startedAt = scope.clock.monotonic()
      let last: Failure | undefined
      for (let attempt = 1; ; attempt += 1) {
        const limited = { operation: request.operation, isRetry: attempt > 1 }
        await waitForAdmission(options, { ...limited, url: request.url, holds }, { scope, last: last?.error })
        const share = repeat === 'always' && attempt < maxAttempts ? attemptShare : 1
        const timeoutMs = Math.min(attemptMs, Math.max(minAttemptMs, scope.remainingMs() * share))
        const outcome = await attemptOnce(options, { ...request, attempt, timeoutMs, startedAt }, read, scope)
        const heldMs = await limits.report(limited, outcome.report)
        if ('result' in outcome) return outcome.result
        const failure = failureOf(outcome, heldMs, scope)
        last = { ...failure, error: afterAttempt(failure.error, last?.error) }
        if (attempt >= maxAttempts || !canRepeat(last, { repeat, holds, attempt })) throw last.error
        await waitToRetry(last, { request, failures: attempt, random, telemetry, scope })
      }
    },
    async stream(request, read, scope) {
      await waitForAdmission(options, request, { scope, last: undefined })
      const outcome = await streamOnce(options, request, read, scope)
      await limits.report(request, outcome.report)
      if ('result' in outcome) return outcome.result
      scope.signal.throwIfAborted()
      throw outcome.error
    },
  }
}

/** The result of an attempt, for its call and for the limits that calls share. */
type Outcome<Result> = SuccessfulOutcome<Result> | FailedOutcome

interface SuccessfulOutcome<Result> {
  readonly result: Result
  readonly report: AttemptReport
}

interface FailedOutcome {
  readonly error: unknown
  readonly report: AttemptReport
  /** True if the fetch itself threw the error, because it could not get a token even after retries. */
  readonly isFinal: boolean
}

interface AttemptRequest extends SendOptions {
  readonly attempt: number
  readonly timeoutMs: number
  readonly startedAt: number
}

async function attemptOnce<Result>(
  { fetch, vendor, holdsIn = holdsByError, telemetry = noTelemetry }: TransportOptions,
  request: AttemptRequest,
  read: (response: CompleteResponse) => Result,
  { signal, clock }: CallScope,
): Promise<Outcome<Result>> {
  const { attempt, timeoutMs, startedAt, maxBytes = 16 * 1024 ** 2 } = request
  const seconds = () => Math.max(1, Math.round((clock.monotonic() - startedAt) / 1000))
  const reason = () =>
    new ResponseTimeout(`${vendor} did not answer within ${count(seconds(), 'second')}.`, unknownOutcome({ isWrite: isWrite(request) }))
  const init = { ...initOf(request), ...(attempt > 1 && { headers: { ...request.headers, 'X-Retry-Count': String(attempt - 1) } }) }
  const timeout = startTimeout({ ms: timeoutMs, reason, signal, clock })
  const measurement = telemetry.startRequest(measured(request, attempt - 1))
  let response: CompleteResponse
  try {
    timeout.signal.throwIfAborted()
    const received = await raceAbort(fetch(request.url, { ...init, signal: timeout.signal }), timeout.signal)
    measurement.onStatus(received.status)
    response = await raceAbort(readWhole(received, { vendor, maxBytes, isWrite: isWrite(request) }), timeout.signal)
  } catch (thrown) {
    const error = reasonOf(thrown, timeout)
    measurement.onError(error)
    const isFinal = error instanceof ToolError && !(error instanceof ResponseTimeout || error instanceof OversizedResponse)
    const readable = error instanceof ToolError ? error : noResponse(error, { vendor, isWrite: isWrite(request) })
    const isAbandoned = signal.aborted || isFinal || !isTransient(readable)
    return { error: readable, isFinal, report: { outcome: isAbandoned ? 'abandoned' : 'failed' } }
  } finally {
    timeout.end()
    measurement.end()
  }
  try {
    const result = read(response)
    return { result, report: { outcome: 'answered', holds: holdsIn(response, undefined) } }
  } catch (thrown) {
    const error = isWrite(request) ? afterFailedWrite(thrown, response) : thrown
    const holds = error instanceof ToolError ? holdsIn(response, error) : []
    return { error, isFinal: false, report: { outcome: outcomeOf(error), holds } }
  }
}

async function streamOnce<Result>(
  { fetch, vendor, holdsIn = holdsByError, telemetry = noTelemetry }: TransportOptions,
  request: StreamOptions,
  read: (response: Response, onData: () => void) => Promise<Result>,
  { signal, clock }: CallScope,
): Promise<Outcome<Result>> {
  const unknown = unknownOutcome({ isWrite: isWrite(request) })
  const reason = () => new ResponseTimeout(`${vendor} sent nothing for ${Math.round(request.silenceMs / 1000)} seconds.`, unknown)
  const timeout = startTimeout({ ms: request.silenceMs, reason, signal, clock })
  const measurement = telemetry.startRequest(measured(request, request.isRetry ? 1 : 0))
  let response: Response | undefined
  try {
    timeout.signal.throwIfAborted()
    response = await raceAbort(fetch(request.url, { ...initOf(request), signal: timeout.signal }), timeout.signal)
    measurement.onStatus(response.status)
    timeout.touch()
    const result = await raceAbort(read(response, timeout.touch), timeout.signal)
    return { result, report: { outcome: 'answered', holds: holdsIn(response, undefined) } }
  } catch (thrown) {
    const error = reasonOf(thrown, timeout)
    measurement.onError(error)
    const readable = error instanceof ToolError ? error : noResponse(error, { vendor, isWrite: isWrite(request) })
    const holds = response ? holdsIn(response, readable) : []
    return { error: readable, isFinal: false, report: { outcome: signal.aborted ? 'abandoned' : outcomeOf(readable), holds } }
  } finally {
    timeout.end()
    measurement.end()
    if (response?.body?.locked === false) void response.body.cancel().catch(() => undefined)
  }
}

/**
 * A write's error. After a server error or a proxy's page, the write may have taken effect. After a 503 it has not: the server did not
 * handle the request. https://www.rfc-editor.org/rfc/rfc9110#section-15.6
 */
function afterFailedWrite(error: unknown, { status }: CompleteResponse): unknown {
  const hasFailed = error instanceof Unavailable && error.retryable && status !== 503
  return hasFailed ? error.with({ ...error.details, ...unknownOutcome({ isWrite: true }) }) : error
}

/** The timeout's reason if the timeout has fired, because the thrown error varies with what the attempt was doing. */
function reasonOf(thrown: unknown, { signal }: TimeoutScope): unknown {
  return signal.aborted ? signal.reason : thrown
}

function measured({ url, method, operation }: TransportRequest, retries: number): MeasuredRequest {
  return { url, method, operation, retries }
}

function initOf({ method, headers, body }: TransportRequest): RequestInit {
  return { method, redirect: 'manual', ...(headers && { headers }), ...(body !== undefined && { body }) }
}

/** The outcome that the limits see. A response that refuses just this request, such as a 403, counts as answered: the vendor works. */
function outcomeOf(error: unknown): AttemptReport['outcome'] {
  if (error instanceof RateLimited) return 'refused'
  return isTransient(error) ? 'failed' : 'answered'
}

/** A rate limit holds back only the requests that share its quota. */
function holdsByError(_: unknown, error: ToolError | undefined): readonly Hold[] {
  if (!(error instanceof RateLimited)) return []
  const { retryAfterSeconds } = error.details
  return [{ covers: 'operation', ms: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000 }]
}

/** Waits until the request may be sent. If that takes too long, throws `last`, or a new error on the first attempt. */
async function waitForAdmission(
  { limits, vendor, telemetry = noTelemetry }: TransportOptions,
  { url, operation, isRetry, holds = 'wait' }: Pick<SendOptions, 'url' | 'operation' | 'holds'> & { readonly isRetry: boolean },
  { scope, last }: { readonly scope: CallScope; readonly last: ToolError | undefined },
): Promise<void> {
  for (;;) {
    scope.signal.throwIfAborted()
    const remainingMs = scope.remainingMs()
    if (remainingMs === 0) throw last ?? new Unavailable(`There was no time left to ask ${vendor}. Try again.`, { sent: 'no' })
    const maxWaitMs = holds === 'wait' ? remainingMs - minAttemptMs : 0
    const admission = await limits.admit({ operation, isRetry, maxWaitMs, isForced: holds === 'ignore' })
    if (admission.kind === 'admitted') return
    if (admission.kind === 'refused') throw last ? withWait(last, admission.retryAfterMs) : refusal(admission, vendor)
    try {
      await scope.clock.sleep(admission.ms, scope.signal)
    } catch (error) {
      await limits.release(admission.slot)
      throw error
    }
    telemetry.waited({ url, reason: 'rate limit', ms: admission.ms })
  }
}

function refusal({ reason, retryAfterMs }: Admission & { kind: 'refused' }, vendor: string): ToolError {
  const details: ErrorDetails = { sent: 'no', ...(retryAfterMs > 0 && { retryAfterSeconds: wholeSeconds(retryAfterMs) }) }
  if (reason === 'rate limit') return new RateLimited(`${vendor} is refusing requests for now, so none was sent.`, details)
  return new Unavailable(`${vendor} has failed several times in a row, so nothing was sent this time.`, details)
}

/** Adds the time after which a request may be sent again, unless the error already names one. */
function withWait(error: ToolError, ms: number): ToolError {
  if (ms <= 0 || error.details.retryAfterSeconds !== undefined) return error
  return error.with({ ...error.details, retryAfterSeconds: wholeSeconds(ms) })
}

/** Rounds up, to at least one second, after removing the rounding errors of clock arithmetic. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(Math.round(ms) / 1000))
}

/** Throws errors that a retry cannot fix: a defect, or an ended scope's reason. */
function failureOf({ error, isFinal }: FailedOutcome, heldMs: number, { signal }: CallScope): Failure {
  signal.throwIfAborted()
  if (!(error instanceof ToolError)) throw error
  return { error: error instanceof RateLimited ? withWait(error, heldMs) : error, isFinal, heldMs }
}

function isWrite({ isWrite: isMarked, method }: TransportRequest): boolean {
  return isMarked ?? method !== 'GET'
}
