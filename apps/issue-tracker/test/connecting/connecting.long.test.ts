import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'
import { account, atCallback, atSignedIn, personAt, startCompany, titleOf } from './setup.ts'

const never = new AbortController().signal

it('connects an account on three replicas: the person signs in, consents at the vendor, and the waiting call continues', async () => {
  const company = await startCompany({ replicas: 3 })
  const { id, url } = await company.linkFor('robin')
  const waiting = company.replicas[1]?.links.waitFor(id, never)
  const end = await personAt(company, 'robin').follow(url)
  expect([end.status, titleOf(end)]).toEqual([200, 'Connected to Linear'])
  for (const part of [
    'The account is Robin Vance',
    '<dt>Signed in as</dt><dd>robin.vance@lodestar.example</dd>',
    '<dt>Profile</dt><dd>default</dd>',
  ])
    expect(end.text).toContain(part)
  expect(await waiting).toBe('done')
  expect(await company.loginOf('robin')).toMatchObject({ client: { id: 'toolkits' }, scopes: account.provider.scopes.default })
  expect(await company.loginOf('ada')).toBeUndefined()
  expect(await company.state.people.list()).toMatchObject([{ subject: 'robin', profiles: ['default'] }])
  expect(company.log).toMatchObject([{ level: 'info', outcome: 'ok', purpose: 'account' }])
  const { issuer } = company.identityProvider
  const robin = 'Robin Vance <robin.vance@lodestar.example>, Lodestar'
  const asked = { issuer, subject: 'robin', profile: 'default', clientId: 'editor', purpose: 'account' }
  expect(company.events).toEqual([{ action: 'connect', ...asked, account: robin, outcome: 'ok' }])
})

it('says on the link page who asks for what, but nothing about the person', async () => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin', { profile: 'work', scopes: ['read', 'admin'] })
  const { status, text, headers } = await personAt(company, 'robin').open(url)
  expect(status).toBe(200)
  for (const part of ['Connect your account at Linear', 'editor', 'work', 'read, admin', new URL(company.url).host])
    expect(text).toContain(part)
  expect(text).not.toMatch(/robin|<script|style="|href|src=/i)
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
  })
})

it('changes nothing when programs request a link, however often', async () => {
  const company = await startCompany({ replicas: 2 })
  const { id, url } = await company.linkFor('robin')
  for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS', 'PUT', 'DELETE', 'HEAD', 'GET']) {
    const response = await fetch(url, { method, redirect: 'manual' })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.status).toBe(['GET', 'HEAD'].includes(method) ? 200 : 405)
  }
  expect(company.identityProvider.requests()).toBe(0)
  expect(company.emulator.store.grants()).toEqual([])
  expect(await company.attempts()).toBe(0)
  expect(await company.outcomeOf(id)).toBeUndefined()
  expect(titleOf(await personAt(company, 'robin').follow(url))).toBe('Connected to Linear')
})

it('lets a person decline at the vendor, and change their mind with the same link', async () => {
  const company = await startCompany()
  const { id, url } = await company.linkFor('robin')
  const end = await personAt(company, 'robin', { decision: 'deny' }).follow(url)
  expect([end.status, titleOf(end)]).toEqual([400, 'Not connected to Linear'])
  expect(await company.outcomeOf(id)).toBe('declined')
  expect(await company.loginOf('robin')).toBeUndefined()
  expect(titleOf(await personAt(company, 'robin').follow(url))).toBe('Connected to Linear')
  expect(await company.outcomeOf(id)).toBe('done')
})

it('keeps waiting while a person who has declined tries again', async () => {
  const company = await startCompany()
  const { id, url } = await company.linkFor('robin')
  await personAt(company, 'robin', { decision: 'deny' }).follow(url)
  await personAt(company, 'robin', { stopsAt: (at) => at.startsWith(company.linear.url) }).follow(url)
  expect(await company.outcomeOf(id)).toBeUndefined()
})

it('shows that a sign-in was refused, which does not end the link', async () => {
  const company = await startCompany()
  const { id, url } = await company.linkFor('robin')
  const robin = personAt(company, 'robin')
  const end = await robin.walk(url, (page) => (page.url.includes('/interaction/') ? { decision: 'refuse' } : robin.answer(page)))
  expect([end.status, titleOf(end)]).toEqual([403, 'You are not signed in'])
  expect(end.text).toContain('access_denied')
  expect(await company.outcomeOf(id)).toBeUndefined()
  expect(titleOf(await robin.follow(url))).toBe('Connected to Linear')
})

