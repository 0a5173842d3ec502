import { hash, randomBytes, randomUUID } from 'node:crypto'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { isSameSecret } from '../listen.ts'
import { insertRow } from '../tables.ts'

type SecretKind = 'code' | 'access' | 'refresh'

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
  person: nullable(text),
}

/** A code or token and its grant. */
type IssuedSecret = RowOf<typeof shape>

/** Stores codes and tokens as hashes. */
function openSecrets(store: Store, { now, prefixes }: Pick<GrantRules, 'now' | 'prefixes'>) {
  const find = (secret: string): IssuedSecret | undefined =>
    store.rows(
      shape,
      `select s.grantId, s.kind, s.expiresAt, s.usedAt, g.clientId, g.scopes, g.redirectUri, g.challenge, g.offline, g.revokedAt, g.person
       from oauthSecrets s join oauthGrants g on g.id = s.grantId where s.hash = :hash`,
      { hash: sha256(secret) },
    )[0]
  return {
    /** A secret that is neither revoked nor expired, though it may have been used. */
    findValid: (secret: string, ...kinds: readonly SecretKind[]): IssuedSecret | undefined => {
      const found = find(secret)
      const isValid = found?.revokedAt === null && (found.expiresAt === null || found.expiresAt > now())
      return isValid && kinds.some((kind) => kind === found.kind) ? found : undefined
    },
    /** Creates a secret; one without a lifetime does not expire. */
    mint: (grantId: string, kind: SecretKind, lifetimeMs: number | null): string => {
      const secret = `${prefixes[kind]}${randomBytes(24).toString('base64url')}`
      const expiresAt = lifetimeMs === null ? null : now() + lifetimeMs
      insertRow(store, 'oauthSecrets', { hash: sha256(secret), kind, grantId, expiresAt })
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
function matchesChallenge(verifier: string | undefined, challenge: string | null): boolean {
  if (challenge === null) return true
  return verifier !== undefined && isSameSecret(hash('sha256', verifier, 'base64url'), challenge)
}

/** Tables of OAuth grants; secrets are stored as hashes. */
export const grantTables = `create table oauthGrants (
  id text primary key, clientId text not null, scopes text not null, redirectUri text not null, challenge text, offline integer not null,
  grantedAt text not null, revokedAt text
) strict;
create table oauthSecrets (
  hash text primary key, kind text not null, grantId text not null, expiresAt integer, usedAt integer
) strict;`

/** Column for the person who consented. Earlier consents belong to the first person. */
export const grantPeople = 'alter table oauthGrants add column person text'

/** A person's consent. */
export interface GrantedConsent {
  /** Undefined for the account's first person. */
  readonly person?: string | undefined
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly challenge: string | null
  /** True if a refresh token is issued. */
  readonly offline: boolean
}

/** A person's grant to a client. */
export interface OAuthGrant extends Pick<GrantedConsent, 'clientId' | 'scopes' | 'offline'> {
  readonly id: string
  /** Null for the account's first person. */
  readonly person: string | null
  readonly grantedAt: string
  readonly revokedAt: string | null
  /** Number of access tokens issued. */
  readonly issued: number
}

/** The tokens in a token response. */
export interface IssuedTokens {
  readonly accessToken: string
  /** Null if no refresh token was issued, or if the old one is still valid. */
  readonly refreshToken: string | null
  /** In seconds. */
  readonly expiresIn: number
  readonly scopes: readonly string[]
}

/** A request to exchange an authorization code for tokens. */
interface CodeRedemption extends Pick<GrantedConsent, 'clientId' | 'redirectUri'> {
  readonly code: string
  readonly verifier: string | undefined
}

/** A valid access token: its person, client, scopes and expiry. */
export interface ActiveToken extends Pick<OAuthGrant, 'person' | 'clientId' | 'scopes' | 'offline'> {
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** The grants of an account's people. Methods return undefined if they refuse a request. */
export interface Grants {
  /** Records a consent and returns its authorization code. */
  readonly consent: (consent: GrantedConsent) => Promise<string>
  readonly redeem: (redemption: CodeRedemption) => Promise<IssuedTokens | undefined>
  readonly refresh: (refreshToken: string, clientId: string) => Promise<IssuedTokens | undefined>
  /** Revokes a token's grant; false if the token was invalid. */
  readonly revoke: (token: string) => Promise<boolean>
  readonly expire: (accessToken: string) => void
  readonly findAccessToken: (accessToken: string) => ActiveToken | undefined
  /** Issues the tokens that consent on a page would yield. */
  readonly issue: (consent: Omit<GrantedConsent, 'redirectUri' | 'challenge'>) => Promise<IssuedTokens>
  /** All grants, including revoked ones, oldest first. */
  readonly list: () => OAuthGrant[]
}

/** The lifecycle of a vendor's tokens. */
export interface GrantRules {
  readonly now: () => number
  /** Prefix of each kind of secret. */
  readonly prefixes: Readonly<Record<SecretKind, string>>
  /** Lifetime of an access token, in seconds. */
  readonly accessToken: number
  /** Grace period, in seconds, during which a rotated refresh token still works; null if tokens do not rotate. */
  readonly refreshGrace: number | null
  /** Scope of a revocation: one grant, or all grants that the person gave the client. */
  readonly revokes: 'grant' | 'client'
}

const codeLifetimeMs = 10 * 60_000
const second = 1000

/** Opens the grants in a store with `grantTables`. */
export function openGrants(store: Store, { now, prefixes, accessToken, refreshGrace, revokes }: GrantRules): Grants {
  const { findValid, mint, use, expire } = openSecrets(store, { now, prefixes })
  const issue = ({ grantId, scopes }: Pick<IssuedSecret, 'grantId' | 'scopes'>, withRefresh: boolean): IssuedTokens => ({
    accessToken: mint(grantId, 'access', accessToken * second),
    refreshToken: withRefresh ? mint(grantId, 'refresh', null) : null,
    // Vendors report one second less than the lifetime.
    expiresIn: accessToken - 1,
    scopes: parseScopes(scopes),
  })
  const endWhere = (condition: string, values: Readonly<Record<string, string | null>>) => {
    const at = new Date(now()).toISOString()
    store.run(`update oauthGrants set revokedAt = :at where ${condition} and revokedAt is null`, { at, ...values })
  }
  const end = (id: string) => {
    endWhere('id = :id', { id })
  }
  return {
    consent: (consent) => store.write(() => mint(insertGrant(store, consent, now()), 'code', codeLifetimeMs)),
    redeem: ({ code, clientId, redirectUri, verifier }) =>
      store.write(() => {
        const found = findValid(code, 'code')
        if (found === undefined) return undefined
        if (found.usedAt !== null) {
          end(found.grantId)
          return undefined
        }
        use(code)
        const matches = found.clientId === clientId && found.redirectUri === redirectUri && matchesChallenge(verifier, found.challenge)
        return matches ? issue(found, found.offline === 1) : undefined
      }),
    refresh: (refreshToken, clientId) =>
      store.write(() => {
        const found = findValid(refreshToken, 'refresh')
        if (found?.clientId !== clientId) return undefined
        if (refreshGrace === null) return issue(found, false)
        if (found.usedAt !== null && found.usedAt + refreshGrace * second <= now()) return undefined
        use(refreshToken)
        return issue(found, true)
      }),
    revoke: (token) =>
      store.write(() => {
        const found = findValid(token, 'access', 'refresh')
        if (found === undefined) return false
        const { grantId, clientId, person } = found
        if (revokes === 'client') endWhere('clientId = :clientId and person is :person', { clientId, person })
        else end(grantId)
        return true
      }),
    expire,
    issue: (granted) =>
      store.write(() => {
        const grantId = insertGrant(store, { ...granted, redirectUri: '', challenge: null }, now())
        return issue({ grantId, scopes: granted.scopes.join(' ') }, granted.offline)
      }),
    findAccessToken(token) {
      const found = findValid(token, 'access')
      if (found?.expiresAt == null) return undefined
      const { person, clientId, scopes, offline, expiresAt } = found
      return { person, clientId, scopes: parseScopes(scopes), offline: offline === 1, expiresAt }
    },
    list: () => listGrants(store),
  }
}

function insertGrant(store: Store, { person, scopes, offline, ...consent }: GrantedConsent, now: number): string {
  const { clientId, redirectUri, challenge } = consent
  const row = { id: randomUUID(), person: person ?? null, clientId, redirectUri, challenge, grantedAt: new Date(now).toISOString() }
  insertRow(store, 'oauthGrants', { ...row, scopes: scopes.join(' '), offline: Number(offline) })
  return row.id
}

/** All grants, oldest first. */
export function listGrants(store: Store): OAuthGrant[] {
  const row = {
    id: text,
    person: nullable(text),
    clientId: text,
    scopes: text,
    offline: integer,
    grantedAt: text,
    revokedAt: nullable(text),
    issued: integer,
  }
  const sql = `select id, person, clientId, scopes, offline, grantedAt, revokedAt,
    (select count(*) from oauthSecrets where grantId = oauthGrants.id and kind = 'access') as issued from oauthGrants order by rowid`
  return store.rows(row, sql).map(({ scopes, offline, ...grant }) => ({ ...grant, scopes: parseScopes(scopes), offline: offline === 1 }))
}

const parseScopes = (scopes: string) => scopes.split(' ').filter((scope) => scope !== '')
