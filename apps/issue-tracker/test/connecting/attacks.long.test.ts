import { readFile } from 'node:fs/promises'
import { redact } from '@mcp-toolkits/core/errors'
import { expect, it } from 'vitest'
import { atCallback, atSignedIn, personAt, startCompany, titleOf } from './setup.ts'

type Company = Awaited<ReturnType<typeof startCompany>>

/** A person who is about to return from the identity provider or from the vendor. */
async function halfWay(
  company: Company,
  subject: string,
  { url, stopsAt = atCallback }: { url?: string; stopsAt?: (url: string) => boolean } = {},
) {
  const link = url === undefined ? await company.linkFor(subject) : { url, id: '' }
  const person = personAt(company, subject, { stopsAt: stopsAt })
  const back = await person.follow(link.url)
  expect(stopsAt(back.url)).toBe(true)
  return { ...person, link, back: back.url }
}

const replaced = (url: string, parameters: Readonly<Record<string, string>>) => {
  const changed = new URL(url)
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value)
  return changed.href
}
const parameter = (url: string, name: string) => new URL(url).searchParams.get(name) ?? ''

it('lets nobody else use a link, which stays valid for its owner', async () => {
  const company = await startCompany()
  const { id, url } = await company.linkFor('robin')
  const ada = await personAt(company, 'ada').follow(url)
  expect([ada.status, titleOf(ada)]).toEqual([403, 'This link is for another person'])
  expect(company.emulator.store.grants()).toEqual([])
  expect(await company.outcomeOf(id)).toBeUndefined()
  expect(company.log).toMatchObject([
    {
      level: 'warn',
      outcome: 'another person',
      asked: company.ownerOf('robin'),
      signed_in: company.ownerOf('ada'),
    },
  ])
  expect(company.log[0]?.['hint']).toContain('MCP_TOOLKITS_SUBJECT_CLAIM')
  expect(JSON.stringify(company.log)).not.toMatch(/robin|ada\b/)
  expect(company.events).toMatchObject([{ action: 'connect', subject: 'robin', outcome: 'other_person', opener: 'ada' }])
  const end = await personAt(company, 'robin').follow(url)
  expect(titleOf(end)).toBe('Connected to Linear')
  expect([await company.loginOf('robin'), await company.loginOf('ada')]).toEqual([expect.anything(), undefined])
})

it('forces a new sign-in after the wrong person was signed in', async () => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin')
  const prompt = async () => {
    const began = await fetch(url, { method: 'POST', redirect: 'manual' })
    return new URL(began.headers.get('location') ?? '').searchParams.get('prompt')
  }
  expect(await prompt()).toBeNull()
  await personAt(company, 'ada').follow(url)
  expect(await prompt()).toBe('login')
})

it('identifies people by a different claim if each client gets a different subject', async () => {
  const people = [{ subject: 'robin', claims: { oid: 'o-robin' } }]
  const bySubject = await startCompany({ people, pairwise: true })
  const refused = await personAt(bySubject, 'robin').follow((await bySubject.linkFor('robin')).url)
  expect(titleOf(refused)).toBe('This link is for another person')
  const byClaim = await startCompany({ people, pairwise: true, subjectClaim: 'oid' })
  const end = await personAt(byClaim, 'robin').follow((await byClaim.linkFor('o-robin')).url)
  expect(titleOf(end)).toBe('Connected to Linear')
})

it('signs nobody in without the claim that identifies people', async () => {
  const company = await startCompany({ subjectClaim: 'oid' })
  const end = await personAt(company, 'robin').follow((await company.linkFor('robin')).url)
  expect([end.status, titleOf(end)]).toEqual([400, 'You are not signed in'])
  expect(end.text).toContain('has no oid claim')
})

it.each([
  ['the identity provider', atSignedIn],
  ['the vendor', atCallback],
])('accepts a callback from %s only once', async (_, stopsAt) => {
  const company = await startCompany({ replicas: 2 })
  const { back, continueTo, cookies, follow } = await halfWay(company, 'robin', { stopsAt })
  // Only a GET request counts as the callback.
  for (const method of ['HEAD', 'OPTIONS', 'POST'])
    expect(await fetch(back, { method, headers: { cookie: cookies(back) } })).toMatchObject({ status: 405 })
  const first = await continueTo(back)
  const second = await continueTo(back)
  expect(first.status).toBe(200)
  expect([second.status, titleOf(second)]).toEqual([410, 'This step cannot be repeated'])
  const grants = company.emulator.store.grants().length
  expect(titleOf(await follow(back))).toBe('This step cannot be repeated')
  expect(company.emulator.store.grants()).toHaveLength(grants)
})