it('requests the scopes of the link from the vendor, and replaces the previous grant', async () => {
  const company = await startCompany()
  const first = await company.linkFor('robin', { scopes: ['read'] })
  await personAt(company, 'robin').follow(first.url)
  expect((await company.loginOf('robin'))?.scopes).toEqual(['read'])
  const second = await company.linkFor('robin', { scopes: ['read', 'write'] })
  await personAt(company, 'robin').follow(second.url)
  expect((await company.loginOf('robin'))?.scopes).toEqual(['read', 'write'])
  expect(company.emulator.store.grants().map(({ revokedAt }) => revokedAt !== null)).toEqual([true, false])
})

it('returns 410 for a link that has been used, and redirects nowhere', async () => {
  const company = await startCompany({ replicas: 2 })
  const { url } = await company.linkFor('robin')
  const robin = personAt(company, 'robin')
  await robin.follow(url)
  const before = company.identityProvider.requests()
  for (const method of ['GET', 'POST']) expect(await fetch(url, { method, redirect: 'manual' })).toMatchObject({ status: 410 })
  expect(company.identityProvider.requests()).toBe(before)
})

it.each(['', 'x', 'signed-in-not', `${'a'.repeat(43)}.`, `${'a'.repeat(43)}.owner`, '/evil.example', 'a/b'])(
  'returns 404 for /connect/%s',
  async (path) => {
    const company = await startCompany()
    for (const method of ['GET', 'POST']) expect(await fetch(`${company.url}/connect/${path}`, { method })).toMatchObject({ status: 404 })
  },
)

it('expires a link after ten minutes, unless it has been used', async () => {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock })
  const [early, late] = [await company.linkFor('robin'), await company.linkFor('robin', { clientId: 'other' })]
  const robin = personAt(company, 'robin', { stopsAt: atCallback })
  const back = await robin.follow(early.url)
  await clock.advance(9 * 60_000)
  expect(await fetch(late.url)).toMatchObject({ status: 200 })
  expect(titleOf(await robin.continueTo(back.url))).toBe('Connected to Linear')
  await clock.advance(60_000)
  for (const method of ['GET', 'POST']) expect(await fetch(late.url, { method })).toMatchObject({ status: 404 })
  expect(await company.outcomeOf(late.id)).toBe('expired')
  expect(await company.outcomeOf(early.id)).toBe('done')
})

it('reuses a link for calls that need the same, while more than half of its time is left', async () => {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock, replicas: 2 })
  const ask = async (subject = 'robin', options = {}) => (await company.linkFor(subject, options)).url
  const first = await ask()
  await clock.advance(5 * 60_000 - 1)
  const again = await company.replicas[1]?.links.create({ caller: company.callerOf('robin'), purpose: 'account' })
  expect(again).toEqual({ ...(await company.linkFor('robin')), url: first })
  const others = [
    await ask('ada'),
    await ask('robin', { profile: 'work' }),
    await ask('robin', { clientId: 'other' }),
    await ask('robin', { purpose: 'picker' }),
    await ask('robin', { scopes: ['read'] }),
  ]
  expect(new Set([first, ...others]).size).toBe(6)
  await clock.advance(1)
  expect(await ask()).not.toBe(first)
  expect(await fetch(first)).toMatchObject({ status: 200 })
})

it.each(['allow', 'deny'] as const)('creates a new link once the person has answered the last one (%s)', async (decision) => {
  const company = await startCompany()
  const first = await company.linkFor('robin')
  await personAt(company, 'robin', { decision }).follow(first.url)
  expect((await company.linkFor('robin')).url).not.toBe(first.url)
})

it('creates a new link for a person who was forgotten', async () => {
  const company = await startCompany()
  const first = await company.linkFor('robin')
  await company.state.people.forget(company.ownerOf('robin'))
  expect((await company.linkFor('robin')).url).not.toBe(first.url)
})

it('expires an attempt after ten minutes', async () => {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock })
  const robin = personAt(company, 'robin', { stopsAt: atCallback })
  const back = await robin.follow((await company.linkFor('robin')).url)
  await clock.advance(10 * 60_000 + 1)
  expect(titleOf(await robin.continueTo(back.url))).toBe('This step cannot be repeated')
  expect(await company.loginOf('robin')).toBeUndefined()
})

