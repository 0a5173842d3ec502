import { readBaseUrl, readSecret, Unauthenticated } from '@mcp-toolkits/core'
import { endpointsAt, isFor, type Login } from '@mcp-toolkits/core/accounts'
import type { Settings } from '../definition.ts'
import type { SignIn } from './sign-in.ts'

/** Who asks a person, whom, and for which API. */
export type Asked = Pick<Login, 'client' | 'authorizationUrl' | 'tokenUrl' | 'revocationUrl' | 'apiUrl'>

/** What the environment says of it; undefined where it names no client. Throws `Unauthenticated` for what cannot be used. */
export function askedBySettings({ provider, variables, apiUrl }: SignIn, settings: Settings): Asked | undefined {
  const { environment } = settings
  const id = readSecret(environment, variables.clientId, 'client id')
  if (!id) return undefined
  const secret = variables.clientSecret === undefined ? undefined : readSecret(environment, variables.clientSecret, 'client secret')
  const { authorization, token, revocation } = endpointsAt(provider, readBaseUrl(environment, variables.authUrl))
  const client = { id: id.reveal(), ...(secret && { secret }) }
  return { client, authorizationUrl: authorization, tokenUrl: token, revocationUrl: revocation, apiUrl: apiUrl(settings) }
}

/**
 * The same as before, for an environment that names no client. Throws `Unauthenticated` where it names another address: the client is
 * registered where the login was made, and its secret is for nobody else.
 */
export function askedAgain({ provider, variables, apiUrl }: SignIn, settings: Settings, before: Asked): Asked {
  const { client, authorizationUrl, tokenUrl, revocationUrl } = before
  const base = readBaseUrl(settings.environment, variables.authUrl)
  const { authorization, token } = endpointsAt(provider, base)
  const api = apiUrl(settings, before.apiUrl)
  const isElsewhere = base !== undefined && (authorization !== authorizationUrl || token !== tokenUrl)
  if (!isElsewhere && isFor(before, api)) return { client, authorizationUrl, tokenUrl, revocationUrl, apiUrl: api }
  const [was, is] = isElsewhere ? [authorizationUrl, authorization] : [before.apiUrl, api]
  throw new Unauthenticated(
    `The login that is stored is for ${was}, and the environment names ${is}. Set ${variables.clientId} to an application that is registered there, or unset the address.`,
  )
}
