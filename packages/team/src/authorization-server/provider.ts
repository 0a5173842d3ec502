import { createHmac } from 'node:crypto'
import { printableLine } from '@mcp-toolkits/core/errors'
import Provider, { type Configuration, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { type Page, pageHeaders, renderPage } from '@mcp-toolkits/server/account'
import { identityProviderClaim, refreshGrant, resourceServer } from './tokens/access-tokens.ts'
import { type AuthorizationParts, interactionCookie } from './authorization-parts.ts'
import { grantTypes } from './clients/clients.ts'
import { refusedRequestPage, unavailablePage } from './clients/consent-page.ts'
import { assertionGrant } from './tokens/identity-assertions.ts'
import { lifetimes } from './tokens/lifetimes.ts'
import { storedModels } from './records.ts'
import { consentPath, endpoints } from './server-metadata.ts'
import { type KeySet, signingAlgorithm, type SigningKeys } from './tokens/signing-keys.ts'

/** The protocol implementation for the current keys. It is rebuilt when the keys change, because the library reads keys only once. */
export function currentProvider(parts: AuthorizationParts, keys: SigningKeys): () => Promise<Provider> {
  let built: { readonly id: string; readonly provider: Provider } | undefined
  return async () => {
    const set = await keys.current()
    if (built?.id !== set.id) built = { id: set.id, provider: openProvider(parts, set) }
    return built.provider
  }
}

/** The OAuth 2.1 implementation for these keys: https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/ */
function openProvider(parts: AuthorizationParts, keys: KeySet): Provider {
  const provider = new Provider(parts.issuer, configurationOf(parts, keys))
  // The host and scheme are the public URL's: each request's headers are set to them.
  provider.proxy = true
  const issuer = { provider, resources: parts.resources, keys }
  provider.registerGrantType(grantTypes.refresh, refreshGrant(issuer, parts), ['refresh_token', 'scope', 'resource'])
  provider.registerGrantType(grantTypes.assertion, assertionGrant(issuer, parts), ['assertion', 'scope', 'resource'])
  provider.use(async (context, next) => {
    await next()
    const [redirect, client] = [context.query['redirect_uri'], context.query['client_id']].map(String)
    if (context.path !== endpoints.authorize || !isElsewhere(context.response.headers['location'])) return
    if (await parts.knownRedirects.includes(client ?? '', redirect ?? '')) return
    context.remove('location')
    context.status = 400
    showPage(context, refusedRequestPage('invalid_request: the request is not valid, and no one has used the client here yet'))
  })
  const refused = (context: KoaContextWithOIDC, { error }: { readonly error?: string }) => {
    const client = context.oidc.client?.clientId
    if (error !== undefined) parts.onErrors.get(context.res)?.(error)
    parts.log.info('authorization', { outcome: error ?? 'refused', ...(client !== undefined && { client }) })
  }
  provider.on('authorization.error', refused)
  provider.on('grant.error', refused)
  provider.on('revocation.error', refused)
  provider.on('server_error', (_context, error) => {
    parts.log.error('authorization', { outcome: 'internal', problem: error.name })
  })
  return provider
}

function configurationOf(parts: AuthorizationParts, keys: KeySet): Configuration {
  const { state, refreshTokens, registrations, documents, identityProviderIssuer } = parts
  return {
    adapter: storedModels({ state, refreshTokens, registrations, documents }),
    jwks: { keys: [...keys.keys] },
    cookies: cookiesOf(parts),
    features: featuresOf(parts, keys),
    routes: {
      authorization: endpoints.authorize,
      token: endpoints.token,
      revocation: endpoints.revoke,
      jwks: endpoints.keys,
    },
    interactions: { policy: policyOf(), url: (_context, { uid }) => `${consentPath}/${uid}` },
    // Metadata documents are fetched before the library asks for their clients; it fetches nothing itself.
    fetch: () => Promise.reject(new Error('Nothing is fetched here.')),
    clientAuthMethods: ['none'],
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    responseTypes: ['code'],
    scopes: [],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    // These endpoints do not identify callers by cookies.
    clientBasedCORS: () => true,
    findAccount: (_context, subject) => ({ accountId: subject, claims: () => ({ sub: subject }) }),
    extraTokenClaims: () => ({ [identityProviderClaim]: identityProviderIssuer }),
    issueRefreshToken: (_context, client) => client.grantTypeAllowed(grantTypes.refresh),
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    ttl: {
      AccessToken: lifetimes.accessToken,
      AuthorizationCode: lifetimes.code,
      Interaction: lifetimes.interaction,
      RefreshToken: lifetimes.refreshToken,
      Grant: lifetimes.authorization,
      // Not stored.
      Session: lifetimes.interaction,
    },
    renderError(context, { error, error_description: description }) {
      const isDown = error === 'temporarily_unavailable'
      showPage(context, isDown ? unavailablePage : refusedRequestPage(printableLine(`${error}: ${description ?? ''}`)))
    },
  }
}

/** True for a redirect to anything but the consent page, where every valid request leads. */
const isElsewhere = (location: unknown) => typeof location === 'string' && !location.startsWith(`${consentPath}/`)

function showPage(context: Pick<KoaContextWithOIDC, 'set' | 'body'>, page: Page): void {
  for (const [name, value] of Object.entries(pageHeaders(page))) context.set(name, value)
  context.body = renderPage(page)
}

function cookiesOf({ server, state, urls }: AuthorizationParts): NonNullable<Configuration['cookies']> {
  const options = { httpOnly: true, sameSite: 'lax', secure: urls.origin.startsWith('https:'), signed: true } as const
  const name = interactionCookie(server)
  return {
    names: { session: `${name}-session`, interaction: name, resume: `${name}-resume` },
    keys: [createHmac('sha256', state.stateKey).update('oauth cookies').digest('base64url')],
    short: options,
    long: options,
  }
}

function featuresOf({ resources }: AuthorizationParts, keys: KeySet): NonNullable<Configuration['features']> {
  const off = { enabled: false } as const
  return {
    devInteractions: off,
    userinfo: off,
    rpInitiatedLogout: off,
    pushedAuthorizationRequests: off,
    dPoP: off,
    revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resources.audience,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => resourceServer({ resources, keys }, resource),
    },
  }
}

/** Asks the person to consent and sign in for each authorization, because no sign-in is remembered. */
function policyOf(): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy
  const always = new Check('always', 'The person has to sign in.', 'login_required', ({ oidc }) =>
    oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  )
  const requestable = ['consent', 'select_account', 'create'].map((name) => new Prompt({ name, requestable: true }))
  return [new Prompt({ name: 'login', requestable: true }, always), ...requestable]
}
