import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import { Secret } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { openToolbox } from '@mcp-toolkits/server/mcp'
import { openPeopleToolbox } from '@mcp-toolkits/team/accounts'
import { openPeopleFile, readVaultKeys } from '@mcp-toolkits/team/vault'
import { openSharedStore } from '@mcp-toolkits/team/postgres'
import { connect, isCI, runCommand } from '@mcp-toolkits/testing'
import { runsPostgres, startPostgres } from '@mcp-toolkits/testing/postgres'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { encodeGrant } from '../../../packages/team/src/accounts/grants.ts'
import { entryLog } from '../../../packages/server/src/mcp/log.ts'
import { eventPipeline } from '../src/server.ts'
import { execution, goodBodies } from './pipeline.ts'

const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const [former, present] = [keyOf('former', 1), keyOf('present', 2)]
const people = ['ada', 'ben', 'cat'].map((subject) => ({ issuer: 'https://id.example.com', subject }))

const containing = (part: string): unknown => expect.stringContaining(part)

const Listed = z.object({
  entries: z.array(z.object({ state: z.string(), reason: z.string().nullable(), owner: z.string().nullable(), body: z.string() })),
})

/** A vendor that asks callers to slow down, and the server's commands. */
async function setUp() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'people-'))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  onTestFinished(async () => {
    await emulator.close()
    await rm(dataDirectory, { recursive: true, force: true })
  })
  emulator.faults.add({ times: Infinity, action: { kind: 'status', status: 429, retry_after: 600 } })
  const { url } = await emulator.listen({ port: 0 })
  const environment = { EVENT_PIPELINE_API_URL: `${url}/v1`, MCP_TOOLKITS_DATA_DIR: dataDirectory, MCP_TOOLKITS_VAULT_KEYS: former }
  const command = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runCommand(eventPipeline, args, { ...environment, EVENT_PIPELINE_API_KEY: 'operator-key', ...more })
  const entries = async (more: Readonly<Record<string, string>> = {}) => {
    const { output } = await command(['outbox', 'list', '--json'], more)
    return Listed.parse(JSON.parse(output)).entries
  }
  const openState = async () => {
    const file = path.join(dataDirectory, 'event-pipeline', 'team.db')
    const state = await openPeopleFile({ file, keys: readVaultKeys(former), clock: systemClock })
    onTestFinished(state.close)
    return state
  }
  return { command, entries, openState, dataDirectory, environment, emulator }
}

const log = entryLog('error', () => undefined, systemClock)

test('`people forget` parks the events that wait for the keys of the person, and no others that wait for the same key', async () => {
  const { command, entries, openState, dataDirectory, environment } = await setUp()
  const state = await openState()
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment } as const
  const links = { create: () => expect.unreachable(), waitFor: () => expect.unreachable() }
  const toolbox = openPeopleToolbox(eventPipeline, settings, { state, links, log })
  const tool = toolbox.listing.find('EventPipelineApi_TrackUserEvent')
  for (const person of people) {
    await state.people.remember(person)
    const account = { owner: state.people.ownerOf(person), profile: 'default' }
    await state.people.grants.write(account, encodeGrant({ kind: 'key', key: new Secret('canary-of-all'), account: {} }))
    const caller = { ...person, ...account, clientId: 'test', permissions: ['write'] } as const
    const signal = new AbortController().signal
    if (tool) await toolbox.invoke(tool, execution({ ...goodBodies.track, userId: person.subject }), { signal, caller })
  }
  await toolbox.close()
  const states = async () => (await entries()).map(({ state: each, reason }) => [each, reason])
  expect(await states()).toEqual(people.map(() => ['open', null]))
  const first = await command(['people', 'forget', 'ada'])
  expect(first).toMatchObject({ code: 0, errors: '' })
  expect(first.output.split('\n')).toEqual([
    'Everything that was stored about "ada" is deleted, with 1 connected account. The vendor still accepts 1 key that they had entered; delete it there.',
    '1 event of this person will not be sent: `outbox list` shows it, and `outbox drop` deletes it.',
    '',
  ])
  expect(await states()).toEqual([
    ['parked', 'person_forgotten'],
    ['open', null],
    ['open', null],
  ])
  expect(first.output).not.toContain('canary')
})

