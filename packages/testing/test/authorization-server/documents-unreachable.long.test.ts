import { stringMember } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import { titleOf } from '../../src/people/people-servers.ts'
import { newBrowser } from '../../src/people/oauth-client.ts'
import { startCompany } from './company.ts'

const hour = 60 * 60_000

async function startSignedIn() {
  const clock = new ManualClock({ start: Date.now() })
  const company = await startCompany({ clock, replicas: 1 })
  const client = company.documented()
  let token = (await client.signIn('ada')).refresh
  const document = company.documents.documents
  return {
    company,
    clock,
    client,
    setDocument: (answer: object) => void document.set('/client.json', answer),
    refresh: async () => {
      const { status, body } = await client.refresh(token)
      token = stringMember(body, 'refresh_token') ?? token
      return [status, body['error']]
    },
    /** Uses up the number of documents that strangers can have fetched within a minute; resolves with the last answer. */
    nameDocuments: async () => {
      const name = async (count: number) => company.clientOf(`${company.documents.url}/stranger/${count}`).refresh('r')
      for (let count = 0; count < 600; count += 1) expect((await name(count)).body['error']).toBe('invalid_client')
      return name(600)
    },
  }
}

test.for<[title: string, answer: () => Response]>([
  ['answers 503', () => new Response(null, { status: 503 })],
  ['answers 404', () => new Response(null, { status: 404 })],
  ['shows a page', () => new Response('<html>')],
])("a client that people use keeps working while its document's server %s, even in a new process", async ([, answer]) => {
  const { company, clock, setDocument, refresh } = await startSignedIn()
  setDocument(answer())
  await clock.advance(2 * hour)
  expect(await refresh()).toEqual([200, undefined])
  const fetched = company.documents.requests()
  expect([await refresh(), company.documents.requests()]).toEqual([[200, undefined], fetched])
  await company.restart()
  expect([await refresh(), company.documents.requests()]).toEqual([[200, undefined], fetched + 1])
  expect(company.log).toContainEqual(expect.objectContaining({ level: 'warn', outcome: 'metadata document unreachable' }))
})

test('strangers who use up the limit do not keep a client that people use from working', async () => {
  const { company, refresh, nameDocuments } = await startSignedIn()
  await company.restart()
  expect(await nameDocuments()).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
  const fetched = company.documents.requests()
  expect([await refresh(), company.documents.requests()]).toEqual([[200, undefined], fetched + 1])
})

test('a client that no person has used is asked to wait while its document is unreachable', async () => {
  const { company, setDocument } = await startSignedIn()
  setDocument(new Response(null, { status: 503 }))
  const other = company.documented({}, '/other.json')
  company.documents.documents.set('/other.json', new Response(null, { status: 503 }))
  expect(await other.refresh('r')).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
  const page = await newBrowser().open(other.authorizationUrl())
  expect([page.status, titleOf(page)]).toEqual([503, 'This does not work at the moment'])
})

test("if a client's document goes away in the meantime, the page says so", async () => {
  const { company, clock } = await startSignedIn()
  const other = company.documented({}, '/other.json')
  const browser = newBrowser()
  const { url } = await browser.open(other.authorizationUrl())
  company.documents.documents.set('/other.json', new Response(null, { status: 503 }))
  await clock.advance(2 * 60_000)
  const page = await browser.open(url)
  expect([page.status, titleOf(page)]).toEqual([503, 'This does not work at the moment'])
})

test('a new document takes effect: whatever it no longer allows ends', async () => {
  const { company, clock, client, setDocument, refresh } = await startSignedIn()
  setDocument({ client_id: client.id, redirect_uris: ['https://editor.example/callback'], grant_types: ['authorization_code'] })
  await clock.advance(2 * hour)
  expect(await refresh()).toEqual([400, 'invalid_request'])
  setDocument(new Response(null, { status: 503 }))
  await company.restart()
  expect(await refresh()).toEqual([400, 'invalid_request'])
  setDocument({ client_id: client.id, token_endpoint_auth_method: 'private_key_jwt' })
  await company.restart()
  expect(await refresh()).toEqual([401, 'invalid_client'])
})

test('a stored document expires if it cannot be fetched again for a long time', async () => {
  const { company, clock, client, setDocument } = await startSignedIn()
  setDocument(new Response(null, { status: 503 }))
  await clock.advance(91 * 24 * hour)
  await company.restart()
  expect((await client.refresh('r')).status).toBe(503)
})
