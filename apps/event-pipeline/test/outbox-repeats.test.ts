import { manualScope, memoryIdempotencyStore } from '@mcp-toolkits/core/testing'
import { CallOperation } from '@mcp-toolkits/core/tool'
import type { ConnectedServer } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { readBody } from '../src/pipelines/body/body-reader.ts'
import { losingVendor } from './losing-vendor.ts'
import { elapse, execution, goodBodies, until } from './pipeline.ts'

const track = 'EventPipelineApi_TrackUserEvent'
const batchTool = 'EventPipelineApi_SendBatchRequests'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Number of ids that a result lists. */
const listedIds = 20

const idsOf = (result: Record<string, unknown>): unknown => result['message_ids']
const continuing: unknown = expect.stringContaining('An identical earlier call got no result. This one continues it')

/** Calls without ids: more than are stored in one step or fit into one request. */
const largeBatch = {
  batch: Array.from({ length: 60 }, (_, index) => ({
    type: 'track',
    userId: `u${index}`,
    event: 'E',
    properties: { text: 'x'.repeat(20_000) },
  })),
}

test.for([
  ['an event', track, goodBodies.track, 1],
  ['an event with an id', track, { ...goodBodies.track, messageId: 'own' }, 1],
  ['a batch that is stored in steps', batchTool, { batch: Array.from({ length: 100 }, () => ({ type: 'track', ...goodBodies.track })) }, 1],
  ['a batch of several requests, before the first response', batchTool, largeBatch, 1],
  [
    'a batch in which some calls have ids',
    batchTool,
    {
      batch: [
        { type: 'track', userId: 'u', event: 'A', messageId: 'a' },
        { type: 'track', userId: 'u', event: 'B' },
      ],
    },
    1,
  ],
] as const)('a repeat right after a kill continues %s', async ([, tool, body]) => {
  const { openAfterKill, emulator, accepted } = await losingVendor()
  const server = await openAfterKill((killed) => killed.call(tool, execution(body)))
  const [before] = emulator.store.requests()
  const result = await server.call(tool, execution(body))
  expect(result['notices']).toContainEqual(continuing)
  expect(emulator.store.requests()[1]?.body).toBe(before?.body)
  expect(idsOf(result)).toEqual(accepted().slice(0, listedIds))
})

test('a repeat after a kill between two requests of a batch sends the rest', async () => {
  const { openAfterKill, emulator, accepted } = await losingVendor({ lost: [2] })
  const call = (server: ConnectedServer) => server.call(batchTool, execution(largeBatch))
  const result = await call(await openAfterKill(call))
  expect(emulator.store.requests().length).toBe(4)
  expect(idsOf(result)).toEqual(accepted().slice(0, listedIds))
})

test('two identical calls that were killed at the same time are continued by two repeats', async () => {
  const { openAfterKill, accepted } = await losingVendor()
  const call = (server: ConnectedServer) => server.call(track, execution(goodBodies.track))
  const server = await openAfterKill(call, call)
  const [lost] = accepted()
  const results = [await call(server), await call(server)]
  expect(results.map((result) => result['notices'])).toEqual([expect.arrayContaining([continuing]), expect.arrayContaining([continuing])])
  expect(new Set(results.flatMap(idsOf))).toEqual(new Set(accepted()))
  expect([accepted()[0], accepted().length]).toEqual([lost, 2])
  expect((await call(server))['notices']).not.toContainEqual(continuing)
  expect(accepted().length).toBe(3)
})

test('two repeats at the same time never continue the same call', async () => {
  const { openAfterKill, accepted } = await losingVendor()
  const call = (server: ConnectedServer) => server.call(track, execution(goodBodies.track))
  const server = await openAfterKill(call)
  const ids = (await Promise.all([call(server), call(server)])).map(idsOf)
  expect(ids.flat().toSorted()).toEqual(accepted().toSorted())
  expect(new Set(accepted()).size).toBe(2)
})

