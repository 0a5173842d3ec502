import { DatabaseSync } from 'node:sqlite'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'
import { connected, post, signedIn } from './accounts.ts'
import { atSignedIn, personAt, startCompany, titleOf } from './setup.ts'

it('changes nothing for a form that is too large or of the wrong type, and says so', async () => {
  const company = await startCompany()
  await connected(company, 'robin', 'default')
  const { cookie, form } = await signedIn(company, 'robin')
  const fields = (length: number) => {
    const start = String(new URLSearchParams({ form, profile: 'default', more: '' }))
    return start + 'x'.repeat(length - start.length)
  }
  const send = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const page = await fetch(`${company.url}/accounts/end`, { method: 'POST', body, headers: { cookie, 'content-type': type } })
    return [page.status, titleOf({ text: await page.text() })]
  }
  expect(await send(fields(8 * 1024 + 1))).toEqual([413, 'The form is too large'])
  // Fewer characters than the limit, but more bytes.
  expect(await send(`${fields(4_000)}${'é'.repeat(4_000)}`)).toEqual([413, 'The form is too large'])
  expect(await send(fields(1_000), 'application/json')).toEqual([415, 'This is not a form of this server'])
  expect(await company.loginOf('robin')).toEqual(expect.anything())
  expect((await send(fields(8 * 1024)))[0]).toBe(200)
  expect(await company.loginOf('robin')).toBeUndefined()
})

it('deletes a connection even if the vendor does not revoke it, and says so', async () => {
  const company = await startCompany()
  await connected(company, 'robin', 'default')
  const { cookie, form } = await signedIn(company, 'robin')
  company.emulator.faults.add({ match: { path: '/oauth/revoke' }, times: 99, action: { kind: 'status', status: 503 } })
  const ended = await post(company, '/accounts/end', { cookie, form, profile: 'default' })
  expect(await ended.text()).toContain('Linear still accepts the login')
  expect(await company.loginOf('robin')).toBeUndefined()
})

it('signs a browser out, after which its cookie is invalid', async () => {
  const company = await startCompany({ replicas: 2 })
  const { cookie, form } = await signedIn(company, 'robin')
  const out = await post(company, '/accounts/sign-out', { cookie, form })
  expect([out.status, out.headers.get('location')]).toEqual([303, '/accounts'])
  expect(out.headers.getSetCookie()).toEqual([expect.stringMatching(/^issue-tracker-session=; Max-Age=0/)])
  const page = await (await fetch(`${company.url}/accounts`, { headers: { cookie } })).text()
  expect(page).not.toContain('robin')
})

it('signs a browser out after half an hour, and when the person is forgotten', async () => {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock })
  const first = await signedIn(company, 'robin')
  const load = async (cookie: string) => (await fetch(`${company.url}/accounts`, { headers: { cookie } })).text()
  await clock.advance(29 * 60_000)
  expect(await load(first.cookie)).toContain('robin')
  await clock.advance(60_000)
  expect(await load(first.cookie)).not.toContain('robin')
  const second = await signedIn(company, 'robin')
  await company.state.people.forget(company.ownerOf('robin'))
  expect(await load(second.cookie)).not.toContain('robin')
})

it('does not sign a browser in with a callback from a different browser', async () => {
  const company = await startCompany()
  const attacker = personAt(company, 'ada', { stopsAt: atSignedIn })
  const back = await attacker.follow(`${company.url}/accounts`)
  const victim = await personAt(company, 'robin').open(back.url)
  expect([victim.status, victim.headers.getSetCookie()]).toEqual([403, []])
})

it('shows an account that this version cannot read, so that it can be ended', async () => {
  const company = await startCompany()
  await company.state.people.remember(company.callerOf('robin'))
  await company.state.people.grants.write({ owner: company.ownerOf('robin'), profile: 'old' }, '{"version":99}')
  const { page, cookie, form } = await signedIn(company, 'robin')
  expect(page.text).toContain('cannot be read')
  expect((await post(company, '/accounts/end', { cookie, form, profile: 'old' })).status).toBe(200)
  expect(await company.state.people.grants.list(company.ownerOf('robin'))).toEqual([])
})

it('shows an account with a missing key alongside the others, and ends it', async () => {
  const company = await startCompany()
  await connected(company, 'robin', 'default')
  const ref = { owner: company.ownerOf('robin'), profile: 'old' }
  await company.state.people.grants.write(ref, '{}')
  const database = new DatabaseSync(company.databaseFile)
  // The row contains the key's id.
  const [of, to] = ['test', 'lost'].map((id) => Buffer.from(id).toString('hex').toUpperCase())
  database.exec(`update grants set value = unhex(replace(hex(value), '${of}', '${to}')) where profile = 'old'`)
  database.close()
  const { page, cookie, form } = await signedIn(company, 'robin')
  for (const part of ['Robin Vance', 'the server lacks the key lost']) expect(page.text).toContain(part)
  const ended = await post(company, '/accounts/end', { cookie, form, profile: 'old' })
  expect(await ended.text()).toContain('The stored access could not be read, so Linear was not asked to revoke it')
  expect((await company.state.people.grants.list(ref.owner)).map(({ profile }) => profile)).toEqual(['default'])
})

it('limits form submissions per minute from one address, because anyone can send them', async () => {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock })
  const link = await company.linkFor('robin')
  const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.99, ${address}` })
  const begin = (path: string, address: string) => post(company, path, {}, from(address))
  const statuses = new Set<number>()
  for (let count = 0; count < 60; count += 1) statuses.add((await begin('/accounts/sign-in', '203.0.113.7')).status)
  expect([...statuses]).toEqual([303])
  for (const path of ['/accounts/sign-in', '/accounts/end', new URL(link.url).pathname, '/connect/key']) {
    const refused = await begin(path, '203.0.113.7')
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.getSetCookie()]).toEqual([429, '60', []])
  }
  expect((await begin('/accounts/sign-in', '203.0.113.8')).status).toBe(303)
  expect((await fetch(link.url, { headers: from('203.0.113.7') })).status).toBe(200)
  await clock.advance(60_000)
  expect((await begin('/accounts/sign-in', '203.0.113.7')).status).toBe(303)
})
