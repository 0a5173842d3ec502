import { expect, test } from 'vitest'
import { newBrowser, redirectUri, register } from '../../src/people/oauth-client.ts'
import { openBrowser, type Page, type PersonBrowser } from '../../src/people/person-browser.ts'
import { titleOf } from '../../src/people/people-servers.ts'
import { metadataOf, startCompany } from './company.ts'

const ended = 'This request has ended'
const atReturn = (url: string) => url.includes('/connect/signed-in')

/** Sends the page's form as a page at a different address would. */
async function sendForm(
  page: Page,
  browser: PersonBrowser,
  headers: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string>> = {},
) {
  const form = /name="form" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ form, decision: 'continue', ...changes })
  const init = { method: 'POST', body, redirect: 'manual', headers: { cookie: browser.cookies(page.url), ...headers } } as const
  const response = await fetch(page.url, init)
  return { status: response.status, text: await response.text() }
}

test('another browser can neither see nor answer the page', async () => {
  const company = await startCompany()
  const browser = newBrowser()
  const page = await browser.open((await company.registered()).authorizationUrl())
  const other = await newBrowser().open(page.url)
  expect([other.status, titleOf(other)]).toEqual([410, ended])
  const sent = await sendForm(page, newBrowser(), {})
  expect([sent.status, titleOf(sent)]).toEqual([410, ended])
  expect(company.identityProvider.requests()).toBe(0)
})

test.for<[title: string, headers: Readonly<Record<string, string>>, changes: Readonly<Record<string, string>>]>([
  ['of another origin', { origin: 'https://evil.example' }, {}],
  ['of a page without an origin', { origin: 'null' }, {}],
  ['of another site', { 'sec-fetch-site': 'cross-site' }, {}],
  ['that does not know the page', {}, { form: '' }],
  ['that guesses', {}, { form: 'x'.repeat(43) }],
  ['without a decision', {}, { decision: '' }],
])('a form %s is ignored', async ([, headers, changes]) => {
  const company = await startCompany({ replicas: 1 })
  const browser = newBrowser()
  const page = await browser.open((await company.registered()).authorizationUrl())
  const sent = await sendForm(page, browser, headers, changes)
  expect([sent.status, titleOf(sent)]).toEqual([403, 'Another page sent this form'])
  expect(company.identityProvider.requests()).toBe(0)
})

test('sign-ins are limited for each client address, and those that cannot begin do not count', async () => {
  const company = await startCompany({ replicas: 1 })
  const url = (await company.registered()).authorizationUrl()
  const begin = async (to: string, from: string) => (await fetch(to, { redirect: 'manual', headers: { 'x-forwarded-for': from } })).status
  const empty = new URL(new URL(url).pathname, url).href
  for (let count = 0; count < 700; count += 1) expect(await begin(empty, '203.0.113.1')).toBe(400)
  const statuses = await Promise.all(Array.from({ length: 70 }, () => begin(url, '203.0.113.1')))
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  expect(await begin(url, '203.0.113.2')).toBe(303)
})

test('all addresses in one IPv6 network count as one, and requests that are refused anyway do not count', async () => {
  const company = await startCompany({ replicas: 1 })
  const from = async (address: string, changes = {}) =>
    (await register(company.issuer, metadataOf(changes), { 'x-forwarded-for': address })).status
  for (let count = 0; count < 20; count += 1) expect(await from('2001:db8:1:2::1', { redirect_uris: [] })).toBe(400)
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, host) => from(`2001:db8:1:2:${host.toString(16)}::${host}`)))
  expect(statuses.filter((status) => status === 201)).toHaveLength(10)
  expect(await from('2001:db8:1:3::1')).toBe(201)
})

test('one address that names unknown documents does not keep others from naming theirs', async () => {
  const company = await startCompany({ replicas: 1 })
  const open = async (path: string, from: string) => {
    const { authorizationUrl } = company.documented({}, path)
    return (await fetch(authorizationUrl(), { redirect: 'manual', headers: { 'x-forwarded-for': from } })).status
  }
  const statuses = await Promise.all(Array.from({ length: 30 }, (_, count) => open(`/${count}.json`, '203.0.113.1')))
  expect(statuses.filter((status) => status === 303)).toHaveLength(20)
  expect(await open('/new.json', '203.0.113.2')).toBe(303)
})

test('forms are limited for each client address', async () => {
  const company = await startCompany({ replicas: 1 })
  const browser = newBrowser()
  const page = await browser.open((await company.registered()).authorizationUrl())
  const statuses: number[] = []
  for (let count = 0; count < 70; count += 1) statuses.push((await sendForm(page, browser, { 'x-forwarded-for': '203.0.113.1' })).status)
  expect(statuses).toEqual([...Array<number>(60).fill(303), ...Array<number>(10).fill(429)])
  expect(await company.state.records.list({ owner: 'authorization server', kind: 'oauth sign-in' })).toHaveLength(60)
  expect((await sendForm(page, browser, { 'x-forwarded-for': '203.0.113.2' })).status).toBe(303)
})

