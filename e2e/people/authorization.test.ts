import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { member } from '@mcp-toolkits/core/base'
import { oauthClient, register, startDocumentServer, tokensIn } from '@mcp-toolkits/testing/people'
import { Client, CrossAppAccessProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../command.ts'
import { startDatabase } from '../replicas/database.ts'
import { type Called, identity, personsClients, redirectUrl, resultOf } from './clients.ts'
import { type Company, openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { tracking } from '../../packages/testing/src/company/work.ts'

const postgres = startDatabase()

const people = peopleOf(5)
const [ada, bob, third, fourth, fifth] = people
if (!ada || !bob || !third || !fourth || !fifth) throw new Error('There are five people.')

const assertionGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const scopes = ['read', 'write', 'delete'].map((permission) => `issue-tracker:${permission}`)

/** A company whose provider has one static client, and three replicas behind nginx that issue the tokens. */
async function open() {
  const documents = await startDocumentServer()
  const documentUrl = `${documents.url}/client.json`
  const metadata = {
    client_name: 'Editor',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token', assertionGrant],
  }
  documents.documents.set('/client.json', { client_id: documentUrl, ...metadata, token_endpoint_auth_method: 'none' })
  const certificate = path.join(await temporaryDirectory(), 'certificate.pem')
  await writeFile(certificate, documents.certificate)
  const company = await openCompany({
    ...tracking,
    people,
    store: `${postgres().directUrl}?schema=signing`,
    issuesTokens: true,
    environment: { NODE_EXTRA_CA_CERTS: certificate },
  })
  return {
    company,
    documentUrl,
    async [Symbol.asyncDispose]() {
      await company[Symbol.asyncDispose]()
      await documents[Symbol.asyncDispose]()
    },
  }
}

let opened: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  opened = await open()
}, 180_000)
afterAll(() => opened[Symbol.asyncDispose]())

const linkOf = ({ data }: Called) => String(member(member(data, 'next'), 'url'))

test.for([
  ['client 2, 2026-07-28', [ada, bob]],
  ['client 1', [third, fourth]],
] as const)('%s: people sign in by metadata document and by registration, and act as themselves', async ([kind, newcomers]) => {
  const { company, documentUrl } = opened
  const connect = personsClients[kind]
  // The first generation of clients does not know metadata documents.
  const ways = kind === 'client 1' ? (['dynamic', 'dynamic'] as const) : ([{ documentUrl }, 'dynamic'] as const)
  for (const [index, person] of newcomers.entries()) {
    await using client = await connect({ company, person, registration: ways[index] ?? 'dynamic' })
    expect(client.signIns).toEqual([scopes.join(' ')])
    await company.connect(person, linkOf(await client.call('IssueTracker_WhoAmI', {})))
    expect(await client.call('IssueTracker_WhoAmI', {})).toMatchObject({ isError: false, data: { user: { email: person.email } } })
  }
  // The provider's own tokens are for a different audience.
  const { status, headers } = await fetch(company.url, { method: 'POST', headers: { authorization: `Bearer ${company.tokenOf(ada)}` } })
  expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')])
})

test('client 2 acts for a person by an identity assertion, without a page', async () => {
  const { company, documentUrl } = opened
  const provider = new CrossAppAccessProvider({
    clientId: documentUrl,
    // Never requested: the server names no way to send a secret.
    clientSecret: 'unused',
    expectedIssuer: company.publicUrl,
    assertion: ({ authorizationServerUrl, resourceUrl, scope }) =>
      company.identityProvider.tokenFor(fifth.subject, {
        audience: authorizationServerUrl,
        clientId: documentUrl,
        scopes: scope?.split(' ') ?? [],
        lifetime: 300,
        header: { typ: 'oauth-id-jag+jwt' },
        claims: { resource: resourceUrl },
      }),
  })
  const client = new Client(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new StreamableHTTPClientTransport(new URL(company.url), { authProvider: provider }))
  const call = async () => resultOf({ ...(await client.callTool({ name: 'IssueTracker_WhoAmI', arguments: {} })) })
  await company.connect(fifth, linkOf(await call()))
  expect(await call()).toMatchObject({ isError: false, data: { user: { email: fifth.email } } })
  await client.close()
})

test('clients in browsers reach the endpoints, and other pages not the page that asks', async () => {
  await using company = await openCompany({ ...tracking, people, issuesTokens: true })
  const { publicUrl } = company
  const from = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('origin', 'https://app.example')
    return fetch(`${publicUrl}${path}`, { ...init, headers, redirect: 'manual' })
  }
  const [resource, server] = [
    await (await from('/.well-known/oauth-protected-resource/mcp')).json(),
    await (await from('/.well-known/oauth-authorization-server')).json(),
  ]
  expect([member(resource, 'authorization_servers'), member(server, 'issuer')]).toEqual([[publicUrl], publicUrl])
  const body = JSON.stringify({ redirect_uris: ['https://app.example/callback'] })
  const answers = [
    await from('/oauth/register', { method: 'POST', body }),
    await from('/oauth/keys'),
    await from('/oauth/token', { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 204])
  for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toMatch(/^(?:\*|https:\/\/app\.example)$/)
  expect((await from('/oauth/consent/x', { method: 'POST', body: new URLSearchParams({ decision: 'continue' }) })).status).toBe(403)
  expect((await fetch(`${publicUrl}/oauth/consent/x`)).status).toBe(410)
  expect((await fetch(`${publicUrl}/.well-known/openid-configuration`)).status).toBe(404)
  // Without the redirect, the browser stays here.
  expect((await fetch(`${publicUrl}/oauth/authorize`)).status).toBe(400)
})

test('a refresh token that is used four times at once, on three replicas, signs no one out', async () => {
  const { company } = opened
  const { publicUrl: issuer, url: resource } = company
  const { body } = await register(issuer, { redirect_uris: ['http://127.0.0.1/callback'] })
  const client = oauthClient({ issuer, clientId: String(body['client_id']), resource, scope: scopes.join(' ') })
  let { refresh } = await client.signIn(ada.subject)
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.refresh(refresh)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const [first] = answers.map((answer) => tokensIn(answer.body))
    if (!first) throw new Error('There are four answers.')
    expect(await isAccepted(company, first.access)).toBe(true)
    refresh = first.refresh
  }
})

async function isAccepted({ url }: Company, token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) })
  await response.text()
  return response.status === 200
}
