import { parseJson, stringMember } from '@mcp-toolkits/core/base'
import { sentence, Unauthenticated } from '@mcp-toolkits/core/errors'
import { type Environment, readBaseUrl, readToken, Secret } from '@mcp-toolkits/core/upstream'
import { type AccountConfig, type AccountSettings, endpointsAt, type ServiceAccountVariables } from './account.ts'
import type { Login } from './tokens/login-format.ts'
import { overridingVariables } from './tokens/token-source.ts'
import type { TokenStore } from './tokens/login-store.ts'

/** A service account, as its key file describes it. */
export interface ServiceAccount {
  readonly email: string
  /** The key as PEM (PKCS #8). */
  readonly privateKey: Secret
  readonly keyId: string | undefined
  /** The person it acts for; undefined if it acts for itself. */
  readonly subject: string | undefined
  readonly scopes: readonly string[]
}

/** The service account in the environment. Throws `Unauthenticated` for an unusable one. */
export function readServiceAccount(variables: ServiceAccountVariables, environment: Environment): ServiceAccount {
  const key = parseJson(environment[variables.key] ?? '')
  const [type, email, privateKey] = [stringMember(key, 'type'), stringMember(key, 'client_email'), stringMember(key, 'private_key')]
  if (type !== 'service_account' || email === undefined || privateKey?.includes('-----BEGIN PRIVATE KEY-----') !== true) {
    throw new Unauthenticated(
      sentence`${{ variable: variables.key }} must contain the JSON of a service account's key file, with type, client_email and private_key. To name the file instead, set ${{ variable: `${variables.key}_FILE` }}.`,
    )
  }
  const scopes = (environment[variables.scopes] ?? '').split(/[\s,]+/).filter((scope) => scope !== '')
  const subject = environment[variables.subject] === '' ? undefined : readToken(environment, variables.subject, 'address')
  return {
    email,
    privateKey: new Secret(privateKey),
    keyId: stringMember(key, 'private_key_id'),
    subject,
    scopes: scopes.length > 0 ? scopes : variables.defaultScopes,
  }
}

/** A server's service account; undefined if it has other credentials or none. Throws `Unauthenticated` for an unusable one. */
export function serviceAccountOf(
  account: AccountConfig,
  settings: Pick<AccountSettings, 'embedded' | 'environment'>,
): ServiceAccount | undefined {
  const [first] = settings.embedded ? [] : overridingVariables(account, settings.environment)
  const { serviceAccount } = account
  return serviceAccount && first === serviceAccount.key ? readServiceAccount(serviceAccount, settings.environment) : undefined
}

/** A service account as a login that is always due for a refresh: its tokens exist only in this process, and every process gets its own. */
export function serviceAccountStore(
  { provider, variables }: Pick<AccountConfig, 'provider' | 'variables'>,
  { email, subject, scopes }: ServiceAccount,
  { environment, apiUrl }: { readonly environment: Environment; readonly apiUrl: string },
): TokenStore {
  const endpoints = endpointsAt(provider, readBaseUrl(environment, variables.authUrl))
  // The manager replaces this token before using it.
  const none = new Secret('none', { isRedacted: false })
  let login: Login | undefined = {
    client: { id: email },
    authorizationUrl: endpoints.authorization,
    tokenUrl: endpoints.token,
    revocationUrl: endpoints.revocation,
    apiUrl,
    account: { account: subject ?? email },
    scopes,
    tokens: { accessToken: none, refreshToken: none, expiry: { expiresAt: 0, refreshAt: 0 } },
  }
  return {
    location: "this process's memory",
    read: () => Promise.resolve(login),
    write(_, changed) {
      login = changed
      return Promise.resolve()
    },
    checkWritable: () => Promise.resolve(),
    withLock: (_, work) => work(),
  }
}
