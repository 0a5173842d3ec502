import type { Environment, Secret } from '@mcp-toolkits/core/upstream'
import type { Settings } from '../../mcp/definition.ts'
import type { Toolbox } from '../../mcp/calls/toolbox.ts'
import { type CommandLine, UsageError } from '../command.ts'
import { readOperatorSecret } from '../secrets.ts'

const minTokenLength = 32

/**
 * Time, in seconds, for which /readyz announces a replica's shutdown before the replica stops accepting requests: load balancers check
 * every few seconds.
 */
const defaultDrainWait = 5

const defaultPort = 3000

const loopbackNames = ['127.0.0.1', '::1', '[::1]', 'localhost']

/** Command-line options for an HTTP server. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly allowedHosts: readonly string[]
  /** Token that all clients share; undefined if they need none, or an identity provider issues theirs. */
  readonly token: Secret | undefined
  /** Wait before closing, in seconds. */
  readonly drainWait: number
  /**
   * True if clients are on other machines. A host name other than this machine's implies a proxy, even for a server on loopback.
   */
  readonly servesOtherMachines: boolean
}

/** Throws `UsageError` for an address that others can reach without a token. `people` are the options for `--issuer`, if given. */
export function readAddress(
  { host, port = defaultPort, allowedHosts: names, operands, store, drainWait }: CommandLine,
  environment: Environment,
  people?: { readonly publicUrl: string },
): Address {
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}.`)
  const token = people ? undefined : readToken(environment)
  const allowedHosts = people ? [...new Set([new URL(people.publicUrl).hostname, ...names])] : names
  const elsewhere = [host, ...allowedHosts].find((name) => !loopbackNames.includes(name))
  if (elsewhere !== undefined && !token && !people)
    throw new UsageError(`Serving on ${elsewhere} needs MCP_TOOLKITS_HTTP_TOKEN, which clients send as a bearer token.`)
  if (elsewhere !== undefined && allowedHosts.length === 0)
    throw new UsageError(`Serving on ${host} needs --allowed-hosts with the names clients use.`)
  return {
    host,
    port,
    allowedHosts,
    token,
    drainWait: drainWait ?? (store === undefined ? 0 : defaultDrainWait),
    servesOtherMachines: elsewhere !== undefined,
  }
}

function readToken(environment: Environment): Secret | undefined {
  const variable = 'MCP_TOOLKITS_HTTP_TOKEN'
  const token = readOperatorSecret(environment, variable)
  if (token && token.reveal().length < minTokenLength) throw new UsageError(`${variable} needs at least ${minTokenLength} characters.`)
  return token
}

/** Throws `UsageError` for an upstream that must not be served with these options. */
export function checkUpstream(
  { embedded, upstreamProblem }: Pick<Toolbox, 'embedded' | 'upstreamProblem'>,
  settings: Pick<Settings, 'embedded' | 'isReplica'>,
  { servesOtherMachines }: Pick<Address, 'servesOtherMachines'>,
): void {
  if (embedded && !settings.embedded && servesOtherMachines)
    throw new UsageError('Serving the embedded default to other machines needs --embedded.')
  // A running server does not notice a later sign-in, so this one exits, to be restarted until someone has signed in.
  if (settings.isReplica === true && upstreamProblem !== undefined) throw new UsageError(upstreamProblem)
}

/** True if the embedded default shows its data alongside a server: only if all clients are on this machine and need no token. */
export function showsWorkspace({ embedded }: Pick<Toolbox, 'embedded'>, { servesOtherMachines, token }: Address): boolean {
  return embedded && !servesOtherMachines && token === undefined
}

/** Variables without an option, read only by a server with `--issuer`. */
const peopleVariables: readonly string[] = [
  'MCP_TOOLKITS_SIGN_IN_CLIENT_ID',
  'MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET',
  'MCP_TOOLKITS_SCOPES',
  'MCP_TOOLKITS_SUBJECT_CLAIM',
  'MCP_TOOLKITS_KEYS',
]

/** The first of these variables that is set; undefined if none is. */
export function findSetPeopleVariable(environment: Environment): string | undefined {
  return peopleVariables.find((variable) => (environment[variable] ?? '') !== '')
}

/** True if any option or variable is only for a server on which each call acts as the person who makes it. */
export function usesPeopleOptions({ issuer, publicUrl, authorizationServer, audience }: CommandLine, environment: Environment): boolean {
  return (
    issuer !== undefined ||
    publicUrl !== undefined ||
    authorizationServer ||
    audience !== undefined ||
    findSetPeopleVariable(environment) !== undefined
  )
}
