import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
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
  const transport = new StdioTransport({ input, output, longestLine: 1000, drainMs })
  const received = Promise.withResolvers<undefined>()
  transport.onmessage = () => {
    received.resolve(undefined)
  }
  transport.onclose = () => events.push('closed')
  await transport.start()
  input.write('{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n')
  await received.promise
  return { transport, events, held, reached: reached.promise }
}

const result = { jsonrpc: '2.0', id: 1, result: {} } as const

describe('an output that is slow', () => {
  it('is waited for before the connection closes', async () => {
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
    const { transport, events, held, reached } = await slow(300)
    const drained = transport.drain()
    await reached
    const late = transport.send(result)
    for (const go of held.splice(0)) go()
    for (const go of held) go()
    await Promise.all([late, drained])
    expect(events).toEqual(['refused', 'taken', 'closed'])
  })
})