it('waits until the person has finished, the caller gives up or the link has expired', async () => {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock })
  const { id } = await company.linkFor('robin')
  expect(await company.links.waitFor(id, AbortSignal.abort())).toBeUndefined()
  expect(await company.links.waitFor(id, never)).toBe('expired')
  expect(clock.sleeps).toHaveLength(1_200)
  expect(await company.links.waitFor('not an id', never)).toBe('expired')
})

it('refuses an eleventh account, but renews one of ten', async () => {
  const company = await startCompany()
  const owner = company.ownerOf('robin')
  await company.state.people.remember(company.callerOf('robin'))
  for (let number = 1; number <= 10; number += 1) await company.state.people.grants.write({ owner, profile: `p${number}` }, '{}')
  const refused = await personAt(company, 'robin').follow((await company.linkFor('robin', { profile: 'p11' })).url)
  expect([refused.status, titleOf(refused)]).toEqual([409, 'Too many accounts'])
  expect(refused.text).toContain(`${company.url}/accounts`)
  expect(company.emulator.store.grants()).toEqual([])
  const renewed = await personAt(company, 'robin').follow((await company.linkFor('robin', { profile: 'p10' })).url)
  expect(titleOf(renewed)).toBe('Connected to Linear')
  expect(await company.state.people.grants.list(owner)).toHaveLength(10)
})

it('stores no eleventh account when two are connected at once', async () => {
  const company = await startCompany({ replicas: 2 })
  const owner = company.ownerOf('robin')
  await company.state.people.remember(company.callerOf('robin'))
  for (let number = 1; number <= 9; number += 1) await company.state.people.grants.write({ owner, profile: `p${number}` }, '{}')
  const backs = await Promise.all(
    ['p10', 'p11'].map(async (profile) => {
      const robin = personAt(company, 'robin', { stopsAt: atCallback })
      return { robin, back: await robin.follow((await company.linkFor('robin', { profile })).url) }
    }),
  )
  const ends = await Promise.all(backs.map(({ robin, back }) => robin.continueTo(back.url)))
  expect(ends.map(titleOf)).toContain('Too many accounts')
  expect((await company.state.people.grants.list(owner)).length).toBeLessThanOrEqual(10)
})

it('says that the identity provider is down, before and after the sign-in, and the link stays valid', async () => {
  const company = await startCompany()
  const { url } = await company.linkFor('robin')
  await company.identityProvider.stop()
  const down = await personAt(company, 'robin').follow(url)
  expect([down.status, titleOf(down)]).toEqual([503, 'You are not signed in'])
  await company.identityProvider.start()
  const robin = personAt(company, 'robin', { stopsAt: atSignedIn })
  const back = await robin.follow(url)
  await company.identityProvider.stop()
  const late = await robin.continueTo(back.url)
  expect([late.status, titleOf(late)]).toEqual([503, 'You are not signed in'])
  await company.identityProvider.start()
  expect(titleOf(await personAt(company, 'robin').follow(url))).toBe('Connected to Linear')
})

it.each([
  ['does not answer', '/oauth/token', { kind: 'status', status: 503 }, 503],
  ['refuses the code', '/oauth/token', { kind: 'status', status: 400, body: { error: 'invalid_grant' } }, 400],
  ['refuses its tokens', '/graphql', { kind: 'status', status: 401, body: { errors: [] } }, 400],
] as const)('stores nothing when the vendor %s, and the link stays valid', async (_, path, action, status) => {
  const company = await startCompany()
  const { id, url } = await company.linkFor('robin')
  company.emulator.faults.add({ match: { path }, times: 99, action })
  const end = await personAt(company, 'robin').follow(url)
  expect([end.status, titleOf(end)]).toEqual([status, 'Not connected to Linear'])
  expect(await company.loginOf('robin')).toBeUndefined()
  expect(await company.outcomeOf(id)).toBeUndefined()
  const unrevoked = company.emulator.store.grants().filter(({ issued, revokedAt }) => issued > 0 && revokedAt === null)
  expect(unrevoked).toEqual([])
  company.emulator.faults.clear()
  expect(titleOf(await personAt(company, 'robin').follow(url))).toBe('Connected to Linear')
})
