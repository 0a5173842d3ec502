import { raceAbort } from '../../base/async.ts'
import { abortReason, type Clock, systemClock } from '../../base/clock.ts'
import { Unavailable } from '../../errors/errors.ts'

/**
 * Time, in milliseconds, that a call may go without progress. Clients commonly give up after 30 seconds; the difference leaves time for
 * the response.
 */
const callMs = 28_000

/** Time, in milliseconds, that a call gets after its deadline to fail on its own: its error says more about the cause. */
const graceMs = 1_000

/** Shared by all calls: each new error would capture an unused stack. */
const callEnded = new DOMException('The call has ended.', 'AbortError')

/** The lifetime of one call: one deadline and one signal for everything the call starts. */
export interface CallScope {
  /** Aborted once the call has ended, whatever its outcome, so that nothing it started outlives it. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Milliseconds until the deadline; 0 once it has passed. */
  readonly remainingMs: () => number
  /** Postpones the deadline, for work that made progress and reports it to the caller. */
  readonly extend: () => void
}

export interface CallScopeOptions {
  /** Aborted when the caller gives up. */
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  /** Time, in milliseconds, that the work may go without progress; 28 seconds by default. */
  readonly ms?: number | undefined
  /** Milliseconds of that time that have already passed; 0 by default. Work that reports progress gets its full time again. */
  readonly waitedMs?: number | undefined
  /** Error for work that is still running a second after its deadline. */
  readonly timeoutError?: (() => Error) | undefined
}

/**
 * Work that several calls may wait for at once: one run serves them all. A run has its own deadline, and is aborted when no call waits
 * for it any more. The next caller starts a new run.
 */
export function sharedWork<Result>(
  clock: Clock,
  work: (scope: CallScope) => Promise<Result>,
): (scope: Pick<CallScope, 'signal'>) => Promise<Result> {
  let current: { readonly result: Promise<Result>; readonly controller: AbortController; waiting: number } | undefined
  const start = () => {
    const controller = new AbortController()
    const run = { controller, waiting: 0, result: withCallScope({ signal: controller.signal, clock }, work) }
    const forget = () => {
      if (current === run) current = undefined
    }
    run.result.then(forget, forget)
    return run
  }
  return async ({ signal }) => {
    signal.throwIfAborted()
    const run = (current ??= start())
    run.waiting += 1
    try {
      return await raceAbort(run.result, signal)
    } finally {
      run.waiting -= 1
      if (run.waiting === 0) {
        if (current === run) current = undefined
        run.controller.abort(new DOMException('No call waits for it.', 'AbortError'))
      }
    }
  }
}

/** A scope that stays open until it is ended. */
export interface OpenCallScope extends CallScope {
  readonly end: () => void
}

/** Starts a scope. It ends with `signal`'s reason when the caller gives up. */
export function startCallScope(options: CallScopeOptions): OpenCallScope {
  const { signal, clock = systemClock, ms = callMs, waitedMs = 0 } = options
  const { timeoutError = () => new Unavailable('This took too long. Try again.') } = options
  const controller = new AbortController()
  const startTimer = (time: number) =>
    clock.timer(time + graceMs, () => {
      controller.abort(timeoutError())
    })
  let deadline = clock.monotonic() + ms - waitedMs
  let timer = startTimer(ms - waitedMs)
  const abort = () => {
    controller.abort(abortReason(signal))
  }
  // Not AbortSignal.any: its result can be garbage-collected while a request still depends on it.
  signal?.addEventListener('abort', abort)
  if (signal?.aborted === true) abort()
  return {
    signal: controller.signal,
    clock,
    remainingMs: () => Math.max(0, deadline - clock.monotonic()),
    extend() {
      deadline = clock.monotonic() + ms
      timer.cancel()
      timer = startTimer(ms)
    },
    end() {
      timer.cancel()
      signal?.removeEventListener('abort', abort)
      controller.abort(callEnded)
    },
  }
}

/**
 * Runs `work` in a new scope, which ends with it. Throws `signal`'s reason when the caller gives up, even if `work` ignores the
 * signal. Work that several calls wait for gets a scope without any call's signal.
 */
export async function withCallScope<Result>(options: CallScopeOptions, work: (scope: CallScope) => Promise<Result>): Promise<Result> {
  options.signal?.throwIfAborted()
  const scope = startCallScope(options)
  try {
    return await raceAbort(work(scope), scope.signal)
  } finally {
    scope.end()
  }
}
