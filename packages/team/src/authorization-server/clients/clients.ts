import { type ExpiringRecords, isObject, stringMember } from '@mcp-toolkits/core/base'
import type { ClientMetadata } from 'oidc-provider'
import { digest } from '../../connect/connect-records.ts'
import { lifetimes } from '../tokens/lifetimes.ts'
import { recordKey } from '../storage.ts'

/** The grant types that clients can use, under their OAuth names. */
export const grantTypes = {
  code: 'authorization_code',
  refresh: 'refresh_token',
  assertion: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
} as const

/** Unacceptable client metadata; the message is for the client's developer. */
export class InvalidClient extends Error {
  override readonly name = 'InvalidClient'
  /** Error code from RFC 7591. */
  readonly code: 'invalid_client_metadata' | 'invalid_redirect_uri'
  constructor(code: InvalidClient['code'], message: string) {
    super(message)
    this.code = code
  }
}

const maxRedirects = 20
const maxUrlLength = 2_000
const maxNameLength = 100

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

/** True for the address of a program on the person's own computer. */
export function isLoopback(url: string): boolean {
  const { protocol = '', hostname = '' } = URL.parse(url) ?? {}
  return protocol === 'http:' && loopbackHosts.includes(hostname)
}

/**
 * The client metadata that we use, from a registration or a metadata document (RFC 7591). Clients have no secret; the only check on them is
 * their redirect address: an https address, or a program on the person's computer. `isLenient` drops unusable parts, because a document can
 * be written for many servers. Throws `InvalidClient`.
 */
export function clientMetadata(id: string, document: unknown, { isLenient }: { readonly isLenient: boolean }): ClientMetadata {
  if (!isObject(document)) throw new InvalidClient('invalid_client_metadata', "A client's metadata must be a JSON object.")
  const types = grantTypesOf(document)
  const redirects = types.includes(grantTypes.code) ? redirectsOf(document, isLenient) : []
  const name = stringMember(document, 'client_name')?.trim().slice(0, maxNameLength)
  return {
    client_id: id,
    ...(name !== undefined && name !== '' && { client_name: name }),
    redirect_uris: redirects,
    grant_types: types,
    response_types: types.includes(grantTypes.code) ? ['code'] : [],
    token_endpoint_auth_method: 'none',
    // Native clients may use any port of the loopback address: https://www.rfc-editor.org/rfc/rfc8252#section-7.3
    application_type: redirects.some(isLoopback) ? 'native' : 'web',
  }
}

function grantTypesOf(document: Readonly<Record<string, unknown>>): string[] {
  const { grant_types: given = [grantTypes.code, grantTypes.refresh] } = document
  const known: readonly string[] = Object.values(grantTypes)
  const wanted = Array.isArray(given) ? given.filter((type) => typeof type === 'string' && known.includes(type)) : []
  const types = [...new Set<string>(wanted.map(String))]
  if (types.includes(grantTypes.code) || types.includes(grantTypes.assertion)) return types
  throw new InvalidClient('invalid_client_metadata', `grant_types must include ${grantTypes.code} or ${grantTypes.assertion}.`)
}

function redirectsOf({ redirect_uris: given }: Readonly<Record<string, unknown>>, isLenient: boolean): string[] {
  const uris: unknown[] = Array.isArray(given) ? given : []
  const usable = uris.filter(isRedirect)
  const isAcceptable = usable.length > 0 && uris.length <= maxRedirects && (isLenient || usable.length === uris.length)
  if (isAcceptable) return usable
  throw new InvalidClient(
    'invalid_redirect_uri',
    `redirect_uris must be 1 to ${maxRedirects} addresses that begin with https://, or with http:// and 127.0.0.1, [::1] or localhost. They must have no fragment or password.`,
  )
}

function isRedirect(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > maxUrlLength || /[\s#\\]/.test(uri)) return false
  const url = URL.parse(uri)
  if (url?.username !== '' || url.password !== '') return false
  return isLoopback(uri) || (url.protocol === 'https:' && !loopbackHosts.includes(url.hostname))
}

/**
 * Addresses to which a browser is redirected without asking the person. Anyone can register a client, and redirects from this server to unknown
 * addresses help attackers deceive people (https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2), so an address counts as known only after
 * a person in the company has let the client act for them. Addresses on the person's computer always count as known.
 */
export interface KnownRedirects {
  readonly includes: (clientId: string, redirectUri: string) => Promise<boolean>
  readonly add: (clientId: string, redirectUri: string) => Promise<void>
}

export function knownRedirects(records: ExpiringRecords): KnownRedirects {
  const keyOf = (clientId: string, redirectUri: string) =>
    recordKey('oauth known redirect', digest(JSON.stringify([clientId, redirectUri])))
  return {
    includes: async (clientId, redirectUri) => isLoopback(redirectUri) || (await records.get(keyOf(clientId, redirectUri))) !== undefined,
    add: async (clientId, redirectUri) => {
      if (!isLoopback(redirectUri)) await records.set(keyOf(clientId, redirectUri), 'known', lifetimes.authorization * 1_000)
    },
  }
}
