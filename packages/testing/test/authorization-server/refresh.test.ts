import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import { tokensIn } from '../../src/people/oauth-client.ts'
import { startCompany } from './company.ts'

async function startSignedIn(options: Parameters<typeof startCompany>[0] = {}) {
  const company = await startCompany(options)
  const client = await company.registered()
  const { refresh } = await client.signIn('ada')
  const use = async (token: string, changes = {}) => client.refresh(token, changes)
  const next = async (token: string) => tokensIn((await use(token)).body).refresh
  return { company, client, first: refresh, use, next }
}

const refused = { status: 400, body: { error: 'invalid_grant' } }

test('one token used four times at once signs no one out, and neither does its successor', async () => {
  const { first, use, next } = await startSignedIn()
  const answers = await Promise.all([1, 2, 3, 4].map(() => use(first)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const successors = answers.map(({ body }) => tokensIn(body).refresh)
  expect(new Set(successors).size).toBe(1)
  for (const successor of successors) expect((await use(successor)).status).toBe(200)
  expect((await use(await next(successors[0] ?? ''))).status).toBe(200)
})

test('a client that lost the answer uses its token again', async () => {
  const { first, use, next } = await startSignedIn()
  const lost = await next(first)
  expect(await next(first)).toBe(lost)
  expect((await use(lost)).status).toBe(200)
})

test('a token that is used again five minutes after it was replaced ends the sign-in', async () => {
  const clock = new ManualClock({ start: Date.now() })
  const { company, first, use, next } = await startSignedIn({ clock })
  const second = await next(first)
  await clock.advance(5 * 60_000)
  expect(await next(first)).toBe(second)
  await clock.advance(1)
  for (const token of [first, second]) expect(await use(token)).toMatchObject(refused)
  expect(company.log).toContainEqual(expect.objectContaining({ level: 'warn', outcome: 'replayed refresh token' }))
})

test('a token that is used after its successor ends the sign-in', async () => {
  const { company, first, use, next } = await startSignedIn()
  const second = await next(first)
  const third = await next(second)
  expect(await use(first)).toMatchObject(refused)
  for (const token of [first, second, third]) expect(await use(token)).toMatchObject(refused)
  expect(company.log).toContainEqual(expect.objectContaining({ level: 'warn', outcome: 'replayed refresh token' }))
})

test('tokens that were not issued are refused and end nothing', async () => {
  const { first, use, next } = await startSignedIn()
  const second = await next(first)
  const [, family = '', signature = ''] = second.split('.')
  for (const made of [`2.${family}.${signature}`, `1.${family}.${'x'.repeat(43)}`, `0.${family}.${signature}`, 'made-up'])
    expect(await use(made)).toMatchObject(refused)
  expect((await use(second)).status).toBe(200)
})

test('asks for no more than the person agreed to', async () => {
  const { company, first, use } = await startSignedIn()
  const less = await use(first, { scope: 'files:read', resource: company.resource })
  expect(less.body['scope']).toBe('files:read')
  expect((await use(first, { scope: 'files:read files:delete' })).body['error']).toBe('invalid_scope')
  expect((await use(first, { resource: `${company.resource}/work` })).body['error']).toBe('invalid_target')
  expect((await use(first)).body['scope']).toBe('files:read files:write')
})

test('a client that signs out ends only its own sign-in', async () => {
  const { client, first, use, next } = await startSignedIn()
  const other = (await client.signIn('ada')).refresh
  const second = await next(first)
  expect((await client.revoke(second)).status).toBe(200)
  for (const token of [first, second]) expect(await use(token)).toMatchObject(refused)
  expect((await use(other)).status).toBe(200)
})

test('a person who is forgotten is signed out everywhere', async () => {
  const { company, client, first, use } = await startSignedIn()
  const bob = (await client.signIn('robin')).refresh
  const code = (await client.authorize('ada')).get('code') ?? ''
  const [ada] = (await company.state.people.list()).filter(({ subject }) => subject === 'ada')
  await company.state.people.forget(ada?.owner ?? '')
  expect(await use(first)).toMatchObject(refused)
  expect(await client.redeem(code)).toMatchObject(refused)
  expect((await use(bob)).status).toBe(200)
})
