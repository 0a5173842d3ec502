import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/store'

export type SecretKind = 'code' | 'access' | 'refresh'

const shape = {
  grantId: text,
  kind: text,
  expiresAt: nullable(integer),
  usedAt: nullable(integer),
  clientId: text,
  scopes: text,
  redirectUri: text,
  challenge: nullable(text),
  offline: integer,
  revokedAt: nullable(text),
}

/** A code or token and its grant. */
export type IssuedSecret = RowOf<typeof shape>

export interface SecretOptions {
  readonly now: () => number
  /** Prefix of each kind. */
  readonly prefixes: Readonly<Record<SecretKind, string>>
}

/** Stores codes and tokens as hashes. */
export function openSecrets(store: Store, { now, prefixes }: SecretOptions) {
  const find = (secret: string): IssuedSecret | undefined =>
    store.rows(
      shape,
      `select s.grantId, s.kind, s.expiresAt, s.usedAt, g.clientId, g.scopes, g.redirectUri, g.challenge, g.offline, g.revokedAt
       from oauthSecrets s join oauthGrants g on g.id = s.grantId where s.hash = :hash`,
      { hash: sha256(secret) },
    )[0]
  return {
    /** A secret that is neither revoked nor expired; it may have been used. */
    findValid: (secret: string, ...kinds: readonly SecretKind[]): IssuedSecret | undefined => {
      const found = find(secret)
      const isValid = found?.revokedAt === null && (found.expiresAt === null || found.expiresAt > now())
      return isValid && kinds.some((kind) => kind === found.kind) ? found : undefined
    },
    /** Creates a secret; one without a lifetime does not expire. */
    mint: (grantId: string, kind: SecretKind, lifetimeMs: number | null): string => {
      const secret = `${prefixes[kind]}${randomBytes(24).toString('base64url')}`
      const values = { hash: sha256(secret), kind, grantId, expiresAt: lifetimeMs === null ? null : now() + lifetimeMs }
      store.run('insert into oauthSecrets (hash, kind, grantId, expiresAt) values (:hash, :kind, :grantId, :expiresAt)', values)
      return secret
    },
    use: (secret: string) => {
      store.run('update oauthSecrets set usedAt = :at where hash = :hash and usedAt is null', { at: now(), hash: sha256(secret) })
    },
    expire: (secret: string) => {
      store.run('update oauthSecrets set expiresAt = :at where hash = :hash', { at: now(), hash: sha256(secret) })
    },
  }
}

const sha256 = (secret: string) => hash('sha256', secret)

/** Checks a PKCE verifier: https://www.rfc-editor.org/rfc/rfc7636#section-4.6. */
export function matchesChallenge(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null) return true
  if (verifier === undefined) return false
  const [actual, expected] = [Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge)]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
