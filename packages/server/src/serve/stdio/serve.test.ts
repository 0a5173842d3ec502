import { ManualClock } from '@mcp-toolkits/core/testing'
import { Client } from '@modelcontextprotocol/client'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { jsonLog } from '../../mcp/log.ts'
import { openToolbox } from '../../mcp/calls/toolbox.ts'
import { serveStdio } from './serve.ts'
import { overStreams } from '../../../test/stdio/client-end.ts'
import { echoServer, Gate, settings } from '../../../test/stdio/echo-server.ts'
import { call, connected, told } from '../../../test/stdio/wire.ts'

describe('a line over the limit', () => {
  const padding = 'x'.repeat(3000)
  it.each([
    ['id first', 7, `{"id":7,"jsonrpc":"2.0","method":"tools/call","params":{"text":"${padding}"}}`],
    ['id last', 7, `{"jsonrpc":"2.0","method":"tools/call","params":{"text":"${padding}"},"id":7}`],
    ['a string as id', 'seven', `{"jsonrpc":"2.0","id":"seven","method":"tools/call","params":{"text":"${padding}"}}`],
    ['another id inside', 7, `{"params":{"id":1,"text":"${padding}","more":[{"id":2}]},"id":7,"method":"tools/call","jsonrpc":"2.0"}`],
    ['an id inside only', null, `{"jsonrpc":"2.0","method":"notifications/x","params":{"id":1,"text":"${padding}"}}`],
    ['the id of an answer', null, `{"jsonrpc":"2.0","id":7,"result":{"text":"${padding}"}}`],
  ])('with %s gets an error, and the connection stays open', async (_, id, line) => {
    const { write, send, answer, written } = await connected({ maxLineBytes: 1000 })
    write(`${line}\n`)
    expect(await answer(id)).toEqual({ jsonrpc: '2.0', id, error: { code: -32600, message: 'The message is longer than 1000 bytes.' } })
    send(call('next', 'still here'))
    expect(told(await answer('next'))).toEqual({ text: 'still here' })
    expect(written).toHaveLength(3)
  })

  it('is one byte longer than the longest accepted line', async () => {
    const { write, answer } = await connected({ maxLineBytes: 200 })
    const fitting = JSON.stringify(call('fits', 'x'.repeat(200 - JSON.stringify(call('fits', '')).length)))
    write(`${fitting}\n${fitting.replace('fits', 'over').replace('x', 'xx')}\n`)
    expect(await answer('fits')).toHaveProperty('result')
    expect(await answer('over')).toMatchObject({ error: { code: -32600 } })
  })
})

describe('an answer to a large request', () => {
  const large = 'x'.repeat(9_000_000)
  const request = (parts: object) => `${JSON.stringify({ jsonrpc: '2.0', id: 'large', method: 'tools/call', ...parts })}\n`

  it.each<[string, string | null, string]>([
    ['with a long id', null, request({ id: large })],
    ['with a long method', 'large', request({ method: large })],
    ['with the name of a tool that is long', 'large', request({ params: { name: large, arguments: {} } })],
    [
      'with a long progress token',
      'large',
      request({ params: { name: 'Echo_Say', arguments: { text: 'x' }, _meta: { progressToken: large } } }),
    ],
    ['with a long version', 'large', request({ method: 'initialize', params: { protocolVersion: large } })],
    ['with a long name of an argument', 'large', request({ params: { name: 'Echo_Say', arguments: { [large]: 'x' } } })],
    ['with a long value for a misspelt argument', 'large', request({ params: { name: 'Echo_Say', arguments: { tex: large } } })],
    ['with many names', 'large', request({ params: { name: 'Echo_Say', arguments: manyNames(300_000) } })],
    [
      'with deep nesting',
      'large',
      `{"id":"large","jsonrpc":"2.0","method":"tools/call","params":${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}}`,
    ],
    ['with many lists', 'large', request({ params: { name: 'Echo_Say', arguments: { text: Array.from({ length: 600_000 }, () => []) } } })],
    ['with many parts besides the arguments', 'large', request({ params: { name: 'Echo_Say', _meta: manyNames(300_000) } })],
  ])('%s is short', async (_, id, line) => {
    const { write, answer } = await connected()
    write(line.endsWith('\n') ? line : `${line}\n`)
    const text = JSON.stringify(await answer(id))
    expect(text).toMatch(/"(?:error|isError)"/)
    expect(text.length).toBeLessThan(2_000)
  })

  it('repeats no unknown name of a tool in full', async () => {
    const { send, answer } = await connected()
    const name = 'x'.repeat(60_000)
    send({ id: 1, method: 'tools/call', params: { name, arguments: {} } })
    expect((await answer(1)).error?.message).toBe(`Unknown tool: ${'x'.repeat(200)}…`)
  })
})

