import { abortReason, type Clock } from '@mcp-toolkits/core/base'
import type { ChangeWatch } from '@mcp-toolkits/sqlite'

/** Maximum time, in milliseconds, that a watch waits before it looks: other replicas' changes are not announced. */
const lookMs = 250

/** Announces this process's changes to its own waiters. */
export interface ChangeSignal {
  readonly notify: () => void
  readonly watch: () => ChangeWatch
}

export function changeSignal(clock: Clock): ChangeSignal {
  const listeners = new Set<() => void>()
  let changes = 0
  return {
    notify() {
      changes += 1
      for (const listener of listeners) listener()
    },
    watch() {
      let seen = changes
      return {
        async next(ms, signal) {
          signal.throwIfAborted()
          if (seen === changes) await nextCall(listeners, { clock, ms: Math.min(ms, lookMs), signal })
          seen = changes
        },
      }
    },
  }
}

interface Waiting {
  readonly clock: Clock
  readonly ms: number
  readonly signal: AbortSignal
}

async function nextCall(listeners: Set<() => void>, { clock, ms, signal }: Waiting): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const finish = () => {
    resolve(undefined)
  }
  const abort = () => {
    reject(abortReason(signal))
  }
  const timer = clock.timer(ms, finish)
  listeners.add(finish)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    timer.cancel()
    listeners.delete(finish)
    signal.removeEventListener('abort', abort)
  }
}
