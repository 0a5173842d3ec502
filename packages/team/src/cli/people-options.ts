import { credentialVariables, environmentTarget } from '@mcp-toolkits/server/account'
import type { VendorAccount } from '../connect/connect-steps.ts'
import type { Permission } from '@mcp-toolkits/core/base'
import { quote, ToolError } from '@mcp-toolkits/core/errors'
import { type Environment, readSecret, readToken, type Secret } from '@mcp-toolkits/core/upstream'
import { apiKeyOf, type ServerDefinition, type Settings } from '@mcp-toolkits/server'
import type { TokenVerifierOptions } from '../tokens/token-verifier.ts'
import { defaultScopeNames, type ScopeNames } from '../tokens/permissions.ts'
import { type CommandLine, UsageError, findSetPeopleVariable } from '@mcp-toolkits/server/cli'

/** Options that go with `--issuer`. */
export interface PeopleOptions extends Pick<TokenVerifierOptions, 'issuer' | 'audiences' | 'subjectClaim'> {
  /** An origin, without a trailing slash. */
  readonly publicUrl: string
  readonly scopeNames: ScopeNames
  readonly accounts: PeopleAccounts
  /** Client that people sign in with if this server issues the tokens; undefined if the identity provider issues them. */
  readonly authorizationServer: SignInClient | undefined
}

/** Vendor account that people act with. */
export type PeopleAccounts =
  /** Everyone uses the key in the environment. */
  | { readonly kind: 'deployment' }
  /** Each person uses the account they connected on a page of this server; `vendor` is absent if people enter keys. */
  | { readonly kind: 'person'; readonly signIn: SignInClient; readonly vendor?: VendorAccount }

/** This server's registration at the identity provider. */
export interface SignInClient {
  readonly clientId: string
  readonly clientSecret?: Secret
}

type HostedServer = Pick<ServerDefinition<never>, 'name' | 'vendor' | 'account' | 'extensions'>
type PeopleLine = Pick<CommandLine, 'issuer' | 'publicUrl' | 'authorizationServer' | 'audience' | 'settings'>

const idVariable = 'MCP_TOOLKITS_SIGN_IN_CLIENT_ID'

/** Undefined without `--issuer`. Throws `UsageError` for conflicting options. */
export function readPeopleOptions(definition: HostedServer, line: PeopleLine): PeopleOptions | undefined {
  const { issuer, publicUrl, authorizationServer, audience, settings } = line
  if (issuer === undefined) {
    // A server that has lost its issuer option must not serve everyone.
    const given = [publicUrl !== undefined && '--public-url', authorizationServer && '--authorization-server', audience && '--audience']
    const [name] = given.filter((each) => typeof each === 'string')
    if (name !== undefined) throw new UsageError(`${name} (MCP_TOOLKITS_${variableOf(name)}) requires --issuer, which is not given.`)
    const empty = ['MCP_TOOLKITS_ISSUER', 'MCP_TOOLKITS_PUBLIC_URL'].find((variable) => settings.environment[variable] !== undefined)
    if (empty !== undefined) throw new UsageError(`${empty} is empty. Set it, or unset it to serve everyone with one account.`)
    const unused = findSetPeopleVariable(settings.environment)
    if (unused !== undefined) {
      throw new UsageError(
        `${unused} requires --issuer (MCP_TOOLKITS_ISSUER), which is not given. Give it, or unset ${unused} to serve everyone with one account.`,
      )
    }
    return undefined
  }
  try {
    if (publicUrl === undefined) {
      throw new UsageError('--issuer needs --public-url, at which people and clients reach the server, such as https://files.example.com.')
    }
    refuseOtherAccounts(settings)
    if (authorizationServer && audience) {
      throw new UsageError(
        `--authorization-server cannot be combined with --audience: this server issues tokens for ${publicUrl}/mcp, and accepts no others.`,
      )
    }
    return {
      issuer,
      publicUrl,
      audiences: audience ?? [`${publicUrl}/mcp`],
      scopeNames: readScopeNames(definition.name, settings.environment),
      subjectClaim: readWord(settings.environment, 'MCP_TOOLKITS_SUBJECT_CLAIM', 'claim') ?? 'sub',
      accounts: readAccounts(definition, settings, publicUrl),
      authorizationServer: authorizationServer ? readSignIn(settings.environment, publicUrl) : undefined,
    }
  } catch (error) {
    throw error instanceof ToolError ? new UsageError(error.message) : error
  }
}

const variableOf = (option: string) => option.slice(2).toUpperCase().replaceAll('-', '_')

