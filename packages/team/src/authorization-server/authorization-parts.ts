import type { ServerResponse } from 'node:http'
import type { PageParts } from '../connect/connect-context.ts'
import type { IssuerKeys } from '../tokens/issuer-keys.ts'
import { type ClientDocuments, isDocumentAddress } from './clients/metadata-documents.ts'
import type { KnownRedirects } from './clients/clients.ts'
import type { RefreshTokens } from './tokens/refresh-tokens.ts'
import type { Registrations } from './clients/registrations.ts'
import type { Resources } from './resources.ts'
import type { SignInRecords } from './sign-in-records.ts'

export interface AuthorizationParts extends PageParts {
  /** The authorization server's issuer: this server's public URL. */
  readonly issuer: string
  readonly resources: Resources
  readonly identityProviderIssuer: string
  readonly identityProviderKeys: Pick<IssuerKeys, 'find'>
  readonly registrations: Registrations
  readonly documents: ClientDocuments
  readonly refreshTokens: RefreshTokens
  readonly signIns: SignInRecords
  readonly knownRedirects: KnownRedirects
  /** Functions to call with a response's OAuth error code. */
  readonly onErrors: WeakMap<ServerResponse, (error: string) => void>
}

/** Records that a person uses a client, which is then remembered for longer. */
export const noteUse = ({ documents, registrations }: Pick<AuthorizationParts, 'documents' | 'registrations'>, clientId: string) =>
  (isDocumentAddress(clientId) ? documents : registrations).use(clientId)

/** Name of the cookie for an authorization request. */
export const interactionCookie = ({ name }: AuthorizationParts['server']) => `${name}-authorization`
