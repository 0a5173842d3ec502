import { join } from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import type { LimitsStorage } from '@mcp-toolkits/core/upstream'
import { expect, it } from 'vitest'
import { acmeAccount } from '../../test/account/acme.ts'
import { loginWith, tokensNamed } from '../../test/account/logins.ts'
import { temporaryDirectory } from '../../test/account/temporary-directory.ts'
import { openTokenStore } from './tokens/login-store.ts'
import { embeddedUpstream, openUpstream } from './upstream.ts'

/** Storage in memory for limits that several processes share. */
function memoryLimitsStorage(): LimitsStorage {
  const states = new Map<string, string>()
  const read = (account: string) => ({ state: states.get(account), now: systemClock.monotonic() })
  return {
    read: (account) => Promise.resolve(read(account)),
    change(account, change) {
      const { state, result } = change(read(account))
      if (state === undefined) states.delete(account)
      else states.set(account, state)
      return Promise.resolve(result)
    },
  }
}

it('tells the accounts of different credentials apart, without revealing one', async () => {
  const idFor = async (token: string) => {
    const settings = { embedded: false, environment: { ACME_ACCESS_TOKEN: token }, dataDirectory: await temporaryDirectory() }
    return openUpstream(acmeAccount, settings)?.accountId()
  }
  const [first, again, second] = [await idFor('token-one'), await idFor('token-one'), await idFor('token-two')]
  expect(first).toBe(again)
  expect(first).not.toBe(second)
  expect(first).not.toContain('token')
  const emulator = embeddedUpstream({ fetch: () => Promise.resolve(new Response()) }, { authorization: 'Bearer token-one' })
  expect(await emulator.accountId()).toBe('embedded')
})

it('follows the person who is signed in, not the tokens', async () => {
  const dataDirectory = await temporaryDirectory()
  const store = openTokenStore(dataDirectory)
  const signIn = async (account: Readonly<Record<string, string>>, name: string) => {
    await store.write({ server: 'acme', profile: 'default' }, loginWith({ account, tokens: tokensNamed(name, Date.now()) }))
    return openUpstream(acmeAccount, { embedded: false, environment: {}, dataDirectory })
  }
  const upstream = await signIn({ account: 'Ada' }, 'a-1')
  const ada = await upstream?.accountId()
  await signIn({ account: 'Ada' }, 'a-2')
  expect(await upstream?.accountId()).toBe(ada)
  await signIn({ account: 'Bob' }, 'b-1')
  expect(await upstream?.accountId()).not.toBe(ada)
  await signIn({}, 'c-1')
  const unnamed = await upstream?.accountId()
  await signIn({}, 'c-2')
  expect(await upstream?.accountId()).not.toBe(unnamed)
})

it.each([{}, { accountId: 'ours' }])(
  'an account that the vendor does not name keeps its id when its tokens are replaced: %j',
  async (stored) => {
    const dataDirectory = await temporaryDirectory()
    const store = openTokenStore(dataDirectory)
    const login = async () => store.read({ server: 'acme', profile: 'default' })
    await store.write({ server: 'acme', profile: 'default' }, loginWith({ account: {}, tokens: tokensNamed('first', 0), ...stored }))
    const renewed = { access_token: 'renewed', refresh_token: 'rotated', token_type: 'bearer', expires_in: 1 }
    const upstream = openUpstream(
      acmeAccount,
      { embedded: false, environment: {}, dataDirectory },
      { fetch: () => Promise.resolve(Response.json(renewed)) },
    )
    const before = await upstream?.accountId()
    for (let rotation = 0; rotation < 2; rotation += 1) await upstream?.fetch(`${upstream.url}/me`)
    expect((await login())?.tokens?.refreshToken?.reveal()).toBe('rotated')
    expect(await upstream?.accountId()).toBe(before)
    expect(await openUpstream(acmeAccount, { embedded: false, environment: {}, dataDirectory })?.accountId()).toBe(before)
    expect(JSON.stringify(before)).not.toContain('first')
  },
)

it('a person whose refresh the vendor slows down keeps no other person waiting', async () => {
  const dataDirectory = await temporaryDirectory()
  const shared = { limits: memoryLimitsStorage() }
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    if (!request.url.endsWith('/token')) return Response.json({ authorization: request.headers.get('authorization') })
    if ((await request.text()).includes('refresh-anna')) return new Response('', { status: 429, headers: { 'retry-after': '600' } })
    return Response.json({ access_token: 'renewed', token_type: 'bearer', expires_in: 3_600 })
  }
  const call = async (owner: string) => {
    const directory = join(dataDirectory, owner)
    const store = openTokenStore(directory)
    const key = { server: 'acme', profile: 'default' }
    await store.write(key, loginWith({ tokens: tokensNamed(owner, 0) }))
    const sharedLogins = { store, atStart: await store.read(key) }
    const settings = { embedded: false, environment: {}, dataDirectory: directory, owner, sharedLogins }
    const upstream = openUpstream(acmeAccount, settings, { fetch, shared })
    return (await upstream?.fetch(`${upstream.url}/me`))?.json()
  }
  await expect(call('anna')).rejects.toThrow('Acme')
  expect(await call('ben')).toEqual({ authorization: 'Bearer renewed' })
})