it.each([
  ['the identity provider', atSignedIn, '/connect/callback'],
  ['the vendor', atCallback, '/connect/signed-in'],
])('refuses a foreign state in a callback from %s, and the right one stays valid', async (_, stopsAt, otherPath) => {
  const company = await startCompany()
  const { back, continueTo } = await halfWay(company, 'robin', { stopsAt })
  const elsewhere = new URL(back)
  elsewhere.pathname = otherPath
  const foreign = [
    replaced(back, { state: 'a'.repeat(43) }),
    replaced(back, { state: '' }),
    `${back}&state=${'b'.repeat(43)}`,
    back.replace(/state=[^&]+&?/, ''),
    // The state of one step, used in the other step.
    elsewhere.href,
  ]
  for (const url of foreign) expect(await continueTo(url)).toMatchObject({ status: 410 })
  expect(await company.loginOf('robin')).toBeUndefined()
  expect((await continueTo(back)).status).toBe(200)
})

it.each([
  ['the identity provider', atSignedIn],
  ['the vendor', atCallback],
])('refuses a callback from %s in another browser, and accepts it in the right one', async (_, stopsAt) => {
  const company = await startCompany()
  const { back, continueTo } = await halfWay(company, 'robin', { stopsAt })
  for (const subject of ['ada', 'robin']) {
    const other = await personAt(company, subject).open(back)
    expect([other.status, titleOf(other)]).toEqual([403, 'You started in another browser'])
  }
  expect(company.emulator.store.grants().filter(({ issued }) => issued > 0)).toEqual([])
  expect((await continueTo(back)).status).toBe(200)
})

it('refuses callbacks that are mixed up between two browsers, but not one in its own browser', async () => {
  const company = await startCompany({ replicas: 2 })
  const link = await company.linkFor('robin')
  const [one, two] = [await halfWay(company, 'robin', { url: link.url }), await halfWay(company, 'robin', { url: link.url })]
  expect((await one.open(two.back)).status).toBe(403)
  expect((await two.open(one.back)).status).toBe(403)
  // The state of one attempt with the code of the other: the verifier does not match.
  const stolen = replaced(one.back, { code: parameter(two.back, 'code') })
  expect(titleOf(await one.open(stolen))).toBe('Not connected to Linear')
  expect(await company.loginOf('robin')).toBeUndefined()
  const third = await halfWay(company, 'robin', { url: link.url })
  expect(titleOf(await third.continueTo(third.back))).toBe('Connected to Linear')
  expect(titleOf(await two.continueTo(two.back))).not.toBe('Connected to Linear')
})

it('lets two tabs of one browser use a link until one of them succeeds', async () => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin')
  const browser = personAt(company, 'robin', { stopsAt: atCallback })
  const [one, two] = [await browser.follow(url), await browser.follow(url)]
  expect(titleOf(await browser.continueTo(two.url))).toBe('Connected to Linear')
  expect(titleOf(await browser.continueTo(one.url))).toBe('This link has been used')
  expect(company.emulator.store.grants().filter(({ issued }) => issued > 0)).toHaveLength(1)
})

it('accepts only one of several simultaneous callbacks with the same state', async () => {
  const company = await startCompany({ replicas: 2 })
  const { back, continueTo } = await halfWay(company, 'robin')
  const ends = await Promise.all([continueTo(back), continueTo(back), continueTo(back), continueTo(back)])
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
  expect(company.emulator.store.grants().map(({ issued }) => issued)).toEqual([1])
})

it('stores only one of two simultaneous grants', async () => {
  const company = await startCompany({ replicas: 2 })
  const { url } = await company.linkFor('robin')
  const browsers = [await halfWay(company, 'robin', { url }), await halfWay(company, 'robin', { url })]
  const ends = await Promise.all(browsers.map(({ back, continueTo }) => continueTo(back)))
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 410])
  expect(await company.loginOf('robin')).toBeDefined()
  expect(company.log.filter(({ outcome }) => outcome === 'ok')).toHaveLength(1)
})

