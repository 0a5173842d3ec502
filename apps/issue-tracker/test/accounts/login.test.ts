import { stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { changed, containing, setUpAccount, fetchPage } from './setup.ts'

const modeOf = async (name: string) => ((await stat(name)).mode & 0o777).toString(8)

test('a person signs in, and the server acts as that person until they sign out', async () => {
  const { login, command, file, issued, emulator, url } = await setUpAccount()
  const { code, output, errors, page } = await login()
  expect([code, errors]).toEqual([0, ''])
  expect(output).toContain('Signed in to Linear as Robin Vance <robin.vance@lodestar.example>, Lodestar.')
  expect(output).toContain('Scopes: read, write, initiative:read, initiative:write.')
  expect(page).toMatchObject({ status: 200, location: '' })
  expect(page.body).toContain('<h1>Signed in to Linear</h1>')
  expect(page.body).toContain('Robin Vance')
  expect([await modeOf(file), await modeOf(path.dirname(file))]).toEqual(['600', '700'])

  const status = await command(['status', '--json'])
  expect([status.code, JSON.parse(status.output)]).toMatchObject([
    0,
    {
      upstream: `${url}/graphql`,
      account: 'Robin Vance <robin.vance@lodestar.example>',
      workspace: 'Lodestar',
      profile: 'default',
      scopes: ['read', 'write', 'initiative:read', 'initiative:write'],
      token_expires_at: containing('T'),
      renewed_by_itself: true,
      tools_lacking_a_scope: [],
    },
  ])
  const called = await command(['call', 'ListTeams'])
  expect([called.code, JSON.parse(called.output)]).toMatchObject([0, { pagination: { has_more: false } }])
  expect(called.output).not.toContain('embedded')
  expect(issued()).toEqual([1])

  expect(await command(['logout'])).toMatchObject({ code: 0, output: containing('revoked and deleted') })
  expect(emulator.store.grants()).toMatchObject([{ revokedAt: containing('T') }])
  expect((await command(['logout'])).output).toContain('Not signed in')
  const after = await command(['call', 'ListTeams'])
  expect([after.code, after.output]).toEqual([1, ''])
  expect(JSON.parse(after.errors)).toMatchObject({ error: { code: 'unauthenticated' } })
})

test('the authorization request has the smallest scopes, a challenge, a state and a loopback address', async () => {
  const { startLogin, url } = await setUpAccount()
  const { address, running } = await startLogin()
  const { state = '', code_challenge: challenge = '', redirect_uri: back = '', ...rest } = Object.fromEntries(address.searchParams)
  expect(address.origin + address.pathname).toBe(`${url}/oauth/authorize`)
  expect(rest).toEqual({
    response_type: 'code',
    client_id: 'lodestar-desktop',
    scope: 'read,write,initiative:read,initiative:write',
    code_challenge_method: 'S256',
    prompt: 'consent',
  })
  expect(state).toMatch(/^[\w-]{43}$/)
  expect(challenge).toMatch(/^[\w-]{43}$/)
  expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  running.kill('SIGINT')
  expect(await running.result).toMatchObject({ code: 130, errors: '' })
})

test('refuses a wrong state or origin, and keeps waiting', async () => {
  const { startLogin, consent, command } = await setUpAccount()
  const { address, end } = await startLogin()
  const back = await consent(address)
  for (const wrong of [changed(back, { state: 'guessed' }), changed(back, { state: '' }), new URL('/', back)]) {
    const { status, body } = await fetchPage(wrong)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body).not.toContain(back.searchParams.get('code'))
  }
  expect((await fetchPage(back, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
  expect((await command(['status'])).output).toContain('ISSUE_TRACKER_API_URL is set without credentials')
  expect((await fetchPage(back)).status).toBe(200)
  expect(await end()).toMatchObject({ code: 0 })
})

test('a refusal ends the login, and both the page and the command say so', async () => {
  const { startLogin, consent, command } = await setUpAccount()
  const { address, end } = await startLogin()
  const page = await fetchPage(await consent(address, 'refuse'))
  expect(page.status).toBe(400)
  expect(page.body).toContain('<h1>Not signed in to Linear</h1>')
  expect(page.body).toContain('role="alert"')
  expect(await end()).toMatchObject({ code: 1, errors: 'issue-tracker: The request was refused at Linear, so nothing has changed.\n' })
  expect((await command(['status'])).code).toBe(1)
})

test('the provider refuses a redirect address that is not registered', async () => {
  const { startLogin } = await setUpAccount()
  const { address, running } = await startLogin()
  const back = new URL(address.searchParams.get('redirect_uri') ?? '')
  for (const redirect of ['https://evil.example/callback', `${back.origin}/other`]) {
    expect(await fetchPage(changed(address, { redirect_uri: redirect }))).toMatchObject({ status: 400, location: '' })
  }
  running.kill('SIGINT')
  expect((await running.result).code).toBe(130)
})

test('a code works once, and only for the login that requested it', async () => {
  const { startLogin, consent, login, emulator, command } = await setUpAccount()
  // The code from another sign-in, used in this one: the verifier does not match.
  const [mine, other] = [await startLogin(), await startLogin()]
  const foreign = (await consent(other.address)).searchParams.get('code') ?? ''
  const own = await consent(mine.address)
  const injected = await fetchPage(changed(own, { code: foreign }))
  expect([injected.status, await mine.end()]).toMatchObject([400, { code: 1, errors: containing('refused the code') }])
  other.running.kill('SIGINT')
  await other.end()
  expect((await command(['status'])).code).toBe(1)

  // A code that has been used already.
  const first = await startLogin()
  const back = await consent(first.address)
  expect((await fetchPage(back)).status).toBe(200)
  expect((await first.end()).code).toBe(0)
  const second = await startLogin()
  const state = second.address.searchParams.get('state') ?? ''
  const replayed = new URL(second.address.searchParams.get('redirect_uri') ?? '')
  expect((await fetchPage(changed(replayed, { code: back.searchParams.get('code') ?? '', state }))).status).toBe(400)
  expect(await second.end()).toMatchObject({ code: 1, errors: containing('refused the code') })

  // A code without its verifier, as sent by an attacker who saw it.
  const third = await startLogin()
  const seen = await consent(third.address)
  const form = {
    grant_type: 'authorization_code',
    client_id: 'lodestar-desktop',
    code: seen.searchParams.get('code') ?? '',
    redirect_uri: third.address.searchParams.get('redirect_uri') ?? '',
  }
  const answer = await emulator.fetch('https://api.linear.app/oauth/token', { method: 'POST', body: new URLSearchParams(form) })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }])
  third.running.kill('SIGINT')
  await third.end()
  expect((await login()).code).toBe(0)
})

