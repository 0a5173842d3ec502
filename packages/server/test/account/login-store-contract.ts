import { setTimeout } from 'node:timers/promises'
import { Secret } from '@mcp-toolkits/core/upstream'
import { expect, it } from 'vitest'
import type { Login } from '../../src/account/tokens/login-format.ts'
import type { TokenStore } from '../../src/account/tokens/login-store.ts'
import { key, loginWith } from './logins.ts'

/** A login with its secrets spelled out, for comparison. */
export const plain = (login: Login | undefined) =>
  login && {
    ...login,
    client: { ...login.client, ...(login.client.secret && { secret: login.client.secret.reveal() }) },
    tokens: login.tokens && {
      ...login.tokens,
      accessToken: login.tokens.accessToken.reveal(),
      refreshToken: login.tokens.refreshToken?.reveal(),
    },
  }

/** The rules for every token store. `open` makes an empty one, as two processes see it. */
export function tokenStoreContract(open: () => Promise<readonly [TokenStore, TokenStore]>): void {
  it('has no login before one is written, and every process sees the latest one', async () => {
    const [first, second] = await open()
    expect(await first.read(key)).toBeUndefined()
    await first.checkWritable(key)
    await first.write(key, loginWith())
    expect(plain(await second.read(key))).toEqual(plain(loginWith()))
    const registered = loginWith({ client: { id: 'web', secret: new Secret('hush') }, accountId: 'ours' })
    await second.write(key, registered)
    expect(plain(await first.read(key))).toEqual(plain(registered))
    await first.write(key, undefined)
    expect(await second.read(key)).toBeUndefined()
  })

  it('keeps the logins of each server and profile apart', async () => {
    const [first] = await open()
    const keys = [key, { ...key, profile: 'work' }, { ...key, server: 'files' }, { server: 'tracker.default', profile: 'x' }]
    for (const [index, each] of keys.entries()) await first.write(each, loginWith({ account: { account: `${index}` } }))
    for (const [index, each] of keys.entries()) expect((await first.read(each))?.account).toEqual({ account: `${index}` })
    await first.write(key, undefined)
    expect(await first.read({ ...key, profile: 'work' })).toBeDefined()
  })

  it('lets one caller at a time refresh a login, in all processes', async () => {
    const stores = await open()
    let [running, most, turns] = [0, 0, 0]
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await setTimeout(5)
      running -= 1
      turns += 1
    }
    await Promise.all(Array.from({ length: 5 }, () => stores.map((store) => store.withLock(key, work))).flat())
    expect([most, turns]).toEqual([1, 10])
  })

  it('is free again when the work fails', async () => {
    const [first, second] = await open()
    await expect(first.withLock(key, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await second.withLock(key, () => Promise.resolve('done'))).toBe('done')
  })
}