function manyNames(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, index]))
}

describe('a line that cannot be served', () => {
  it.for<[string, number, string | number | null, string]>([
    ['no JSON', -32700, null, 'hello'],
    ['JSON that is cut', -32700, null, '{"jsonrpc":"2.0","id":7,'],
    ['a number', -32600, null, '7'],
    ['a batch', -32600, 7, '[{"jsonrpc":"2.0","id":7,"method":"ping"}]'],
    ['a batch without requests', -32600, null, '[{"jsonrpc":"2.0","method":"notifications/initialized"}]'],
    ['an object of another kind', -32600, null, '{"hello":"world"}'],
    ['an answer without a result', -32600, null, '{"jsonrpc":"2.0","id":7}'],
    ['a request of another version', -32600, 7, '{"jsonrpc":"1.0","id":7,"method":"ping"}'],
    ['a request with a list of parameters', -32600, 'a', '{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}'],
  ])('because it is %s gets error %i, and the connection stays open', async ([, code, id, line]) => {
    const { write, send, answer } = await connected()
    write(`${line}\n`)
    expect(await answer(id)).toMatchObject({ id, error: { code } })
    send(call('next', 'still here'))
    expect(told(await answer('next'))).toEqual({ text: 'still here' })
  })

  it('because it is empty is ignored', async () => {
    const { write, send, answer, written } = await connected()
    write('\n  \r\n\n')
    send(call('next', 'x'))
    await answer('next')
    expect(written).toHaveLength(2)
  })
})

describe('lines', () => {
  it('may be cut anywhere, even inside of a character', async () => {
    const { write, answer } = await connected()
    const bytes = Buffer.from(`${JSON.stringify(call('cut', 'ä 😀 \u2028 字'))}\r\n`)
    for (const byte of bytes) write(Uint8Array.of(byte))
    expect(told(await answer('cut'))).toEqual({ text: 'ä 😀 \\u{2028} 字' })
  })

  it('may arrive together', async () => {
    const { write, answer } = await connected()
    write([1, 2, 3].map((id) => `${JSON.stringify(call(id, String(id)))}\n`).join(''))
    expect(await Promise.all([1, 2, 3].map(async (id) => told(await answer(id))))).toEqual([{ text: '1' }, { text: '2' }, { text: '3' }])
  })

  it('need no line break at the end of input', async () => {
    const { input, answer, server } = await connected()
    input.end(JSON.stringify(call('last', 'no break')))
    expect(told(await answer('last'))).toEqual({ text: 'no break' })
    await server.closed
  })
})

