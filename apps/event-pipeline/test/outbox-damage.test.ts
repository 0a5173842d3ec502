import { closeSync, openSync, readdirSync, truncateSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, it, onTestFinished } from 'vitest'
import { openConnection as connectVendor } from '../src/connect.ts'
import { outboxCommand } from '../src/outbox/command.ts'
import { eventPipeline } from '../src/server.ts'
import { outboxFile } from '../src/upstream.ts'
import { acceptingKeys, elapse, execution, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'

/** An outbox in which `E1` and `E2` wait because the vendor was down, and a function that sends them. */
async function outboxWithEvents() {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-damage-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  onTestFinished(() => emulator.close())
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }
  const settings = { embedded: false, dataDirectory: directory, readOnly: false, toolNames: 'safe', environment } as const
  const clock = new ManualClock()
  {
    const down = () => Promise.resolve(new Response('', { status: 503 }))
    await using server = await connect(eventPipeline, { ...settings, fetch: down, clock })
    for (const id of ['E1', 'E2']) await server.call(track, event(id))
  }
  const file = outboxFile(settings)
  const change = (work: (database: DatabaseSync) => void) => {
    const database = new DatabaseSync(file)
    database.exec('pragma wal_checkpoint(truncate)')
    work(database)
    database.close()
  }
  const options = { ...settings, fetch: acceptingKeys(emulator.fetch), clock }
  const sent = () => emulator.store.events().map(({ event: name }) => name)
  return { settings, options, clock, file, change, sent }
}

const event = (id: string) => execution({ userId: `of ${id}`, event: id, messageId: id })

it('parks a stored event in which a bit has changed, sends the others, and accepts the event again', async () => {
  const { settings, options, clock, change, sent } = await outboxWithEvents()
  change((database) => {
    database.exec(`update entries set body = replace(body, '"event"', '"ewent"') where message_ids like '%E1%'`)
  })
  {
    await using server = await connect(eventPipeline, options)
    await server.call(track, event('E3'))
    const { context, close } = await connectVendor(settings, options)
    const list = async () => (await outboxCommand(context, ['list'], false)).text
    await elapse(
      clock,
      until(async () => sent().length === 2 && (await list()).includes('parked (damaged)')),
      1_000,
    )
    expect(sent()).toEqual(['E3', 'E2'])
    expect((await outboxCommand(context, ['retry', '1'], false)).text).toContain('parked (damaged)')
    await close()
    expect(await server.call(track, event('E1'))).toMatchObject({ outcome: 'delivered' })
  }
  expect(sent()).toEqual(['E3', 'E2', 'E1'])
  const { context, close } = await connectVendor(settings, options)
  expect((await outboxCommand(context, ['list'], false)).text).toBe('No events are waiting in the outbox.')
  await close()
})

it('sends an event again if its stored copy changed before the retry', async () => {
  const { options, change, sent } = await outboxWithEvents()
  await using server = await connect(eventPipeline, options)
  change((database) => {
    database.exec(`update entries set body = replace(body, '"event"', '"ewent"') where message_ids like '%E1%'`)
  })
  expect(await server.call(track, event('E1'))).toMatchObject({ outcome: 'delivered' })
  expect(sent()).toContain('E1')
})

it('rebuilds an index that has lost its rows, and sends the waiting events', async () => {
  const { options, clock, file, change, sent } = await outboxWithEvents()
  change((database) => {
    const page = database.prepare(`select rootpage from sqlite_schema where name = 'due'`).get()?.['rootpage']
    const size = database.prepare('pragma page_size').get()?.['page_size']
    // A page of an index without rows: https://www.sqlite.org/fileformat.html#b_tree_pages
    const empty = Buffer.from([10, 0, 0, 0, 0, Number(size) >> 8, 0, 0])
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, empty, 0, empty.length, (Number(page) - 1) * Number(size))
    closeSync(descriptor)
  })
  await using server = await connect(eventPipeline, options)
  await server.call(track, event('E3'))
  await elapse(
    clock,
    until(() => sent().length === 3),
    1_000,
  )
  expect(sent().toSorted()).toEqual(['E1', 'E2', 'E3'])
})

it('keeps what is left next to an emptied outbox, and says so', async () => {
  const { options, file, sent } = await outboxWithEvents()
  truncateSync(file)
  await using server = await connect(eventPipeline, options)
  const { outcome, notices } = await server.call(track, event('E3'))
  expect(outcome).toBe('delivered')
  expect(notices).toContainEqual(expect.stringMatching(/moved to \S+outbox\.db\.damaged-\S+\. It may contain events from earlier calls/))
  expect(readdirSync(path.dirname(file)).filter((name) => name.includes('.damaged-'))).not.toEqual([])
  expect(sent()).toEqual(['E3'])
})
