import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { openStore, text } from '@mcp-toolkits/sqlite'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { openConnection as connectVendor } from '../src/connect.ts'
import { outboxCommand } from '../src/outbox/command.ts'
import { eventPipeline } from '../src/server.ts'
import { outboxFile } from '../src/upstream.ts'
import { acceptingKeys, elapse, execution, goodBodies, pipeline, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const secret = 'words-of-the-vendor'

const Logged = z.looseObject({ level: z.string(), last_error: z.string().optional() })
const Listed = z.object({ entries: z.array(z.looseObject({ last_error: z.string() })) })

type Fault = Parameters<ReturnType<typeof pipelinesEmulator>['faults']['add']>[0]['action']

/** Faults that can keep an event waiting, and the report of each. */
const failures: readonly (readonly [name: string, action: Fault, status: number, text: RegExp])[] = [
  ['a page that is not the vendor’s', { kind: 'status', status: 200, body: `<p>${secret}</p>` }, 200, /^HTTP 200 came without valid JSON/],
  [
    'an error of the vendor',
    { kind: 'status', status: 503, retry_after: 600, body: JSON.stringify({ meta: { error: secret } }) },
    503,
    /^Customer\.io answered HTTP 503\.$/,
  ],
  ['a rate limit', { kind: 'status', status: 429, retry_after: 600 }, 429, /^Customer\.io asked us to slow down \(HTTP 429\)\.$/],
]

async function newDataDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

test.for(failures)('reports %s in the notice, the list and the log, in our own words', async ([, action, status, text]) => {
  const directory = await newDataDirectory()
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }
  const clock = new ManualClock()
  emulator.faults.add({ times: 9, action })
  {
    await using server = await connect(eventPipeline, {
      dataDirectory: directory,
      environment,
      fetch: acceptingKeys(emulator.fetch),
      clock,
    })
    const { outcome, notices } = await server.call(track, execution(goodBodies.track))
    expect(outcome).toBe('queued')
    const why: unknown = Array.isArray(notices) ? notices.at(-1) : undefined
    expect(why).toMatch(new RegExp(`^${text.source.replace(/^\^|\$$/g, '')}.*The event is stored`))
    const warned = server.logLines.map((line) => Logged.parse(JSON.parse(line))).find(({ level }) => level === 'warn')
    expect(warned).toMatchObject({ message: 'outbox', entry: 1, outcome: 'queued', http_status: status })
    expect(warned?.last_error).toMatch(text)
    expect(JSON.stringify(notices) + server.logLines.join('')).not.toContain(secret)
  }
  const settings = { embedded: false, dataDirectory: directory, readOnly: false, toolNames: 'safe', environment } as const
  const { context, close } = await connectVendor(settings, { fetch: acceptingKeys(emulator.fetch), clock })
  const { entries } = Listed.parse(JSON.parse((await outboxCommand(context, ['list'], true)).text))
  expect(entries).toMatchObject([{ id: 1, state: 'open', http_status: status }])
  expect(entries[0]?.last_error).toMatch(text)
  const [, second = ''] = (await outboxCommand(context, ['list'], false)).text.split('\n')
  expect(second.trim()).toMatch(text)
  await close()
})

test('reports the error of a waiting event to a caller that repeats it', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 600 } })
  const args = execution({ ...goodBodies.track, messageId: 'm-1' })
  await server.call(track, args)
  const again = await server.call(track, args)
  expect(again).toMatchObject({ outcome: 'queued' })
  expect(JSON.stringify(again['notices'])).toContain('asked us to slow down (HTTP 429)')
  expect(server.emulator.store.requests().length).toBe(1)
})

test('leads from a refused key to a delivered event and an empty outbox', async () => {
  const directory = await newDataDirectory()
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'right-key' })
  const args = execution({ ...goodBodies.track, messageId: 'm-1' }, { enable_strict_validation: 'True' })
  const at = (key: string) => ({
    dataDirectory: directory,
    environment: { EVENT_PIPELINE_API_KEY: key },
    fetch: acceptingKeys(emulator.fetch),
  })
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
  const { context, close } = await connectVendor(settings, { fetch: acceptingKeys(emulator.fetch) })
  expect(await outboxCommand(context, ['drop', '1'], false)).toMatchObject({ code: 0 })
  expect((await outboxCommand(context, ['list'], false)).text).toContain('No events are waiting in the outbox.')
  expect(emulator.store.events().map(({ outcome }) => outcome)).toContain('accepted')
  await close()
})

