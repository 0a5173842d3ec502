import { shellQuote } from '@mcp-toolkits/auth/account'
import { type ConnectStep, Unauthenticated } from '@mcp-toolkits/core'
import type { Caller } from '@mcp-toolkits/core/people'
import type { ServerDefinition } from '../definition.ts'

/** The error for a service identity whose account its operator has to connect: it cannot open a page. */
export function serviceProblem(
  { name, vendor }: Pick<ServerDefinition<never>, 'name' | 'vendor'>,
  { issuer, subject, profile }: Caller,
  { scopes }: ConnectStep,
): Unauthenticated {
  const profileOption = profile === 'default' ? [] : ['--profile', profile]
  const scopesOption = scopes ? ['--scopes', scopes.join(',')] : []
  const words = [`${name}-mcp`, 'people', 'connect', subject, '--issuer', issuer, ...profileOption, ...scopesOption]
  return new Unauthenticated(
    `The service identity ${subject} has no account of ${vendor} that this call can use: none is connected, or it has ended or lacks a scope. Ask the operator of this server to run the command with the variables of the server; the call then works.`,
    { next: { command: words.map(shellQuote).join(' ') } },
  )
}
