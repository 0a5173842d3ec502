import type { ToolError } from '../errors.ts'

export interface TimeLimit {
  readonly ms: number
  /** What to throw when the time is over. */
  readonly late: () => ToolError
  readonly signal: AbortSignal | undefined
}

/**
 * What `step` resolves with, unless its time is over or the caller gives up. The signal that it gets is aborted in either case, and
 * it has to end then; what it throws after that is replaced by the reason.
 */
export async function within<T>({ ms, late, signal }: TimeLimit, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const ended = new AbortController()
  const giveUp = () => {
    ended.abort(signal?.reason)
  }
  const timer = setTimeout(() => {
    ended.abort(late())
  }, ms)
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    return await step(ended.signal)
  } catch (error) {
    ended.signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

/** What `work` resolves with, unless the signal is aborted first; for work that cannot be stopped itself. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const giveUp = () => {
    reject(new Error('Given up.'))
  }
  signal.throwIfAborted()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