test('lists rounds of attempts, not single attempts', async () => {
  const directory = await newDataDirectory()
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const settings = {
    dataDirectory: directory,
    environment: { EVENT_PIPELINE_API_KEY: 'test-key' },
    fetch: acceptingKeys(emulator.fetch),
    clock: new ManualClock(),
  }
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

test('reads errors that the previous version stored, without the vendor’s words', async () => {
  const dataDirectory = await newDataDirectory()
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }
  const settings = { embedded: false, readOnly: false, toolNames: 'safe', dataDirectory, environment } as const
  {
    await using server = await connect(eventPipeline, { ...settings, fetch: acceptingKeys(emulator.fetch) })
    await server.fails(track, execution({ event: 'nobody', messageId: 'm-1' }, { enable_strict_validation: 'True' }))
  }
  const message = `Customer.io refused the request (HTTP 400): ${secret}; no person.`
  const stored = { code: 'invalid_input', message, retryable: false, http_status: 400, errors: [secret, 'no person'] }
  const rows = openStore({ file: outboxFile(settings) })
  rows.run('update entries set error = :error', { error: JSON.stringify(stored) })
  await rows.close()
  const { context, close } = await connectVendor(settings, { fetch: acceptingKeys(emulator.fetch) })
  const [, second = ''] = (await outboxCommand(context, ['list'], false)).text.split('\n')
  expect(second.trim()).toBe('Customer.io refused the request (HTTP 400).')
  expect((await context.store.undelivered())[0]?.error?.details).toMatchObject({ httpStatus: 400, errors: [secret, 'no person'] })
  await close()
})

test('says that another program keeps the outbox locked, and sends nothing', async () => {
  const dataDirectory = await newDataDirectory()
  await using server = await pipeline({ dataDirectory })
  await server.call(track, execution(goodBodies.track))
  const other = openStore({ file: outboxFile({ dataDirectory }) })
  other.script('begin immediate')
  expect(await server.fails(track, execution(goodBodies.track))).toMatchObject({
    code: 'unavailable',
    retryable: true,
    message: 'Another program keeps the outbox locked; nothing was stored or sent. Call again in a moment.',
  })
  other.script('commit')
  await other.close()
  expect(server.emulator.store.requests().length).toBe(1)
  expect(await server.call(track, execution(goodBodies.track))).toMatchObject({ outcome: 'delivered' })
})

test('closes even if another program keeps the outbox locked', async () => {
  const settings = { embedded: true, readOnly: false, toolNames: 'safe', dataDirectory: await newDataDirectory(), environment: {} } as const
  const clock = new ManualClock()
  const { context, close } = await connectVendor(settings, { clock })
  const other = openStore({ file: outboxFile(settings) })
  other.script('begin immediate')
  await elapse(clock, close(), 10)
  await expect(context.store.undelivered()).rejects.toThrow('not open')
  other.script('commit')
  await other.close()
})

test('continues an event whose call was given up, although the file was locked when that should have been written', async () => {
  const dataDirectory = await newDataDirectory()
  await using server = await pipeline({ dataDirectory })
  const args = execution(goodBodies.track)
  server.emulator.faults.add({ action: { kind: 'hang' } })
  const giveUp = new AbortController()
  const call = server.client.callTool({ name: track, arguments: args }, { signal: giveUp.signal })
  await until(() => server.emulator.store.requests().length === 1)
  const other = openStore({ file: outboxFile({ dataDirectory }) })
  other.script('begin immediate')
  giveUp.abort()
  await expect(call).rejects.toThrow()
  await until(() => server.logLines.join('').includes('"problem":"OutboxLocked"'))
  other.script('commit')
  await other.close()
  const again = await elapse(server.clock, server.call(track, args))
  expect(JSON.stringify(again['notices'])).toContain('An identical earlier call got no result. This one continues it')
  expect(new Set(server.emulator.store.requests().map(({ body }) => body)).size).toBe(1)
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(['accepted'])
})

test('stores and shows no key that the vendor repeats in its error', async () => {
  const dataDirectory = await newDataDirectory()
  const canary = 'canary-0123456789abcdef'
  const environment = { EVENT_PIPELINE_API_KEY: canary }
  await using server = await pipeline({ dataDirectory, environment })
  const body = { meta: { error: `Authorization: Basic ${btoa(`${canary}:`)} (key ${canary}) is not known` } }
  server.emulator.faults.add({ action: { kind: 'status', status: 400, body } })
  const error = await server.fails(track, execution(goodBodies.track, { enable_strict_validation: 'True' }))
  expect(error.errors?.join()).toContain('is not known')
  const rows = openStore({ file: outboxFile({ dataDirectory }) })
  const stored = JSON.stringify(rows.rows({ error: text }, 'select error from entries'))
  await rows.close()
  expect(stored).toContain('is not known')
  for (const secretText of [canary, btoa(`${canary}:`)])
    expect(stored + JSON.stringify(error) + server.logLines.join('')).not.toContain(secretText)
})
