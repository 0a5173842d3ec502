import { type Caller, isObject } from '@mcp-toolkits/core/base'
import { Conflict } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { CallContext } from '@mcp-toolkits/core/tool'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { withCaller } from './current-request.ts'
import { serveInProcess } from '../../serve/library/in-process.ts'
import { Bookshelf, openBookshelf, Recorder } from '../../../test/bookshelf.ts'

const joined = 'An identical call was already running; this is its result.'

interface Held {
  readonly context: CallContext | undefined
  readonly release: () => void
  readonly fail: (error: Error) => void
}

/** A bookshelf whose calls end when the test says so, and its clients. */
async function open() {
  const held = new Recorder<Held>()
  const hold = async (context?: CallContext) => {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const release = () => {
      resolve(undefined)
    }
    held.add({ context, release, fail: reject })
    await promise
  }
  const shelf = Object.assign(new Bookshelf(), { onAdded: hold, onRenamed: () => hold(), onFound: () => hold() })
  const clock = new ManualClock({ skipSleeps: false })
  const { definition, toolbox, log, called, delivered } = await openBookshelf({ shelf, clock })
  const server = serveInProcess(definition, toolbox, { log })

  const connect = async (caller?: Caller) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const answer = async (request: Request) => (caller ? withCaller(caller, () => server.fetch(request)) : server.fetch(request))
    const fetch = (target: string | URL, init?: RequestInit) => answer(new Request(target, init))
    await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
    onTestFinished(() => client.close())
    return client
  }
  let calls = 0
  /** Makes a call, and resolves once its run has reached the vendor, or the call has joined another run. */
  const begin = async (client: Client, { tool = 'AddBook', title = 'Emma', key = '', ...options }: Begun = {}) => {
    calls += 1
    const reached = held.entries.length + 1
    const _meta = key === '' ? {} : { _meta: { 'mcp-toolkits/idempotency-key': key } }
    const { joins = false, signal, onprogress } = options
    const requestOptions = { ...(signal && { signal }), ...(onprogress && { onprogress }) }
    const result = client.callTool({ name: `Shelf_${tool}`, arguments: { title }, ..._meta }, requestOptions)
    result.catch(() => undefined)
    await called.reaches(calls)
    if (joins) await clock.advance(0)
    else await held.reaches(reached)
    return { result }
  }
  return { shelf, clock, held: held.entries, connect, begin, delivered }
}

interface Begun {
  readonly tool?: string
  readonly title?: string
  readonly key?: string
  readonly joins?: boolean
  readonly signal?: AbortSignal | undefined
  readonly onprogress?: (step: { readonly progress: number }) => void
}

const withNotice = (data: unknown) => ({ notices: [joined], ...(isObject(data) && data) })

const anna: Caller = { issuer: 'i', subject: 'anna', owner: 'anna', clientId: 'host', permissions: ['read', 'write'], profile: 'default' }

it('joins an identical call that has been running for five seconds, and says so', async () => {
  const { shelf, clock, held, connect, begin, delivered } = await open()
  const [one, other] = [await connect(), await connect()]
  const first = await begin(one)
  await clock.advance(5_000)
  const second = await begin(other, { joins: true })
  held[0]?.release()
  const [{ structuredContent: own }, { structuredContent: shared, content }] = [await first.result, await second.result]
  expect(own).not.toHaveProperty('notices')
  expect(shared).toEqual(withNotice(own))
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(shared) }])
  expect([held.length, shelf.books.size]).toEqual([1, 1])

  // Both calls were answered, so the next one is a separate call.
  await delivered.reaches(2)
  const third = await begin(one)
  held[1]?.release()
  expect((await third.result).structuredContent).toMatchObject({ wasRepeated: false })
  expect(shelf.books.size).toBe(2)
})

it('runs two calls less than five seconds apart twice, and joins the older one', async () => {
  const { shelf, clock, held, connect, begin } = await open()
  const client = await connect()
  const first = await begin(client)
  await clock.advance(4_999)
  const second = await begin(client)
  await clock.advance(1)
  const third = await begin(client, { joins: true })
  expect([held.length, shelf.books.size]).toEqual([2, 2])
  held[0]?.release()
  expect((await third.result).structuredContent).toEqual(withNotice((await first.result).structuredContent))
  // The second run is now the oldest.
  await clock.advance(5_000)
  const fourth = await begin(client, { joins: true })
  held[1]?.release()
  expect((await fourth.result).structuredContent).toEqual(withNotice((await second.result).structuredContent))
})

