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

/** What the authorization server works with. */
export interface AuthorizationParts {
  /** The name of the authorization server: the public URL of this server. */
  readonly issuer: string
  readonly server: { readonly name: string; readonly title: string }
  readonly urls: PublicUrls
  readonly state: PeopleState
  readonly resources: Resources
  /** Where people sign in. */
  readonly identityProvider: IdentityProvider
  readonly identityProviderIssuer: string
  /** With which the identity provider signs. */
  readonly identityProviderKeys: Pick<IssuerKeys, 'find'>
  /** The claim of the identity provider's tokens that is the person. */
  readonly subjectClaim: string
  readonly registrations: Registrations
  readonly documents: ClientDocuments
  readonly refreshTokens: RefreshTokens
  readonly signIns: SignInRecords
  readonly knownRedirects: KnownRedirects
  /** What is called with OAuth's code of the error that a response will have. */
  readonly onErrors: WeakMap<ServerResponse, (error: string) => void>
  /** Whether one more form may be sent from where this request comes from. */
  readonly maySend: (request: Request) => boolean
  /** Where the answers to forms may lead, besides this server and the client. */
  readonly formTargets: readonly string[]
  readonly clock: Clock
  readonly log: ConnectLog
}

/** Notes that a person uses a client, which is then remembered for longer. */
export const noteUse = ({ documents, registrations }: Pick<AuthorizationParts, 'documents' | 'registrations'>, clientId: string) =>
  (isDocumentAddress(clientId) ? documents : registrations).use(clientId)

/** What the cookie of an authorization request is called. */
export const interactionCookie = ({ name }: AuthorizationParts['server']) => `${name}-authorization`