it("does not connect an attacker's account to a victim who opens the attacker's callback URL", async () => {
  const company = await startCompany()
  const attacker = await halfWay(company, 'ada')
  const victim = await halfWay(company, 'robin')
  // The attacker's callback unchanged, and the attacker's code with the victim's state.
  expect((await victim.open(attacker.back)).status).toBe(403)
  const mixed = replaced(victim.back, { code: parameter(attacker.back, 'code') })
  expect(titleOf(await victim.open(mixed))).toBe('Not connected to Linear')
  expect(await company.loginOf('robin')).toBeUndefined()
})

it('does not sign a victim in as the attacker whose callback URL they open', async () => {
  const company = await startCompany()
  const attacker = await halfWay(company, 'ada', { stopsAt: atSignedIn })
  const victim = await halfWay(company, 'robin', { stopsAt: atSignedIn })
  expect((await victim.open(attacker.back)).status).toBe(403)
  const mixed = replaced(victim.back, { code: parameter(attacker.back, 'code') })
  expect(titleOf(await victim.open(mixed))).toBe('You are not signed in')
})

it('refuses a response that names a different issuer, as in a mix-up attack', async () => {
  const company = await startCompany()
  const { back, open } = await halfWay(company, 'robin', { stopsAt: atSignedIn })
  expect(titleOf(await open(replaced(back, { iss: 'https://evil.example' })))).toBe('You are not signed in')
})

it('binds each attempt to a new cookie, never to one that a request brings', async () => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin')
  const begin = async (headers = {}) => (await fetch(url, { method: 'POST', redirect: 'manual', headers })).headers.getSetCookie()
  const [first = ''] = await begin()
  expect(first).toMatch(/^issue-tracker-connect-[\w-]{8}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
  const [pair = ''] = first.split(';')
  // A cookie from elsewhere is not adopted.
  const [second = ''] = await begin({ cookie: pair })
  expect(second).toMatch(/^issue-tracker-connect-/)
  expect(second.split(';')[0]).not.toBe(pair)
  expect(second.split(/[=;]/)[1]).not.toBe(first.split(/[=;]/)[1])
})

it.each([
  ['identity provider', atSignedIn],
  ['vendor', atCallback],
])('does not treat text as a secret because a browser passes it as the code of the %s', async (from, stopsAt) => {
  const person = await halfWay(await startCompany(), 'robin', { stopsAt })
  const code = `the quarterly report of ${from}`
  await person.follow(replaced(person.back, { code }))
  expect(redact(code)).toBe(code)
})

it('refuses a cookie that is sent twice', async () => {
  const company = await startCompany()
  const response = await fetch((await company.linkFor('robin')).url, { method: 'POST', redirect: 'manual' })
  const [pair = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')
  const state = parameter(response.headers.get('location') ?? '', 'state')
  const returned = (cookie: string) => fetch(`${company.url}/connect/signed-in?code=x&state=${state}`, { headers: { cookie } })
  expect((await returned(`${pair.split('=')[0]}=planted; ${pair}`)).status).toBe(403)
  expect((await returned(`${pair}; ${pair}`)).status).toBe(403)
  expect((await returned(`x${pair}`)).status).toBe(403)
  // The right cookie is read; only the code is wrong.
  expect((await returned(`a=b; ${pair}; c=d`)).status).toBe(400)
})

it('uses, over https, cookies that only this host can set', async () => {
  const company = await startCompany({ publicUrl: 'https://issues.example' })
  const { url } = await company.linkFor('robin')
  expect(url).toMatch(/^https:\/\/issues\.example\/connect\/[\w-]{43}\.[\w-]+$/)
  const path = new URL(url).pathname
  const page = await fetch(`${company.url}${path}`)
  expect(await page.text()).toContain(`action="${path}"`)
  const began = await fetch(`${company.url}${path}`, { method: 'POST', redirect: 'manual', headers: { origin: 'https://issues.example' } })
  expect(began.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-issue-tracker-connect-[\w-]{8}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
  ])
  const redirect = parameter(began.headers.get('location') ?? '', 'redirect_uri')
  expect(redirect).toBe('https://issues.example/connect/signed-in')
})

