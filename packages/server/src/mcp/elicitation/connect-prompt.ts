import { shellQuote } from '../../account/account.ts'
import type { ConnectLinks } from '../connect-links.ts'
import { type Caller, type Clock, raceAbort, withTimeout } from '@mcp-toolkits/core/base'
import { type ConnectStep, Unauthenticated } from '@mcp-toolkits/core/errors'
import type { ServerDefinition } from '../definition.ts'

/** Message that a client shows a person before they open the page. */
export function connectMessage(
  { title, vendor, account }: Pick<ServerDefinition<never>, 'title' | 'vendor' | 'account'>,
  { purpose }: ConnectStep,
): string {
  const provider = account?.provider.name ?? vendor
  switch (purpose) {
    case 'account':
      return `${title} asks for access to your ${provider} account. Open the page to allow it.`
    case 'key':
      return `${title} needs your key for ${provider}. Open the page to enter it.`
    case 'picker':
      return `${title} asks which of your files it may use. Open the page to choose them.`
  }
}

/** Error for a service identity, which cannot open a page: its operator must connect the account. */
export function serviceProblem(
  { name, vendor }: Pick<ServerDefinition<never>, 'name' | 'vendor'>,
  { issuer, subject, profile }: Caller,
  { scopes }: ConnectStep,
): Unauthenticated {
  const profileOption = profile === 'default' ? [] : ['--profile', profile]
  const scopesOption = scopes ? ['--scopes', scopes.join(',')] : []
  const words = [`${name}-mcp`, 'people', 'connect', subject, '--issuer', issuer, ...profileOption, ...scopesOption]
  return new Unauthenticated(
    `The service identity ${subject} has no ${vendor} account that this call can use: none is connected, or its login has ended or lacks a scope. Ask the operator of this server to run the command with the server's variables; the call then works.`,
    { next: { command: words.map(shellQuote).join(' ') } },
  )
}

/** Maximum time, in milliseconds, that a call waits for a person at a page: the rest of the client's timeout is for the call's work. */
const maxWaitMs = 20_000

/** Interval, in milliseconds, between reports to a client that asked for a waiting call's progress. */
const reportMs = 5_000

export interface LinkWait {
  readonly waitFor: ConnectLinks['waitFor']
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Absent if the caller did not ask for progress. */
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined
}

/**
 * Waits until the person has finished at a connect link. False if they declined, or need longer. An expired link counts as finished: the
 * retried call makes a new one. Rejects with the reason of an aborted signal.
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
