import { type Clock, once, systemClock, withTimeout } from '@mcp-toolkits/core/base'
import { ToolError, Unavailable, withStorageFailures } from '@mcp-toolkits/core/errors'
import {
  type Fetch,
  type LimitsStorage,
  memoryLimits,
  openSharedLimits,
  type Telemetry,
  withAuthorization,
} from '@mcp-toolkits/core/upstream'
import type { Connection } from '../mcp/definition.ts'
import { type AccountConfig, type AccountSettings, profileKey, signInStep } from './account.ts'
import { readServiceAccount, serviceAccountStore } from './service-account.ts'
import { accountIdOf, hash } from './tokens/account-id.ts'
import type { AccountInfo } from './tokens/login-format.ts'
import { TokenManager, withLogin } from './tokens/token-manager.ts'
import { findTokenSource } from './tokens/token-source.ts'
import { tokenStoreOf } from './tokens/login-store.ts'

/** An upstream whose `fetch` adds the credentials. */
export interface AuthorizedUpstream {
  readonly url: string
  readonly fetch: Fetch
  /** Sends requests without the credentials, to addresses signed by the vendor. */
  readonly plainFetch: Fetch
  /** Absent for credentials from the environment and the embedded default. */
  readonly tokens?: TokenManager
  /** The credentials' current scopes; undefined if unknown. */
  readonly scopes?: () => Promise<readonly string[] | undefined>
  /** Email address of a service account, or of the person it acts for. Absent for other credentials. */
  readonly serviceAccount?: string
  /** Identifies the account in every process without revealing a secret. It changes when another person signs in. */
  readonly accountId: () => Promise<string>
  /** Shows a call in the emulator's workspace; present only for the embedded default. */
  readonly recordCall?: Recorder
  readonly close: () => Promise<void>
}

type Recorder = NonNullable<Connection<never>['recordCall']>

export interface UpstreamOptions {
  /** Replaces `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  readonly log?: { readonly error: (message: string, fields: Readonly<Record<string, unknown>>) => void } | undefined
  readonly clock?: Clock | undefined
  readonly telemetry?: Telemetry | undefined
  /** Storage for limits shared by replicas; absent for a single server. */
  readonly shared?: { readonly limits: LimitsStorage } | undefined
}

/** Opens the vendor's API with the server's credentials; undefined if there are none. Throws `Unauthenticated` for unusable credentials. */
export function openUpstream(
  account: AccountConfig,
  settings: AccountSettings,
  { fetch = globalThis.fetch, log, clock = systemClock, telemetry, shared }: UpstreamOptions = {},
): AuthorizedUpstream | undefined {
  const source = findTokenSource(account, settings)
  if (!source) return undefined
  const { url } = source
  const { api } = account
  const places = url === api.url && api.files !== undefined ? [url, api.files] : [url]
  if (source.kind === 'environment') {
    const { authorization } = source
    return {
      url,
      fetch: withAuthorization(fetch, places, authorization),
      plainFetch: fetch,
      // A credential does not name its account, so its hash identifies the account.
      accountId: () => Promise.resolve(hash([url, authorization()])),
      close: () => Promise.resolve(),
    }
  }
  const { provider } = account
  const { environment } = settings
  const service = source.kind === 'service' && account.serviceAccount ? readServiceAccount(account.serviceAccount, environment) : undefined
  const key = profileKey(account, settings)
  const limits = once(async () => {
    if (!shared) return memoryLimits(clock)
    // Each person has separate limits: if one person's login is refused too often, others must still get new tokens.
    const account = `sign-in ${hash([url, key, settings.owner])}`
    return openSharedLimits({ storage: shared.limits, account: () => Promise.resolve(account), clock })
  })
  const tokens = new TokenManager({
    store: service ? serviceAccountStore(account, service, { environment, apiUrl: url }) : tokenStoreOf(settings, clock),
    key,
    apiUrl: url,
    async client(login) {
      const options = { provider, target: login, fetch, clock, limits: await limits(), telemetry }
      if (service && account.serviceAccount) {
        const { assertionClient } = await import('./assertion-client.ts')
        return assertionClient(service, { ...options, variables: account.serviceAccount, details: signInStep(account, settings).details })
      }
      const { oauthClient } = await import('./login/oauth-client.ts')
      return oauthClient(options)
    },
    vendor: provider.name,
    // On the command line, the person names the scopes; a page asks again for the scopes granted before.
    signIn: (scopes) => signInStep(account, settings, settings.owner === undefined ? undefined : scopes),
    onStoreFailure(reason) {
      // If the provider accepts each refresh token only once, the login is lost when this process ends.
      log?.error('login', { outcome: 'refreshed, but not stored', reason, ...key })
    },
    clock,
    telemetry,
  })
  return {
    url,
    fetch: withLogin(fetch, places, tokens),
    plainFetch: fetch,
    tokens,
    ...(service && { serviceAccount: service.subject ?? service.email }),
    scopes: async () => (await tokens.login()).scopes,
    accountId: async () => accountIdOf(await tokens.login(), url),
    close: () => tokens.idle(),
  }
}

/** An emulator as an upstream. Its API begins at `path`. Nothing listens at its URL, because its `fetch` is called directly. */
export function embeddedUpstream(
  emulator: { readonly fetch: Fetch; readonly recordCall?: Recorder; readonly close?: () => void | Promise<void> },
  { path = '', authorization }: { readonly path?: string; readonly authorization: string },
): AuthorizedUpstream {
  const url = `http://localhost${path}`
  const fetch = withStorageFailures(emulator.fetch)
  return {
    url,
    fetch: withAuthorization(fetch, url, () => authorization),
    plainFetch: fetch,
    accountId: () => Promise.resolve('embedded'),
    ...(emulator.recordCall && { recordCall: emulator.recordCall }),
    close: async () => emulator.close?.(),
  }
}

/** Time, in milliseconds, that `status` waits for the vendor. */
const whoAmIMs = 10_000

/** Describes the account for `status`, or the problem that keeps it from being used. */
export async function describeAccount(
  { provider: { name }, whoAmI }: Pick<AccountConfig, 'provider' | 'whoAmI'>,
  upstream: Pick<AuthorizedUpstream, 'fetch' | 'url'>,
  clock?: Clock,
): Promise<AccountInfo> {
  const reason = () => new Unavailable(`${name} did not answer in time.`)
  try {
    return await withTimeout({ ms: whoAmIMs, reason, clock }, ({ signal }) => whoAmI(upstream, signal))
  } catch (error) {
    if (error instanceof ToolError) return { problem: error.message }
    throw error
  }
}
