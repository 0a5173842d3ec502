import { createHmac, generateKeyPair, type KeyObject, randomUUID, sign } from 'node:crypto'
import { promisify } from 'node:util'

/** Content of a token. Claims and header parameters that are undefined are left out. */
export interface TokenOptions {
  /** `aud`, one or several. */
  readonly audience?: string | readonly string[]
  readonly scopes?: readonly string[]
  /** The public MCP client of the provider when absent. */
  readonly clientId?: string
  /** In seconds; an hour when absent. */
  readonly lifetime?: number
  /** Replaces claims. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Replaces header parameters. With `alg: none` the token is not signed; with `HS256`, by the public key as the secret. */
  readonly header?: Readonly<Record<string, unknown>>
}

/** A provider's pair of keys, which its metadata publishes. */
export interface SigningKeys {
  readonly keyId: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** New RSA keys. */
export async function createSigningKeys(): Promise<SigningKeys> {
  return { keyId: randomUUID(), ...(await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })) }
}

/** A JWT as compact text. */
export function signToken(
  { header, claims }: Readonly<Record<'header' | 'claims', Readonly<Record<string, unknown>>>>,
  keys: SigningKeys,
): string {
  const content = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${content}.${signatureOf(content, header['alg'], keys)}`
}

function signatureOf(content: string, algorithm: unknown, { publicKey, privateKey }: SigningKeys): string {
  if (algorithm === 'none') return ''
  if (algorithm !== 'HS256') return sign('sha256', Buffer.from(content), privateKey).toString('base64url')
  return createHmac('sha256', publicKey.export({ type: 'spki', format: 'pem' }))
    .update(content)
    .digest('base64url')
}
