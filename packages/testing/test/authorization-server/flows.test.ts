import { expect, test } from 'vitest'
import { newBrowser, redirectUri, tokensIn } from '../../src/people/oauth-client.ts'
import { titleOf } from '../../src/people/people-servers.ts'
import { startCompany } from './company.ts'

type Company = Awaited<ReturnType<typeof startCompany>>

const ways = {
  'registers itself': (company: Company) => company.registered(),
  'has a metadata document': (company: Company) => Promise.resolve(company.documented()),
}

test.for(Object.entries(ways))('a person signs in with a client that %s, on two replicas', async ([, clientOf]) => {
  const company = await startCompany()
  const client = await clientOf(company)
  const answer = await client.authorize('ada')
  expect([...answer.keys()].sort()).toEqual(['code', 'iss', 'state'])
  expect([answer.get('iss'), answer.get('state')]).toEqual([company.issuer, 'state-of-the-client'])
  const { status, headers, body } = await client.redeem(answer.get('code') ?? '')
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'files:read files:write' })
  expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type'])
  const person = { issuer: company.identityProvider.issuer, subject: 'ada' }
  const verified = { ...person, clientId: client.id, scopes: ['files:read', 'files:write'] }
  for (const { verifier } of company.replicas) expect(await verifier.verify(tokensIn(body).access)).toMatchObject(verified)
  expect(await company.state.people.list()).toMatchObject([person])
  expect(company.identityProvider.requests('/token')).toBe(1)

  const again = await client.refresh(tokensIn(body).refresh)
  expect(await company.verifier.verify(tokensIn(again.body).access)).toMatchObject(verified)
})

test('the page names the client, where it sends people, and what it may do', async () => {
  const company = await startCompany()
  const page = await newBrowser().open(company.documented().authorizationUrl({ scope: 'files:read' }))
  expect([page.status, titleOf(page)]).toEqual([200, 'Let Editor use Files?'])
  const { host } = new URL(company.documents.url)
  for (const text of [`described at ${host}`, '127.0.0.1:33333 (this computer)', 'look at what is there (files:read)'])
    expect(page.text).toContain(text)
  expect(page.text).not.toContain('files:write')
  expect(company.identityProvider.requests()).toBe(0)
  const unknown = await newBrowser().open((await company.registered({ client_name: undefined })).authorizationUrl())
  expect(titleOf(unknown)).toBe('Let a client use Files?')
  expect(unknown.text).toContain('its name is not verified')
})

test('a person who cancels is sent back to the client', async () => {
  const company = await startCompany()
  const browser = newBrowser()
  const page = await browser.open((await company.registered()).authorizationUrl())
  const back = await browser.submit(page, { decision: 'cancel' })
  expect(back.url.startsWith(redirectUri)).toBe(true)
  expect(Object.fromEntries(new URL(back.url).searchParams)).toMatchObject({ error: 'access_denied', iss: company.issuer })
  expect(company.identityProvider.requests()).toBe(0)
})

test('a person who refuses to sign in can try again from the client', async () => {
  const company = await startCompany()
  const browser = newBrowser()
  const signIn = await browser.submit(await browser.open((await company.registered()).authorizationUrl()), {})
  const page = await browser.submit(signIn, { decision: 'refuse' })
  expect([page.status, titleOf(page)]).toEqual([400, 'You are not signed in'])
})

test('a client presents an assertion by the identity provider', async () => {
  const company = await startCompany()
  const client = company.documented()
  const { status, body } = await client.present(company.assertionFor(client.id))
  expect([status, body]).toMatchObject([200, { token_type: 'Bearer', expires_in: 600, scope: 'files:read files:write' }])
  expect(body).not.toHaveProperty('refresh_token')
  const person = { issuer: company.identityProvider.issuer, subject: 'ada', clientId: client.id }
  expect(await company.verifier.verify(String(body['access_token']))).toMatchObject(person)
  expect(await company.state.people.list()).toMatchObject([{ subject: 'ada' }])
})

test('an assertion limits the scopes', async () => {
  const company = await startCompany()
  const client = await company.registered()
  const limited = await client.present(company.assertionFor(client.id, { claims: { scope: 'files:read other' } }))
  expect(limited.body['scope']).toBe('files:read')
  const unlimited = await client.present(company.assertionFor(client.id, { claims: { scope: undefined } }), { scope: 'files:write' })
  expect(unlimited.body['scope']).toBe('files:write')
  const none = await client.present(company.assertionFor(client.id, { claims: { scope: 'other' } }))
  expect([none.status, none.body['error']]).toEqual([400, 'invalid_scope'])
})

test('the claim that the operator names identifies the person', async () => {
  const person = { subject: 'pairwise-1', name: 'Ada', claims: { oid: 'oid-of-ada' } }
  const company = await startCompany({ people: [person], subjectClaim: 'oid' })
  const client = await company.registered()
  const { access } = await client.signIn('pairwise-1')
  expect(await company.verifier.verify(access)).toMatchObject({ subject: 'oid-of-ada' })
  const asserted = await client.present(company.assertionFor(client.id, { claims: { oid: 'oid-of-ada' } }))
  expect(await company.verifier.verify(String(asserted.body['access_token']))).toMatchObject({ subject: 'oid-of-ada' })
})

test('every authorization signs the person in at the identity provider', async () => {
  const company = await startCompany()
  const client = await company.registered()
  const browser = newBrowser()
  await client.authorize('ada', {}, browser)
  await client.authorize('ada', {}, browser)
  expect(company.identityProvider.requests('/token')).toBe(2)
})
