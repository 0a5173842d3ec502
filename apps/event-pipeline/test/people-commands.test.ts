import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import { Secret } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { openPeopleToolbox } from '@mcp-toolkits/team/accounts'
import { openPeopleFile, readVaultKeys } from '@mcp-toolkits/team/vault'
import { openSharedStore } from '@mcp-toolkits/team/postgres'
import { connect, runCommand } from '@mcp-toolkits/testing'
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

const Listed = z.object({ entries: z.array(z.object({ state: z.string(), reason: z.string().nullable(), body: z.string() })) })

/** A vendor that asks for patience, and the commands of the server. */
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
  return { command, entries, dataDirectory, environment, emulator }
}

test('`people forget` parks the events that wait for keys of the person, and no others that wait for the same key', async () => {
  const { command, entries, dataDirectory, environment } = await setUp()
  const state = await openPeopleFile({
    file: path.join(dataDirectory, 'event-pipeline', 'team.db'),
    keys: readVaultKeys(former),
    clock: systemClock,
  })
  onTestFinished(state.close)
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment } as const
  const links = { create: () => expect.unreachable(), waitFor: () => expect.unreachable() }
  const toolbox = openPeopleToolbox(eventPipeline, settings, { state, links, log: entryLog('error', () => undefined, systemClock) })
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
    'Everything that was stored about "ada" is deleted, with 1 connected account. The vendor still accepts 1 key that they had entered, until it is deleted there.',
    '1 event that waits for a key of this person will not be sent: `outbox list` shows it, and `outbox drop` deletes it.',
    '',
  ])
  expect(await states()).toEqual([
    ['parked', 'person_forgotten'],
    ['open', null],
    ['open', null],
  ])
  expect(first.output).not.toContain('canary')
})

test.runIf(runsPostgres())('`vault rotate` seals the events of the replicas again', async () => {
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
  expect([rotated.code, rotated.output]).toEqual([0, expect.stringContaining('without former')])
  expect(await command(['vault', 'check'], at(present))).toMatchObject({ code: 0 })
  expect((await entries(at(present))).map(({ body }) => body)).toEqual([expect.stringContaining('Order Completed')])
})

const containing = (part: string): unknown => expect.stringContaining(part)

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
