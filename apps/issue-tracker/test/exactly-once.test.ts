import { mkdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { member } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { identityOf } from '@mcp-toolkits/core/tool'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, type ConnectedServer, parseError, shareOf } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import type { Args } from './calls.ts'
import { type CreatingCall, creatingCalls, creatingTools } from './creating-calls.ts'
import { textWith } from './matching.ts'
import { losingLine, type LossPoint, type Machine, machine } from './processes.ts'

const key = 'a key of the caller'
const completed = 'An earlier attempt at this call was not completed; this one completed it.'
const createdEarlier = 'An earlier attempt at this call already created this item; nothing was created again.'
const createdAgain = 'An earlier attempt at this call already created this item. It has been deleted since, so it was created again.'

function callOf({ emulator }: Machine, tool: string): CreatingCall {
  const call = creatingCalls(emulator).find((each) => each.tool === tool)
  if (!call) throw new Error(`There is no call of ${tool}.`)
  return call
}

interface Call {
  readonly tool: string
  readonly args: Args
  readonly key?: string | undefined
}

async function result(server: ConnectedServer, { tool, args, key: idempotencyKey }: Call, signal?: AbortSignal) {
  const meta = idempotencyKey === undefined ? {} : { _meta: { 'mcp-toolkits/idempotency-key': idempotencyKey } }
  return server.client.callTool({ name: `IssueTracker.${tool}`, arguments: args, ...meta }, signal && { signal })
}

/** The data of a call that succeeds, and whether it is the result of an earlier one. */
async function answered(server: ConnectedServer, call: Call) {
  const { isError, structuredContent, content, _meta: meta } = await result(server, call)
  expect(isError, JSON.stringify(content)).not.toBe(true)
  const data: Readonly<Record<string, unknown>> = Object.assign({}, structuredContent)
  return { data, isReplayed: meta?.['mcp-toolkits/replayed'] === true }
}

/** Makes a call in a process that is killed at its first write. */
async function killAt(point: LossPoint, where: Machine, call: Call) {
  const line = losingLine(where.emulator.fetch, point)
  const server = await where.start(line.fetch)
  const cancelled = new AbortController()
  const refused = expect(result(server, call, cancelled.signal)).rejects.toThrow()
  await line.lost
  await where.kill()
  cancelled.abort()
  await refused
  return line
}

const shares = 4
const moments = { before: 'before its write', between: 'between its two writes', after: 'after its write' } as const
const kills = creatingTools.flatMap((tool) =>
  (['before', 'between', 'after'] as const)
    .filter((point) => point !== 'between' || tool === 'CreateIssue')
    .flatMap((point) => [
      { tool, point, when: moments[point], key: undefined, how: 'without a key' },
      { tool, point, when: moments[point], key, how: 'with its key' },
    ]),
)

/** Five has no common factor with the four cases of a tool, so a fifth of them covers each moment, with and without a key. */
test.for(shareOf(kills, 5, 3))(
  '$tool: a call whose process is killed $when and that is retried in another $how creates one thing',
  async (kill) => {
    await using where = await machine()
    const { args, created, parts, isUnique, noticesAgain } = callOf(where, kill.tool)
    const call = { tool: kill.tool, args, key: kill.key }
    const line = await killAt(kill.point, where, call)
    expect(created()).toEqual(kill.point === 'before' ? [] : [kill.point === 'after' ? parts : 1])

    const server = await where.start()
    const { data } = await answered(server, call)
    expect(created()).toEqual([parts])
    const notices = [textWith(kill.point === 'before' ? completed : createdEarlier)]
    expect(data).toMatchObject({ notices, ...(isUnique && { changed: true }) })

    // The dead process's request was still in flight, and arrives now.
    await line.deliver()
    expect(created()).toEqual([parts])

    const next = await answered(server, call)
    const isSecond = kill.key === undefined && !isUnique
    expect(created()).toEqual(isSecond ? [parts, parts] : [parts])
    expect(next.isReplayed).toBe(kill.key !== undefined)
    if (kill.key !== undefined) expect(next.data).toEqual(data)
    else expect(next.data['notices']).toEqual(noticesAgain)
    if (kill.key === undefined && isUnique) expect(next.data).toMatchObject({ changed: false })
  },
)

