import { setImmediate, setTimeout } from 'node:timers/promises'
import { abortReason, type Clock, type Timer } from '@mcp-toolkits/core/base'
import { vi } from 'vitest'

interface Scheduled {
  readonly at: number
  readonly run: () => void
}

/**
 * Idle time, in real milliseconds, before the clock moves. `sure`: something is known to be waiting for the clock, and no file or socket is
 * in use.
 */
const idleMs = { sure: 2, unsure: 250 }

/**
 * Maximum turn of the event loop that counts as idle, in real milliseconds. A longer turn was work, such as loading code, or a wait for a
 * processor.
 */
const maxIdleTurnMs = 5

/** A timer this far away, in milliseconds, only guards running work: nothing waits for it. */
const farMs = 3_000

/** System work that this process may be waiting for. */
const systemWork = /^(?:FSReq|TCPSocketWrap|TLSWrap|TCPConnectWrap|GetAddrInfo|Worker|MessagePort)/

const ignore = () => undefined

/** Minimum wait, in real milliseconds, which shows that an import was pending. */
const minImportMs = 20

/** Time without any event, in real milliseconds, after which nothing more is expected. */
const stuckMs = 20_000

/**
 * A clock that jumps to the next awaited time as soon as nothing else can happen. Hours pass in milliseconds, and work that takes real
 * time, such as a disk read, takes none on the clock.
 */
export class RunningClock implements Clock {
  #start: number
  #elapsed = 0
  /** Counts everything that happens, to notice when nothing does. */
  #events = 0
  /** Number of requests that are being answered; until then, the clock stands still. */
  #busy = 0
  /** Number of sleeps and held-back answers, which end only when the clock moves. */
  #waiting = 0
  readonly #scheduled = new Set<Scheduled>()

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#start = start
  }

  readonly now = (): number => Math.trunc(this.#start + this.#elapsed)

  readonly monotonic = (): number => this.#elapsed

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const entry = this.#schedule(ms, () => {
      resolve(undefined)
    })
    const abort = () => {
      this.#events += 1
      this.#scheduled.delete(entry)
      reject(abortReason(signal))
    }
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await this.held(promise)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  readonly timer = (ms: number, callback: () => void): Timer => {
    let entry = this.#schedule(ms, callback)
    const cancel = () => {
      this.#events += 1
      this.#scheduled.delete(entry)
    }
    return {
      cancel,
      restart: () => {
        cancel()
        entry = this.#schedule(ms, callback)
      },
      unref: () => undefined,
    }
  }

  /** Stops the clock until `work` is done. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#events += 1
    this.#busy += 1
    return work.finally(() => {
      this.#busy -= 1
      this.#events += 1
    })
  }

  /** Marks work that ends only when the clock moves. */
  async held<Result>(work: Promise<Result>): Promise<Result> {
    this.#events += 1
    this.#waiting += 1
    return work.finally(() => {
      this.#waiting -= 1
      this.#events += 1
    })
  }

  /** Corrects the machine's date by `ms` milliseconds: nothing runs earlier or later because of this. */
  jump(ms: number): void {
    this.#start += ms
  }

  /** Moves the clock whenever nothing else can happen, until `work` is done. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    const done = work.finally(() => {
      state.isDone = true
    })
    const state = { isDone: false, ended: done.then(ignore, ignore) }
    while (await this.#isQuiet(state)) this.#step(Infinity)
    return done
  }

  /** Lets `ms` milliseconds pass at once, as when a machine sleeps: whatever becomes due in that time runs afterwards. */
  async leap(ms: number): Promise<void> {
    await this.#isQuiet({ isDone: false, isIdle: true })
    this.#elapsed += ms
    while (this.#step(this.#elapsed)) await this.#isQuiet({ isDone: false, isIdle: true })
  }

  /** Waits until nothing more can happen without the clock; false if the work is done first. */
  async #isQuiet(state: { readonly isDone: boolean; readonly isIdle?: boolean; readonly ended?: Promise<void> }): Promise<boolean> {
    let idle = 0
    let lastEvent = performance.now()
    for (let seen = this.#events; !state.isDone; seen = this.#events) {
      const turn = performance.now()
      await setImmediate()
      // Also ends when the call does: most calls end without moving the clock, and a long run consists mostly of such waits.
      await Promise.race([setTimeout(1), ...(state.ended ? [state.ended] : [])])
      if (this.#events !== seen) lastEvent = performance.now()
      idle = this.#events !== seen || this.#busy > 0 ? 0 : idle + Math.min(performance.now() - turn, maxIdleTurnMs)
      const enough = this.#idleTime(state)
      if (idle >= enough && (state.isIdle === true || this.#scheduled.size > 0)) {
        if (enough === idleMs.sure || !(await importsModules())) return true
        idle = 0
        lastEvent = performance.now()
      }
      if (performance.now() - lastEvent > stuckMs) throw new Error('The call is waiting for something that the clock does not bring.')
    }
    return false
  }

  #idleTime({ isIdle = false }: { readonly isIdle?: boolean }): number {
    const isNear = [...this.#scheduled].some(({ at }) => at - this.#elapsed < farMs)
    const isSure = isIdle || this.#waiting > 0 || isNear
    return isSure && !process.getActiveResourcesInfo().some((resource) => systemWork.test(resource)) ? idleMs.sure : idleMs.unsure
  }

  /** Moves to the next awaited time; false if there is none until `end`. */
  #step(end: number): boolean {
    const [next] = [...this.#scheduled].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
    if (!next) return false
    this.#scheduled.delete(next)
    this.#elapsed = Math.max(this.#elapsed, next.at)
    this.#events += 1
    next.run()
    return true
  }

  #schedule(ms: number, run: () => void): Scheduled {
    this.#events += 1
    const entry = { at: this.#elapsed + ms, run }
    this.#scheduled.add(entry)
    return entry
  }
}

/** Waits for pending imports; true if there were any. Another process transforms the modules, slowly on a busy machine. */
async function importsModules(): Promise<boolean> {
  const start = performance.now()
  await vi.dynamicImportSettled()
  return performance.now() - start > minImportMs
}

/** A clock for a vendor that uses real time, because its limits are per hour. */
export class RealClock extends RunningClock {
  override readonly now = (): number => Date.now()
}
