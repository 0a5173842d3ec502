import { sentence, Unauthenticated } from '@mcp-toolkits/core/errors'
import { type Environment, readBaseUrl, readSecret } from '@mcp-toolkits/core/upstream'
import { type AccountConfig, type AccountSettings, credentialVariables, profileKey, signInStep } from '../account.ts'
import { canSendTokensTo, type Login } from './login-format.ts'
import { loginAtStart } from './login-store.ts'

/** A server's credentials, and the API that they are valid for. */
export type TokenSource =
  /** An API key or access token from the environment, formatted for the authorization header. */
  | { readonly kind: 'environment'; readonly url: string; readonly authorization: () => string }
  /** A service account from the environment. */
  | { readonly kind: 'service'; readonly url: string }
  /** A stored login, which can change while the server is running. */
  | { readonly kind: 'login'; readonly url: string }

/**
 * Finds the token, in order of precedence: `--embedded` (none), the credential variables in the account's order, the service account, the
 * stored login. Undefined means the embedded default. Unusable credentials throw `Unauthenticated`; they never fall back to the embedded
 * default.
 */
export function findTokenSource(account: AccountConfig, settings: AccountSettings): TokenSource | undefined {
  const { embedded, environment } = settings
  if (embedded) return undefined
  const { api, credentials, serviceAccount } = account
  const authorization = readAuthorization(account, environment)
  const chosenUrl = readBaseUrl(environment, api.variable)
  if (authorization !== undefined) return { kind: 'environment', url: chosenUrl ?? api.url, authorization }
  if (serviceAccount && environment[serviceAccount.key] !== undefined) return { kind: 'service', url: chosenUrl ?? api.url }
  const login = requireStoredLogin(account, settings)
  if (login) return { kind: 'login', url: loginUrl(login, chosenUrl, { account, settings }) }
  if (chosenUrl === undefined) return undefined
  const [{ variable }] = credentials
  throw new Unauthenticated(
    sentence`${{ variable: api.variable }} is set without credentials. Unset it, set ${{ variable }} too, or sign in.`,
  )
}

/** The credential variables that are set and therefore override a login. */
export function overridingVariables(account: AccountConfig, environment: Environment): string[] {
  return credentialVariables(account).filter((variable) => environment[variable] !== undefined)
}

/** The API that calls go to, found without opening anything. */
export function upstreamOf(account: AccountConfig, settings: AccountSettings): { kind: 'embedded' } | { kind: 'vendor'; url: string } {
  const source = findTokenSource(account, settings)
  return source ? { kind: 'vendor', url: source.url } : { kind: 'embedded' }
}

/** Reads all variables, so that an invalid one is reported even if a different one is used. */
function readAuthorization({ credentials }: AccountConfig, environment: Environment): (() => string) | undefined {
  const values = credentials.map(({ variable, noun, scheme, prefixes }) => {
    const secret = readSecret(environment, variable, noun, prefixes)
    return secret && (() => (scheme ? `${scheme} ${secret.reveal()}` : secret.reveal()))
  })
  return values.find((value) => value !== undefined)
}

/**
 * Throws for a profile without a login: an operator who names a profile does not want the embedded default, and neither does a person who
 * has not connected an account.
 */
function requireStoredLogin(account: AccountConfig, settings: AccountSettings): Login | undefined {
  const { profile, owner } = settings
  const key = profileKey(account, settings)
  const login = loginAtStart(settings, key)
  if (login || (profile === undefined && owner === undefined)) return login
  const { advice, details } = signInStep(account, settings)
  if (owner === undefined) throw new Unauthenticated(`No login is stored under the profile "${key.profile}".`, details)
  const under = key.profile === 'default' ? '' : ` under the profile "${key.profile}"`
  throw new Unauthenticated(`This person has not connected their ${account.provider.name} account${under}. ${advice}`, details)
}

function loginUrl(login: Login, chosen: string | undefined, { account, settings }: SignInPlace): string {
  if (chosen === undefined || canSendTokensTo(login, chosen)) return chosen ?? login.apiUrl
  const problem = `The stored login is for ${login.apiUrl} and is not sent to ${chosen}.`
  if (settings.owner === undefined) throw new Unauthenticated(`${problem} Sign in again for that address, or unset it.`)
  const { advice, details } = signInStep(account, settings)
  throw new Unauthenticated(`${problem} ${advice}`, details)
}

interface SignInPlace {
  readonly account: AccountConfig
  readonly settings: AccountSettings
}
