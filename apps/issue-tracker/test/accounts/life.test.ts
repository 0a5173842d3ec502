import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { containing, setUpAccount } from './setup.ts'

const list = 'IssueTracker.ListTeams'
const day = 86_400_000
const login = { command: 'issue-tracker-mcp login' }

test('refreshes an access token before it expires, and once when it is refused', async () => {
  const {
    login: signIn,
    server: open,
    expireToken,
    stored,
    pass,
    issued,
    requests,
  } = await setUpAccount({ lifetimes: { refreshGrace: 0 } })
  await signIn()
  const server = await open()
  const first = await stored()
  await server.call(list)
  expect([await stored(), issued()]).toEqual([first, [1]])

  await expireToken()
  await Promise.all(Array.from({ length: 8 }, () => server.call(list)))
  const second = await stored()
  expect([second.access_token === first.access_token, second.refresh_token === first.refresh_token, issued()]).toEqual([false, false, [2]])

  const before = await requests('/graphql')
  pass(day)
  await server.call(list)
  expect([await requests('/graphql'), issued()]).toEqual([before + 2, [3]])
})

test('reports a revoked grant, and uses a new login without a restart', async () => {
  const { login: signIn, server: open, command, stored, emulator, file } = await setUpAccount()
  await signIn()
  const server = await open()
  await server.call(list)
  const { refresh_token: token } = await stored()
  await emulator.fetch('https://api.linear.app/oauth/revoke', { method: 'POST', body: new URLSearchParams({ token }) })

  const error = await server.fails(list)
  expect(error).toMatchObject({ code: 'unauthenticated', retryable: false, next: login })
  expect(error.message).toContain('ended this login')
  expect(await readFile(file, 'utf8')).not.toMatch(/access_token|refresh_token/)
  // A server that starts now still knows that there was an account.
  const later = await open()
  expect(await later.fails(list)).toMatchObject({ code: 'unauthenticated', next: login })
  const status = await command(['status'])
  expect(status).toMatchObject({ code: 1, output: containing('ended this login') })
  expect(status.output).toContain('account: Robin Vance')

  expect((await signIn()).code).toBe(0)
  for (const each of [server, later]) expect(await each.call(list)).not.toHaveProperty('upstream')
})

test('a second login needs no settings, and keeps those of the first', async () => {
  const { login: signIn, command, url } = await setUpAccount()
  const unset = { ISSUE_TRACKER_CLIENT_ID: undefined, ISSUE_TRACKER_AUTH_URL: undefined, ISSUE_TRACKER_API_URL: undefined }
  expect(await command(['login', '--no-browser'], unset)).toMatchObject({
    code: 2,
    errors: containing('Set ISSUE_TRACKER_CLIENT_ID first'),
  })
  await signIn()
  expect((await signIn(['--scopes', 'read'], unset)).code).toBe(0)
  const { output } = await command(['status'], unset)
  expect(output).toContain(`upstream: ${url}/graphql`)
  expect(output).toContain('scopes: read\n')
})

test('repeats a refresh whose response was lost', async () => {
  const { login: signIn, server: open, expireToken, emulator, requests } = await setUpAccount()
  await signIn()
  const server = await open()
  await expireToken()
  emulator.faults.add({ match: { path: '/oauth/token' }, action: { kind: 'drop_after' } })
  const before = await requests('/oauth/token')
  await server.call(list)
  expect(await requests('/oauth/token')).toBe(before + 2)
})

test('notices a logout without a restart', async () => {
  const { login: signIn, server: open, command } = await setUpAccount()
  await signIn()
  const server = await open()
  await server.call(list)
  expect((await command(['logout'])).code).toBe(0)
  const error = await server.fails(list)
  expect(error).toMatchObject({ code: 'unauthenticated', next: login })
  expect(error.message).toContain('Not signed in')
})

