import { expect, it } from 'vitest'
import { acmeAccount } from '../../test/account/acme.ts'
import { loginWith, tokensNamed } from '../../test/account/logins.ts'
import { temporaryDirectory } from '../../test/account/temporary-directory.ts'
import { openTokenStore } from './tokens/login-store.ts'
import { embeddedUpstream, openUpstream } from './upstream.ts'

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