describe('the end', () => {
  const ids = Array.from({ length: 10 }, (_, index) => index)

  it('of input answers the calls in flight, then closes', async () => {
    const { input, send, gate, server, answer, written } = await connected()
    for (const id of ids) send(call(id, `call ${id}`, 'Wait'))
    input.end()
    await gate.holds(10)
    expect(written).toHaveLength(1)
    gate.release()
    await server.closed
    expect(await Promise.all(ids.map(async (id) => told(await answer(id))))).toEqual(ids.map((id) => ({ text: `call ${id}` })))
    expect(gate.aborted).toEqual([])
    expect(written).toHaveLength(11)
  })

  it('by a signal does the same and reads no further', async () => {
    const { send, gate, server, answer, written } = await connected()
    send(call(1, 'in flight', 'Wait'))
    await gate.holds(1)
    const drained = server.drain()
    send(call(2, 'too late'))
    gate.release()
    await drained
    await server.closed
    expect(told(await answer(1))).toEqual({ text: 'in flight' })
    expect(written.map(({ id }) => id)).toEqual(['hello', 1])
  })

  it('waits for a limited time, then answers the rest with an error, once', async () => {
    const { input, send, gate, server, answer, written } = await connected({ drainMs: 50 })
    send(call('slow', 'x', 'Wait'))
    send(call('slower', 'y', 'Wait'))
    await gate.holds(2)
    input.end()
    await server.closed
    gate.release()
    expect((await answer('slow')).error?.message).toBe(
      'The server is shutting down, and this call may have taken effect. Make the identical call again within ten minutes: nothing is created twice.',
    )
    expect(await answer('slow')).toMatchObject({ error: { code: -32603 } })
    expect(await answer('slower')).toMatchObject({ error: { code: -32603 } })
    expect(written).toHaveLength(3)
    expect(gate.aborted.toSorted()).toEqual(['x', 'y'])
  })

  it('does not wait for cancelled calls', async () => {
    const { input, send, gate, server, written } = await connected()
    send(call('gone', 'x', 'Wait'))
    await gate.holds(1)
    send({ method: 'notifications/cancelled', params: { requestId: 'gone' } })
    input.end()
    await server.closed
    expect(gate.aborted).toEqual(['x'])
    expect(written).toHaveLength(1)
  })

  it('comes when the client no longer reads output, and stops running calls', async () => {
    const { output, send, gate, server } = await connected()
    send(call(1, 'x', 'Wait'))
    await gate.holds(1)
    output.destroy(new Error('EPIPE'))
    await server.closed
    expect(gate.aborted).toEqual(['x'])
  })

  it('comes when the client closes its end', async () => {
    const { output, server } = await connected()
    output.destroy()
    await server.closed
  })

  it('comes when input breaks off', async () => {
    const { input, server } = await connected()
    input.destroy()
    await server.closed
  })

  it('comes even when the client has stopped reading', async () => {
    const { output, input, send, gate, server } = await connected({ drainMs: 50 })
    output.pause()
    send(call(1, 'x'.repeat(200_000)))
    send(call(2, 'never', 'Wait'))
    await gate.holds(1)
    input.end()
    await server.closed
    expect(gate.aborted).toEqual(['never'])
  })
})

describe('a call beyond those in flight, while the vendor hangs', () => {
  const inFlight = 64

  async function full() {
    const clock = new ManualClock()
    const wire = await connected({ clock })
    for (let id = 1; id <= inFlight + 1; id += 1) wire.send(call(id, 'x', 'Wait'))
    await wire.gate.holds(inFlight)
    return { ...wire, clock }
  }

  it('is refused in time, and nothing was done', async () => {
    const { clock, answer, gate, send } = await full()
    send({ id: 'list', method: 'tools/list' })
    await answer('list')
    await clock.advance(20_000)
    const { error } = await answer(inFlight + 1)
    expect(error).toMatchObject({ data: { code: 'rate_limited', retryable: true, retry_after_seconds: 5 } })
    expect(error?.message).toContain('Nothing was done.')
    await clock.advance(9_000)
    expect(JSON.stringify(await answer(1))).toContain('took too long')
    expect(gate.aborted).toHaveLength(inFlight)
  })

  it('has the less time the longer it has waited', async () => {
    const { clock, answer, gate } = await full()
    await clock.advance(15_000)
    gate.release()
    await gate.holds(1)
    await clock.advance(14_000)
    expect(JSON.stringify(await answer(inFlight + 1))).toContain('took too long')
  })
})

describe.each(['legacy', 'auto'] as const)('a real client (%s)', (mode) => {
  it('lists, calls and survives a line that is too long', async () => {
    const gate = new Gate()
    const definition = echoServer(gate)
    const log = jsonLog('silent', () => undefined)
    const [input, output] = [new PassThrough(), new PassThrough()]
    const server = serveStdio(definition, openToolbox(definition, settings, { log }), { input, output, log, maxLineBytes: 20_000 })
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(overStreams(output, input))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['Echo_Say', 'Echo_Wait'])
    const say = async (text: string) => client.callTool({ name: 'Echo.Say', arguments: { text } })
    await expect(say('x'.repeat(30_000))).rejects.toThrow('longer than 20000 bytes')
    expect((await say('hello')).structuredContent).toEqual({ text: 'hello' })
    await client.close()
    await server.closed
  })
})
