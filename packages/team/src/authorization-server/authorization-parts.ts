import type { ServerResponse } from 'node:http'
import type { Clock, PeopleState } from '@mcp-toolkits/core/base'
import type { ConnectLog, PublicUrls } from '../connect/connect-context.ts'
import type { IdentityProvider } from '../connect/identity-provider.ts'
import type { IssuerKeys } from '../tokens/issuer-keys.ts'
import { type ClientDocuments, isDocumentAddress } from './clients/metadata-documents.ts'
import type { KnownRedirects } from './clients/clients.ts'
import type { RefreshTokens } from './tokens/refresh-tokens.ts'
import type { Registrations } from './clients/registrations.ts'
import type { Resources } from './resources.ts'
import type { SignInRecords } from './sign-in-records.ts'

export interface AuthorizationParts {
  /** The authorization server's issuer: this server's public URL. */
  readonly issuer: string
  readonly server: { readonly name: string; readonly title: string }
  readonly urls: PublicUrls
  readonly state: PeopleState
  readonly resources: Resources
  readonly identityProvider: IdentityProvider
  readonly identityProviderIssuer: string
  readonly identityProviderKeys: Pick<IssuerKeys, 'find'>
  /** The claim in the identity provider's tokens that identifies the person. */
  readonly subjectClaim: string
  readonly registrations: Registrations
  readonly documents: ClientDocuments
  readonly refreshTokens: RefreshTokens
  readonly signIns: SignInRecords
  readonly knownRedirects: KnownRedirects
  /** Functions to call with a response's OAuth error code. */
  readonly onErrors: WeakMap<ServerResponse, (error: string) => void>
  /** True if the sender of this request may send one more form. */
  readonly maySend: (request: Request) => boolean
  /** Addresses that responses to forms may lead to, besides this server and the client. */
  readonly formTargets: readonly string[]
  readonly clock: Clock
  readonly log: ConnectLog
}

/** Records that a person uses a client, which is then remembered for longer. */
export const noteUse = ({ documents, registrations }: Pick<AuthorizationParts, 'documents' | 'registrations'>, clientId: string) =>
  (isDocumentAddress(clientId) ? documents : registrations).use(clientId)

/** Name of the cookie for an authorization request. */
export const interactionCookie = ({ name }: AuthorizationParts['server']) => `${name}-authorization`