test.for(shareOf(creatingTools, shares, 0))('%s: a retry right after the first call was cancelled continues it', async (tool) => {
  await using where = await machine()
  const { args, created, parts, isUnique, noticesAgain } = callOf(where, tool)
  const line = losingLine(where.emulator.fetch, 'after')
  const server = await where.start(line.fetch)
  const cancelled = new AbortController()
  const lost = result(server, { tool, args }, cancelled.signal)
  await line.lost
  const refused = expect(lost).rejects.toThrow()
  cancelled.abort()
  const { data } = await answered(server, { tool, args })
  await refused
  expect(created()).toEqual([parts])
  expect(data).toMatchObject({ notices: [textWith(createdEarlier)], ...(isUnique && { changed: true }) })
  expect((await answered(server, { tool, args })).data['notices']).toEqual(noticesAgain)
  expect(created()).toEqual(isUnique ? [parts] : [parts, parts])
})

test.for(shareOf(creatingTools, shares, 1))('%s: three simultaneous processes with one key create one thing', async (tool) => {
  await using where = await machine()
  const { args, created, parts } = callOf(where, tool)
  const servers = await Promise.all([where.start(), where.start(), where.start()])
  const answers = await Promise.all(servers.map((server) => answered(server, { tool, args, key })))
  expect(created()).toEqual([parts])
  expect(answers.map(({ isReplayed }) => isReplayed).toSorted()).toEqual([false, true, true])
  for (const { data } of answers) expect(data).toEqual(answers[0]?.data)
})

test('calls with different keys create two things, and a key with different arguments is refused', async () => {
  await using where = await machine()
  const { tool, args, created } = callOf(where, 'AddComment')
  const [one, other] = await Promise.all([where.start(), where.start()])
  await Promise.all([answered(one, { tool, args, key: 'one' }), answered(other, { tool, args, key: 'other' })])
  expect(created()).toEqual([1, 1])
  const { isError, content } = await result(other, { tool, args: { ...args, issue: 'ENG-2' }, key: 'one' })
  const [block] = content
  expect([isError, parseError(block?.type === 'text' ? block.text : '').code]).toEqual([true, 'conflict'])
  expect(created()).toEqual([1, 1])
})

const archiving = [
  ['CreateIssue', 'mutation ($id: String!) { issueDelete(id: $id) { success } }', 'issues'],
  ['CreateProject', 'mutation ($id: String!) { projectArchive(id: $id) { success } }', 'projects'],
  ['CreateInitiative', 'mutation ($id: String!) { initiativeArchive(id: $id) { success } }', 'initiatives'],
] as const

test.for(archiving)('%s: a retry says that the item has since been archived or moved to the trash', async ([tool, mutation, list]) => {
  await using where = await machine()
  const { args, created, parts } = callOf(where, tool)
  await killAt('after', where, { tool, args })
  const id = where.emulator.store[list]().find((row) => row['title'] === 'Once' || row['name'] === 'Once')?.['id']
  const { status } = await where.emulator.fetch('http://localhost/graphql', {
    method: 'POST',
    headers: { authorization: 'lin_api_test', 'content-type': 'application/json' },
    body: JSON.stringify({ query: mutation, variables: { id } }),
  })
  expect(status).toBe(200)
  const { data } = await answered(await where.start(), { tool, args })
  const archived = tool === 'CreateIssue' ? ['ENG-31 is archived; lists do not show it.'] : []
  expect(data['notices']).toEqual([...archived, `${createdEarlier} Since then it was archived or moved to the trash.`])
  expect(created()).toEqual([parts])
})

test('a retry says that what was created can no longer be read, and creates nothing', async () => {
  await using where = await machine()
  const { tool, args, created } = callOf(where, 'AddComment')
  await killAt('after', where, { tool, args })
  const gone = { errors: [{ message: 'Entity not found: Comment', extensions: { type: 'invalid input', code: 'INPUT_ERROR' } }] }
  where.emulator.faults.add({ action: { kind: 'slow', milliseconds: 0 } })
  where.emulator.faults.add({ action: { kind: 'status', status: 200, body: gone } })
  const server = await where.start()
  expect(await server.fails(`IssueTracker.${tool}`, args)).toMatchObject({
    code: 'conflict',
    retryable: false,
    message: textWith('Linear does not show it now: it was deleted, or cannot be read yet. Nothing was created now.'),
  })
  expect(created()).toEqual([1])
})

const idIsTaken = { message: 'conflict on insert of Entity', extensions: { type: 'invalid input', code: 'INPUT_ERROR', userError: true } }
const uniqueTools = ['CreateIssueRelation', 'LinkCodeHostToIssue', 'AddProjectToInitiative'] as const

