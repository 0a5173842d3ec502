import { DatabaseSync } from 'node:sqlite'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'
import { atSignedIn, personAt, startCompany, titleOf } from './setup.ts'

type Company = Awaited<ReturnType<typeof startCompany>>

async function connected(company: Company, subject: string, ...profiles: readonly string[]) {
  for (const profile of profiles) {
    const end = await personAt(company, subject).follow((await company.linkFor(subject, { profile })).url)
    expect(titleOf(end)).toBe('Connected to Linear')
  }
}

/** A browser that is signed in, and its page of accounts. */
async function signedIn(company: Company, subject: string) {
  const browser = personAt(company, subject)
  const start = await browser.open(`${company.url}/accounts`)
  expect(titleOf(start)).toBe('Your accounts in Issue Tracker')
  const page = await browser.walk(`${company.url}/accounts`, (each) =>
    each.text.includes('Sign in</button>') || each.url.includes('/interaction/') ? browser.answer(each) : undefined,
  )
  expect(page.url).toBe(`${company.url}/accounts`)
  return { ...browser, page, cookie: browser.cookies(company.url), form: /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '' }
}

const post = (company: Company, path: string, { cookie = '', ...fields }: Readonly<Record<string, string>>, headers = {}) =>
  fetch(`${company.url}${path}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers: { cookie, ...headers } })

it('shows to a browser that is signed in what its person has connected, and to no other', async () => {
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

it('says of a form that is too large, or of another type, that nothing has changed', async () => {
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
  // Fewer characters than the limit, and more bytes.
  expect(await send(`${fields(4_000)}${'é'.repeat(4_000)}`)).toEqual([413, 'The form is too large'])
  expect(await send(fields(1_000), 'application/json')).toEqual([415, 'This is not a form of this server'])
  expect(await company.loginOf('robin')).toEqual(expect.anything())
  expect((await send(fields(8 * 1024)))[0]).toBe(200)
  expect(await company.loginOf('robin')).toBeUndefined()
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

it('deletes a connection although the vendor does not revoke it, and says so', async () => {
  const company = await startCompany()
  await connected(company, 'robin', 'default')
  const { cookie, form } = await signedIn(company, 'robin')
  company.emulator.faults.add({ match: { path: '/oauth/revoke' }, times: 99, action: { kind: 'status', status: 503 } })
  const ended = await post(company, '/accounts/end', { cookie, form, profile: 'default' })
  expect(await ended.text()).toContain('Linear still accepts the login')
  expect(await company.loginOf('robin')).toBeUndefined()
})

it('ends nothing for who did not send the form of their own page', async () => {
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

it('signs a browser out, after which its cookie is worth nothing', async () => {
  const company = await startCompany({ replicas: 2 })
  const { cookie, form } = await signedIn(company, 'robin')
  const out = await post(company, '/accounts/sign-out', { cookie, form })
  expect([out.status, out.headers.get('location')]).toEqual([303, '/accounts'])
  expect(out.headers.getSetCookie()).toEqual([expect.stringMatching(/^issue-tracker-session=; Max-Age=0/)])
  const page = await (await fetch(`${company.url}/accounts`, { headers: { cookie } })).text()
  expect(page).not.toContain('robin')
})

it('signs a browser out after half an hour, and when its person is forgotten', async () => {
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

it('signs no browser in with the return of another one', async () => {
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

it('shows an account whose key is missing beside the others, and ends it', async () => {
  const company = await startCompany()
  await connected(company, 'robin', 'default')
  const ref = { owner: company.ownerOf('robin'), profile: 'old' }
  await company.state.people.grants.write(ref, '{}')
  const database = new DatabaseSync(company.databaseFile)
  // The id of the key stands in the row.
  const [of, to] = ['test', 'lost'].map((id) => Buffer.from(id).toString('hex').toUpperCase())
  database.exec(`update grants set value = unhex(replace(hex(value), '${of}', '${to}')) where profile = 'old'`)
  database.close()
  const { page, cookie, form } = await signedIn(company, 'robin')
  for (const part of ['Robin Vance', 'the server lacks the key lost']) expect(page.text).toContain(part)
  const ended = await post(company, '/accounts/end', { cookie, form, profile: 'old' })
  expect(await ended.text()).toContain('It could not be read, so Linear was not asked to revoke it')
  expect((await company.state.people.grants.list(ref.owner)).map(({ profile }) => profile)).toEqual(['default'])
})

it('takes so many forms a minute from one address, because everyone can send them', async () => {
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
