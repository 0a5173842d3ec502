import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { callBody as body, head, serveEcho as serve } from '../../../test/serve/serve-echo.ts'

const perClient = { maxInFlight: 1, maxOfKind: { large: 1, long: 1 }, maxCost: Infinity, maxWaiting: 1, maxWaitingSize: Infinity }

/** Resolves when a connection is closed, cleanly or not. */
async function closed(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  socket.once('close', () => {
    resolve(undefined)
  })
  await promise
}

describe('a connection is closed', () => {
  it.each([
    ['that sends nothing', ''],
    ['whose headers do not end', 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n'],
  ])('%s', async (_, start) => {
    await using server = await serve({ headersMs: 100 })
    const socket = await server.connect()
    if (start !== '') socket.write(start)
    socket.resume()
    await closed(socket)
  })

  it('whose body does not end, although some of it arrives', async () => {
    await using server = await serve({ headersMs: 100, requestMs: 300 })
    const socket = await server.connect()
    socket.write(`${head}\r\ncontent-length: 1000\r\n\r\n`)
    const drip = setInterval(() => socket.write(' '), 20)
    // The 408 response may be lost, because some of the body arrives after it.
    socket.resume()
    await closed(socket)
    clearInterval(drip)
  })

  it('that carries no request any more', async () => {
    await using server = await serve({ keepAliveMs: 50 })
    const socket = await server.connect()
    const sent = body(1, 'Say', 'x')
    socket.write(`${head}\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`)
    expect(await text(socket)).toContain('HTTP/1.1 200')
  })

  it('whose client takes nothing of its answers', async () => {
    await using server = await serve({ stalledMs: 200 })
    const socket = await server.connect()
    const sent = body(1, 'Say', 'x'.repeat(70_000))
    // More than the buffers of both ends can hold: an answer has the text twice, because results are at most 80,000 bytes long.
    for (let round = 0; round < 200; round += 1) socket.write(`${head}\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`)
    // A client that reads nothing notices the end only when it sends, and sending within the limit keeps it alive.
    const send = setInterval(() => socket.write(' '), 600)
    await closed(socket)
    clearInterval(send)
  })

  it('while a call runs only when it has ended', async () => {
    await using server = await serve({ stalledMs: 50 })
    const call = server.call(1, 'Wait')
    await server.gate.holds(1)
    // Idle for longer than the limit, which Node itself enforces.
    const other = await server.connect()
    other.resume()
    await closed(other)
    server.gate.release()
    expect((await call).status).toBe(200)
  })

  it('that carries nothing when there are too many of them, and no request is refused for that', async () => {
    await using server = await serve({ maxUnknownConnections: 2 })
    const waiting = server.call(1, 'Wait')
    await server.gate.holds(1)
    const [first, , third] = [await server.connect(), await server.connect(), await server.connect()]
    first.resume()
    await closed(first)
    expect((await server.call(2, 'Say')).status).toBe(200)
    server.gate.release()
    expect([(await waiting).status, third.destroyed]).toEqual([200, false])
  })
})

it('requests behind another one on a connection that closes count no longer', async () => {
  await using server = await serve({ perClient: { ...perClient, maxInFlight: 2, maxWaiting: 0 } }, { kind: undefined })
  const socket = await server.connect()
  const sent = body(1, 'Wait', 'x')
  socket.write(`${head}\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`.repeat(2))
  await server.gate.holds(2)
  expect(await server.call(2, 'Say')).toMatchObject({ status: 429 })
  socket.destroy()
  while (server.gate.aborted.length < 2) await setImmediate()
  const calls = [server.call(3, 'Wait'), server.call(4, 'Wait')]
  await server.gate.holds(4)
  server.gate.release()
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
})

describe('too many requests', () => {
  const fewLarge = { perClient: { ...perClient, maxInFlight: 64 } }

  it('of one client are answered 429 with the time to wait; those that wait are answered', async () => {
    await using server = await serve({ perClient })
    const first = server.call(1, 'Wait')
    await server.gate.holds(1)
    const [second, third] = [server.call(2, 'Say'), server.call(3, 'Say')]
    const refused = await Promise.race([second, third])
    expect(refused).toMatchObject({ status: 429, retryAfter: '1' })
    expect(JSON.parse(refused.body)).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 } })
    server.gate.release()
    expect([await first, await second, await third].map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
    expect((await server.call(4, 'Say')).status).toBe(200)
  })

  it('of all clients are answered 503 with the time to wait', async () => {
    await using server = await serve({ maxCalls: 1 })
    const first = server.call(1, 'Wait')
    await server.gate.holds(1)
    expect(await server.call(2, 'Say')).toMatchObject({ status: 503, retryAfter: '1' })
    server.gate.release()
    expect((await first).status).toBe(200)
  })

  it.each([
    ['that wait for others', { perClient }],
    ['that wait for large results', fewLarge],
  ])('%s are refused while the vendor hangs, and say that nothing was done', async (_, limits) => {
    const clock = new ManualClock()
    const waiting = Promise.withResolvers<undefined>()
    const timer: Clock['timer'] = (ms, callback) => {
      if (ms === 20_000) waiting.resolve(undefined)
      return clock.timer(ms, callback)
    }
    await using server = await serve(limits, { clock: { now: clock.now, monotonic: clock.monotonic, sleep: clock.sleep, timer } })
    const first = server.call(1, 'Wait')
    await server.gate.holds(1)
    const second = server.call(2, 'Wait')
    await waiting.promise
    await clock.advance(20_000)
    const refused = await second
    expect(refused).toMatchObject({ status: 429, retryAfter: '5' })
    const data = { code: 'rate_limited', retryable: true, retry_after_seconds: 5 }
    expect(JSON.parse(refused.body)).toMatchObject({ error: { data } })
    expect(refused.body).toContain('Nothing was done.')
    await clock.advance(9_000)
    expect((await first).body).toContain('took too long')
  })

  it('for large results wait for each other, and other calls pass them', async () => {
    await using server = await serve(fewLarge)
    const large = [server.call(1, 'Wait'), server.call(2, 'Wait')]
    await server.gate.holds(1)
    expect((await server.call(3, 'Say')).status).toBe(200)
    server.gate.release()
    expect((await Promise.race(large)).status).toBe(200)
    await server.gate.holds(1)
    server.gate.release()
    expect((await Promise.all(large)).map(({ status }) => status)).toEqual([200, 200])
  })
})
