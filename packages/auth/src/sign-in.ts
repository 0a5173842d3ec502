import type { ConnectStep, NextStep } from '@mcp-toolkits/core'
import { type AccountConfig, type AccountSettings, commandLine } from './account.ts'

/** How a person signs in, for an error that is solved by it. */
export interface SignInStep {
  /** What the caller does about it, in one sentence. */
  readonly advice: string
  readonly details: { readonly next: NextStep } | { readonly connect: ConnectStep }
}

/**
 * A command on the machine of the server; where each person has accounts, a page of the server. `scopes` are what to ask for, the
 * provider's defaults when absent.
 */
export function signInStep(
  { server, serviceAccount }: Pick<AccountConfig, 'server' | 'serviceAccount'>,
  settings: AccountSettings,
  scopes?: readonly string[],
): SignInStep {
  if (settings.owner !== undefined) {
    return {
      advice: 'Ask the person to open the page; then make the call again.',
      details: { connect: { purpose: 'account', ...(scopes && { scopes }) } },
    }
  }
  const isService = serviceAccount && settings.environment[serviceAccount.key] !== undefined
  if (isService) return { advice: serviceAccount.advice(scopes), details: { next: { command: commandLine(server, settings, ['status']) } } }
  return {
    advice: 'Ask the person to run the command; the call then works without a restart.',
    details: { next: { command: commandLine(server, settings, ['login', ...(scopes ? ['--scopes', scopes.join(',')] : [])]) } },
  }
}
