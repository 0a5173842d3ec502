import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectingGarbage } from './command.ts'
import { schemaCall, legacy, parseMessageBody, modern, rpc, trackCall } from '../packages/testing/src/processes/protocol.ts'
import { refusesConnections, startHttp, type HttpProcess } from './http-process.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const revisions = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
] as const

interface ConnectedOptions {
  readonly args?: readonly string[]
  readonly key?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** A server and its upstream, for one test. */
async function connected({ args = [], key, environment = {} }: ConnectedOptions = {}) {
  const stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream(key === undefined ? {} : { key }))
  const server = stack.use(await startHttp({ args, environment: { ...upstream.environment, ...environment } }))
  return { upstream, server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('SIGTERM', () => {
  test.for(['SIGTERM', 'SIGHUP'] as const)('%s: answers the calls in flight, accepts no new ones, and exits 0', async (signal) => {
    await using both = await connected()
    const { server, upstream } = both
    upstream.hold()
    const requests = revisions.flatMap(([, as], part) => [1, 2, 3].map((n) => as(n, 'tools/call', trackCall(`u${part}${n}`))))
    const answers = Promise.all(requests.map((each) => server.sendRequest(each)))
    await expect.poll(upstream.arrived).toBe(6)
    server.terminate(signal)
    await expect.poll(() => refusesConnections(server.url)).toBe(true)
    upstream.release()
    for (const { status, body } of await answers) {
      expect([status, parseMessageBody(body).result]).toMatchObject([200, { structuredContent: { outcome: 'delivered' } }])
    }
    expect(await server.exit()).toBe(0)
  })

  test('closes a kept-alive connection as soon as its call is answered', async () => {
    await using both = await connected()
    const { server, upstream } = both
    const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
    upstream.hold()
    const { headers, body } = modern(1, 'tools/call', trackCall('kept'))
    const kept = fetch(server.url, { method: 'POST', headers, body: body ?? '' })
    await expect.poll(upstream.arrived).toBe(1)
    server.terminate()
    await expect.poll(() => refusesConnections(server.url)).toBe(true)
    upstream.release()
    const answered = await kept
    expect(answered.headers.get('connection')).toBe('close')
    expect(parseMessageBody(await answered.text()).result).toMatchObject({ structuredContent: { outcome: 'delivered' } })
    expect(await server.exit()).toBe(0)
    await client.close()
  })

  test('is not what SIGUSR1 does: it opens no debugger, and the server goes on', async () => {
    await using server = await startHttp()
    server.terminate('SIGUSR1')
    expect((await server.sendRequest(modern(1, 'tools/list'))).status).toBe(200)
    server.terminate()
    expect(await server.exit()).toBe(0)
    expect(server.errors()).not.toContain('Debugger')
  })

  test('exits 0 at once without calls in flight', async () => {
    await using server = await startHttp()
    server.terminate()
    expect(await server.exit()).toBe(0)
  })
})

describe.for(revisions)('a client of %s that disconnects', ([, as]) => {
  test('cancels the upstream request, and no other follows', async () => {
    await using both = await connected({ environment: collectingGarbage })
    const { server, upstream } = both
    upstream.emulator.faults.add({ action: { kind: 'hang' } })
    const leaving = new AbortController()
    const { headers, body } = as(1, 'tools/call', trackCall('gone'))
    const gone = fetch(server.url, { method: 'POST', headers, body: body ?? '', signal: leaving.signal }).then((answer) => answer.text())
    await expect.poll(upstream.arrived).toBe(1)
    leaving.abort()
    await expect(gone).rejects.toThrow('abort')
    await expect.poll(upstream.abandoned).toBe(1)
    await expect.poll(server.errors).toContain('"outcome":"cancelled"')
    const next = await server.sendRequest(as(2, 'tools/call', trackCall('next')))
    expect(parseMessageBody(next.body).result).toMatchObject({ structuredContent: { outcome: 'delivered' } })
    server.terminate()
    expect(await server.exit()).toBe(0)
    expect(upstream.emulator.store.requests().map(({ body }) => /gone|next/.exec(body)?.[0])).toEqual(['gone', 'next'])
  })
})

describe('two clients of different revisions', () => {
  let server: HttpProcess
  beforeAll(async () => {
    server = await startHttp()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('work at the same time, and one can disconnect', async () => {
    const join = async (mode: 'legacy' | { readonly pin: string }) => {
      const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
      return client
    }
    const current = await join({ pin: '2026-07-28' })
    const earlier = await join('legacy')
    const sent = async (client: Client, userId: string) => (await client.callTool(trackCall(userId))).structuredContent
    for (const n of [1, 2, 3]) {
      const both = await Promise.all([sent(current, `c${n}`), sent(earlier, `e${n}`)])
      expect(both).toMatchObject([{ outcome: 'delivered' }, { outcome: 'delivered' }])
    }
    await current.close()
    expect(await sent(earlier, 'e4')).toMatchObject({ outcome: 'delivered' })
    expect((await earlier.listTools()).tools).toHaveLength(7)
    await earlier.close()
  })
})

describe('logs and secrets', () => {
  const canary = 'canary-9f8e7d6c5b4a39281706'
  const forms = [canary, btoa(`${canary}:`), btoa(canary)]

  test('writes one JSON line per call to standard error, and nothing to standard output', async () => {
    await using both = await connected({ args: ['--log-level', 'debug'] })
    const { server } = both
    await server.sendRequest(modern(1, 'tools/call', schemaCall()))
    await server.sendRequest(modern(2, 'tools/call', trackCall('u1')))
    await server.sendRequest(legacy(3, 'tools/call', { name: schemaCall().name, arguments: { mode: 'execute' } }))
    await server.sendRequest({ ...legacy(4, ''), body: rpc(4, 'tools/list') })
    server.terminate()
    expect(await server.exit()).toBe(0)
    const lines = server
      .errors()
      .split('\n')
      .filter((line) => line !== '' && !line.includes(' serves http://'))
    const logged = lines.map((line): unknown => JSON.parse(line))
    expect(logged).toMatchObject([
      { level: 'info', message: 'call', tool: 'TrackUserEvent', outcome: 'ok' },
      { level: 'info', message: 'call', tool: 'TrackUserEvent', outcome: 'ok' },
      { level: 'info', message: 'call', tool: 'TrackUserEvent', outcome: 'invalid_input' },
    ])
    expect(server.output()).toBe('')
  })

  test('sends the API key to the vendor only, never to answers or logs', async () => {
    await using both = await connected({ args: ['--log-level', 'debug'], key: canary })
    const { server, upstream } = both
    const answers = await answersOf(server, upstream, canary)
    expect(upstream.authorizations.length).toBeGreaterThanOrEqual(answers.filter(({ sent }) => sent).length)
    expect(new Set(upstream.authorizations)).toEqual(new Set([`Basic ${btoa(`${canary}:`)}`]))
    server.terminate()
    expect(await server.exit()).toBe(0)
    const seen = [...answers.map(({ text }) => text), server.output(), server.errors()].join('\n')
    expect(seen).toContain('"outcome":"ok"')
    for (const form of forms) expect(seen).not.toContain(form)
  })
})

/** The answers of a server to calls with and without faults; some calls repeat a key. */
async function answersOf(server: HttpProcess, upstream: Upstream, key: string) {
  const faults = [
    { kind: 'status', status: 302, headers: { location: `http://other.example/?key=${key}` } },
    { kind: 'status', status: 200, body: 'no JSON at all' },
    // Last, because nothing is sent with a key that was refused.
    { kind: 'status', status: 401, body: { meta: { errors: ['The key was refused.'] } } },
  ] as const
  const healthy = [await server.sendRequest({ method: 'GET', path: '/healthz' }), await server.sendRequest(modern(1, 'tools/list'))]
  const sent = [await server.sendRequest(modern(2, 'tools/call', trackCall('fine')))]
  for (const [index, action] of faults.entries()) {
    upstream.emulator.faults.add({ action })
    sent.push(await server.sendRequest(legacy(3, 'tools/call', trackCall(`fault ${index}`))))
  }
  const texts = (answers: typeof healthy, wasSent: boolean) =>
    answers.map(({ headers, body }) => ({ text: JSON.stringify(headers) + body, sent: wasSent }))
  return [...texts(healthy, false), ...texts(sent, true)]
}
