import { isObject } from '@mcp-toolkits/core/base'
import type { ConnectedServer } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { losingVendor } from './losing-vendor.ts'
import { elapse, execution, goodBodies } from './pipeline.ts'

const track = 'EventPipelineApi_TrackUserEvent'
const batchTool = 'EventPipelineApi_SendBatchRequests'
const hourMs = 60 * 60_000
const batch = { batch: Array.from({ length: 40 }, () => ({ type: 'track', ...goodBodies.track })) }

/** The structured result of a call with an idempotency key. */
async function callWithKey(
  server: ConnectedServer,
  key: string,
  { tool = track, body = goodBodies.track }: { tool?: string; body?: object } = {},
) {
  const { structuredContent, isError, content } = await server.client.callTool({
    name: tool,
    arguments: execution(body),
    _meta: { 'mcp-toolkits/idempotency-key': key },
  })
  if (isError === true || !isObject(structuredContent)) throw new Error(`${tool} failed: ${JSON.stringify(content)}`)
  return structuredContent
}

test.for([
  ['an event', track, goodBodies.track],
  ['a batch', batchTool, batch],
] as const)('a repeat of %s with the same key after a kill has the same messageIds, even hours later', async ([, tool, body]) => {
  const { openAfterKill, accepted, clock } = await losingVendor()
  const call = (server: ConnectedServer) => callWithKey(server, 'key', { tool, body })
  const server = await openAfterKill(call)
  const lost = accepted()
  await clock.advance(hourMs)
  const { message_ids: ids, added } = await elapse(clock, call(server))
  expect(ids).toEqual(lost.slice(0, 20))
  expect(new Set(lost).size).toBe('batch' in body ? 40 : 1)
  expect(added).toEqual([{ at: lost.length > 1 ? `batch[0-${lost.length - 1}]` : 'request_body', fields: ['messageId', 'timestamp'] }])
  expect(accepted()).toEqual(lost)
})

test('calls with different keys, and one without a key, are different events, although the first was killed', async () => {
  const { openAfterKill, accepted, clock } = await losingVendor()
  const server = await openAfterKill((killed) => callWithKey(killed, 'one'))
  const two = await elapse(clock, callWithKey(server, 'two'))
  const unkeyed = await server.call(track, execution(goodBodies.track))
  const one = await callWithKey(server, 'one')
  expect([one, two, unkeyed].flatMap(({ message_ids: ids }) => ids)).toEqual(accepted())
  expect(new Set(accepted()).size).toBe(3)
})

test('a repeat with the same key gets the first result again, and nothing is sent', async () => {
  const { open, emulator } = await losingVendor({ lost: [] })
  const server = await open()
  const first = await callWithKey(server, 'key')
  expect(await callWithKey(server, 'key')).toEqual(first)
  expect(emulator.store.requests().length).toBe(1)
})

test('without added ids, a repeat with the same key is the same entry, even hours later', async () => {
  const { openAfterKill, emulator, clock } = await losingVendor({ environment: { EVENT_PIPELINE_ADD_IDS: '0' } })
  const call = (server: ConnectedServer) => callWithKey(server, 'key')
  const server = await openAfterKill(call)
  await clock.advance(hourMs)
  const { notices } = await elapse(clock, call(server))
  expect(notices).toContainEqual(
    'An identical earlier call got no result. This one continues it; calls without a messageId may count twice.',
  )
  expect(emulator.store.requests().length).toBe(2)
})
