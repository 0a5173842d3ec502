import { randomUUID } from 'node:crypto'
import { integer, nullable, text, type Store } from '@mcp-toolkits/store'
import { matchesChallenge, openSecrets, type Secret, type SecretKind } from './token-route.ts'

/** The tables of what people granted; secrets are kept as their hashes alone. */
export const grantTables = `create table oauthGrants (
  id text primary key, clientId text not null, scopes text not null, redirectUri text not null, challenge text, offline integer not null,
  grantedAt text not null, revokedAt text
) strict;
create table oauthSecrets (
  hash text primary key, kind text not null, grantId text not null, expiresAt integer, usedAt integer
) strict;`

/** What the person at the page of consent agreed to. */
export interface GrantedConsent {
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly challenge: string | null
  /** Whether the application is given a refresh token. */
  readonly offline: boolean
}

/** What a person granted to an application. */
export interface Grant extends Pick<GrantedConsent, 'clientId' | 'scopes' | 'offline'> {
  readonly id: string
  readonly grantedAt: string
  readonly revokedAt: string | null
  /** How many access tokens were issued. */
  readonly issued: number
}

/** What an application is given. */
export interface IssuedTokens {
  readonly accessToken: string
  /** Null where there is none, or where the old one stays. */
  readonly refreshToken: string | null
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

/** What an access token stands for. */
export interface ActiveToken extends Pick<GrantedConsent, 'clientId' | 'scopes' | 'offline'> {
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** The grants of an account. What is refused is undefined. */
export interface Grants {
  /** Notes a consent, and returns the code for it. */
  readonly consent: (consent: GrantedConsent) => string
  readonly redeem: (presented: PresentedCode) => IssuedTokens | undefined
  readonly refresh: (refreshToken: string, clientId: string) => IssuedTokens | undefined
  /** Ends what a token belongs to, and says whether the token was good. */
  readonly revoke: (token: string) => boolean
  /** Lets an access token expire before its time. */
  readonly expire: (accessToken: string) => void
  /** What an access token stands for that is good now. */
  readonly held: (accessToken: string) => ActiveToken | undefined
  /** What was granted, revoked grants too, oldest first. */
  readonly list: () => Grant[]
}

/** In what the tokens of one vendor differ from those of another. */
export interface GrantRules {
  readonly now: () => number
  /** What each kind of secret begins with. */
  readonly prefixes: Readonly<Record<SecretKind, string>>
  /** How long an access token is good, in seconds. */
  readonly accessToken: number
  /** How long after its use a refresh token may be used again, in seconds; null where it stays the same. */
  readonly refreshGrace: number | null
  /** Whether a revoked token ends its own grant alone, or all that its application has. */
  readonly revokes: 'grant' | 'client'
}

const codeLifetimeMs = 10 * 60_000
const second = 1000

/** Opens the grants of a store that has `grantTables`. */
export function openGrants(store: Store, { now, prefixes, accessToken, refreshGrace, revokes }: GrantRules): Grants {
  const { findGood, mint, use, expire } = openSecrets(store, { now, prefixes })
  const issue = ({ grantId, scopes }: Secret, withRefresh: boolean): IssuedTokens => ({
    accessToken: mint(grantId, 'access', accessToken * second),
    refreshToken: withRefresh ? mint(grantId, 'refresh', null) : null,
    // As vendors count: one second less than the token lasts.
    expiresIn: accessToken - 1,
    scopes: listIn(scopes),
  })
  const end = (column: 'id' | 'clientId', value: string) => {
    const at = new Date(now()).toISOString()
    store.run(`update oauthGrants set revokedAt = :at where ${column} = :value and revokedAt is null`, { at, value })
  }
  return {
    consent: (consent) => store.write(() => mint(insertGrant(store, consent, now()), 'code', codeLifetimeMs)),
    redeem: ({ code, clientId, redirectUri, verifier }) =>
      store.write(() => {
        const found = findGood(code, 'code')
        if (found === undefined) return undefined
        if (found.usedAt !== null) {
          end('id', found.grantId)
          return undefined
        }
        use(code)
        const isTheirs = found.clientId === clientId && found.redirectUri === redirectUri && matchesChallenge(verifier, found.challenge)
        return isTheirs ? issue(found, found.offline === 1) : undefined
      }),
    refresh: (refreshToken, clientId) =>
      store.write(() => {
        const found = findGood(refreshToken, 'refresh')
        if (found?.clientId !== clientId) return undefined
        if (refreshGrace === null) return issue(found, false)
        if (found.usedAt !== null && found.usedAt + refreshGrace * second <= now()) return undefined
        use(refreshToken)
        return issue(found, true)
      }),
    revoke: (token) =>
      store.write(() => {
        const found = findGood(token, 'access', 'refresh')
        if (found === undefined) return false
        if (revokes === 'client') end('clientId', found.clientId)
        else end('id', found.grantId)
        return true
      }),
    expire,
    held(token) {
      const found = findGood(token, 'access')
      if (found?.expiresAt == null) return undefined
      const { clientId, scopes, offline, expiresAt } = found
      return { clientId, scopes: listIn(scopes), offline: offline === 1, expiresAt }
    },
    list: () => listGrants(store),
  }
}

function insertGrant(store: Store, { scopes, offline, ...consent }: GrantedConsent, now: number): string {
  const id = randomUUID()
  const { clientId, redirectUri, challenge } = consent
  store.run(
    `insert into oauthGrants (id, clientId, scopes, redirectUri, challenge, offline, grantedAt)
     values (:id, :clientId, :scopes, :redirectUri, :challenge, :offline, :grantedAt)`,
    { id, clientId, redirectUri, challenge, scopes: scopes.join(' '), offline: Number(offline), grantedAt: new Date(now).toISOString() },
  )
  return id
}

/** What was granted, oldest first. */
export function listGrants(store: Store): Grant[] {
  const row = { id: text, clientId: text, scopes: text, offline: integer, grantedAt: text, revokedAt: nullable(text), issued: integer }
  const sql = `select id, clientId, scopes, offline, grantedAt, revokedAt,
    (select count(*) from oauthSecrets where grantId = oauthGrants.id and kind = 'access') as issued from oauthGrants order by rowid`
  return store.rows(row, sql).map(({ scopes, offline, ...grant }) => ({ ...grant, scopes: listIn(scopes), offline: offline === 1 }))
}

const listIn = (scopes: string) => scopes.split(' ').filter((scope) => scope !== '')