test('two identical calls at the same time in two processes are two events', async () => {
  const { open, accepted } = await losingVendor({ lost: [] })
  const servers = [await open(), await open()]
  await Promise.all(servers.map((server) => server.call(track, execution(goodBodies.track))))
  expect(new Set(accepted()).size).toBe(2)
})

test.for([
  ['back', -dayMs],
  ['forward', dayMs],
] as const)('continues a killed call for ten minutes even if the clock was set %s a day', async ([, jump]) => {
  const { openAfterKill, clock, accepted } = await losingVendor()
  const call = (server: ConnectedServer) => server.call(track, execution(goodBodies.track))
  const server = await openAfterKill(call)
  clock.jump(jump)
  await clock.advance(9 * minuteMs)
  expect((await call(server))['notices']).toContainEqual(continuing)
  expect(accepted().length).toBe(1)
})

test('does not continue a killed call after ten minutes', async () => {
  const { openAfterKill, clock, accepted } = await losingVendor()
  const call = (server: ConnectedServer) => server.call(track, execution(goodBodies.track))
  const server = await openAfterKill(call)
  await clock.advance(11 * minuteMs)
  expect((await elapse(clock, call(server)))['notices']).not.toContainEqual(continuing)
  expect(accepted().length).toBe(2)
})

test('continues a call for ten minutes after it was last continued', async () => {
  const { openAfterKill, clock, accepted, losses } = await losingVendor({ lost: [1, 2] })
  const call = (server: ConnectedServer) => server.call(track, execution(goodBodies.track))
  const server = await openAfterKill(call)
  await clock.advance(9 * minuteMs)
  const giveUp = new AbortController()
  const lost = server.client.callTool({ name: track, arguments: execution(goodBodies.track) }, { signal: giveUp.signal })
  await until(() => losses() === 2)
  giveUp.abort()
  await expect(lost).rejects.toThrow()
  await clock.advance(9 * minuteMs)
  expect((await call(server))['notices']).toContainEqual(continuing)
  expect(accepted().length).toBe(1)
})

test('a call counts as answered once its response has been written, and is continued if the response was lost', async () => {
  const { connection, clock } = await losingVendor({ lost: [] })
  const { context, close } = await connection()
  const submit = async (to = context) => {
    const describe = () => Promise.resolve({ account: '', tool: '', argumentsHash: '' })
    const operation = new CallOperation({ describe, store: () => Promise.resolve(memoryIdempotencyStore(clock)), clock })
    const submission = { name: 'track', body: await readBody(JSON.stringify(goodBodies.track)), isStrict: false, findings: [] } as const
    const { signal } = manualScope({ clock })
    const { messageIds } = await to.outbox.submit(submission, { operation, signal, progress: () => undefined })
    return { operation, id: messageIds[0] }
  }
  const [written, lost] = [await submit(), await submit()]
  expect(lost.id).not.toBe(written.id)
  await written.operation.complete()
  await lost.operation.abandon()
  const repeat = await submit()
  expect(repeat.id).toBe(lost.id)
  await repeat.operation.complete()
  const next = await submit()
  expect([written.id, lost.id]).not.toContain(next.id)
  // The server dies before it has written the response.
  await close()
  const afterwards = await submit((await connection()).context)
  expect(afterwards.id).toBe(next.id)
  await afterwards.operation.complete()
})

test('without added ids, a repeat after a kill is the same entry, and says that it may count twice', async () => {
  const { openAfterKill, emulator } = await losingVendor({ environment: { EVENT_PIPELINE_ADD_IDS: '0' } })
  const call = (server: ConnectedServer) => server.call(track, execution(goodBodies.track))
  const { notices, added } = await call(await openAfterKill(call))
  expect(notices).toContainEqual(
    'An identical earlier call got no result. This one continues it; calls without a messageId may count twice.',
  )
  expect(added).toEqual([])
  expect(emulator.store.requests().length).toBe(2)
})
