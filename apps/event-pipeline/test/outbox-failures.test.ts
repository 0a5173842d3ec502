import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { connect as connectVendor } from '../src/connect.ts'
import { outboxCommand } from '../src/outbox/command.ts'
import { eventPipeline } from '../src/server.ts'
import { execution, goodBodies, pipeline } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const secret = 'words-of-the-vendor'

const Logged = z.looseObject({ level: z.string(), last_error: z.string().optional() })
const Listed = z.object({ entries: z.array(z.looseObject({ last_error: z.string() })) })

type Fault = Parameters<ReturnType<typeof pipelinesEmulator>['faults']['add']>[0]['action']

/** What can keep an event waiting, and how it is told. */
const failures: readonly (readonly [name: string, action: Fault, status: number, told: RegExp])[] = [
  [
    'a page in the vendor’s place',
    { kind: 'status', status: 200, body: `<p>${secret}</p>` },
    200,
    /^HTTP 200 came with something other than JSON/,
  ],
  [
    'a vendor in trouble',
    { kind: 'status', status: 503, retry_after: 600, body: JSON.stringify({ meta: { error: secret } }) },
    503,
    /^Customer\.io answered HTTP 503\.$/,
  ],
  ['a limit', { kind: 'status', status: 429, retry_after: 600 }, 429, /^Customer\.io asks to slow down \(HTTP 429\)\.$/],
]

async function dataDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

test.for(failures)('%s is told in the notice, the list and the log, in our own words', async ([, action, status, told]) => {
  const directory = await dataDirectory()
  const emulator = pipelinesEmulator({ key: 'test-key' })
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }
  emulator.faults.add({ times: 9, action })
  {
    await using server = await connect(eventPipeline, { dataDirectory: directory, environment, fetch: emulator.fetch })
    const { outcome, notices } = await server.call(track, execution(goodBodies.track))
    expect(outcome).toBe('queued')
    const why: unknown = Array.isArray(notices) ? notices.at(-1) : undefined
    expect(why).toMatch(new RegExp(`^The request could not be sent yet\\. ${told.source.replace(/^\^|\$$/g, '')}`))
    const warned = server.logged.map((line) => Logged.parse(JSON.parse(line))).find(({ level }) => level === 'warn')
    expect(warned).toMatchObject({ message: 'outbox', entry: 1, outcome: 'queued', http_status: status })
    expect(warned?.last_error).toMatch(told)
    expect(JSON.stringify(notices) + server.logged.join('')).not.toContain(secret)
  }
  const settings = { embedded: false, dataDirectory: directory, readOnly: false, toolNames: 'safe', environment } as const
  const { context, close } = await connectVendor(settings, { fetch: emulator.fetch })
  const { entries } = Listed.parse(JSON.parse((await outboxCommand(context, ['list'], true)).text))
  expect(entries).toMatchObject([{ id: 1, state: 'open', http_status: status }])
  expect(entries[0]?.last_error).toMatch(told)
  const [, second = ''] = (await outboxCommand(context, ['list'], false)).text.split('\n')
  expect(second.trim()).toMatch(told)
  await close()
})

test('an event that joins one that waits is told what that one failed with', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 600 } })
  const args = execution({ ...goodBodies.track, messageId: 'm-1' })
  await server.call(track, args)
  const again = await server.call(track, args)
  expect(again).toMatchObject({ outcome: 'queued' })
  expect(JSON.stringify(again['notices'])).toContain('asks to slow down (HTTP 429)')
  expect(server.emulator.store.requests().length).toBe(1)
})

test('what is told of a refused key leads to a delivered event and an empty outbox', async () => {
  const directory = await dataDirectory()
  const emulator = pipelinesEmulator({ key: 'right-key' })
  const args = execution({ ...goodBodies.track, messageId: 'm-1' }, { enable_strict_validation: 'True' })
  const at = (key: string) => ({ dataDirectory: directory, environment: { EVENT_PIPELINE_API_KEY: key }, fetch: emulator.fetch })
  const settings = { embedded: false, readOnly: false, toolNames: 'safe', ...at('right-key') } as const
  {
    await using wrong = await connect(eventPipeline, at('wrong-key'))
    const { message, next } = await wrong.fails(track, args)
    expect(message).toContain('Set EVENT_PIPELINE_API_KEY (or EVENT_PIPELINE_REGION), restart the server and send the event again')
    expect(message).toContain('`outbox drop 1`')
    expect(next).toBeUndefined()
  }
  await using right = await connect(eventPipeline, at('right-key'))
  expect(await right.call(track, args)).toMatchObject({ outcome: 'delivered' })
  const { context, close } = await connectVendor(settings, { fetch: emulator.fetch })
  expect(await outboxCommand(context, ['drop', '1'], false)).toMatchObject({ code: 0 })
  expect((await outboxCommand(context, ['list'], false)).text).toContain('The outbox is empty')
  expect(emulator.store.events().map(({ outcome }) => outcome)).toContain('accepted')
  await close()
})

test('the list counts rounds of tries, and not the tries of which the vendor saw five', async () => {
  const directory = await dataDirectory()
  const emulator = pipelinesEmulator({ key: 'test-key' })
  const settings = { dataDirectory: directory, environment: { EVENT_PIPELINE_API_KEY: 'test-key' }, fetch: emulator.fetch }
  emulator.faults.add({ times: 99, action: { kind: 'status', status: 503, retry_after: 0 } })
  await using server = await connect(eventPipeline, settings)
  const { outbox } = await server.call(track, execution(goodBodies.track))
  expect(outbox).toMatchObject({ entries: [1] })
  const { context, close } = await connectVendor({ embedded: false, readOnly: false, toolNames: 'safe', ...settings }, settings)
  const [line = ''] = (await outboxCommand(context, ['list'], false)).text.split('\n')
  expect(emulator.store.requests().length).toBeGreaterThanOrEqual(5)
  expect(line).toMatch(/ (1 round|\d+ rounds) of up to 5 tries /)
  await close()
})
