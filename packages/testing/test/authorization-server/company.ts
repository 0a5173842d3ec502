import { onTestFinished } from 'vitest'
import { type AuthorizationServersOptions, startAuthorizationServers } from '../../src/people/authorization-server.ts'
import { startDocumentServer } from '../../src/people/document-server.ts'
import { oauthClient, redirectUri, register } from '../../src/people/oauth-client.ts'

export const assertionGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

const everyGrant = ['authorization_code', 'refresh_token', assertionGrant]

/** Metadata that a client publishes about itself. */
export const metadataOf = (changes: object = {}) => ({
  client_name: 'Editor',
  redirect_uris: [redirectUri.replace(':33333', '')],
  grant_types: everyGrant,
  token_endpoint_auth_method: 'none',
  ...changes,
})

const scope = 'files:read files:write'

/** A company, and the ways in which its people's clients become known to the authorization servers. */
export async function startCompany(options: AuthorizationServersOptions = {}) {
  const documents = await startDocumentServer()
  onTestFinished(() => documents[Symbol.asyncDispose]())
  const company = await startAuthorizationServers({ authorities: documents.certificate, ...options })
  const { url: issuer } = company
  const resource = `${issuer}/mcp`
  const clientOf = (clientId: string) => ({ ...oauthClient({ issuer, clientId, resource, scope }), id: clientId })
  const register_ = async (changes: object = {}) => {
    const { body } = await register(issuer, metadataOf(changes))
    return clientOf(String(body['client_id']))
  }
  const documented = (changes: object = {}, path = '/client.json') => {
    const id = `${documents.url}${path}`
    documents.documents.set(path, { client_id: id, ...metadataOf(), ...changes })
    return clientOf(id)
  }
  return {
    ...company,
    issuer,
    resource,
    documents,
    clientOf,
    registered: register_,
    documented,
    /** An assertion by the identity provider that a client may act for a person. */
    assertionFor(clientId: string, { header = {}, claims = {}, lifetime = 300 }: AssertionChanges = {}) {
      const token = { audience: issuer, clientId, scopes: ['files:read', 'files:write'], lifetime }
      return company.identityProvider.tokenFor('ada', {
        ...token,
        header: { typ: 'oauth-id-jag+jwt', ...header },
        claims: { resource, ...claims },
      })
    },
  }
}

export interface AssertionChanges {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly lifetime?: number
}
