import { manualScope } from '@mcp-toolkits/core/testing'
import { randomUUID } from 'node:crypto'
import { type Fetch, withAuthorization } from '@mcp-toolkits/core/upstream'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { linearClient, type LinearCall } from '../src/linear/client.ts'
import { createIssue, updateIssue } from '../src/linear/issues/issues.ts'
import { issueTracker } from '../src/server.ts'
import { textWith } from './matching.ts'
import { workspace, type Workspace } from './workspace.ts'

const url = 'http://localhost/graphql'
const create = 'IssueTracker.CreateIssue'
const args = { team: 'ENG', title: 'Once', attachment_url: 'https://example.com/once' }

test('retrying a call that was cancelled after Linear had carried it out finds the issue', async () => {
  await using server = await workspace()
  const cancelled = new AbortController()
  // Linear carries it out, and the response never arrives.
  server.emulator.faults.add({ action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ action: { kind: 'slow', milliseconds: 60_000 } })
  const call = server.client.callTool({ name: create, arguments: args }, { signal: cancelled.signal })
  await expect.poll(() => issuesCalledOnce(server)).toBe(1)
  cancelled.abort()
  await expect(call).rejects.toThrow()
  // The same title, but a different call.
  expect(await server.call(create, { ...args, description: 'Another' })).toMatchObject({ notices: [textWith('has the same title')] })
  expect(issuesCalledOnce(server)).toBe(2)
  expect(String((await server.call(create, args))['notices'])).toContain('earlier attempt')
  expect(issuesCalledOnce(server)).toBe(2)
})

test('repeating a call that succeeded creates another issue', async () => {
  await using server = await workspace()
  await server.call(create, args)
  expect(await server.call(create, args)).toMatchObject({ notices: [textWith('has the same title')] })
  expect(issuesCalledOnce(server)).toBe(2)
})

test.for([
  ['AddComment', { issue: 'ENG-4', body: 'Once' }],
  ['CreateIssueRelation', { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' }],
  ['LinkCodeHostToIssue', { issue: 'ENG-4', code_host_url: 'https://github.com/acme/app/pull/9' }],
  ['AddProjectToInitiative', { initiative: 'Brand refresh', project: 'Apollo' }],
] as const)('%s: retrying a failed call uses the same id', async ([tool, args]) => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'key' })
  const ids: (string | undefined)[] = []
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = await request.clone().text()
    if (!body.includes('mutation')) return emulator.fetch(request, init)
    ids.push(/"id":"([0-9a-f-]{36})"/.exec(body.slice(body.indexOf('"variables"')))?.[1])
    const refusal = { errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] }
    return ids.length === 1 ? Response.json(refusal) : emulator.fetch(request, init)
  }
  await using server = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: 'key' } })
  expect((await server.fails(`IssueTracker.${tool}`, args)).code).toBe('forbidden')
  await server.call(`IssueTracker.${tool}`, args)
  expect(ids).toEqual([ids[1], ids[0]])
  expect(ids[0]).toBeDefined()
  await emulator.close()
})

test('an attachment that Linear rejects does not hide that the issue exists', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'key' })
  const call = callOf(emulator.fetch)
  const sent: string[] = []
  const linear: LinearCall = {
    ...call,
    async send(document, variables) {
      sent.push(document.name)
      return call.send(document, variables)
    },
  }
  const teamId = String(emulator.store.issues().find((issue) => issue['identifier'] === 'ENG-1')?.['teamId'])
  const input = { id: randomUUID(), teamId, title: 'Once' }
  const refused = { input, attachment: { id: randomUUID(), url: 'https://example.com/', title: '' } }
  const created = await createIssue(linear, refused)
  expect(sent).toEqual(['CreateIssueWithAttachment', 'CreatedIssue'])
  expect(created).toMatchObject({ issue: { title: 'Once' }, attachment: undefined, wasCreatedEarlier: false })
  expect(created.attachmentError?.message).toContain('title')
  expect(await createIssue(linear, refused)).toMatchObject({ issue: { id: input.id }, wasCreatedEarlier: true, attachmentError: {} })
  const fixed = { input, attachment: { ...refused.attachment, title: 'Fine' } }
  expect(await createIssue(linear, fixed)).toMatchObject({ attachment: { title: 'Fine' }, wasCreatedEarlier: true })
  expect(emulator.store.issues().filter((issue) => issue['title'] === 'Once')).toHaveLength(1)
  await emulator.close()
})

test('the error of a rejected change says that the URL is attached', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'key' })
  const linear = callOf(emulator.fetch)
  const id = String(emulator.store.issues().find((issue) => issue['identifier'] === 'ENG-1')?.['id'])
  const page = 'https://example.com/page'
  const change = async (title: string, input: { estimate: number }) => updateIssue(linear, { id, input }, { url: page, title })
  await expect(change('', { estimate: 4 })).rejects.toThrow(/^(?!.*attached to the issue)/)
  await expect(change('A page', { estimate: 4 })).rejects.toThrow('The URL is attached to the issue; nothing else was changed.')
  expect(emulator.store.attachments().filter((each) => each['url'] === page)).toHaveLength(1)
  expect(await change('A page', { estimate: 3 })).toMatchObject({ issue: { estimate: 3 }, attachment: { title: 'A page' } })
  await emulator.close()
})

test('with a key, a retry attaches the URL that Linear refused at first, and the next one returns what is stored', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'key' })
  let hasRefused = false
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = await request.text()
    const isRefused = !hasRefused && body.includes(args.attachment_url)
    hasRefused ||= isRefused
    const sent = isRefused ? body.replaceAll(args.attachment_url, 'not a URL') : body
    return emulator.fetch(request.url, { method: request.method, headers: request.headers, body: sent })
  }
  await using server = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: 'key' } })
  const call = async () => {
    const key = { 'mcp-toolkits/idempotency-key': 'k' }
    const { structuredContent, _meta } = await server.client.callTool({ name: 'IssueTracker_CreateIssue', arguments: args, _meta: key })
    return { result: structuredContent, isReplayed: _meta?.['mcp-toolkits/replayed'] === true }
  }
  const first = await call()
  expect(first.result).not.toHaveProperty('attachment')
  const second = await call()
  expect(second).toMatchObject({ result: { attachment: { url: args.attachment_url } }, isReplayed: false })
  expect(await call()).toEqual({ ...second, isReplayed: true })
  expect(emulator.store.issues().filter(({ title }) => title === 'Once')).toHaveLength(1)
  expect(emulator.store.attachments().filter((each) => each['url'] === args.attachment_url)).toHaveLength(1)
  await emulator.close()
})

function callOf(fetch: Fetch): LinearCall {
  return linearClient({ fetch: withAuthorization(fetch, url, () => 'key'), url }).forCall(manualScope())
}

function issuesCalledOnce({ emulator }: Workspace): number {
  return emulator.store.issues().filter((issue) => issue['title'] === 'Once').length
}