test.for(uniqueTools)('%s: a retry recreates what a killed call created if it has been deleted since', async (tool) => {
  await using where = await machine()
  const { args, created, noticesAgain } = callOf(where, tool)
  // In Linear, the id of a deleted record stays taken. The emulator cannot delete records, so it never gets the first write, and refuses
  // the repeat's id once.
  await killAt('before', where, { tool, args })
  const sent: string[] = []
  const server = await where.start(async (input, init) => {
    const request = new Request(input, init)
    const body = await request.clone().text()
    if (body.includes('"mutation ') && sent.push(body) === 1) return Response.json({ errors: [idIsTaken] })
    return where.emulator.fetch(request)
  })
  const { data } = await answered(server, { tool, args })
  expect(data).toMatchObject({ changed: true, notices: [createdAgain] })
  expect(new Set(sent).size).toBe(2)
  expect(created()).toEqual([1])
  const next = await answered(server, { tool, args })
  expect(next.data).toMatchObject({ changed: false })
  expect(next.data['notices']).toEqual(noticesAgain)
  expect([created(), sent.length]).toEqual([[1], 2])
})

test('a relation that is removed after a retry has found it is created again', async () => {
  await using where = await machine()
  const { tool, args, created } = callOf(where, 'CreateIssueRelation')
  await killAt('after', where, { tool, args })
  const id = where.emulator.store.relations().at(-1)?.['id']
  let isRemoved = false
  const visible = (_: string, value: unknown): unknown =>
    isRemoved && Array.isArray(value) ? value.filter((each) => member(each, 'id') !== id) : value
  const server = await where.start(async (input, init) => {
    const response = await where.emulator.fetch(input, init)
    return Response.json(JSON.parse(await response.text(), visible), { status: response.status })
  })
  expect((await answered(server, { tool, args })).data).toMatchObject({ changed: true, notices: [createdEarlier] })
  isRemoved = true
  const { data } = await answered(server, { tool, args })
  expect(data).toMatchObject({ changed: true })
  expect(data).not.toHaveProperty('notices')
  expect(created()).toEqual([1, 1])
})

test('only one of three processes with one key looks for the relation; the others wait without holding up other relations', async () => {
  await using where = await machine()
  const { tool, args, created } = callOf(where, 'CreateIssueRelation')
  let lookups = 0
  const count: Fetch = async (input, init) => {
    const request = new Request(input, init)
    if ((await request.clone().text()).includes('BothIssues')) lookups += 1
    return where.emulator.fetch(request)
  }
  const servers = await Promise.all([where.start(count), where.start(count), where.start(count)])
  await Promise.all(servers.map((server) => answered(server, { tool, args, key })))
  expect([created(), lookups]).toEqual([[1], 1])
})

test('UpdateIssue: retrying a killed call in another process attaches the URL once', async () => {
  await using where = await machine()
  const url = 'https://example.com/once'
  const call = { tool: 'UpdateIssue', args: { issue_id: 'ENG-1', title: 'Renamed', attachment_url: url } }
  const line = await killAt('after', where, call)
  expect((await answered(await where.start(), call)).data).toMatchObject({ issue: { title: 'Renamed' }, attachment: { url } })
  await line.deliver()
  expect(where.emulator.store.attachments().filter((each) => each['url'] === url)).toHaveLength(1)
})

test('continues from the records of the first version: replays an answered call, and resumes an unanswered one', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'lin_api_test' })
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'machine-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  mkdirSync(path.join(dataDirectory, 'issue-tracker'))
  const earlier = new DatabaseSync(path.join(dataDirectory, 'issue-tracker', 'calls.db'))
  earlier.exec(readFileSync(path.join(import.meta.dirname, 'fixture', 'calls.sql'), 'utf8'))
  earlier.close()
  const clock = new ManualClock({ start: Date.parse('2026-11-22T14:50:00Z') })
  const environment = { ISSUE_TRACKER_API_KEY: 'lin_api_test' }
  await using server = await connect(issueTracker, { fetch: emulator.fetch, environment, dataDirectory, clock })
  const named = (title: string) => emulator.store.issues().filter((issue) => issue['title'] === title)

  const answer = { tool: 'CreateIssue', args: { team: 'ENG', title: 'Answered' }, key: 'answered' }
  expect(await answered(server, answer)).toMatchObject({ isReplayed: true, data: { issue: { identifier: 'ENG-31' } } })
  expect(named('Answered')).toEqual([])

  const lost = { tool: 'CreateIssue', args: { team: 'ENG', title: 'Unanswered' } }
  expect((await answered(server, lost)).data).toMatchObject({ notices: [textWith(completed)] })
  // It follows from the stored identity: had the first version's request arrived, Linear would have refused this one.
  expect(named('Unanswered')).toMatchObject([{ id: identityOf('e49c9cd5-e68a-408e-bbc5-f12fb429eb1e', true).uuid('issue') }])
})
