import { Unavailable } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { TokenIssuer } from '../../test/token-issuer.ts'
import { tokenMatrix } from '../../test/token-matrix.ts'
import { InvalidToken, openTokenVerifier } from './token-verifier.ts'

const audience = 'https://files.example/mcp'
const scope = 'files:read files:write'

async function open({ issuer = 'https://id.example', subjectClaim = 'sub' } = {}) {
  const tokens = await TokenIssuer.create(issuer)
  const clock = new ManualClock()
  const problems: string[] = []
  const onFailure = (problem: string) => void problems.push(problem)
  const verifier = openTokenVerifier({ issuer, audiences: [audience, 'api://files'], subjectClaim, clock, fetch: tokens.fetch, onFailure })
  const token = (claims: Readonly<Record<string, unknown>> = {}) =>
    tokens.sign({ sub: 'ada', aud: audience, scope, ...claims }, clock.now())
  return { tokens, clock, problems, verifier, token }
}

const matrixIssuer = await TokenIssuer.create()
const matrixClock = new ManualClock()
const matrix = tokenMatrix(matrixIssuer, { audience, scope, now: matrixClock.now })

describe('a verifier', () => {
  it.each(matrix.filter(({ title }) => title !== 'nothing'))('meets $title', async ({ status, says = '', token }) => {
    const { issuer, fetch } = matrixIssuer
    const verifier = openTokenVerifier({ issuer, audiences: [audience], subjectClaim: 'sub', clock: matrixClock, fetch })
    const verified = verifier.verify(await token())
    // Checking scopes is up to the calling code.
    if (status === 401) await expect(verified).rejects.toThrow(new InvalidToken(says === '' ? 'not a JWT' : says).message)
    else expect(await verified).toMatchObject({ issuer, subject: 'ada', clientId: 'client' })
  })

  it('reads the person from another claim if the provider requires it', async () => {
    const { verifier, token } = await open({ subjectClaim: 'oid' })
    expect(await verifier.verify(await token({ sub: 'pairwise', oid: 'ada-at-work' }))).toMatchObject({ subject: 'ada-at-work' })
    await expect(verifier.verify(await token())).rejects.toThrow('The token lacks the claim oid.')
  })

  it('takes no email address for a person that the provider has not verified', async () => {
    const { verifier, token } = await open({ subjectClaim: 'email' })
    const email = 'ada@example.com'
    for (const verified of [true, undefined])
      expect(await verifier.verify(await token({ email, email_verified: verified }))).toMatchObject({ subject: email })
    await expect(verifier.verify(await token({ email, email_verified: false }))).rejects.toThrow('has not verified the email address')
  })

  it.each([
    ['as its subject', { sub: 'robot', client_id: 'robot' }],
    ['as Okta does', { sub: 'robot', client_id: undefined, cid: 'robot' }],
    ['as Auth0 does', { sub: 'robot@clients', client_id: undefined, azp: 'robot' }],
    ['as Entra does', { sub: 'e1a2', client_id: undefined, azp: 'robot', idtyp: 'app', scope: undefined, roles: ['files:read', 7] }],
  ])('takes a token that names its client %s for one of a service identity', async (_, claims) => {
    // The token has no claim that identifies people.
    const { verifier, token } = await open({ subjectClaim: 'oid' })
    const verified = await verifier.verify(await token(claims))
    expect(verified).toMatchObject({ subject: 'robot', isService: true, clientId: 'robot' })
    expect(verified.scopes).toContain('files:read')
  })

  it.each([
    ['a name that a person may choose', { sub: 'e1a2', client_id: 'robot', preferred_username: 'service-account-robot' }],
    ['no client', { sub: '', client_id: undefined }],
    ['the name of another client', { sub: 'robot', client_id: 'editor' }],
  ])('takes no token with %s for one of a service identity', async (_, claims) => {
    const { verifier, token } = await open()
    const verified = await verifier.verify(await token(claims)).catch((error: unknown) => error)
    expect(verified).not.toHaveProperty('isService')
  })

  it('reads no roles of a person', async () => {
    const { verifier, token } = await open()
    expect(await verifier.verify(await token({ scope: undefined, roles: ['files:read'] }))).toMatchObject({ scopes: [] })
  })

  it('accepts each of its audiences, and the names that providers give clients and scopes', async () => {
    const { verifier, token } = await open()
    const claims = { aud: 'api://files', client_id: undefined, azp: 'desktop', scope: undefined, scp: 'files:read  files:write' }
    expect(await verifier.verify(await token(claims))).toMatchObject({ clientId: 'desktop', scopes: ['files:read', 'files:write'] })
  })

  it('finds the metadata of an issuer with a path, whose name ends as the provider writes it', async () => {
    const { verifier, tokens, token } = await open({ issuer: 'https://id.example/realms/acme/' })
    expect(await verifier.verify(await token())).toMatchObject({ issuer: 'https://id.example/realms/acme/' })
    expect(tokens.requests).toEqual(['/realms/acme/.well-known/openid-configuration', '/realms/acme/keys'])
  })

  it('refuses another issuer’s metadata, and tells the operator why', async () => {
    const { verifier, tokens, token, problems } = await open()
    tokens.namedIssuer = 'https://id.example/'
    await expect(verifier.verify(await token())).rejects.toBeInstanceOf(Unavailable)
    expect(problems).toEqual([expect.stringContaining('MCP_TOOLKITS_ISSUER must be spelled exactly')])
  })
})

