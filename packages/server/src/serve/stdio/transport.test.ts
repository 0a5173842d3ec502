import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { StdioTransport, type StdioOptions } from './transport.ts'

const limits = { maxInFlight: 10, maxOfKind: { large: 2, long: 2 }, maxCost: 1_000_000, maxWaiting: 10_000, maxWaitingSize: 1_000_000 }
const common = { maxLineBytes: 1_000_000, limits, costOf: () => 1, kindOf: () => undefined }

/** A transport whose output takes nothing until it is released. `reached` resolves when a message has reached the output. */
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
  const transport = new StdioTransport({ input, output, ...common, drainMs, clock })
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
    const transport = new StdioTransport({ input, output, ...common, drainMs: 60_000, clock: new ManualClock() })
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

it('answers a ping and lists tools while as many calls are in flight as may be', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const transport = new StdioTransport({ input, output, ...common, drainMs: 60_000, clock: new ManualClock() })
  const started: unknown[] = []
  transport.onmessage = (message) => {
    if ('method' in message) started.push(message.method)
  }
  await transport.start()
  const line = (id: number, method: string) => `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`
  for (let id = 0; id <= limits.maxInFlight; id += 1) input.write(line(id, 'tools/call'))
  input.write(line(100, 'ping') + line(101, 'tools/list'))
  await setImmediate()
  expect(started).toEqual([...Array.from({ length: limits.maxInFlight }, () => 'tools/call'), 'ping', 'tools/list'])
  await transport.send({ jsonrpc: '2.0', id: 100, result: {} })
  expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":100,"result":{}}\n')
})

describe('a client that does not read', () => {
  const request = (id: number | string) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call' })}\n`
  const large = 'x'.repeat(30_000)

  /** A transport whose calls are answered at once, for a client that reads nothing until asked to. */
  async function unread(options: Partial<StdioOptions> = {}) {
    const input = new PassThrough()
    const held: (() => void)[] = []
    const written: string[] = []
    let isOpen = false
    const output = new Writable({
      write(chunk: Buffer, _, done) {
        written.push(chunk.toString())
        if (isOpen) done()
        else held.push(done)
      },
    })
    const transport = new StdioTransport({ ...common, input, output, drainMs: 60_000, clock: new ManualClock(), ...options })
    const started: unknown[] = []
    transport.onmessage = (message) => {
      if (!('id' in message) || message.id === undefined) return
      started.push(message.id)
      void transport.send({ jsonrpc: '2.0', id: message.id, result: { large } })
    }
    await transport.start()
    const read = () => {
      isOpen = true
      for (const go of held.splice(0)) go()
    }
    const lines = () => written.join('').split('\n').slice(0, -1)
    return { transport, input, output, started, read, lines }
  }

  it('has few calls in flight and few answers in memory, and gets them all when it reads', async () => {
    const { transport, input, output, started, read, lines } = await unread()
    for (let id = 0; id < 3000; id += 1) input.write(request(id))
    await setImmediate()
    await setImmediate()
    expect(started.length).toBeLessThanOrEqual(limits.maxInFlight)
    expect(output.writableLength).toBeLessThanOrEqual(limits.maxInFlight * (large.length + 100))
    const closed = Promise.withResolvers<undefined>()
    transport.onclose = () => {
      closed.resolve(undefined)
    }
    read()
    input.end()
    await closed.promise
    expect(lines()).toHaveLength(3000)
  })

  it('is not read any more while its output is full', async () => {
    const { input, started } = await unread({ limits: { ...limits, maxInFlight: 1000 } })
    for (let id = 0; id < 1000; id += 1) {
      input.write(request(id))
      await setImmediate()
    }
    // This many answers exceed the limit of one megabyte.
    expect(started).toHaveLength(35)
    expect(input.isPaused()).toBe(true)
  })

  it('gets an error for requests beyond those that may wait, and can send them again', async () => {
    const small = { ...limits, maxInFlight: 1, maxWaiting: 2 }
    const { input, read, lines, started } = await unread({ limits: small })
    input.write([1, 2, 3, 4].map(request).join(''))
    await setImmediate()
    expect(started).toEqual([1])
    read()
    await setImmediate()
    const refusal = lines().find((line) => line.includes('"id":4'))
    expect(refusal).toContain('"data":{"code":"rate_limited","retryable":true,"retry_after_seconds":1}')
    expect(started).toEqual([1, 2, 3])
  })

  it('can cancel a call that waits, which then never starts', async () => {
    const { input, read, started } = await unread({ limits: { ...limits, maxInFlight: 1 } })
    input.write([1, 2, 3].map(request).join(''))
    input.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n')
    await setImmediate()
    read()
    await setImmediate()
    expect(started).toEqual([1, 3])
  })

  it('can cancel a call with a long line before it starts', async () => {
    const { input, started } = await unread({ maxLineBytes: 10_000_000, limits: { ...limits, maxWaitingSize: 10_000_000 } })
    const long = (id: number) => request(id).replace('{', `{"params":{"arguments":{"text":"${'x'.repeat(2_000_000)}"}},`)
    input.write(`${long(1)}${long(2)}{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n`)
    await setImmediate()
    await setImmediate()
    expect(started).toEqual([2])
  })

  it('has few large calls in flight', async () => {
    const { input, started } = await unread({ costOf: () => 400_000 })
    input.write([1, 2, 3, 4].map(request).join(''))
    await setImmediate()
    expect(started).toEqual([1, 2])
  })
})

describe('onListed', () => {
  it('is called once, when the output has taken the first result of tools/list', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const outputs: string[] = []
    const onListed = () => outputs.push(String(output.read()))
    const transport = new StdioTransport({ input, output, ...common, drainMs: 60_000, clock: new ManualClock(), onListed })
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
