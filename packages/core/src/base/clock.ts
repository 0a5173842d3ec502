/** The code's source of time. Programs run on `systemClock`; tests inject a clock that they move themselves. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now`. */
  readonly now: () => number
  /** Milliseconds since a fixed time, the same in all processes until the machine restarts; setting the date does not affect it. */
  readonly monotonic: () => number
  /** Resolves after `ms` milliseconds; rejects with `signal`'s reason if it is aborted first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls `callback` once, after `ms` milliseconds. */
  readonly timer: (ms: number, callback: () => void) => Timer
}

/** A scheduled callback. */
export interface Timer {
  readonly cancel: () => void
  /** Restarts the full delay, even if the callback has already run. */
  readonly restart: () => void
  /** Lets the process exit even if the callback has not run. */
  readonly unref: () => void
}

export const systemClock: Clock = {
  now: Date.now,
  // `performance.now` counts from the start of each process: https://nodejs.org/api/process.html#processhrtimetime
  monotonic() {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1e6
  },
  async sleep(ms, signal) {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const abort = () => {
      reject(abortReason(signal))
    }
    const handle = setTimeout(() => {
      resolve(undefined)
    }, ms)
    signal?.addEventListener('abort', abort)
    try {
      await promise
    } finally {
      clearTimeout(handle)
      signal?.removeEventListener('abort', abort)
    }
  },
  timer(ms, callback) {
    const handle = setTimeout(callback, ms)
    return {
      cancel() {
        clearTimeout(handle)
      },
      restart() {
        handle.refresh()
      },
      unref() {
        handle.unref()
      },
    }
  },
}

/** The reason a signal was aborted, as an error to throw. */
export function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException('The caller gave up.', 'AbortError')
}
