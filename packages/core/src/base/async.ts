import { abortReason, type Clock, systemClock } from './clock.ts'

/** Runs one piece of work at a time, in call order. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve()

  /** Resolves or rejects like `work`. A rejection does not stop the work queued behind it. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#tail.then(work, work)
    this.#tail = run.catch(() => undefined)
    return run
  }
}

/** Shares one run among all callers. A failed run is forgotten, so the next caller starts a new one. */
export function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let shared: Promise<Result> | undefined
  return () => {
    shared ??= work().catch((error: unknown) => {
      shared = undefined
      throw error
    })
    return shared
  }
}

/** The result of `work`. If `signal` is aborted first, throws the signal's reason; `work` continues for anyone else waiting for it. */
export async function raceAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  // The work may fail after everyone has stopped waiting for it.
  work.catch(() => undefined)
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => {
    reject(abortReason(signal))
  }
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

export interface TimeoutOptions {
  /** Maximum time, in milliseconds, without a call to `touch`. */
  readonly ms: number
  readonly reason: () => Error
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

/** Controls passed to work that runs with a timeout. */
export interface TimeoutScope {
  /** Aborted when the time is up or the caller gives up. */
  readonly signal: AbortSignal
  /** Restarts the timeout. */
  readonly touch: () => void
}

/** A timeout that runs until `end` is called. */
export interface Timeout extends TimeoutScope {
  readonly end: () => void
}

/** Starts a timeout, which fires at once if the caller has already given up. */
export function startTimeout({ ms, reason, signal, clock = systemClock }: TimeoutOptions): Timeout {
  const controller = new AbortController()
  const abort = () => {
    controller.abort(abortReason(signal))
  }
  const timer = clock.timer(ms, () => {
    controller.abort(reason())
  })
  // AbortSignal.any is not used, because its result can be garbage-collected while a request still depends on it.
  signal?.addEventListener('abort', abort)
  if (signal?.aborted === true) abort()
  return {
    signal: controller.signal,
    touch: timer.restart,
    end() {
      timer.cancel()
      signal?.removeEventListener('abort', abort)
    },
  }
}

/** Runs `work` with a timeout. Work that ignores the signal is not interrupted. */
export async function withTimeout<Result>(options: TimeoutOptions, work: (scope: TimeoutScope) => Promise<Result>): Promise<Result> {
  options.signal?.throwIfAborted()
  const timeout = startTimeout(options)
  try {
    return await work(timeout)
  } catch (error) {
    // Aborted work can throw various errors; the signal's reason is always the same.
    timeout.signal.throwIfAborted()
    throw error
  } finally {
    timeout.end()
  }
}

/**
 * Lets the event loop run between two parts of long work. After a socket event, Node runs the first `setImmediate` before it checks timers
 * and other sockets, and the second one afterwards.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      setImmediate(resolve)
    })
  })
}

/** Maximum time, in milliseconds, that one slice of work may block the event loop. */
const sliceMs = 8

/** Runs work that yields between steps, and lets the event loop run every few milliseconds. */
export async function runInSlices<Result>(
  steps: Iterator<undefined, Result, undefined>,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): Promise<Result> {
  let started = clock.monotonic()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (clock.monotonic() - started < sliceMs) continue
    await nextTurn()
    started = clock.monotonic()
  }
}

/** Maps a list like `Array.map`, and lets the event loop run every few milliseconds. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
  clock?: Pick<Clock, 'monotonic'>,
): Promise<Result[]> {
  return runInSlices(mapSteps(items, work), clock)
}

function* mapSteps<Item, Result>(items: readonly Item[], work: (item: Item, index: number) => Result): Generator<undefined, Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    results.push(work(item, index))
    yield
  }
  return results
}
