import { createHmac, generateKeyPair, type KeyObject, randomUUID, sign } from 'node:crypto'
import { promisify } from 'node:util'

/** A token's content. Undefined claims and header parameters are left out. */
export interface TokenOptions {
  /** `aud`, one or several. */
  readonly audience?: string | readonly string[]
  readonly scopes?: readonly string[]
  /** The provider's public MCP client by default. */
  readonly clientId?: string
  /** In seconds; an hour by default. */
  readonly lifetime?: number
  /** Replaces claims. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Replaces header parameters. With `alg: none` the token is unsigned; with `HS256`, it is signed with the public key as the secret. */
  readonly header?: Readonly<Record<string, unknown>>
}

/** A provider's key pair, published in its metadata. */
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