it.each([
  [{ origin: 'https://evil.example' }, 403],
  [{ origin: 'null' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ 'content-type': 'text/plain' }, 415],
  [{ 'content-type': 'application/json' }, 415],
])('starts nothing for a form from another page (%j)', async (headers, status) => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin')
  const response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body: 'a=b' })
  expect([response.status, response.headers.getSetCookie()]).toEqual([status, []])
  expect(await company.attempts()).toBe(0)
})

it('refuses a form that is too long', async () => {
  const company = await startCompany()
  const response = await fetch((await company.linkFor('robin')).url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ a: 'b'.repeat(9_000) }),
  })
  expect(response.status).toBe(413)
})

it('redirects browsers only to the identity provider and the vendor, whatever a URL says', async () => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin')
  const evil = 'https://evil.example/'
  const query = new URLSearchParams({ next: evil, redirect_uri: evil, return_to: evil, url: evil }).toString()
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
  const began = await fetch(`${url}?${query}`, { method: 'POST', redirect: 'manual', headers })
  const target = new URL(began.headers.get('location') ?? '')
  expect([target.origin, target.pathname]).toEqual([company.identityProvider.issuer, '/auth'])
  expect(target.searchParams.get('redirect_uri')).toBe(`${company.url}/connect/signed-in`)
  expect(target.href).not.toContain('evil')
  const page = await (await fetch(`${url}?${query}`, { headers })).text()
  expect(page).not.toContain('evil')
  for (const path of ['//evil.example', '/connect//evil.example', '/accounts/https://evil.example', '/connect/signed-in/x']) {
    const response = await fetch(company.url + path, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([404, null])
  }
})

it('escapes text from others', async () => {
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202Egnp'
  const company = await startCompany({
    people: [{ subject: 'robin' }, { subject: 'eve', email: hostile, name: hostile }],
    clientId: hostile,
  })
  const { url } = await company.linkFor('robin', { profile: 'work', scopes: [hostile] })
  const eve = personAt(company, 'eve')
  const texts = [
    await eve.open(url),
    await eve.follow(url),
    await eve.open(`${company.url}/connect/${encodeURIComponent(hostile)}`),
    await eve.open(`${company.url}/connect/signed-in?state=${encodeURIComponent(hostile)}&error=${encodeURIComponent(hostile)}`),
  ]
  const { back, open } = await halfWay(company, 'robin', { stopsAt: atCallback })
  texts.push(await open(replaced(back, { error: hostile, error_description: hostile })))
  for (const { text } of texts) expect(text).not.toMatch(/<script|<img|\u202E/)
  expect(texts[0]?.text).toContain('&#60;script&#62;')
  expect(titleOf({ text: texts[1]?.text ?? '' })).toBe('This link is for another person')
  expect(texts[1]?.text).toContain('&#60;script&#62;')
})

it('lets no other page frame any of its pages', async () => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin')
  const addresses = [
    url,
    `${company.url}/accounts`,
    `${company.url}/connect/x`,
    `${company.url}/connect/callback`,
    `${company.url}/connect/key`,
  ]
  for (const address of addresses) {
    const { headers } = await fetch(address)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action ('none'|'self'( https:)?( http:\/\/127\.0\.0\.1:\d+)*); frame-ancestors 'none'$/,
    )
  }
})

it('leaves no secret in the log, in a page or in the database', async () => {
  const company = await startCompany()
  const { back, continueTo, link } = await halfWay(company, 'robin')
  const end = await continueTo(back)
  const login = await company.loginOf('robin')
  const secrets = [
    parameter(back, 'code'),
    parameter(back, 'state'),
    new URL(link.url).pathname.split('/')[2]?.split('.')[0] ?? '',
    login?.tokens?.accessToken.reveal() ?? '',
    login?.tokens?.refreshToken?.reveal() ?? '',
    company.identityProvider.signInClient.secret,
    'linear-client-secret',
    'Robin Vance',
  ]
  const database = (await Promise.all(['', '-wal'].map((end) => readFile(`${company.databaseFile}${end}`, 'latin1').catch(() => '')))).join(
    '',
  )
  expect(database.length).toBeGreaterThan(10_000)
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8)
    expect(`${JSON.stringify(company.log)} ${database}`).not.toContain(secret)
  }
  for (const secret of secrets.slice(0, -1)) expect(end.text).not.toContain(secret)
})