test('`people forget` parks the events of the person under a shared key, and mentions those that were refused', async () => {
  const { command, entries, openState, dataDirectory, environment, emulator } = await setUp()
  const state = await openState()
  const shared = { ...environment, EVENT_PIPELINE_API_KEY: 'test-key' }
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: shared, servesPeople: true } as const
  const toolbox = openToolbox(eventPipeline, settings, { records: state.records, log })
  const tool = toolbox.listing.find('EventPipelineApi_TrackUserEvent')
  const [ada, ben] = people.map((person) => ({ ...person, owner: state.people.ownerOf(person), profile: 'default' }))
  if (!tool || !ada || !ben) throw new Error('There are a tool and two people.')
  emulator.faults.clear()
  for (const [person, status] of [
    [ada, 400],
    [ada, 429],
    [ben, 429],
  ] as const) {
    emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'status', status, retry_after: 600 } })
    const caller = { ...person, clientId: 'test', permissions: ['write'] } as const
    const signal = new AbortController().signal
    await toolbox.invoke(tool, execution({ ...goodBodies.track, userId: person.subject, event: `Answered ${status}` }), { signal, caller })
  }
  await toolbox.close()
  const states = async () => (await entries()).map(({ state: each, reason, owner }) => [each, reason, owner])
  expect(await states()).toEqual([
    ['refused', null, ada.owner],
    ['open', null, ada.owner],
    ['open', null, ben.owner],
  ])
  // Only those who have connected an account are known without their issuer.
  expect(await command(['people', 'forget', 'ada', '--issuer', ada.issuer])).toMatchObject({
    code: 1,
    output: '2 events of this person will not be sent: `outbox list` shows them, and `outbox drop` deletes them.\n',
    errors: containing('No person with the subject "ada" is known'),
  })
  expect(await states()).toEqual([
    ['refused', null, ada.owner],
    ['parked', 'person_forgotten', ada.owner],
    ['open', null, ben.owner],
  ])
})

test.runIf(isCI && runsPostgres())('`vault rotate` reseals the events of the replicas', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const { command, entries, environment, dataDirectory } = await setUp()
  const given = { url: postgres.pooledUrl, schema: 'event_pipeline', clock: systemClock }
  const shared = await openSharedStore({ ...given, keys: readVaultKeys(former) })
  const variables = { ...environment, EVENT_PIPELINE_API_KEY: 'operator-key' }
  const server = await connect(eventPipeline, { dataDirectory, environment: variables, shared, isReplica: true })
  await server.call('EventPipelineApi_TrackUserEvent', execution(goodBodies.track))
  await server[Symbol.asyncDispose]()
  await shared.close()
  const at = (keys: string) => ({ MCP_TOOLKITS_STORE: `${postgres.pooledUrl}?schema=event_pipeline`, MCP_TOOLKITS_VAULT_KEYS: keys })
  const rotated = await command(['vault', 'rotate'], at(`${present},${former}`))
  expect([rotated.code, rotated.output]).toEqual([0, expect.stringContaining('you can remove former')])
  expect(await command(['vault', 'check'], at(present))).toMatchObject({ code: 0 })
  expect((await entries(at(present))).map(({ body }) => body)).toEqual([expect.stringContaining('Order Completed')])
})

test('`people connect` stores the key of a service identity once the vendor accepts it', async () => {
  const { command, emulator } = await setUp()
  emulator.faults.clear()
  const given = { MCP_TOOLKITS_ISSUER: 'https://id.example.com', MCP_TOOLKITS_KEYS: 'person' }
  const connectRobot = (more: Readonly<Record<string, string>>) => command(['people', 'connect', 'robot'], { ...given, ...more })
  expect(await connectRobot({ EVENT_PIPELINE_API_KEY: 'canary-wrong' })).toMatchObject({
    code: 1,
    errors: containing('Customer.io refused this key'),
  })
  expect(await connectRobot({ MCP_TOOLKITS_KEYS: 'deployment' })).toMatchObject({
    code: 2,
    errors: containing('All callers use the key in EVENT_PIPELINE_API_KEY'),
  })
  expect(await command(['people', 'list'])).toMatchObject({ output: '0 people, 0 connected accounts.\n' })
  const connected = await connectRobot({ EVENT_PIPELINE_API_KEY: 'test-key' })
  expect([connected.code, connected.errors]).toEqual([0, ''])
  const { output } = await command(['people', 'list'])
  expect(output).toContain('robot at https://id.example.com, a service identity\n  default: ')
  expect(output + connected.output).not.toContain('test-key')
})
