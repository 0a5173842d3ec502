import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { type IdentityProvider, openBrowser } from '@mcp-toolkits/testing/people'
import { expect, test } from 'vitest'
import { exitOf, startNode, temporaryDirectory } from '../command.ts'
import { collectOutput } from '../../packages/testing/src/processes/process.ts'
import { modern } from '../../packages/testing/src/processes/protocol.ts'
import { send } from '../../packages/testing/src/cluster/client.ts'
import { startDatabase } from '../replicas/database.ts'
import { type Company, openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { keyOf } from '../../packages/testing/src/company/vendors.ts'
import { sending, tracking } from '../../packages/testing/src/company/work.ts'

const postgres = startDatabase()
const people = peopleOf(1)
const [operator] = people
if (!operator) throw new Error('There is one person.')
const containing = (text: string): unknown => expect.stringContaining(text)
const vault = { MCP_TOOLKITS_VAULT_KEYS: `key:${Buffer.alloc(32, 9).toString('base64')}` }

/** A token that the identity provider issues to the client for itself: https://www.rfc-editor.org/rfc/rfc6749#section-4.4. */
async function tokenOfService({ issuer, serviceClient }: IdentityProvider, resource: string, scope: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${serviceClient.id}:${serviceClient.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
  })
  const body: unknown = await response.json()
  if (!isObject(body) || typeof body['access_token'] !== 'string') throw new Error(`No token: ${JSON.stringify(body)}`)
  return body['access_token']
}

/** The operator connects an account for the service identity, in a terminal. */
function startPeopleConnect(
  { identityProvider, vendor }: Company,
  app: string,
  environment: Readonly<Record<string, string>>,
  data: string,
) {
  const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
  const args = ['people', 'connect', identityProvider.serviceClient.id, '--issuer', identityProvider.issuer, '--no-browser']
  return startNode([main, ...args, '--data-dir', data], { ...vault, ...vendor.environment, ...environment })
}

async function auditOf(files: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return texts.flatMap((text) => text.trim().split('\n').map(parseJson).filter(isObject))
}

test('an agent without a person calls with its own token, as the account that the operator connected', { timeout: 120_000 }, async () => {
  const store = `${postgres().pooledUrl}?schema=services`
  const audit = path.join(await temporaryDirectory(), 'audit.jsonl')
  await using company = await openCompany({ ...tracking, people, store, environment: vault, args: ['--audit', audit] })
  const { identityProvider, url, vendor } = company
  const token = await tokenOfService(identityProvider, url, 'issue-tracker:read')
  const refused = await send(url, { ...tracking.whoAmI, token })
  expect(refused).toMatchObject({ kind: 'error', code: 'unauthenticated', text: containing('people connect triage-agent') })

  const connecting = startPeopleConnect(company, tracking.app, { MCP_TOOLKITS_STORE: store }, await temporaryDirectory())
  const output = collectOutput(connecting.stdout)
  const link = await Promise.race([collectOutput(connecting.stderr).match(/(http\S+)/), output.match(/(http\S+)/)])
  await openBrowser().walk(link, () => vendor.answerOf(operator))
  expect([await exitOf(connecting), output.all()]).toEqual([0, containing('triage-agent now act as Person 0x')])

  // More calls than there are replicas, so that each replica answers.
  for (let turn = 0; turn < 6; turn += 1) {
    expect(await send(url, { ...tracking.whoAmI, token })).toMatchObject({ kind: 'result', data: { user: { email: operator.email } } })
  }
  const { headers, body } = modern('1', 'tools/call', {
    name: 'IssueTracker_CreateIssue',
    arguments: { team: 'ENG', title: 'By the agent' },
  })
  const withToken = { ...headers, authorization: `Bearer ${token}` }
  const denied = await fetch(url, { method: 'POST', headers: withToken, ...(body !== undefined && { body }) })
  expect([denied.status, denied.headers.get('www-authenticate')]).toEqual([403, containing('issue-tracker:write')])
  const entries = (await auditOf([audit])).filter(({ tool }) => tool === 'WhoAmI')
  expect(entries.map(({ service, outcome }) => [service, outcome])).toEqual([
    ['triage-agent', 'unauthenticated'],
    ...Array.from({ length: 6 }, () => ['triage-agent', 'ok']),
  ])
  expect(entries.filter((entry) => 'subject' in entry)).toEqual([])
})

test('an agent without a person sends events with the key that the operator entered', { timeout: 120_000 }, async () => {
  const store = `${postgres().pooledUrl}?schema=services_keys`
  await using company = await openCompany({ ...sending, people, store, environment: vault })
  const { identityProvider, url, vendor } = company
  const token = await tokenOfService(identityProvider, url, 'event-pipeline:delete')
  const call = { ...sending.create('event-of-the-agent'), token }
  expect(await send(url, call)).toMatchObject({ kind: 'error', code: 'unauthenticated' })
  const key = { EVENT_PIPELINE_API_KEY: keyOf(operator), MCP_TOOLKITS_STORE: store }
  expect(await exitOf(startPeopleConnect(company, sending.app, key, await temporaryDirectory()))).toBe(0)
  expect(await send(url, call)).toMatchObject({ kind: 'result' })
  await expect.poll(() => vendor.made('event-of-the-agent')).toEqual([{ by: operator.email, title: 'event-of-the-agent' }])
})
