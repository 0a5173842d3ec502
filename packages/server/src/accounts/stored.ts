import { restrictOrigins, type Fetch } from '@mcp-toolkits/core'
import { credentialFile, oauthIssuer, openAccount, type Account, type Issuer, type Login, type Provider } from '@mcp-toolkits/core/accounts'
import type { Settings } from '../definition.ts'
import type { Log } from '../log.ts'
import { commandLine } from './command-line.ts'
import { placeOf } from './stored-login.ts'

export interface OpenStored {
  readonly server: string
  readonly provider: Provider
  readonly settings: Settings
  /** Where calls go. */
  readonly url: string
  readonly fetch: Fetch
  readonly log?: Log | undefined
}

/** The account that a server was given, renewed as needed. */
export function openStored({ server, provider, settings, url, fetch, log }: OpenStored): Account {
  const place = placeOf(server, settings)
  return openAccount({
    file: credentialFile(settings.dataDirectory),
    place,
    url,
    issuer: (login) => issuerOf(provider, login, fetch),
    vendor: provider.name,
    command: commandLine(server, settings, ['login']),
    onUnstored(reason) {
      // With this process the login ends, where the provider takes a refresh token once.
      log?.error('login', { outcome: 'renewed, and cannot be stored', reason, ...place })
    },
  })
}

/** Who renews and revokes the tokens of a login: the endpoints that gave them out, and nobody else, whatever a provider's library does. */
export function issuerOf(provider: Provider, login: Pick<Login, 'client' | 'tokenUrl' | 'revocationUrl'>, fetch: Fetch): Issuer {
  const { client, tokenUrl, revocationUrl } = login
  const send = restrictOrigins(fetch, [tokenUrl, revocationUrl])
  return (provider.issuer ?? oauthIssuer)({ fetch: send, provider, client, tokenUrl, revocationUrl, now: Date.now })
}
