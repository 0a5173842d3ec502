import { readBaseUrl, readSecret } from '@mcp-toolkits/core'
import { endpointsAt, type Login } from '@mcp-toolkits/core/accounts'
import type { Settings } from '../definition.ts'
import type { SignIn } from './sign-in.ts'

/** Who asks a person, whom, and for which API. */
export type Asked = Pick<Login, 'client' | 'authorizationUrl' | 'tokenUrl' | 'revocationUrl' | 'apiUrl'>

/** What the environment says of it; undefined where it names no client. Throws `Unauthenticated` for what cannot be used. */
export function askedBySettings({ provider, variables, apiUrl }: SignIn, settings: Settings): Asked | undefined {
  const { environment } = settings
  const id = readSecret(environment, variables.clientId)
  if (!id) return undefined
  const secret = variables.clientSecret === undefined ? undefined : readSecret(environment, variables.clientSecret)
  const { authorization, token, revocation } = endpointsAt(provider, readBaseUrl(environment, variables.authUrl))
  const client = { id: id.reveal(), ...(secret && { secret }) }
  return { client, authorizationUrl: authorization, tokenUrl: token, revocationUrl: revocation, apiUrl: apiUrl(settings) }
}
