import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openConnection as connectVendor } from '../src/connect.ts'
import { outboxCommand } from '../src/outbox/command.ts'
import { eventPipeline } from '../src/server.ts'
import { outbox as extension } from '../src/extensions.ts'
import { execution, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'

/** A vendor whose key changes, a server's outbox, and the server's log. */
async function rotation() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'new-key' })
  const clock = new ManualClock()
  const logged: string[] = []
  const write = (event: string, facts: object = {}) => {
    logged.push(`${event} ${JSON.stringify(facts)}`)
  }
  const settings = (key?: string) =>
    ({
      ...{ embedded: key === undefined, dataDirectory, readOnly: false, toolNames: 'safe' as const },
      environment: key === undefined ? {} : { EVENT_PIPELINE_API_KEY: key },
    }) as const
  const options = { fetch: emulator.fetch, clock, log: { debug: write, info: write, warn: write, error: write } }
  const open = (key: string) => connectVendor(settings(key), options)
  return {
    emulator,
    clock,
    logged,
    settings,
    open,
    /** One event is parked because the key was refused; another waits for a vendor that does not respond. */
    strand: async () => {
      const down = () => Promise.reject(new TypeError('fetch failed'))
      for (const [userId, fetch] of [
        ['ada', down],
        ['ben', emulator.fetch],
      ] as const) {
        await using server = await connect(eventPipeline, { ...settings('old-key'), fetch, clock })
        await server.result(track, execution({ userId, event: 'Paid' }))
      }
    },
    outbox: async (key: string | undefined, ...words: string[]) => {
      const { context, close } = await connectVendor(settings(key), options)
      const report = await outboxCommand(context, words, false)
      await close()
      return report
    },
    people: () => emulator.store.events().flatMap(({ user_id: user, outcome }) => (outcome === 'accepted' ? [user] : [])),
  }
}

test('a new key takes over the events waiting under the old one once the operator says so, and not before', async () => {
  const { strand, outbox, clock, open, logged, people, settings } = await rotation()
  await strand()
  expect(await outbox('new-key', 'retry')).toMatchObject({ code: 1 })
  expect((await outbox('new-key', 'retry')).text).toContain('outbox adopt hands it to the key in use')
  const running = await open('new-key')
  running.resume()
  await until(() => logged.length > 0)
  expect(logged.join()).toMatch(/other_key.*2 requests in the outbox were stored under another key.*`outbox adopt` shows/)
  const status = await running.status()
  expect(status).toMatchObject({ outbox: { of_another_account: 2 } })
  expect(status['stranded']).toContain('outbox adopt')
  await clock.advance(3_600_000)
  expect(people()).toEqual([])
  await running.close()
  const [found] = (await extension.checks?.(settings('new-key'))) ?? []
  expect([found?.name, found?.text]).toEqual(['Left behind', expect.stringContaining('2 requests')])
  const listed = await outbox('new-key', 'adopt')
  const [, name = ''] =
    /^([0-9a-f]{8}) {2}2 requests {2}stored for another key at https:\/\/cdp\.customer\.io\/v1$/m.exec(listed.text) ?? []
  expect(listed.text).toContain('only if both keys belong to one workspace')
  expect((await outbox('new-key', 'list')).text).toContain(`of another key, ${name}, at https://cdp.customer.io/v1`)
  expect(await outbox('new-key', 'adopt', '00000000')).toMatchObject({ code: 1 })
  expect(people()).toEqual([])
  const adopted = await outbox('new-key', 'adopt', name)
  expect([adopted.code, adopted.text.includes('2 requests handed to the key in use')]).toEqual([0, true])
  expect(await outbox('new-key', 'retry')).toMatchObject({ code: 0 })
  expect(people().toSorted()).toEqual(['ada', 'ben'])
  expect((await outbox('new-key', 'adopt')).text).toContain('Everything in the outbox was stored under the key in use')
  expect(await extension.checks?.(settings('new-key'))).toEqual([])
})

test('a running server sends events that were moved to its key', async () => {
  const { strand, outbox, open, clock, people } = await rotation()
  await strand()
  const running = await open('new-key')
  running.resume()
  const [name = ''] = (await outbox('new-key', 'adopt')).text.split(' ')
  await outbox('new-key', 'adopt', name)
  await until(async () => {
    await clock.advance(1_000)
    return people().length === 2
  })
  await running.close()
})

test('without a key, no events are moved, and events of the embedded default never go to a vendor', async () => {
  const { strand, outbox, settings, emulator, clock } = await rotation()
  await strand()
  const refused = await outbox(undefined, 'adopt')
  expect([refused.code, refused.text.includes('Set EVENT_PIPELINE_API_KEY')]).toEqual([1, true])
  emulator.faults.add({ times: 100, action: { kind: 'status', status: 503 } })
  await using server = await connect(eventPipeline, { ...settings(), fetch: emulator.fetch, clock })
  await server.call(track, execution({ userId: 'cy', event: 'Tried' }))
  expect((await outbox('new-key', 'adopt')).text).not.toContain('embedded')
})
