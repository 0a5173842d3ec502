import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { openStore } from '@mcp-toolkits/sqlite'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openConnection as connectVendor } from '../src/connect.ts'
import { outboxCommand } from '../src/outbox/command.ts'
import { openOutboxStore } from '../src/outbox/open-outbox-store.ts'
import { eventPipeline } from '../src/server.ts'
import { damagedOutboxes, outboxFile } from '../src/upstream.ts'
import { acceptingKeys, execution, goodBodies, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'

async function dataDirectory() {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }
  const settings = { embedded: false, dataDirectory: directory, readOnly: false, toolNames: 'safe', environment } as const
  return { emulator, settings, file: outboxFile(settings), options: { fetch: acceptingKeys(emulator.fetch), clock: new ManualClock() } }
}

test('moves a damaged outbox out of the way, says where it is, and sends new events', async () => {
  const { emulator, settings, file, options } = await dataDirectory()
  {
    await using server = await connect(eventPipeline, { ...settings, ...options })
    await server.call(track, execution(goodBodies.track))
  }
  const damaged = Buffer.concat([Buffer.from('not a database at all'), readFileSync(file).subarray(21)])
  writeFileSync(file, damaged)
  {
    await using server = await connect(eventPipeline, { ...settings, ...options })
    for (const body of [goodBodies.track, goodBodies.track]) {
      const { outcome, notices } = await server.call(track, execution(body))
      expect(outcome).toBe('delivered')
      expect(notices).toContainEqual(
        expect.stringMatching(/moved to \S+outbox\.db\.damaged-\S+\. It may contain events from earlier calls/),
      )
    }
  }
  const [moved = ''] = readdirSync(path.dirname(file)).filter((name) => name.includes('.damaged-'))
  expect(readFileSync(path.join(path.dirname(file), moved)).equals(damaged)).toBe(true)
  const { context, status, close } = await connectVendor(settings, options)
  const kept = path.join(path.dirname(file), moved)
  expect((await outboxCommand(context, ['list'], false)).text).toContain(`is kept as ${kept}`)
  expect(await status()).toMatchObject({ damaged_outboxes: [kept] })
  expect(emulator.store.requests().length).toBe(3)
  await close()
})

test('moves a damaged outbox out of the way once, when two servers find it at the same time', async () => {
  const { settings, file, options } = await dataDirectory()
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'not a database at all '.repeat(200))
  const [one, other] = await Promise.all([connectVendor(settings, options), connectVendor(settings, options)])
  expect(readdirSync(path.dirname(file)).filter((name) => name.includes('.damaged-'))).toHaveLength(1)
  expect(await other.context.store.hashKey()).toBe(await one.context.store.hashKey())
  await one.close()
  await other.close()
})

test('if a damaged outbox cannot be moved, says that it is damaged, not that a different directory is needed', async () => {
  const { settings, options } = await dataDirectory()
  // The new name would be longer than a file system allows.
  const file = path.join(settings.dataDirectory, 'o'.repeat(240))
  writeFileSync(file, 'not a database at all '.repeat(200))
  const opened = openOutboxStore({ file, clock: options.clock, onSetAside: () => expect.unreachable() })
  await expect(opened).rejects.toMatchObject({ problem: 'corrupt', file })
  expect(readdirSync(settings.dataDirectory)).toEqual([path.basename(file)])
})

test('lists a log that was set aside even without its database', async () => {
  const { settings, file } = await dataDirectory()
  mkdirSync(path.dirname(file), { recursive: true })
  for (const name of ['1', '1-wal', '2-wal']) writeFileSync(`${file}.damaged-${name}`, '')
  expect(damagedOutboxes(settings).toSorted()).toEqual([`${file}.damaged-1`, `${file}.damaged-2-wal`])
})

test('refuses an event when a newer version wrote the outbox, and says so', async () => {
  const { emulator, settings, file, options } = await dataDirectory()
  const newer = openStore({ file })
  newer.script('pragma user_version = 99')
  await newer.close()
  await using server = await connect(eventPipeline, { ...settings, ...options })
  const error = await server.fails(track, execution(goodBodies.track))
  expect(error).toMatchObject({ code: 'unavailable', retryable: false })
  expect(error.message).toMatch(/version.* The event was neither stored nor sent\./)
  expect(emulator.store.requests()).toEqual([])
  expect(await server.call(track, { mode: 'get_request_schema' })).toHaveProperty('openapi')
  expect(readdirSync(path.dirname(file)).some((name) => name.includes('.damaged-'))).toBe(false)
})

test('refuses an event when the folder of the open outbox was deleted', async () => {
  const { emulator, settings, file, options } = await dataDirectory()
  await using server = await connect(eventPipeline, { ...settings, ...options })
  await server.call(track, execution(goodBodies.track))
  rmSync(path.dirname(file), { recursive: true })
  const { code, message } = await server.fails(track, execution({ ...goodBodies.track, event: 'Another event' }))
  expect([code, message]).toEqual(['unavailable', expect.stringMatching(/was deleted.* Restart the server.* neither stored nor sent/)])
  expect(emulator.store.requests().length).toBe(1)
})

test('continues with the outbox of the first version, and neither loses nor repeats anything', async () => {
  const { emulator, settings, file } = await dataDirectory()
  const earlier = openStore({ file })
  earlier.script(readFileSync(path.join(import.meta.dirname, 'fixture', 'outbox.sql'), 'utf8'))
  await earlier.close()
  const clock = new ManualClock({ start: Date.parse('2026-11-22T14:50:00Z') })
  const options = { fetch: acceptingKeys(emulator.fetch), clock }
  const sent = () => emulator.store.events().map(({ message_id: id, outcome }) => `${id} ${outcome}`)
  {
    await using server = await connect(eventPipeline, { ...settings, ...options })
    const repeat = execution({ userId: 'old-0', event: 'Delivered', messageId: 'old-delivered' })
    expect(JSON.stringify(await server.call(track, repeat))).toContain('was not sent again')
    expect(emulator.store.requests()).toEqual([])
    await clock.advance(60 * 60 * 1000)
    await until(() => emulator.store.events().length === 3)
    expect(sent()).toEqual(['old-waiting accepted', 'old-batch-1 accepted', 'old-batch-2 accepted'])
  }
  const { context, close } = await connectVendor(settings, options)
  expect((await outboxCommand(context, ['list'], false)).text).toContain('parked (unauthenticated)')
  expect(await outboxCommand(context, ['retry'], false)).toMatchObject({ code: 0 })
  expect(sent().at(-1)).toBe('old-parked accepted')
  await close()
})
