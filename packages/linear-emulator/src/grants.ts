import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { integer, optional, text, type RowOf, type Store } from '@mcp-toolkits/store'
import { parseJson, texts } from './values.ts'

/** The tables of what people granted; secrets are kept as their hashes alone. */
export const grantTables = `create table oauthGrants (
  id text primary key, clientId text not null, scopes text not null, redirectUri text not null, challenge text,
  grantedAt text not null, revokedAt text
) strict;
create table oauthSecrets (
  hash text primary key, kind text not null, grantId text not null, expiresAt integer, usedAt integer
) strict;`

/** What a person granted to an application. */
export interface Grant {
  readonly id: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly grantedAt: string
  readonly revokedAt: string | null
  /** How many pairs of tokens were issued. */
  readonly issued: number
}

/** What the person at the page of consent agreed to. */
export interface Consent {
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly challenge: string | null
}

/** An access token and what renews it. */
export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  /** In seconds. */
  readonly expiresIn: number
  readonly scopes: readonly string[]
}

/** A code as its application presents it. */
export interface PresentedCode {
  readonly code: string
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string | undefined
}

/** The grants of a workspace. What is refused is undefined. */
export interface Grants {
  /** Notes a consent, and returns the code for it. */
  readonly consent: (consent: Consent) => string
  readonly redeem: (presented: PresentedCode) => TokenPair | undefined
  readonly refresh: (refreshToken: string, clientId: string) => TokenPair | undefined
  /** Ends the grant that a token belongs to, if there is one. */
  readonly revoke: (token: string) => void
  /** The scopes of an access token that is good now. */
  readonly scopesOf: (accessToken: string) => readonly string[] | undefined
}

const codeLasts = 10 * 60_000
const second = 1000

/** How long secrets are good: linear.md §3.6. */
export interface Lifetimes {
  /** Of an access token, in seconds. */
  readonly accessToken: number
  /** How long after its use a refresh token may be used again, in seconds. */
  readonly refreshGrace: number
}

const shape = {
  grantId: text,
  kind: text,
  expiresAt: optional(integer),
  usedAt: optional(integer),
  clientId: text,
  scopes: text,
  redirectUri: text,
  challenge: optional(text),
  revokedAt: optional(text),
}
type Secret = RowOf<typeof shape>

/** Opens the grants of a store. */
export function openGrants(store: Store, { now, lifetimes }: { readonly now: () => number; readonly lifetimes: Lifetimes }): Grants {
  const { find, findGood, mint, use, end } = openSecrets(store, now)
  const pair = ({ grantId, scopes }: Secret): TokenPair => ({
    accessToken: mint(grantId, { kind: 'oauth', lasts: lifetimes.accessToken * second }),
    refreshToken: mint(grantId, { kind: 'refresh', lasts: null }),
    // As the vendor counts: one second less than a whole day.
    expiresIn: lifetimes.accessToken - 1,
    scopes: scopesIn(scopes),
  })
  return {
    consent: (consent) => store.write(() => mint(insertGrant(store, consent, now()), { kind: 'code', lasts: codeLasts })),
    redeem: ({ code, clientId, redirectUri, verifier }) =>
      store.write(() => {
        const found = findGood(code, 'code')
        if (found === undefined) return undefined
        if (found.usedAt !== null) {
          end(found.grantId)
          return undefined
        }
        use(code)
        const isTheirs = found.clientId === clientId && found.redirectUri === redirectUri && answers(verifier, found.challenge)
        return isTheirs ? pair(found) : undefined
      }),
    refresh: (refreshToken, clientId) =>
      store.write(() => {
        const found = findGood(refreshToken, 'refresh')
        if (found?.clientId !== clientId) return undefined
        if (found.usedAt !== null && found.usedAt + lifetimes.refreshGrace * second <= now()) return undefined
        use(refreshToken)
        return pair(found)
      }),
    revoke: (token) => {
      store.write(() => {
        const found = find(token)
        if (found !== undefined && found.kind !== 'code') end(found.grantId)
      })
    },
    scopesOf(accessToken) {
      const found = findGood(accessToken, 'oauth')
      return found && scopesIn(found.scopes)
    },
  }
}

/** What can be done with codes and tokens, and with the grants that they belong to. */
function openSecrets(store: Store, now: () => number) {
  const find = (secret: string) => findSecret(store, secret)
  return {
    find,
    /** What was neither revoked nor has expired; it may have been used. */
    findGood: (secret: string, kind: string): Secret | undefined => {
      const found = find(secret)
      const isGood = found?.kind === kind && found.revokedAt === null && (found.expiresAt === null || found.expiresAt > now())
      return isGood ? found : undefined
    },
    mint: (grantId: string, { kind, lasts }: { kind: string; lasts: number | null }): string => {
      const secret = `lin_${kind}_${randomBytes(24).toString('base64url')}`
      const values = { hash: sha256(secret), kind, grantId, expiresAt: lasts === null ? null : now() + lasts }
      store.run('insert into oauthSecrets (hash, kind, grantId, expiresAt) values (:hash, :kind, :grantId, :expiresAt)', values)
      return secret
    },
    use: (secret: string) => {
      store.run('update oauthSecrets set usedAt = :at where hash = :hash and usedAt is null', { at: now(), hash: sha256(secret) })
    },
    end: (grantId: string) => {
      store.run('update oauthGrants set revokedAt = :at where id = :grantId', { at: new Date(now()).toISOString(), grantId })
    },
  }
}

function insertGrant(store: Store, { scopes, ...consent }: Consent, now: number): string {
  const id = randomUUID()
  const { clientId, redirectUri, challenge } = consent
  store.run(
    `insert into oauthGrants (id, clientId, scopes, redirectUri, challenge, grantedAt)
     values (:id, :clientId, :scopes, :redirectUri, :challenge, :grantedAt)`,
    { id, clientId, redirectUri, challenge, scopes: JSON.stringify(scopes), grantedAt: new Date(now).toISOString() },
  )
  return id
}

function findSecret(store: Store, secret: string): Secret | undefined {
  return store.rows(
    shape,
    `select s.grantId, s.kind, s.expiresAt, s.usedAt, g.clientId, g.scopes, g.redirectUri, g.challenge, g.revokedAt
     from oauthSecrets s join oauthGrants g on g.id = s.grantId where s.hash = :hash`,
    { hash: sha256(secret) },
  )[0]
}

/** What was granted, oldest first. */
export function listGrants(store: Store): Grant[] {
  const row = { id: text, clientId: text, scopes: text, grantedAt: text, revokedAt: optional(text), issued: integer }
  const sql = `select id, clientId, scopes, grantedAt, revokedAt,
    (select count(*) from oauthSecrets where grantId = oauthGrants.id and kind = 'refresh') as issued from oauthGrants order by rowid`
  return store.rows(row, sql).map(({ scopes, ...grant }) => ({ ...grant, scopes: scopesIn(scopes) }))
}

const scopesIn = (json: string) => texts(parseJson(json))
const sha256 = (secret: string) => hash('sha256', secret)

/** Whether a verifier is the one of a challenge: https://www.rfc-editor.org/rfc/rfc7636#section-4.6. */
function answers(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null) return true
  if (verifier === undefined) return false
  const [given, wanted] = [Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