/** Refuses any other setting that determines whom a server acts for. */
function refuseOtherAccounts({ environment, embedded, profile }: Settings): void {
  const because = 'each call acts as the person its token names'
  if ((environment['MCP_TOOLKITS_HTTP_TOKEN'] ?? '') !== '') {
    throw new UsageError(`--issuer cannot be combined with MCP_TOOLKITS_HTTP_TOKEN, which all clients share: ${because}. Unset it.`)
  }
  if (embedded) throw new UsageError(`--issuer cannot be combined with --embedded, whose data belongs to one person: ${because}.`)
  if (profile !== undefined) {
    throw new UsageError(
      `--issuer cannot be combined with --profile: ${because}. A client chooses another account by the path /mcp/<name>.`,
    )
  }
}

function readAccounts(definition: HostedServer, settings: Settings, publicUrl: string): PeopleAccounts {
  const { account, vendor } = definition
  const keyVariable = apiKeyOf(definition)?.variable
  const { environment } = settings
  if (account) {
    refuseCredentials(credentialVariables(account), environment)
    const target = environmentTarget(account, settings)
    if (target) return { kind: 'person', signIn: readSignIn(environment, publicUrl), vendor: { config: account, target } }
    throw new UsageError(
      `--issuer needs ${account.variables.clientId}: the client id of a web application that you register at ${account.provider.name} with the redirect URI ${publicUrl}/connect/callback. ${account.webRegistration}`,
    )
  }
  if (keyVariable === undefined)
    throw new UsageError(`--issuer cannot be combined with ${definition.name}: people cannot connect ${vendor} accounts.`)
  if (readKeys(environment) === 'person') {
    refuseCredentials([keyVariable], environment)
    return { kind: 'person', signIn: readSignIn(environment, publicUrl) }
  }
  if (readToken(environment, keyVariable, 'key') !== undefined) return { kind: 'deployment' }
  throw new UsageError(
    `--issuer needs ${keyVariable}, the key with which all people act, or MCP_TOOLKITS_KEYS=person, so that each person enters their own key.`,
  )
}

/** Keeps callers from using the operator's account. */
function refuseCredentials(variables: readonly string[], environment: Environment): void {
  const [variable] = variables.filter((each) => (environment[each] ?? '') !== '')
  if (variable === undefined) return
  throw new UsageError(`--issuer cannot be combined with ${variable}: each person connects their own account. Unset it.`)
}

function readSignIn(environment: Environment, publicUrl: string): SignInClient {
  const clientId = readWord(environment, idVariable, 'client id')
  const secret = 'MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET'
  const clientSecret = environment[secret] === '' ? undefined : readSecret(environment, secret, 'client secret')
  if (clientId !== undefined) return { clientId, ...(clientSecret && { clientSecret }) }
  throw new UsageError(
    `--issuer needs ${idVariable}: this server's client id at the identity provider, registered with the redirect URI ${publicUrl}/connect/signed-in. With it, people sign in on the pages where they connect accounts.`,
  )
}

function readScopeNames(server: string, environment: Environment): ScopeNames {
  const names = defaultScopeNames(server)
  const text = environment['MCP_TOOLKITS_SCOPES'] ?? ''
  if (text === '') return names
  const pairs = text.split(',').map((part) => /^(read|write|delete)=([\x21\x23-\x5b\x5d-\x7e]+)$/.exec(part.trim()))
  const given = new Map(pairs.map((pair) => [pair?.[1], pair?.[2]] as const))
  if (given.has(undefined) || given.size < pairs.length) {
    throw new UsageError(`MCP_TOOLKITS_SCOPES must be read=…,write=…,delete=… with the name of each scope, not ${quote(text)}.`)
  }
  const name = (permission: Permission) => given.get(permission) ?? names[permission]
  const chosen = { read: name('read'), write: name('write'), delete: name('delete') }
  if (new Set(Object.values(chosen)).size === 3) return chosen
  throw new UsageError('MCP_TOOLKITS_SCOPES must name three different scopes: if two share a name, a token could do more than it says.')
}

function readKeys(environment: Environment): 'deployment' | 'person' {
  const value = environment['MCP_TOOLKITS_KEYS'] ?? ''
  if (value === '' || value === 'deployment') return 'deployment'
  if (value === 'person') return 'person'
  throw new UsageError(`MCP_TOOLKITS_KEYS must be deployment or person, not ${quote(value)}.`)
}

/** Treats an empty setting as unset, because hosts pass on empty optional settings. */
function readWord(environment: Environment, variable: string, label: string): string | undefined {
  return environment[variable] === '' ? undefined : readToken(environment, variable, label)
}
