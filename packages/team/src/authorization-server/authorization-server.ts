import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { formTargets, type PageParts, publicUrls } from '../connect/connect-context.ts'
import { cookies } from '../connect/browser-state.ts'
import { formLimits } from '../tokens/request-limits.ts'
import { identityProvider, type IdentityProviderConfig } from '../connect/identity-provider.ts'
import { IssuerKeys } from '../tokens/issuer-keys.ts'
import type { TokenVerifier } from '../tokens/token-verifier.ts'
import { ownTokenVerifier } from './tokens/access-tokens.ts'
import type { AuthorizationParts } from './authorization-parts.ts'
import { clientDocuments, metadataDocumentFetch, type MetadataDocumentsOptions } from './clients/metadata-documents.ts'
import { type AnswerClient, answerClients, isClientPath } from './clients/client-endpoints.ts'
import { serveConsentPages } from './clients/client-consent.ts'
import { knownRedirects } from './clients/clients.ts'
import { currentProvider } from './provider.ts'
import { refreshTokens } from './tokens/refresh-tokens.ts'
import { registrations } from './clients/registrations.ts'
import { type OfferedScope, resourcesOf } from './resources.ts'
import { signInRecords } from './sign-in-records.ts'
import { signingKeys } from './tokens/signing-keys.ts'

export interface AuthorizationServerOptions extends Pick<PageParts, 'server' | 'state' | 'log'> {
  /** This server's address for people and clients, without a trailing slash; also the authorization server's issuer. */
  readonly publicUrl: string
  /** Identity provider for sign-in, with this server's client registration. */
  readonly identityProvider: IdentityProviderConfig
  readonly scopes: readonly OfferedScope[]
  readonly fetch?: Fetch
  readonly guard?: MetadataDocumentsOptions['guard']
  readonly clock?: Clock
}

/** An OAuth 2.1 authorization server for this server only. Its state is in the store, so any replica can answer any request. */
export interface AuthorizationServer {
  /** The issuer, as named in tokens and metadata. */
  readonly issuer: string
  /** Accepts only the tokens that it issues. */
  readonly verifier: TokenVerifier
  /** True for paths that clients use, from any origin. */
  readonly isClientPath: (path: string) => boolean
  /** Answers a request to a client path. */
  readonly answer: AnswerClient
  /** The pages for people; undefined for a request to anything else. Never rejects. */
  readonly pages: (request: Request) => Promise<Response | undefined>
}

export function openAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { publicUrl, server, state, scopes, guard, fetch = globalThis.fetch, clock = systemClock, log } = options
  const { issuer: identityProviderIssuer, subjectClaim } = options.identityProvider
  const { records } = state
  const serverCookies = cookies(server.name, new URL(publicUrl))
  const resources = resourcesOf(publicUrl, scopes)
  const keys = signingKeys(state, clock)
  const onFailure = (problem: string) => {
    log.warn('identity provider', { problem })
  }
  const parts: AuthorizationParts = {
    ...{ issuer: publicUrl, server, state, resources, subjectClaim, identityProviderIssuer, clock, log },
    urls: publicUrls(publicUrl),
    identityProvider: identityProvider(options.identityProvider, { fetch, clock }),
    identityProviderKeys: new IssuerKeys({ issuer: identityProviderIssuer, fetch, clock, onFailure }),
    registrations: registrations(state, clock),
    refreshTokens: refreshTokens(state, clock),
    signIns: signInRecords(records, serverCookies),
    knownRedirects: knownRedirects(records),
    documents: clientDocuments({ records, fetchDocument: metadataDocumentFetch({ publicUrl, guard }), clock, log }),
    onErrors: new WeakMap(),
    maySend: formLimits(clock),
    formTargets: formTargets([identityProviderIssuer]),
  }
  const provider = currentProvider(parts, keys)
  return {
    issuer: publicUrl,
    verifier: ownTokenVerifier({
      issuer: publicUrl,
      audience: resources.audience,
      identityProvider: identityProviderIssuer,
      keys,
      clock,
    }),
    isClientPath,
    answer: answerClients(parts, provider),
    pages: serveConsentPages(parts, provider),
  }
}