test('reports missing settings in one line, with exit code 2', async () => {
  const { command } = await setUpAccount()
  const refused: [string[], Record<string, string>, string][] = [
    [[], { ISSUE_TRACKER_CLIENT_ID: '' }, 'ISSUE_TRACKER_CLIENT_ID is set but empty'],
    [[], { ISSUE_TRACKER_AUTH_URL: 'http://evil.example' }, 'ISSUE_TRACKER_AUTH_URL must begin with https://'],
    [['--profile', '../x'], {}, '--profile must be a name'],
    [['--scopes', 'read', 'write'], {}, 'Unexpected: write'],
  ]
  for (const [args, environment, said] of refused) {
    const { code, output, errors } = await command(['login', '--no-browser', ...args], environment)
    expect([code, output, errors.trim().split('\n').length]).toEqual([2, '', 1])
    expect(errors).toContain(said)
  }
})

test('does not store a login that the vendor does not accept', async () => {
  const [tracker, other] = [await setUpAccount(), await setUpAccount()]
  const { startLogin, consent, command, emulator } = tracker
  const { address, end } = await startLogin([], { ISSUE_TRACKER_API_URL: `${other.url}/graphql` })
  expect((await fetchPage(await consent(address))).status).toBe(400)
  expect(await end()).toMatchObject({ code: 1, errors: containing('nothing was stored') })
  expect((await command(['status'])).code).toBe(1)
  // The tokens that this login was given are revoked.
  expect(emulator.store.grants()).toMatchObject([{ revokedAt: containing('T') }])
})

test('leaves it to the provider to refuse an unknown scope', async () => {
  const { startLogin } = await setUpAccount()
  const { address, end } = await startLogin(['--scopes', 'read,offline_access'])
  const sent = await fetchPage(address)
  expect((await fetchPage(new URL(sent.location))).status).toBe(400)
  expect(await end()).toMatchObject({ code: 1, errors: containing('--scopes') })
})