describe('while the identity provider is down', () => {
  it('says when to ask again, and is ready when the keys have been seen once', async () => {
    const { verifier, tokens, token, clock, problems } = await open()
    tokens.isDown = true
    await expect(verifier.ready()).rejects.toBeInstanceOf(Unavailable)
    await expect(verifier.verify(await token())).rejects.toMatchObject({ details: { retryAfterSeconds: 5 } })
    // The second attempt came too soon, so it was not made.
    expect(problems).toEqual(['https://id.example/.well-known/openid-configuration cannot be reached.'])
    tokens.isDown = false
    await clock.advance(1_000)
    await verifier.ready()
    expect(await verifier.verify(await token())).toMatchObject({ subject: 'ada' })
  })

  it('goes on with the keys that it knows, and says once that it is down', async () => {
    const { verifier, tokens, clock, token, problems } = await open()
    await verifier.verify(await token())
    tokens.isDown = true
    for (const ms of [60_000, 3_600_000, 3_600_000, 86_400_000]) {
      await clock.advance(ms)
      expect(await verifier.verify(await token())).toMatchObject({ subject: 'ada' })
    }
    expect(problems).toHaveLength(1)
  })

  it('waits for a provider that does not answer once, and not with every token', async () => {
    const { verifier, tokens, clock, token } = await open()
    await verifier.verify(await token())
    tokens.isSilent = true
    await clock.advance(3_600_000)
    const waiting = verifier.verify(await token())
    await clock.advance(5_000)
    expect(await waiting).toMatchObject({ subject: 'ada' })
    await clock.advance(60_000)
    // No time passes: this request does not wait.
    expect(await verifier.verify(await token())).toMatchObject({ subject: 'ada' })
  })

  it('does not call a token invalid that may have been signed with a new key', async () => {
    const { verifier, tokens, clock, token } = await open()
    await verifier.ready()
    await tokens.rotate()
    tokens.isDown = true
    await clock.advance(60_000)
    await expect(verifier.verify(await token())).rejects.toBeInstanceOf(Unavailable)
    tokens.isDown = false
    await clock.advance(1_000)
    expect(await verifier.verify(await token())).toMatchObject({ subject: 'ada' })
  })
})

describe('the keys', () => {
  it('are fetched once for many requests at a time', async () => {
    const { verifier, tokens, token } = await open()
    const sent = await token()
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(sent)))
    expect(tokens.requests).toHaveLength(2)
  })

  it('are not fetched for each token with a key that does not exist', async () => {
    const { verifier, tokens, clock } = await open()
    const forged = () => tokens.sign({ sub: 'ada', aud: audience }, clock.now(), { header: { kid: crypto.randomUUID() } })
    for (let round = 0; round < 10; round += 1) await expect(verifier.verify(await forged())).rejects.toBeInstanceOf(InvalidToken)
    expect(tokens.requests).toHaveLength(2)
    await clock.advance(30_000)
    for (let round = 0; round < 10; round += 1) await expect(verifier.verify(await forged())).rejects.toBeInstanceOf(InvalidToken)
    expect(tokens.requests).toHaveLength(4)
  })

  it('are fetched again if the signature is wrong for a known key, once within the pause', async () => {
    const { verifier, tokens, clock, token } = await open()
    await verifier.verify(await token())
    await tokens.rotate({ isLeaked: true, id: 'first' })
    const sent = await token()
    await expect(verifier.verify(sent)).rejects.toThrow('The signature of the token is wrong.')
    await clock.advance(30_000)
    expect(await verifier.verify(sent)).toMatchObject({ subject: 'ada' })
    const forged = await tokens.sign({ sub: 'ada', aud: audience }, clock.now(), { withForeignKey: true })
    for (let round = 0; round < 10; round += 1) await expect(verifier.verify(forged)).rejects.toBeInstanceOf(InvalidToken)
    expect(tokens.requests).toHaveLength(4)
  })

  it('that the provider has withdrawn are not accepted for long', async () => {
    const { verifier, tokens, clock, token } = await open()
    const sent = await token({ exp: Math.floor(clock.now() / 1_000) + 86_400 })
    await verifier.verify(sent)
    await tokens.rotate({ isLeaked: true })
    await clock.advance(900_000)
    await expect(verifier.verify(sent)).rejects.toBeInstanceOf(InvalidToken)
  })
})
