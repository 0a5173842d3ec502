import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectingGarbage } from './command.ts'
import { asking, legacy, messageIn, modern, rpc, tracking } from './protocol.ts'
import { refusesConnections, serve, type Serving } from './serving.ts'
import { listeningUpstream, type Upstream } from './upstream.ts'

const revisions = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
] as const

interface ConnectedOptions {
  readonly args?: readonly string[]
  readonly key?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** A server connected to an upstream, both for one test. */
async function connected({ args = [], key, environment = {} }: ConnectedOptions = {}) {
  const stack = new AsyncDisposableStack()
  const upstream = stack.use(await listeningUpstream(key === undefined ? {} : { key }))
  const server = stack.use(await serve({ args, environment: { ...upstream.environment, ...environment } }))
  return { upstream, server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('SIGTERM', () => {
  test('answers the calls in flight, takes no new ones, and exits 0', async () => {
    await using both = await connected()
    const { server, upstream } = both
    upstream.hold()
    const asked = revisions.flatMap(([, as], part) => [1, 2, 3].map((n) => as(n, 'tools/call', tracking(`u${part}${n}`))))
    const answers = Promise.all(asked.map((each) => server.ask(each)))
    await expect.poll(upstream.arrived).toBe(6)
    server.terminate()
    await expect.poll(() => refusesConnections(server.url)).toBe(true)
    upstream.release()
    for (const { status, body } of await answers) {
      expect([status, messageIn(body).result]).toMatchObject([200, { structuredContent: { outcome: 'delivered' } }])
    }
    expect(await server.exit()).toBe(0)
  })

  test('closes a connection that its client keeps open as soon as its call is answered', async () => {
    await using both = await connected()
    const { server, upstream } = both
    const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
    upstream.hold()
    const { headers, body } = modern(1, 'tools/call', tracking('kept'))
    const kept = fetch(server.url, { method: 'POST', headers, body: body ?? '' })
    await expect.poll(upstream.arrived).toBe(1)
    server.terminate()
    await expect.poll(() => refusesConnections(server.url)).toBe(true)
    upstream.release()
    const answered = await kept
    expect(answered.headers.get('connection')).toBe('close')
    expect(messageIn(await answered.text()).result).toMatchObject({ structuredContent: { outcome: 'delivered' } })
    expect(await server.exit()).toBe(0)
    await client.close()
  })

  test('with nothing to do exits 0 at once', async () => {
    await using server = await serve()
    server.terminate()
    expect(await server.exit()).toBe(0)
  })
})

describe.for(revisions)('a client of %s that goes away', ([, as]) => {
  test('stops the upstream request, and no further one follows', async () => {
    await using both = await connected({ environment: collectingGarbage })
    const { server, upstream } = both
    upstream.emulator.faults.add({ action: { kind: 'hang' } })
    const leaving = new AbortController()
    const { headers, body } = as(1, 'tools/call', tracking('gone'))
    const gone = fetch(server.url, { method: 'POST', headers, body: body ?? '', signal: leaving.signal }).then((answer) => answer.text())
    await expect.poll(upstream.arrived).toBe(1)
    leaving.abort()
    await expect(gone).rejects.toThrow('abort')
    await expect.poll(upstream.abandoned).toBe(1)
    await expect.poll(server.errors).toContain('"outcome":"cancelled"')
    const next = await server.ask(as(2, 'tools/call', tracking('next')))
    expect(messageIn(next.body).result).toMatchObject({ structuredContent: { outcome: 'delivered' } })
    server.terminate()
    expect(await server.exit()).toBe(0)
    expect(upstream.emulator.store.requests().map(({ body }) => /gone|next/.exec(body)?.[0])).toEqual(['gone', 'next'])
  })
})

describe('two clients of different revisions', () => {
  let server: Serving
  beforeAll(async () => {
    server = await serve()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('work side by side; one leaving does not disturb the other', async () => {
    const join = async (mode: 'legacy' | { readonly pin: string }) => {
      const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
      return client
    }
    const current = await join({ pin: '2026-07-28' })
    const earlier = await join('legacy')
    const sent = async (client: Client, userId: string) => (await client.callTool(tracking(userId))).structuredContent
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

  test('there is one JSON line per call on standard error, and nothing on standard output', async () => {
    await using both = await connected({ args: ['--log-level', 'debug'] })
    const { server } = both
    await server.ask(modern(1, 'tools/call', asking()))
    await server.ask(modern(2, 'tools/call', tracking('u1')))
    await server.ask(legacy(3, 'tools/call', { name: asking().name, arguments: { mode: 'execute' } }))
    await server.ask({ ...legacy(4, ''), body: rpc(4, 'tools/list') })
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

  test('the API key reaches the vendor, and appears in no answer and no log, whatever the vendor does', async () => {
    await using both = await connected({ args: ['--log-level', 'debug'], key: canary })
    const { server, upstream } = both
    const told = await answersOf(server, upstream, canary)
    expect(upstream.authorizations.length).toBeGreaterThanOrEqual(told.filter(({ sent }) => sent).length)
    expect(new Set(upstream.authorizations)).toEqual(new Set([`Basic ${btoa(`${canary}:`)}`]))
    server.terminate()
    expect(await server.exit()).toBe(0)
    const seen = [...told.map(({ text }) => text), server.output(), server.errors()].join('\n')
    expect(seen).toContain('"outcome":"ok"')
    for (const form of forms) expect(seen).not.toContain(form)
  })
})

/** What a server says in good times and in bad ones, some of which repeat its key. */
async function answersOf(server: Serving, upstream: Upstream, key: string) {
  const faults = [
    { kind: 'status', status: 401, body: { meta: { errors: ['The key was refused.'] } } },
    { kind: 'status', status: 302, headers: { location: `http://other.example/?key=${key}` } },
    { kind: 'status', status: 200, body: 'no JSON at all' },
  ] as const
  const told = [await server.ask({ method: 'GET', path: '/healthz' }), await server.ask(modern(1, 'tools/list'))]
  const sent = [await server.ask(modern(2, 'tools/call', tracking('fine')))]
  for (const [index, action] of faults.entries()) {
    upstream.emulator.faults.add({ action })
    sent.push(await server.ask(legacy(3, 'tools/call', tracking(`fault ${index}`))))
  }
  const texts = (answers: typeof told, wasSent: boolean) =>
    answers.map(({ headers, body }) => ({ text: JSON.stringify(headers) + body, sent: wasSent }))
  return [...texts(told, false), ...texts(sent, true)]
}
