import type { ConnectLinks } from '@mcp-toolkits/auth/people/connect-links'
import { raceAbort, withTimeout } from '@mcp-toolkits/core/async'
import type { Clock } from '@mcp-toolkits/core/clock'

/** How long a call waits for a person at a page, in milliseconds: its work needs some of the time that clients give a call. */
const maxWaitMs = 20_000

/** How often a client that asked for progress hears that the call still waits, in milliseconds. */
const reportMs = 5_000

export interface LinkWait {
  readonly waitFor: ConnectLinks['waitFor']
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Absent when the caller did not ask for progress. */
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined
}

/**
 * Waits until the person has finished at a connect link. False when they declined, or need longer. A link that has expired counts as
 * finished: the call makes another. Rejects with the reason of an aborted signal.
 */
export async function waitForLink(id: string, { waitFor, clock, signal, progress }: LinkWait): Promise<boolean> {
  let reports = 0
  const reporting = clock.timer(reportMs, () => {
    reports += 1
    progress?.(reports / 1_000, undefined, 'Waiting until the person has finished on the page.')
    reporting.restart()
  })
  try {
    const reason = () => new DOMException('The person needs longer.', 'TimeoutError')
    const waiting = withTimeout({ ms: maxWaitMs, reason, signal, clock }, (scope) => raceAbort(waitFor(id, scope.signal), scope.signal))
    const outcome = await waiting.catch(() => undefined)
    signal.throwIfAborted()
    return outcome === 'done' || outcome === 'expired'
  } finally {
    reporting.cancel()
  }
}