test('logout deletes the login when the provider is unreachable, and says so', async () => {
  const { login: signIn, command, emulator } = await setUpAccount()
  await signIn()
  emulator.faults.add({ match: { path: '/oauth/revoke' }, times: 9, action: { kind: 'drop_before' } })
  expect(await command(['logout'])).toMatchObject({ code: 1, errors: containing('deleted here') })
  expect((await command(['logout'])).output).toContain('Not signed in')
})

test('profiles are separate accounts, and one without a login is never the embedded default', async () => {
  const { login: signIn, server: open, command } = await setUpAccount()
  await signIn(['--profile', 'work', '--scopes', 'read'])
  const work = await open({ profile: 'work' })
  await work.call(list)
  expect((await command(['status', '--profile', 'work'])).output).toContain('profile: work')
  const other = await open({ profile: 'home' })
  const error = await other.fails(list)
  expect(error).toMatchObject({ code: 'unauthenticated', next: { command: 'issue-tracker-mcp login --profile home' } })
  expect((await command(['logout', '--profile', 'work'])).code).toBe(0)
  expect(await work.fails(list)).toMatchObject({ next: { command: 'issue-tracker-mcp login --profile work' } })
})

test('a key, a token and --embedded override a login', async () => {
  const { login: signIn, server: open, command, requests } = await setUpAccount({ apiKey: 'lin_api_k', accessToken: 'lin_oauth_t' })
  expect((await signIn([], { ISSUE_TRACKER_API_KEY: 'lin_api_k' })).output).toContain('not used while ISSUE_TRACKER_API_KEY is set')
  for (const environment of [{ ISSUE_TRACKER_API_KEY: 'lin_api_k' }, { ISSUE_TRACKER_ACCESS_TOKEN: 'lin_oauth_t' }]) {
    await (await open({ environment })).call(list)
    const { output } = await command(['status'], environment)
    expect(output).toContain('account: Robin Vance')
    expect(output).not.toContain('profile:')
  }
  const wrong = await open({ environment: { ISSUE_TRACKER_API_KEY: 'lin_api_wrong' } })
  expect(await wrong.fails(list)).toMatchObject({ code: 'unauthenticated' })
  const before = await requests('/graphql')
  expect((await command(['status', '--embedded'])).output).toContain('upstream: the embedded default')
  expect(await requests('/graphql')).toBe(before)
})

test('a login is not used at another address', async () => {
  const [mine, other] = [await setUpAccount(), await setUpAccount()]
  await mine.login()
  const elsewhere = { environment: { ISSUE_TRACKER_API_URL: `${other.url}/graphql` } }
  const error = await (await mine.server(elsewhere)).fails(list)
  expect(error).toMatchObject({ code: 'unauthenticated' })
  expect(error.message).toContain('is not sent to')
  expect(await other.requests('/graphql')).toBe(0)
})

test.each(['/graphql', '/oauth/token'])('does not follow redirects from %s with a token', async (at) => {
  const [mine, other] = [await setUpAccount(), await setUpAccount()]
  await mine.login()
  const server = await mine.server()
  await mine.expireToken()
  for (const status of [301, 302, 307, 308] as const) {
    mine.emulator.faults.add({ match: { path: at }, action: { kind: 'redirect', status, location: `${other.url}${at}` } })
    expect(await server.fails(list)).toMatchObject({ code: 'unavailable' })
  }
  expect(await server.call(list)).toHaveProperty('teams')
  expect([await other.requests('/graphql'), await other.requests('/oauth/token')]).toEqual([0, 0])
})

test('a damaged or unsafe login file is never treated as a missing account', async () => {
  const { login: signIn, server: open, file, dataDirectory } = await setUpAccount()
  await signIn()
  await writeFile(file, '{"version":1,')
  expect(await (await open()).fails(list)).toMatchObject({ code: 'unauthenticated', message: containing('is damaged') })
  await signIn()
  await chmod(file, 0o666)
  expect(await (await open()).fails(list)).toMatchObject({ code: 'unauthenticated', message: containing('can be changed by other users') })
  await rm(path.join(dataDirectory, 'accounts'), { recursive: true })
  await signIn()
  await (await open()).call(list)
})
