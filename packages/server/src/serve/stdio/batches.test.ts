import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { member, systemClock } from '@mcp-toolkits/core/base'
import { describe, expect, it } from 'vitest'
import { jsonLog } from '../../mcp/log.ts'
import { openToolbox } from '../../mcp/calls/toolbox.ts'
import { serveStdio } from './serve.ts'
import { echoServer, Gate, settings } from '../../../test/stdio/echo-server.ts'
import { call } from '../../../test/stdio/wire.ts'

/** A client on the revision with batches. It reads the server's lines as they are. */
async function client(kind: object = {}) {
  const [input, output, gate] = [new PassThrough(), new PassThrough(), new Gate()]
  const definition = { ...echoServer(gate), ...kind }
  const log = jsonLog('silent', () => undefined)
  const server = serveStdio(definition, openToolbox(definition, settings, { log, clock: systemClock }), { input, output, log })
  const lines: unknown[] = []
  output.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.trim().split('\n')) lines.push(JSON.parse(line))
  })
  const send = (json: unknown) => input.write(`${JSON.stringify(json)}\n`)
  const clientInfo = { name: 't', version: '1' }
  send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo } })
  await once(output, 'data')
  lines.splice(0)
  return {
    send,
    gate,
    end: async () => {
      input.end()
      await server.closed
      return lines.map(inOrder)
    },
  }
}

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
const said = (id: number) => ({ id, result: { structuredContent: { text: 'x' } } })
const refused = (id: unknown) => ({ id, error: { code: -32600 } })

/** The answers in a list, ordered by id. */
function inOrder(line: unknown): unknown {
  if (!Array.isArray(line)) return line
  const answers: unknown[] = line
  const idOf = (answer: unknown) => String(member(answer, 'id')).padStart(3)
  return answers.toSorted((a, b) => idOf(a).localeCompare(idOf(b)))
}

describe('a batch', () => {
  it('is answered with one line that holds the list of answers', async () => {
    const { send, gate, end } = await client()
    send([call(1, 'x', 'Wait'), { jsonrpc: '2.0', method: 'notifications/initialized' }, call(2, 'x'), ping('three')])
    await gate.holds(1)
    send(ping(4))
    gate.release()
    expect(await end()).toMatchObject([{ id: 4 }, [said(1), said(2), { id: 'three', result: {} }]])
  })

  it('of more calls than may be in flight is answered', async () => {
    const { send, end } = await client()
    send(Array.from({ length: 100 }, (_, id) => call(id, 'x')))
    expect(await end()).toMatchObject([Array.from({ length: 100 }, (_, id) => said(id))])
  })

  it('gets an error in the list for what cannot be served', async () => {
    const { send, end } = await client({ extensions: [{ callKinds: { Wait: 'large' } }] })
    send([call(1, 'x'), 7, { jsonrpc: '1.0', id: 2, method: 'ping' }, call(3, 'x', 'Wait'), ping('x'.repeat(300))])
    expect(await end()).toMatchObject([[said(1), refused(2), refused(3), refused(null), refused(null)]])
  })

  it('is complete without a call that was cancelled', async () => {
    const { send, gate, end } = await client()
    send([call(1, 'x', 'Wait'), call(2, 'x')])
    await gate.holds(1)
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await end()).toMatchObject([[said(2)]])
  })

  it.each([
    ['without messages', [], [refused(null)]],
    ['of notifications', [{ jsonrpc: '2.0', method: 'notifications/initialized' }], []],
    ['of too many messages', Array.from({ length: 101 }, (_, id) => ping(id)), [refused(null)]],
  ])('%s gets no list', async (_, batch, expected) => {
    const { send, end } = await client()
    send(batch)
    expect(await end()).toMatchObject(expected)
  })
})
