import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openConnection as connectVendor } from '../src/connect.ts'
import { outboxCommand } from '../src/outbox/command.ts'
import { keyConfirmationMs } from '../src/outbox/outbox-store.ts'
import { eventPipeline } from '../src/server.ts'
import { endpoints, execution, goodBodies, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const event = () => execution(goodBodies.track)
const strictEvent = () => execution(goodBodies.track, { enable_strict_validation: 'True' })

/** A vendor with one valid key, which may be deleted, and servers that share an outbox. */
async function vendor() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulators = {
    right: pipelinesEmulator({ seed: 'empty', apiKey: 'right' }),
    ended: pipelinesEmulator({ seed: 'empty', apiKey: 'none' }),
  }
  const clock = new ManualClock()
  const state: { end: 'right' | 'ended' | 'offline' | 'too_large' } = { end: 'right' }
  const requests: string[] = []
  const fetch: Fetch = (input, init) => {
    requests.push(
      `${new URL(new Request(input).url).pathname.replace('/v1', '')}${new Headers(init?.headers).has('x-strict-mode') ? ' strict' : ''}`,
    )
    if (state.end === 'offline') throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) })
    if (state.end === 'too_large') return Promise.resolve(new Response('No.', { status: 413 }))
    return emulators[state.end].fetch(input, init)
  }
  const settings = (key: string) =>
    ({ embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: { EVENT_PIPELINE_API_KEY: key } }) as const
  return {
    state,
    clock,
    requests,
    accepted: () => emulators.right.store.events().filter(({ outcome }) => outcome === 'accepted').length,
    open: async (key = 'right') => {
      const server = await connect(eventPipeline, { ...settings(key), fetch, clock })
      onTestFinished(() => server[Symbol.asyncDispose]())
      return server
    },
    outbox: async (key: string, ...words: string[]) => {
      const { context, close } = await connectVendor(settings(key), { fetch, clock })
      const report = await outboxCommand(context, words, false)
      await close()
      return report
    },
  }
}

test('with a wrong key, nothing is delivered: before, between and after strict calls', async () => {
  const { open, requests, accepted, outbox } = await vendor()
  const server = await open('wrong')
  for (const args of [event(), strictEvent(), event()]) {
    const error = await server.fails(track, args)
    expect(error).toMatchObject({ code: 'unauthenticated', http_status: 401, retryable: false })
    expect(error.message).toContain('stays in the outbox')
  }
  expect(requests.filter((request) => !request.endsWith(' strict'))).toEqual([])
  expect(accepted()).toBe(0)
  // The third call continues the first, which is identical.
  const { text } = await outbox('wrong', 'list')
  expect(text.match(/parked \(unauthenticated\)/g)).toHaveLength(2)
})

test('a check refused for a reason other than the key keeps the event, which is sent later', async () => {
  const { open, state, accepted, clock } = await vendor()
  const server = await open()
  state.end = 'too_large'
  expect(await server.call(track, event())).toMatchObject({ outcome: 'queued' })
  state.end = 'right'
  await clock.advance(3_600_000)
  await until(() => accepted() === 1)
})

test.for(endpoints)('$tool does not claim a delivery under a wrong key', async ({ tool, call }) => {
  const server = await (await vendor()).open('wrong')
  expect(await server.fails(tool, execution(goodBodies[call]))).toMatchObject({ code: 'unauthenticated' })
})

test('a valid key is checked once, by all calls and processes together; a call with it is one request', async () => {
  const { open, requests, accepted } = await vendor()
  const server = await open()
  await Promise.all(Array.from({ length: 20 }, () => server.call(track, event())))
  const other = await open()
  expect(await other.call(track, event())).toMatchObject({ outcome: 'delivered' })
  expect(requests.filter((request) => request.endsWith(' strict'))).toEqual(['/batch strict'])
  expect([requests.length, accepted()]).toEqual([22, 21])
})

test('a strict delivery confirms the key', async () => {
  const { open, requests } = await vendor()
  const server = await open()
  await server.call(track, strictEvent())
  await server.call(track, event())
  expect(requests).toEqual(['/track strict', '/track'])
})

test('a refusal revokes the confirmation, in every process', async () => {
  const { open, state, clock, accepted } = await vendor()
  const [server, other] = [await open(), await open()]
  for (const each of [server, other]) expect(await each.call(track, event())).toMatchObject({ outcome: 'delivered' })
  state.end = 'ended'
  expect(await server.fails(track, strictEvent())).toMatchObject({ code: 'unauthenticated' })
  expect(await server.fails(track, event())).toMatchObject({ code: 'unauthenticated' })
  await clock.advance(10_000)
  expect(await other.fails(track, event())).toMatchObject({ code: 'unauthenticated' })
  expect(accepted()).toBe(2)
})

test('a confirmation expires, so that a key deleted at the vendor is noticed', async () => {
  const { open, state, clock } = await vendor()
  const server = await open()
  await server.call(track, event())
  state.end = 'ended'
  await clock.advance(keyConfirmationMs + 1)
  expect(await server.fails(track, event())).toMatchObject({ code: 'unauthenticated' })
})

test('without a network, an event is queued, and is sent once the key is confirmed', async () => {
  const { open, state, clock, requests, accepted } = await vendor()
  state.end = 'offline'
  const server = await open()
  expect(await server.call(track, event())).toMatchObject({ outcome: 'queued' })
  expect(new Set(requests)).toEqual(new Set(['/batch strict']))
  state.end = 'right'
  await clock.advance(60_000)
  await until(() => accepted() === 1)
})

test('an event without ids is queued too, because only the check failed', async () => {
  const { open, state } = await vendor()
  state.end = 'offline'
  const server = await open()
  const body = { ...goodBodies.track, messageId: '' }
  expect(await server.call(track, execution(body))).toMatchObject({ outcome: 'queued' })
})

test('50 waiting events under a key that ended cost a few requests, and none is lost', async () => {
  const { open, state, clock, requests, outbox } = await vendor()
  state.end = 'offline'
  const server = await open()
  for (let index = 0; index < 50; index += 1) await server.call(track, execution({ ...goodBodies.track, userId: `u${index}` }))
  state.end = 'ended'
  requests.length = 0
  await clock.advance(30_000)
  await until(async () => (await outbox('right', 'list')).text.match(/parked \(unauthenticated\)/g)?.length === 50)
  expect(requests.length).toBeLessThan(10)
})
