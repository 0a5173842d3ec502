import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { integer, optional, text, type RowOf, type Store } from '@mcp-toolkits/store'

/** What is handed out under a grant. */
export type SecretKind = 'code' | 'access' | 'refresh'

const shape = {
  grantId: text,
  kind: text,
  expiresAt: optional(integer),
  usedAt: optional(integer),
  clientId: text,
  scopes: text,
  redirectUri: text,
  challenge: optional(text),
  offline: integer,
  revokedAt: optional(text),
}

/** A code or a token, with the grant that it belongs to. */
export type Secret = RowOf<typeof shape>

export interface SecretOptions {
  readonly now: () => number
  /** What each kind begins with. */
  readonly prefixes: Readonly<Record<SecretKind, string>>
}

/** What can be done with codes and tokens. Only their hashes are kept. */
export function openSecrets(store: Store, { now, prefixes }: SecretOptions) {
  const find = (secret: string): Secret | undefined =>
    store.rows(
      shape,
      `select s.grantId, s.kind, s.expiresAt, s.usedAt, g.clientId, g.scopes, g.redirectUri, g.challenge, g.offline, g.revokedAt
       from oauthSecrets s join oauthGrants g on g.id = s.grantId where s.hash = :hash`,
      { hash: sha256(secret) },
    )[0]
  return {
    /** What was neither revoked nor has expired; it may have been used. */
    findGood: (secret: string, ...kinds: readonly SecretKind[]): Secret | undefined => {
      const found = find(secret)
      const isGood = found?.revokedAt === null && (found.expiresAt === null || found.expiresAt > now())
      return isGood && kinds.some((kind) => kind === found.kind) ? found : undefined
    },
    /** Makes a secret that lasts so many milliseconds, or for ever. */
    mint: (grantId: string, kind: SecretKind, lasts: number | null): string => {
      const secret = `${prefixes[kind]}${randomBytes(24).toString('base64url')}`
      const values = { hash: sha256(secret), kind, grantId, expiresAt: lasts === null ? null : now() + lasts }
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

/** Whether a verifier is the one of a challenge: https://www.rfc-editor.org/rfc/rfc7636#section-4.6. */
export function answers(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null) return true
  if (verifier === undefined) return false
  const [given, wanted] = [Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
