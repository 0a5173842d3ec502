import { ManualClock } from '@mcp-toolkits/core/testing'
import { revokeAllTokens } from '@mcp-toolkits/team/authorization-server'
import { isObject, parseJson, stringMember } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { newBrowser } from '../../src/people/oauth-client.ts'
import { startCompany } from './company.ts'

const minute = 60_000
const day = 24 * 60 * minute

async function startWithClock() {
  // The library dates its tokens by the machine's clock.
  const clock = new ManualClock({ start: Date.now() })
  return { clock, company: await startCompany({ clock }) }
}

const keyOf = (token: string) => stringMember(parseJson(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()), 'kid')

test('signing keys change by themselves, and are published before and after they sign', async () => {
  const { clock, company } = await startWithClock()
  const client = company.documented()
  const published = async () => {
    const body: unknown = parseJson(await (await fetch(`${company.issuer}/oauth/keys`)).text())
    const keys: readonly unknown[] = isObject(body) && Array.isArray(body['keys']) ? body['keys'] : []
    for (const key of keys) expect(key).not.toHaveProperty('d')
    return keys.map((key) => stringMember(key, 'kid'))
  }
  const sign = async () => keyOf((await client.signIn('ada')).access)
  const first = await sign()
  expect(await published()).toEqual([first])
  await clock.advance(31 * day)
  expect([await sign(), await sign()]).toEqual([first, first])
  const [, second] = await published()
  expect([await published(), await published()]).toEqual([
    [first, second],
    [first, second],
  ])
  await clock.advance(6 * minute)
  expect([await sign(), await sign(), new Set(await published())]).toEqual([second, second, new Set([first, second])])
  await clock.advance(30 * day)
  expect(await published()).not.toContain(first)
})

test('a replica accepts tokens that another replica has signed with a key that it has not loaded', async () => {
  const { clock, company } = await startWithClock()
  const client = company.documented()
  const { access } = await client.signIn('ada')
  const replicas = [...company.replicas]
  for (const { verifier } of replicas) expect(await verifier.verify(access)).toMatchObject({ subject: 'ada' })
  const { records } = company.state
  const keys = { owner: 'authorization server', kind: 'oauth signing key' }
  for (const { name } of await records.list(keys)) await records.delete({ ...keys, name })
  await company.restart()
  const renewed = (await client.signIn('ada')).access
  expect(keyOf(renewed)).not.toBe(keyOf(access))
  // Less than the minute after which the replicas reload the keys anyway.
  await clock.advance(10_000)
  for (const { verifier } of replicas) expect(await verifier.verify(renewed)).toMatchObject({ subject: 'ada' })
})

test('after a renewal, earlier tokens are invalid on every replica, and people can sign in', async () => {
  const { clock, company } = await startWithClock()
  const client = company.documented()
  const { access, refresh } = await client.signIn('ada')
  const { access: other } = await client.signIn('robin')
  expect(await revokeAllTokens(company.state)).toEqual({ signingKeys: 1, signIns: 2 })
  await clock.advance(minute)
  for (const { verifier } of company.replicas) {
    await expect(verifier.verify(access)).rejects.toThrow('token')
    await expect(verifier.verify(other)).rejects.toThrow('token')
  }
  expect(await client.refresh(refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const renewed = await client.signIn('ada')
  for (const { verifier } of company.replicas) expect(await verifier.verify(renewed.access)).toMatchObject({ subject: 'ada' })
  expect(await client.refresh(renewed.refresh)).toMatchObject({ status: 200 })
})

test('a client that has registered itself is forgotten unless people use it', async () => {
  const { clock, company } = await startWithClock()
  const [used, unused] = [await company.registered(), await company.registered()]
  const isKnown = async ({ authorizationUrl }: typeof used) => (await newBrowser().open(authorizationUrl())).status === 200
  const { refresh } = await used.signIn('ada')
  await clock.advance(61 * minute)
  expect([await isKnown(used), await isKnown(unused)]).toEqual([true, false])
  // Each refresh keeps the registration alive.
  let token = refresh
  for (let count = 0; count < 4; count += 1) {
    await clock.advance(25 * day)
    const answer = await used.refresh(token)
    if (answer.status !== 200) break
    token = String(answer.body['refresh_token'])
  }
  expect(await isKnown(used)).toBe(true)
  await clock.advance(91 * day)
  expect(await isKnown(used)).toBe(false)
})

test('a sign-in ends if it is not used, and when its time is over', async () => {
  const { clock, company } = await startWithClock()
  const client = company.documented()
  const { refresh } = await client.signIn('ada')
  await clock.advance(31 * day)
  expect((await client.refresh(refresh)).body['error']).toBe('invalid_grant')
  let token = (await client.signIn('ada')).refresh
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) {
    await clock.advance(25 * day)
    const answer = await client.refresh(token)
    statuses.push(answer.status)
    token = String(answer.body['refresh_token'])
  }
  expect(statuses).toEqual([200, 200, 200, 400])
})

test('a person who takes too long has to begin again', async () => {
  const { clock, company } = await startWithClock()
  const browser = newBrowser()
  const page = await browser.open(company.documented().authorizationUrl())
  await clock.advance(11 * minute)
  expect((await browser.submit(page, {})).status).toBe(410)
})
