import type { TokenChanges, TokenIssuer } from './token-issuer.ts'

/** A token as a client could send it, and the outcome of a request with it. */
export interface TokenCase {
  readonly title: string
  readonly status: 200 | 401 | 403
  /** Part of the challenge's text. */
  readonly says?: string
  readonly token: () => Promise<string>
}

export interface MatrixOptions {
  readonly audience: string
  /** Scope of a person who may do everything. */
  readonly scope: string
  /** In milliseconds since 1970; read when a token is signed. */
  readonly now: () => number
}

/** Every way in which a token can be right or wrong. */
export function tokenMatrix(issuer: TokenIssuer, { audience, scope, now }: MatrixOptions): readonly TokenCase[] {
  const inSeconds = (offset: number) => Math.floor(now() / 1_000) + offset
  const usual = { sub: 'ada', aud: audience, scope }
  const signed = (title: string, status: TokenCase['status'], says: string, changes: TokenChanges): TokenCase => {
    return { title, status, says, token: () => issuer.sign(usual, now(), changes) }
  }
  const timed = (title: string, status: TokenCase['status'], says: string, claims: () => TokenChanges['claims']): TokenCase => {
    return { title, status, says, token: () => issuer.sign({ ...usual, ...claims() }, now()) }
  }
  const good = (title: string, changes: TokenChanges) => signed(title, 200, '', changes)
  const bad = (title: string, says: string, changes: TokenChanges) => signed(title, 401, says, changes)
  const text = (title: string, value: string): TokenCase => ({ title, status: 401, token: () => Promise.resolve(value) })
  const origin = new URL(audience).origin
  return [
    good('an access token of RFC 9068', {}),
    good('a token of the general type, for several audiences', { claims: { aud: ['other', audience] }, header: { typ: 'JWT' } }),
    good('a token without a type, with its scopes as a list', {
      claims: { scope: undefined, scp: scope.split(' ') },
      header: { typ: undefined },
    }),
    timed('a token that expired as long ago as clocks may differ', 200, '', () => ({ exp: inSeconds(-2) })),
    text('nothing', ''),
    text('text that is not a token', 'garbage'),
    text('an opaque token', '2YotnFZFEjr1zCsicMWpAA'),
    text('a JWT of broken parts', 'e30.e30.e30'),
    timed('an expired token', 401, 'The token has expired.', () => ({ exp: inSeconds(-60) })),
    timed('a token that is not valid yet', 401, 'The token is not valid yet.', () => ({ nbf: inSeconds(60) })),
    bad('a token without an end', 'lacks the claim exp', { claims: { exp: undefined } }),
    bad('a token without a person', 'lacks the claim sub', { claims: { sub: undefined } }),
    bad('a token whose person is empty', 'names no person', { claims: { sub: '' } }),
    bad('a token of another issuer', 'another issuer', { claims: { iss: 'https://id.evil.example' } }),
    bad('a token for another audience', 'another audience', { claims: { aud: 'https://other.example/mcp' } }),
    bad('a token for the origin', 'another audience', { claims: { aud: origin } }),
    bad('a token without an audience', 'lacks the claim aud', { claims: { aud: undefined } }),
    bad('a token signed with a foreign key', 'signature of the token is wrong', { withForeignKey: true }),
    bad('a token with an unknown key', 'does not publish', { header: { kid: 'unknown' } }),
    bad('an ID token', 'not an access token', { claims: { nonce: 'n', at_hash: 'h' }, header: { typ: 'JWT' } }),
    bad('a logout token', 'not an access token', { header: { typ: 'logout+jwt' } }),
    {
      title: 'a token without a signature',
      status: 401,
      says: 'signed in a way that is not accepted',
      token: () => issuer.forge('none', usual, now()),
    },
    {
      title: 'a token with the public key as a secret',
      status: 401,
      says: 'signed in a way that is not accepted',
      token: () => issuer.forge('HS256', usual, now()),
    },
    signed('a token without scopes', 403, "none of this server's scopes", { claims: { scope: undefined } }),
    signed('a token with scopes of others', 403, "none of this server's scopes", { claims: { scope: 'openid other:read' } }),
  ]
}
