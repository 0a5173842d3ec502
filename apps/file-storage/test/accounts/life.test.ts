import { localClient } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { folderType } from '../storage.ts'
import { containing, setUpAccount } from './setup.ts'

const list = 'FileStorage.SearchFiles'
const query = { query: 'report' }
const login = { command: 'file-storage-mcp login' }

test('refreshes an access token that is refused, and keeps the refresh token', async () => {
  const { login: signIn, server: open, stored, emulator, requests } = await setUpAccount()
  await signIn()
  const server = await open()
  await server.call(list, query)
  const first = await stored()
  emulator.expire(first?.access_token)
  const before = await requests('/token')
  await Promise.all(Array.from({ length: 5 }, () => server.call(list, query)))
  const second = await stored()
  expect(second?.access_token).not.toBe(first?.access_token)
  expect([second?.refresh_token, second?.scopes]).toEqual([first?.refresh_token, first?.scopes])
  expect(await requests('/token')).toBe(before + 1)
})

test('reports a revoked grant, and uses a new login without a restart', async () => {
  const { login: signIn, server: open, stored, url, command } = await setUpAccount()
  await signIn()
  const server = await open()
  await server.call(list, query)
  const token = (await stored())?.refresh_token ?? ''
  expect((await fetch(`${url}/revoke`, { method: 'POST', body: new URLSearchParams({ token }) })).status).toBe(200)
  const error = await server.fails(list, query)
  expect(error).toMatchObject({ code: 'unauthenticated', retryable: false, next: login, message: containing('ended this login') })
  expect(await (await open()).fails(list, query)).toMatchObject({ code: 'unauthenticated', next: login })
  expect(await command(['status'])).toMatchObject({ code: 1, output: containing('ended this login') })
  await signIn()
  expect(await server.call(list, query)).not.toHaveProperty('upstream')
})

test('forgets what it knows about a drive when someone else signs in', async () => {
  const { login: signIn, server: open, change, requests, emulator } = await setUpAccount()
  emulator.addItem({ name: 'Inner', parent: emulator.addItem({ name: 'Outer', type: folderType }), type: folderType })
  await signIn(['--scopes', 'drive'])
  const server = await open()
  const top = () => requests('/drive/v3/files/root')
  const make = (name: string) => server.call('FileStorage.CreateFolder', { folder_name: name, parent_folder_path_or_id: 'Outer/Inner' })
  await make('One')
  const known = await top()
  await make('Two')
  expect(await top()).toBe(known)
  await change((stored) => {
    stored.identity = { account: 'Somebody Else <else@lodestar.example>' }
  })
  await make('Three')
  expect(await top()).toBe(known + 1)
})

test('an environment token and --embedded override a login', async () => {
  const { login: signIn, server: open, requests, command } = await setUpAccount({ accessToken: 'token-of-the-host' })
  const { output } = await signIn([], { more: { FILE_STORAGE_ACCESS_TOKEN: 'token-of-the-host' } })
  expect(output).toContain('not used while FILE_STORAGE_ACCESS_TOKEN is set')
  const status = await command(['status'], { FILE_STORAGE_ACCESS_TOKEN: 'token-of-the-host' })
  expect(status.output).toContain('account: Robin Vance')
  expect(status.output).not.toContain('profile:')
  const wrong = await open({ environment: { FILE_STORAGE_ACCESS_TOKEN: 'wrong' } })
  expect(await wrong.fails(list, query)).toMatchObject({ code: 'unauthenticated' })
  const before = await requests('/drive/v3/files')
  expect(await (await open({ embedded: true })).call(list, query)).toHaveProperty('files')
  expect(await requests('/drive/v3/files')).toBe(before)
})

test.for(['/drive/v3/files', '/token'])('follows no redirect from %s with a secret', async (at) => {
  const [mine, other] = [await setUpAccount(), await setUpAccount()]
  await mine.login()
  const server = await mine.server()
  await server.call(list, query)
  mine.emulator.expire((await mine.stored())?.access_token)
  for (const status of [301, 307, 308] as const) {
    mine.emulator.faults.add({ match: { path: at }, action: { kind: 'redirect', status, location: `${other.url}${at}` } })
    const error = await server.fails(list, query)
    expect(error).toMatchObject({ code: 'unavailable' })
    expect(JSON.stringify(error)).not.toContain(localClient.secret)
  }
  expect(await server.call(list, query)).toHaveProperty('files')
  expect([await other.requests('/drive/v3/files'), await other.requests('/token')]).toEqual([0, 0])
})