test('the return from the identity provider is accepted once, and only in the browser that agreed', async () => {
  const company = await startCompany()
  let stops = true
  const browser = openBrowser({ stopsAt: (url) => (stops && atReturn(url)) || url.startsWith(redirectUri) })
  const client = await company.registered()
  const back = await browser.walk(client.authorizationUrl(), ({ url }) => (url.startsWith(company.issuer) ? {} : { person: 'ada' }))
  expect(atReturn(back.url)).toBe(true)
  const other = await newBrowser().open(back.url)
  expect([other.status, titleOf(other)]).toEqual([403, 'You started in another browser'])
  // A program that looks for dangerous links.
  expect((await fetch(back.url, { method: 'HEAD' })).status).toBe(405)
  stops = false
  const done = await browser.open(back.url)
  expect(new URL(done.url).searchParams.has('code')).toBe(true)
  const again = await browser.open(back.url)
  expect([again.status, titleOf(again)]).toEqual([410, 'This step cannot be repeated'])
  const unknown = await browser.open(`${company.issuer}/connect/signed-in?state=oauth.unknown&code=c`)
  expect([unknown.status, titleOf(unknown)]).toEqual([410, 'This step cannot be repeated'])
})

test('sends no one to an address unless a person has let a client use it', async () => {
  const company = await startCompany()
  const elsewhere = 'https://client.example/callback'
  const client = company.documented({ redirect_uris: [elsewhere] })
  const browser = openBrowser({ stopsAt: (url) => url.startsWith(elsewhere) })
  const wrong = client.authorizationUrl({ redirect_uri: elsewhere, response_type: 'token' })
  const page = await browser.open(wrong)
  expect([page.status, titleOf(page), page.headers.get('location')]).toEqual([400, 'The client cannot be connected', null])
  await client.authorize('ada', { redirect_uri: elsewhere }, browser)
  expect((await browser.open(wrong)).url).toContain(`${elsewhere}#error=`)
})

test("one browser's two requests do not interfere", async () => {
  const company = await startCompany()
  const [one, other] = [await company.registered({ client_name: 'One' }), await company.registered({ client_name: 'Other' })]
  const browser = newBrowser()
  const first = await browser.open(one.authorizationUrl({ state: 'first' }))
  const second = await browser.open(other.authorizationUrl({ state: 'second' }))
  const finish = async (page: Page) => {
    const signIn = await browser.submit(page, {})
    const back = signIn.url.startsWith(redirectUri) ? signIn : await browser.submit(signIn, { person: 'ada' })
    return new URL(back.url).searchParams
  }
  const [secondAnswer, firstAnswer] = [await finish(second), await finish(first)]
  expect([firstAnswer.get('state'), secondAnswer.get('state')]).toEqual(['first', 'second'])
  expect((await one.redeem(secondAnswer.get('code') ?? '')).status).toBe(400)
  expect((await one.redeem(firstAnswer.get('code') ?? '')).status).toBe(200)
})

test("one client's code is of no use to a different server or client", async () => {
  const [company, other] = [await startCompany({ replicas: 1 }), await startCompany({ replicas: 1 })]
  const client = await company.registered()
  const answer = await client.authorize('ada')
  // A client that talks to several servers learns from `iss` which of them issued the code.
  expect(answer.get('iss')).toBe(company.issuer)
  const code = answer.get('code') ?? ''
  expect((await (await other.registered()).redeem(code)).status).toBe(400)
  expect((await (await company.registered()).redeem(code)).status).toBe(400)
})

test('using a code again ends the sign-in of its first use', async () => {
  const company = await startCompany()
  const client = await company.registered()
  const code = (await client.authorize('ada')).get('code') ?? ''
  const first = await client.redeem(code)
  const again = await client.redeem(code)
  expect([first.status, again.status, again.body['error']]).toEqual([200, 400, 'invalid_grant'])
  expect((await client.refresh(String(first.body['refresh_token']))).body['error']).toBe('invalid_grant')
})

test('if a code is used several times at once, exactly one use succeeds', async () => {
  const company = await startCompany()
  const client = await company.registered()
  const code = (await client.authorize('ada')).get('code') ?? ''
  const answers = await Promise.all([1, 2, 3, 4].map(() => client.redeem(code)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
})

test('stored data lets no one in and names no one', async () => {
  // Too long to occur in sealed bytes by chance.
  const [subject, clientName] = ['subject-of-ada-lovelace', 'Editor of ada-lovelace']
  const company = await startCompany({ replicas: 1, people: [{ subject, name: 'Ada' }] })
  const client = await company.registered({ client_name: clientName })
  const { refresh } = await client.signIn(subject)
  const next = String((await client.refresh(refresh)).body['refresh_token'])
  const { readFile } = await import('node:fs/promises')
  const files = await Promise.all(['', '-wal'].map((end) => readFile(`${company.databaseFile}${end}`).catch(() => Buffer.alloc(0))))
  const stored = Buffer.concat(files)
  expect(stored.includes('oauth refresh tokens')).toBe(true)
  for (const text of [refresh, next, '"kty":"EC"', subject, clientName]) expect([text, stored.includes(text)]).toEqual([text, false])
})
