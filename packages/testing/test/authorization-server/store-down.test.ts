import { Unavailable } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import { startCompany } from './company.ts'

async function startSignedIn() {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock, replicas: 1 })
  const client = await company.registered()
  const { access, refresh } = await client.signIn('ada')
  return { clock, company, client, access, refresh }
}

test('while the store is down, tokens are checked against the loaded keys', async () => {
  const { clock, company, access } = await startSignedIn()
  company.setStoreDown(true)
  for (const minutes of [2, 1, 5]) {
    await clock.advance(minutes * 60_000)
    expect(await company.verifier.verify(access)).toMatchObject({ subject: 'ada' })
  }
})

test('a request that needs the store may be repeated, and works when the store is back', async () => {
  const { clock, company, client, access, refresh } = await startSignedIn()
  await company.restart()
  const [replica] = company.replicas
  company.setStoreDown(true)
  const error: unknown = await replica?.verifier.verify(access).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).toMatchObject({ retryable: true, details: { retryAfterSeconds: 5 } })
  expect(String(error)).not.toContain('db.internal')
  expect((await client.refresh(refresh)).status).toBe(503)
  company.setStoreDown(false)
  await clock.advance(1_000)
  expect(await replica?.verifier.verify(access)).toMatchObject({ subject: 'ada' })
  expect((await client.refresh(refresh)).status).toBe(200)
})
