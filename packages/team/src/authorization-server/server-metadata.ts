import { grantTypes } from './clients/clients.ts'
import type { Resources } from './resources.ts'

/** The authorization server's client endpoints. */
export const endpoints = {
  metadata: '/.well-known/oauth-authorization-server',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  register: '/oauth/register',
  keys: '/oauth/keys',
} as const

/** Path at which people consent, followed by a segment that identifies the request. */
export const consentPath = '/oauth/consent'

/** Metadata of the authorization server: https://www.rfc-editor.org/rfc/rfc8414 */
export function serverMetadata(issuer: string, { scopes }: Pick<Resources, 'scopes'>): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}${endpoints.authorize}`,
    token_endpoint: `${issuer}${endpoints.token}`,
    registration_endpoint: `${issuer}${endpoints.register}`,
    revocation_endpoint: `${issuer}${endpoints.revoke}`,
    jwks_uri: `${issuer}${endpoints.keys}`,
    scopes_supported: scopes.map(({ name }) => name),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: Object.values(grantTypes),
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    // https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  }
}
