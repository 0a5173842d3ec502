import { abortReason, type Clock, type Timer } from '../src/base/clock.ts'
import { memoryIdempotencyStore } from './memory-operations.ts'
import { CallOperation } from '../src/tool/call/operation.ts'
import type { CallContext } from '../src/tool/tool.ts'
import type { CallScope } from '../src/tool/call/call-deadline.ts'

interface Scheduled {
  readonly at: number
  readonly run: () => void
}

export interface ManualClockOptions {
  /** Milliseconds since 1970. */
  readonly start?: number
  /** True if a sleep moves the clock forward itself and returns; otherwise it waits for `advance`. True by default. */
  readonly skipSleeps?: boolean
}

/**
 * A clock for tests. By default a sleep takes no real time: it moves the clock and fires the timers that became due. Timers fire only
 * when the clock moves, so a test triggers a timeout with `advance`.
 */
export class ManualClock implements Clock {
  /** The duration of each sleep, in milliseconds, in order. */
  readonly sleeps: number[] = []
  readonly #skipSleeps: boolean
  /** The value of `now` before any time has passed, in milliseconds since 1970. */
  #start: number
  #elapsed = 0
  readonly #scheduled = new Set<Scheduled>()

  constructor({ start = Date.UTC(2026, 0, 1), skipSleeps = true }: ManualClockOptions = {}) {
    this.#start = start
    this.#skipSleeps = skipSleeps
  }

  readonly now = (): number => this.#start + this.#elapsed

  readonly monotonic = (): number => this.#elapsed

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted()
    this.sleeps.push(ms)
    if (this.#skipSleeps) {
      await this.advance(ms)
      signal?.throwIfAborted()
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const entry = this.#schedule(ms, () => {
      resolve(undefined)
    })
    const abort = () => {
      this.#scheduled.delete(entry)
      reject(abortReason(signal))
    }
    signal?.addEventListener('abort', abort)
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  readonly timer = (ms: number, callback: () => void): Timer => {
    let entry = this.#schedule(ms, callback)
    return {
      cancel: () => {
        this.#scheduled.delete(entry)
      },
      restart: () => {
        this.#scheduled.delete(entry)
        entry = this.#schedule(ms, callback)
      },
      unref: () => undefined,
    }
  }

  /** Lets pending work run, then moves the clock forward by `ms` and runs due work, in order. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms
    await settle()
    for (let due = this.#next(end); due; due = this.#next(end)) {
      this.#scheduled.delete(due)
      this.#elapsed = Math.max(this.#elapsed, due.at)
      due.run()
      await settle()
    }
    this.#elapsed = Math.max(this.#elapsed, end)
    await settle()
  }

  /** Moves `now` by `ms`, forward or back, as when a machine's clock is corrected: no time passes, so nothing becomes due. */
  jump(ms: number): void {
    this.#start += ms
  }

  #schedule(ms: number, run: () => void): Scheduled {
    const entry = { at: this.#elapsed + ms, run }
    this.#scheduled.add(entry)
    return entry
  }

  #next(end: number): Scheduled | undefined {
    const [first] = [...this.#scheduled].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
    return first
  }
}

/** The scope of a call that nothing ends; its deadline is the manual clock's. */
export function manualScope({ clock = new ManualClock(), signal = new AbortController().signal, ms = 28_000 } = {}): CallScope {
  let deadline = clock.monotonic() + ms
  return {
    clock,
    signal,
    remainingMs: () => Math.max(0, deadline - clock.monotonic()),
    extend() {
      deadline = clock.monotonic() + ms
    },
  }
}

/** Context of a running call for tests: a scope that nothing ends, and an operation whose record disappears with the test. */
export function manualCall({ scope = manualScope(), ...context }: Partial<CallContext> = {}): CallContext {
  const { clock, signal } = scope
  const store = memoryIdempotencyStore(clock)
  const describe = () => Promise.resolve({ account: 'me', tool: 'Tool', argumentsHash: 'arguments' })
  const operation = new CallOperation({ describe, store: () => Promise.resolve(store), clock })
  return { scope, signal, timeZone: 'UTC', progress: () => undefined, readOnly: false, operation, notice: () => undefined, ...context }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