it.each<[string, Begun, Caller?]>([
  ['other arguments', { title: 'Persuasion' }],
  ['another tool', { tool: 'RenameBook' }],
  ['an idempotency key', { key: 'k' }],
  ['another person', {}, { ...anna, subject: 'ben', owner: 'ben' }],
  ['another account of the person', {}, { ...anna, profile: 'work' }],
  ['a token that permits more', {}, { ...anna, permissions: ['read', 'write', 'delete'] }],
])('does not join a call with %s', async (_, difference, caller = anna) => {
  const { clock, held, connect, begin } = await open()
  const first = await begin(await connect(anna))
  await clock.advance(20_000)
  const second = await begin(await connect(caller), difference)
  for (const { release } of held) release()
  for (const { result } of [first, second]) expect((await result).structuredContent).not.toHaveProperty('notices')
  expect(held).toHaveLength(2)
})

it('goes on for the others when a caller gives up, and ends with the last', async () => {
  const { shelf, clock, held, connect, begin, delivered } = await open()
  const client = await connect()
  const signals = [new AbortController(), new AbortController(), new AbortController()]
  const begun = [await begin(client, { signal: signals[0]?.signal })]
  await clock.advance(6_000)
  for (const { signal } of signals.slice(1)) begun.push(await begin(client, { joins: true, signal }))
  const running = held[0]?.context?.signal
  for (const [index, each] of begun.slice(0, 2).entries()) {
    signals[index]?.abort()
    await expect(each.result).rejects.toThrow()
    await delivered.reaches(index + 1)
    expect(running?.aborted).toBe(false)
  }
  signals[2]?.abort()
  await delivered.reaches(3)
  await clock.advance(0)
  expect(running?.aborted).toBe(true)

  // After everyone has given up on it, the next identical call continues it, like any unanswered call.
  const next = await begin(client)
  held[1]?.release()
  expect((await next.result).structuredContent).toMatchObject({ wasRepeated: true })
  expect(shelf.books.size).toBe(1)
})

it('answers the caller that joined when the first has given up, once and for all', async () => {
  const { shelf, clock, held, connect, begin, delivered } = await open()
  const client = await connect()
  const gone = new AbortController()
  await begin(client, { signal: gone.signal })
  await clock.advance(20_000)
  const second = await begin(client, { joins: true })
  gone.abort()
  await delivered.reaches(1)
  held[0]?.release()
  expect((await second.result).structuredContent).toMatchObject({ notices: [joined], wasRepeated: false })
  await delivered.reaches(2)
  const third = await begin(client)
  held[1]?.release()
  expect((await third.result).structuredContent).toMatchObject({ wasRepeated: false })
  expect(shelf.books.size).toBe(2)
})

it('tells its progress to all who asked for it', async () => {
  const { clock, held, connect, begin } = await open()
  const client = await connect()
  const [heard, alsoHeard]: [number[], number[]] = [[], []]
  const first = await begin(client, { onprogress: ({ progress }) => heard.push(progress) })
  held[0]?.context?.progress(1)
  await clock.advance(6_000)
  const second = await begin(client, { joins: true, onprogress: ({ progress }) => alsoHeard.push(progress) })
  const third = await begin(client, { joins: true })
  held[0]?.context?.progress(2)
  held[0]?.release()
  await Promise.all([first.result, second.result, third.result])
  expect([heard, alsoHeard]).toEqual([[1, 2], [2]])
})

it('shares an error too, and says whose it is', async () => {
  const { clock, held, connect, begin } = await open()
  const client = await connect()
  const first = await begin(client)
  await clock.advance(6_000)
  const second = await begin(client, { joins: true })
  held[0]?.fail(new Conflict('The shelf is full.'))
  const texts = [await first.result, await second.result].map(({ content }) => JSON.stringify(content))
  expect(texts[0]).toContain('The shelf is full.')
  expect(texts[0]).not.toContain(joined)
  expect(texts[1]).toContain(`The shelf is full. ${joined}`)
})

it('joins a read, unless a write has ended meanwhile that it may not show', async () => {
  const { clock, held, connect, begin } = await open()
  const client = await connect()
  const first = await begin(client, { tool: 'FindBook' })
  await clock.advance(6_000)
  const second = await begin(client, { tool: 'FindBook', joins: true })
  const write = await begin(client, { tool: 'RenameBook' })
  held[1]?.release()
  await write.result
  const third = await begin(client, { tool: 'FindBook' })
  for (const { release } of held) release()
  const results = [await first.result, await second.result, await third.result]
  expect(results.map(({ structuredContent }) => structuredContent)).toEqual([
    { text: 'Emma' },
    { notices: [joined], text: 'Emma' },
    { text: 'Emma' },
  ])
  expect(held).toHaveLength(3)
})
