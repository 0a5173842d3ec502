import { createHmac } from 'node:crypto'
import { once } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type GenerateKeyPairResult,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'

interface SigningKey {
  readonly id: string
  readonly pair: GenerateKeyPairResult
  readonly publicJwk: JWK
}

/** Keys that every issuer starts with, because generating one takes longer than a test. */
const firstKeys = once(async () => {
  const [own, foreign] = await Promise.all([newKey('first'), newKey('first')])
  return { own, foreign }
})

async function newKey(id: string): Promise<SigningKey> {
  const pair = await generateKeyPair('RS256')
  return { id, pair, publicJwk: { ...(await exportJWK(pair.publicKey)), kid: id, alg: 'RS256', use: 'sig' } }
}

/** Differences between a token and an ordinary one. A claim that is undefined is left out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** Signs with a key that is not published. */
  readonly withForeignKey?: boolean
}

/** Issues valid and invalid tokens, and publishes its keys as an identity provider does. */
export class TokenIssuer {
  readonly issuer: string
  /** The requests that it has answered. */
  readonly requests: string[] = []
  isDown = false
  /** True if it accepts requests but never answers. */
  isSilent = false
  /** Issuer in its metadata; `issuer` unless a test changes it. */
  namedIssuer: string
  readonly #foreign: SigningKey
  #keys: readonly SigningKey[]

  private constructor(issuer: string, keys: { readonly own: SigningKey; readonly foreign: SigningKey }) {
    this.issuer = issuer
    this.namedIssuer = issuer
    this.#keys = [keys.own]
    this.#foreign = keys.foreign
  }

  static async create(issuer = 'https://id.example'): Promise<TokenIssuer> {
    return new TokenIssuer(issuer, await firstKeys())
  }

  /** Signs with a new key from now on. The former key stays published unless `isLeaked`. */
  async rotate({ isLeaked = false, id = `key-${this.#keys.length + 1}` } = {}): Promise<void> {
    const key = await newKey(id)
    this.#keys = isLeaked ? [key] : [key, ...this.#keys]
  }

  readonly fetch: Fetch = (input, init) => {
    const { href, pathname } = new URL(input instanceof Request ? input.url : input)
    if (this.isDown) return Promise.reject(new TypeError('fetch failed'))
    if (this.isSilent) return silence(init?.signal)
    this.requests.push(pathname)
    const base = this.issuer.replace(/\/$/, '')
    if (href === `${base}/.well-known/openid-configuration`)
      return Promise.resolve(Response.json({ issuer: this.namedIssuer, jwks_uri: `${base}/keys` }))
    if (href === `${base}/keys`) return Promise.resolve(Response.json({ keys: this.#keys.map(({ publicJwk }) => publicJwk) }))
    return Promise.resolve(new Response('', { status: 404 }))
  }

  /** A token with these claims, valid for an hour after `now`, in milliseconds. */
  async sign(claims: Readonly<Record<string, unknown>>, now: number, changes: TokenChanges = {}): Promise<string> {
    const [own] = this.#keys
    if (!own) throw new Error('There is no key.')
    const { pair, id } = changes.withForeignKey === true ? this.#foreign : own
    const header: JWTHeaderParameters = { alg: 'RS256', typ: 'at+jwt', kid: id, ...changes.header }
    return new SignJWT(this.#claims(claims, now, changes)).setProtectedHeader(header).sign(pair.privateKey)
  }

  /** A token without a signature, and one with the HMAC of a public key, which is not secret. */
  async forge(algorithm: 'none' | 'HS256', claims: Readonly<Record<string, unknown>>, now: number): Promise<string> {
    const [own] = this.#keys
    if (!own) throw new Error('There is no key.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${encode({ alg: algorithm, typ: 'at+jwt', kid: own.id })}.${encode(this.#claims(claims, now, {}))}`
    const hmac = createHmac('sha256', await exportSPKI(own.pair.publicKey))
    return `${text}.${algorithm === 'none' ? '' : hmac.update(text).digest('base64url')}`
  }

  #claims(claims: Readonly<Record<string, unknown>>, now: number, changes: TokenChanges): JWTPayload {
    const seconds = Math.floor(now / 1_000)
    const times = { iat: seconds, exp: seconds + 3_600 }
    return withoutUndefined({ iss: this.issuer, client_id: 'client', ...times, ...claims, ...changes.claims })
  }
}

/** Ends only when the caller gives up. */
async function silence(signal: AbortSignal | null | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal?.addEventListener('abort', () => {
    reject(new DOMException('The caller gave up.', 'AbortError'))
  })
  return promise
}

function withoutUndefined(claims: Readonly<Record<string, unknown>>): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}
