import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { describe, expect, it } from 'vitest'
import { StdioTransport } from './transport.ts'

/** A transport whose output takes nothing until it is let go. `reached` resolves when a message has come to it. */
async function slow(drainMs: number) {
  const input = new PassThrough()
  const events: string[] = []
  const held: (() => void)[] = []
  const reached = Promise.withResolvers<undefined>()
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      const text = chunk.toString()
      events.push(text.includes('"error"') ? 'refused' : 'answered')
      held.push(() => {
        events.push('taken')
        done()
      })
      reached.resolve(undefined)
    },
  })
  const clock = new ManualClock()
  const transport = new StdioTransport({ input, output, maxLineBytes: 1000, drainMs, clock })
  const received = Promise.withResolvers<undefined>()
  transport.onmessage = () => {
    received.resolve(undefined)
  }
  transport.onclose = () => events.push('closed')
  await transport.start()
  input.write('{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n')
  await received.promise
  return { transport, events, held, clock, reached: reached.promise }
}

const result = { jsonrpc: '2.0', id: 1, result: {} } as const

describe('an output that is slow', () => {
  it('is drained before the connection closes', async () => {
    const { transport, events, held, reached } = await slow(60_000)
    const sent = transport.send(result)
    await reached
    const drained = transport.drain()
    await setImmediate()
    for (const go of held) go()
    await Promise.all([sent, drained])
    expect(events).toEqual(['answered', 'taken', 'closed'])
  })

  it('never carries two answers to one call', async () => {
    const { transport, events, held, clock, reached } = await slow(300)
    const drained = transport.drain()
    await clock.advance(300)
    await reached
    const late = transport.send(result)
    for (const go of held.splice(0)) go()
    for (const go of held) go()
    await Promise.all([late, drained])
    expect(events).toEqual(['refused', 'taken', 'closed'])
  })
})

describe('a question to the client', () => {
  const question = (id: number) => ({ jsonrpc: '2.0', id, method: 'elicitation/create' }) as const
  const closing = (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'The connection is closing.' } })

  it('gets an error when the connection closes, once; later ones are not sent', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const transport = new StdioTransport({ input, output, maxLineBytes: 1000, drainMs: 60_000, clock: new ManualClock() })
    const received: unknown[] = []
    const answered = Promise.withResolvers<undefined>()
    transport.onmessage = (message) => {
      received.push(message)
      if ('result' in message) answered.resolve(undefined)
    }
    await transport.start()
    await transport.send(question(1))
    await transport.send(question(2))
    input.write('{"jsonrpc":"2.0","id":7,"method":"tools/call"}\n{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}\n')
    await answered.promise
    const drained = transport.drain()
    expect(received.slice(2)).toEqual([closing(2)])
    await transport.send(question(3))
    await transport.send({ jsonrpc: '2.0', id: 7, result: {} })
    await drained
    expect(received.slice(2)).toEqual([closing(2), closing(3)])
    expect(String(output.read())).not.toContain('"id":3')
  })
})

describe('onListed', () => {
  it('is called once, when the output has taken the first result of tools/list', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const outputs: string[] = []
    const onListed = () => outputs.push(String(output.read()))
    const transport = new StdioTransport({ input, output, maxLineBytes: 1000, drainMs: 60_000, clock: new ManualClock(), onListed })
    const received = Promise.withResolvers<undefined>()
    transport.onmessage = (message) => {
      if ('id' in message && message.id === 4) received.resolve(undefined)
    }
    await transport.start()
    const methods = ['tools/call', 'tools/list', 'tools/list', 'tools/list']
    input.write(methods.map((method, place) => `${JSON.stringify({ jsonrpc: '2.0', id: place + 1, method })}\n`).join(''))
    await received.promise
    await transport.send(result)
    await transport.send({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'Not yet.' } })
    expect(outputs).toEqual([])
    output.read()
    await transport.send({ ...result, id: 3 })
    await transport.send({ ...result, id: 4 })
    expect(outputs).toEqual(['{"jsonrpc":"2.0","id":3,"result":{}}\n'])
    await transport.close()
  })
})
