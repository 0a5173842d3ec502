import { expect, it } from 'vitest'
import { connected, post, signedIn } from './accounts.ts'
import { personAt, startCompany } from './setup.ts'

it('shows connected accounts only to a browser that is signed in as their owner', async () => {
  const company = await startCompany({ replicas: 2 })
  await connected(company, 'robin', 'default', 'work')
  const before = await personAt(company, 'robin').open(`${company.url}/accounts`)
  expect(before.text).not.toMatch(/Robin|work/)
  const { page } = await signedIn(company, 'robin')
  for (const part of ['signed in as robin.vance@lodestar.example', 'Linear: default', 'Linear: work', 'Robin Vance', 'read, write'])
    expect(page.text).toContain(part)
  expect(page.text).toContain(new Date().toISOString().slice(0, 10))
  const other = await signedIn(company, 'ada')
  expect(other.page.text).toContain('You have not connected an account at Linear')
  expect(other.page.text).not.toMatch(/Robin|work/)
})

it('ends a connection: the vendor revokes it, and it is deleted', async () => {
  const company = await startCompany({ replicas: 2 })
  await connected(company, 'robin', 'default', 'work')
  const { cookie, form, open } = await signedIn(company, 'robin')
  const ended = await post(company, '/accounts/end', { cookie, form, profile: 'work' })
  expect(ended.status).toBe(200)
  expect(await ended.text()).toContain('Linear has revoked the access.')
  expect([await company.loginOf('robin', 'work'), await company.loginOf('robin')]).toEqual([undefined, expect.anything()])
  expect(company.emulator.store.grants().map(({ revokedAt }) => revokedAt !== null)).toEqual([false, true])
  expect((await open(`${company.url}/accounts`)).text).not.toContain('work')
  const again = await post(company, '/accounts/end', { cookie, form, profile: 'work' })
  expect(again.status).toBe(404)
  const { issuer } = company.identityProvider
  const account = 'Robin Vance <robin.vance@lodestar.example>, Lodestar'
  expect(company.events.slice(2)).toEqual([{ action: 'disconnect', issuer, subject: 'robin', profile: 'work', account, outcome: 'ok' }])
})

it('ends a connection only if the form comes from the page of its owner', async () => {
  const company = await startCompany()
  await connected(company, 'robin', 'default')
  const [robin, ada] = [await signedIn(company, 'robin'), await signedIn(company, 'ada')]
  const requests: [Readonly<Record<string, string>>, Record<string, string>][] = [
    [{ profile: 'default' }, {}],
    [{ cookie: robin.cookie, profile: 'default' }, {}],
    [{ cookie: robin.cookie, form: '', profile: 'default' }, {}],
    [{ cookie: robin.cookie, form: ada.form, profile: 'default' }, {}],
    [{ form: robin.form, profile: 'default' }, {}],
    [{ cookie: robin.cookie, form: robin.form, profile: 'default' }, { origin: 'https://evil.example' }],
    [{ cookie: robin.cookie, form: robin.form, profile: 'default' }, { origin: 'null' }],
    [{ cookie: robin.cookie, form: robin.form, profile: 'default' }, { 'sec-fetch-site': 'cross-site' }],
    [{ cookie: `${robin.cookie}x`, form: robin.form, profile: 'default' }, {}],
    [{ cookie: robin.cookie.replace(company.ownerOf('robin'), company.ownerOf('ada')), form: robin.form, profile: 'default' }, {}],
    // Their own page, and the account of another person.
    [{ cookie: ada.cookie.replace(company.ownerOf('ada'), company.ownerOf('robin')), form: ada.form, profile: 'default' }, {}],
  ]
  for (const [fields, headers] of requests) expect((await post(company, '/accounts/end', fields, headers)).status).toBe(403)
  expect((await post(company, '/accounts/end', { cookie: ada.cookie, form: ada.form, profile: 'default' })).status).toBe(404)
  expect(await company.loginOf('robin')).toBeDefined()
  for (const path of ['/accounts/end', '/accounts/sign-out', '/accounts/sign-in']) {
    expect((await fetch(`${company.url}${path}?form=${robin.form}&profile=default`, { headers: { cookie: robin.cookie } })).status).toBe(
      405,
    )
  }
})
