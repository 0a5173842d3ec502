import { describe, expect, test } from 'vitest'
import { collectingGarbage } from './command.ts'
import { startStdio, type StdioProcess } from './stdio-process.ts'
import { schemaCall, rpc, trackCall, type Message } from '../packages/testing/src/processes/protocol.ts'
import { startUpstream } from './upstream.ts'

const ten = Array.from({ length: 10 }, (_, index) => index + 1)
const delivered = { result: { structuredContent: { outcome: 'delivered' } } }
const ids = (messages: readonly Message[]) => messages.map(({ id }) => Number(id)).toSorted((a, b) => a - b)

describe('an invalid line', () => {
  test('of 11 MiB is answered with its id, and the process continues', async () => {
    await using server = await startStdio()
    const padding = 'x'.repeat(11 * 1024 * 1024)
    await server.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x","arguments":{"text":"${padding}"}},"id":77}`)
    expect(await server.answer(77)).toMatchObject({ id: 77, error: { code: -32600 } })
    await server.send(rpc(78, 'tools/call', schemaCall()))
    expect(await server.answer(78)).toHaveProperty('result.structuredContent.openapi')
    expect(ids(server.messages())).toEqual([77, 78])
  })

  test.for(['hello', '{"jsonrpc":"2.0","id":1,', '\u0000', "{'jsonrpc':'2.0'}"])('%j is answered -32700', async (line) => {
    await using server = await startStdio()
    await server.send(line)
    expect(await server.answer(null)).toMatchObject({ id: null, error: { code: -32700 } })
    await server.send(rpc('next', 'tools/list'))
    expect((await server.answer('next')).result?.['tools']).toHaveLength(7)
  })
})

test('answers a thousand simultaneous calls, each with its id', async () => {
  await using server = await startStdio()
  const tools = ['EventPipelineApi_TrackUserEvent', 'EventPipelineApi_AddToGroup']
  const calls = Array.from({ length: 1000 }, (_, id) => rpc(id, 'tools/call', schemaCall(tools[id % 2])))
  server.endInput(`${calls.join('\n')}\n`)
  expect(await server.exit()).toBe(0)
  const messages = server.messages()
  expect(ids(messages)).toEqual(calls.map((_, id) => id))
  for (const { id, result } of messages) {
    expect(result, String(id)).toHaveProperty(`structuredContent.openapi.paths./${Number(id) % 2 === 0 ? 'track' : 'group'}`)
  }
})

test('serves a last line without a line break', async () => {
  await using server = await startStdio()
  server.endInput(rpc('last', 'tools/call', schemaCall()))
  expect(await server.answer('last')).toHaveProperty('result.structuredContent.openapi')
  expect(await server.exit()).toBe(0)
})

describe('ten calls in flight', () => {
  test.for([
    [
      'at the end of input',
      (server: StdioProcess) => {
        server.endInput()
      },
    ],
    [
      'at SIGTERM',
      (server: StdioProcess) => {
        server.terminate()
      },
    ],
  ] as const)('%s are answered, then the process exits 0', async ([, end]) => {
    await using upstream = await startUpstream()
    await using server = await startStdio(upstream.environment)
    upstream.hold()
    for (const id of ten) await server.send(rpc(id, 'tools/call', trackCall(`u${id}`)))
    await expect.poll(upstream.arrived).toBe(10)
    expect(server.messages()).toEqual([])
    end(server)
    upstream.release()
    expect(await server.exit()).toBe(0)
    expect(ids(server.messages())).toEqual(ten)
    expect(server.messages()).toMatchObject(ten.map(() => delivered))
    expect(upstream.emulator.store.events()).toHaveLength(10)
    expect(upstream.abandoned()).toBe(0)
  })

  test('of a slow vendor are answered too when input has ended', async () => {
    await using upstream = await startUpstream()
    await using server = await startStdio(upstream.environment)
    upstream.emulator.faults.add({ times: 10, action: { kind: 'slow', milliseconds: 400 } })
    server.endInput(`${ten.map((id) => rpc(id, 'tools/call', trackCall(`u${id}`))).join('\n')}\n`)
    expect(await server.exit()).toBe(0)
    expect(ids(server.messages())).toEqual(ten)
    expect(server.messages()).toMatchObject(ten.map(() => delivered))
  })
})

test('a call that is cancelled stops its upstream request, gets no answer, and does not hold up the end', async () => {
  await using upstream = await startUpstream()
  await using server = await startStdio({ ...upstream.environment, ...collectingGarbage })
  upstream.emulator.faults.add({ action: { kind: 'hang' } })
  await server.send(rpc('gone', 'tools/call', trackCall('gone')))
  await expect.poll(upstream.arrived).toBe(1)
  await server.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone","reason":"test"}}')
  await expect.poll(upstream.abandoned).toBe(1)
  await server.send(rpc('next', 'tools/call', trackCall('next')))
  expect(await server.answer('next')).toMatchObject(delivered)
  server.endInput()
  expect(await server.exit()).toBe(0)
  expect(server.messages().map(({ id }) => id)).toEqual(['next'])
  expect(upstream.emulator.store.requests().map(({ body }) => /gone|next/.exec(body)?.[0])).toEqual(['gone', 'next'])
})

test('nothing but JSON-RPC is on standard output, and nothing but JSON lines on standard error', async () => {
  await using server = await startStdio()
  for (const line of ['oops', '[]', '{"id":3}', rpc(1, 'no/such/method'), rpc(2, 'tools/call', { name: 'Nope' })]) await server.send(line)
  await server.send(rpc(3, 'tools/call', trackCall('u1')))
  expect(await server.answer(3)).toMatchObject(delivered)
  server.terminate()
  expect(await server.exit()).toBe(0)
  expect(server.messages()).toHaveLength(6)
  for (const line of server.errors().trim().split('\n')) {
    const logged: unknown = JSON.parse(line)
    expect(logged).toHaveProperty('level')
    expect(logged).toHaveProperty('message')
  }
})
