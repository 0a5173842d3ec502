/** Time as the code sees it. Programs run on `systemClock`; tests inject a clock that they move themselves. */
export interface Clock {
  /** Milliseconds since 1970, as `Date.now`. */
  readonly now: () => number
  /** Milliseconds since some moment, the same in all processes of a machine until it restarts. Setting the clock does not change it. */
  readonly monotonic: () => number
  /** Resolves after `ms` milliseconds; rejects with the reason of `signal` if that is aborted first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls `callback` once, after `ms` milliseconds. */
  readonly timer: (ms: number, callback: () => void) => Timer
}

/** A callback that has been scheduled. */
export interface Timer {
  readonly cancel: () => void
  /** Starts the full delay again, also after the callback has run. */
  readonly restart: () => void
  /** Lets the process exit although the callback has not run. */
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

/** Why a signal was aborted, as an error that can be thrown. */
export function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException('The caller gave up.', 'AbortError')
}
