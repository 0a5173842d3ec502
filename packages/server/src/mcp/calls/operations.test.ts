import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { ManualClock, memoryIdempotencyStore } from '@mcp-toolkits/core/testing'
import type { CallContext } from '@mcp-toolkits/core/tool'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveInProcess } from '../../serve/library/in-process.ts'
import { jsonLog } from '../log.ts'
import { Operations } from './operations.ts'
import { routes } from '../../../test/elicitation/client.ts'
import { PostOffice, postServer, postToolbox } from '../../../test/elicitation/post-server.ts'
import { Bookshelf, newDirectory, openBookshelf, type BookshelfOptions } from '../../../test/bookshelf.ts'

interface CallRequest {
  readonly title?: string
  readonly key?: unknown
  readonly tool?: string
}

/** A bookshelf in a program, and a real client in front of it. */
async function connect(options: BookshelfOptions = {}) {
  const { shelf, definition, toolbox, settings, log } = await openBookshelf(options)
  const server = serveInProcess(definition, toolbox, { log })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const url = new URL('http://localhost/mcp')
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: (target, init) => server.fetch(new Request(target, init)) }))
  onTestFinished(() => client.close())
  const call = async ({ title = 'Emma', key, tool = 'AddBook' }: CallRequest = {}) => {
    const _meta = key === undefined ? {} : { _meta: { 'mcp-toolkits/idempotency-key': key } }
    const { structuredContent, _meta: marks, content } = await client.callTool({ name: `Shelf_${tool}`, arguments: { title }, ..._meta })
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    return { data: isObject(structuredContent) ? structuredContent : {}, isReplayed: marks?.['mcp-toolkits/replayed'] === true, text }
  }
  return { shelf, call, directory: path.join(settings.dataDirectory, 'bookshelf'), dataDirectory: settings.dataDirectory }
}

/** A gate just before AddBook returns. */
function hold(shelf: Bookshelf) {
  const [reached, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  shelf.onAdded = async () => {
    reached.resolve(undefined)
    await released.promise
  }
  const release = () => {
    released.resolve(undefined)
  }
  return { reached: reached.promise, release }
}

describe('an idempotency key', () => {
  it('returns the first result again, marked, to the same call', async () => {
    const { shelf, call } = await connect()
    const first = await call({ key: 'k' })
    expect(first.isReplayed).toBe(false)
    expect(await call({ key: 'k' })).toEqual({ ...first, isReplayed: true })
    expect(shelf.books.size).toBe(1)
    expect((await call({ key: 'other' })).isReplayed).toBe(false)
    expect((await call()).isReplayed).toBe(false)
    expect(shelf.books.size).toBe(3)
  })

  it('with other arguments is a conflict, and nothing is done', async () => {
    const { shelf, call } = await connect()
    await call({ key: 'k' })
    const { text } = await call({ key: 'k', title: 'Persuasion' })
    expect(parseJson(text)).toMatchObject({ error: { code: 'conflict', retryable: false } })
    expect([...shelf.books.values()]).toEqual(['Emma'])
  })

  it('belongs to one tool, and makes a write that creates nothing happen once', async () => {
    const { shelf, call } = await connect()
    await call({ key: 'k' })
    const renamed = await call({ key: 'k', tool: 'RenameBook' })
    expect(await call({ key: 'k', tool: 'RenameBook' })).toEqual({ ...renamed, isReplayed: true })
    expect(shelf.renames).toBe(1)
  })

  it('is ignored by a tool that reads, whatever it is', async () => {
    const { call, directory } = await connect()
    for (const key of ['k', 'k', '', 7]) expect((await call({ key, tool: 'FindBook' })).isReplayed).toBe(false)
    expect(existsSync(directory)).toBe(false)
  })

  it.each([[''], ['x'.repeat(256)], ['two\nlines'], ['hidden\u200b'], [7], [null], [{}]])('%j is refused', async (key) => {
    const { shelf, call, directory } = await connect()
    expect(parseJson((await call({ key })).text)).toMatchObject({
      error: { code: 'invalid_input', message: 'The idempotency key must be 1 to 255 printable characters.' },
    })
    expect(shelf.books.size).toBe(0)
    expect(existsSync(directory)).toBe(false)
  })

  it('creates one thing for many calls at once, in two servers on one data directory', async () => {
    const shelf = new Bookshelf()
    const first = await connect({ shelf })
    const second = await connect({ shelf, settings: { dataDirectory: first.dataDirectory } })
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, index) => (index % 2 ? first : second).call({ key: 'k' })))
    expect(shelf.books.size).toBe(1)
    expect(new Set(answers.map(({ data }) => data['id'])).size).toBe(1)
    expect(answers.filter(({ isReplayed }) => isReplayed)).toHaveLength(19)
  })

  it.each([
    ['one thing for one key', ['k', 'k'], 1],
    ['two things for two keys', ['k', 'l'], 2],
    ['two things without keys', [undefined, undefined], 2],
  ])('creates %s in a batch of two calls', async (_, keys, count) => {
    const { shelf, definition, toolbox, log } = await openBookshelf({})
    const server = serveInProcess(definition, toolbox, { log })
    onTestFinished(() => server.close())
    const batch = keys.map((key, id) => {
      const _meta = key === undefined ? {} : { _meta: { 'mcp-toolkits/idempotency-key': key } }
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'Shelf_AddBook', arguments: { title: 'Emma' }, ..._meta } }
    })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(batch) })
    const text = await (await server.fetch(request)).text()
    expect(text.match(/"structuredContent":/g), text).toHaveLength(2)
    expect(shelf.books.size).toBe(count)
  })

  it('makes a write that creates nothing happen once for many calls at once, and refuses other arguments', async () => {
    const { shelf, call } = await connect()
    const titles = Array.from({ length: 20 }, (_, index) => (index % 2 ? 'Emma' : 'Persuasion'))
    const answers = await Promise.all(titles.map(async (title) => call({ key: 'k', tool: 'RenameBook', title })))
    expect(shelf.renames).toBe(1)
    expect(answers.filter(({ isReplayed }) => isReplayed)).toHaveLength(9)
    expect(answers.filter(({ text }) => text.includes('"conflict"'))).toHaveLength(10)
  })

  it('of a write that failed and creates nothing is free, also for other arguments', async () => {
    const { shelf, call } = await connect()
    shelf.onRenamed = () => Promise.reject(new Error('broken'))
    expect(parseJson((await call({ key: 'k', tool: 'RenameBook' })).text)).toMatchObject({ error: { code: 'internal' } })
    shelf.onRenamed = () => Promise.resolve()
    expect((await call({ key: 'k', tool: 'RenameBook', title: 'Persuasion' })).data).toEqual({ text: 'Persuasion' })
  })

  it('stores no result with open ends, so that a repeat does what is missing', async () => {
    const { shelf, call } = await connect()
    shelf.onAdded = ({ operation }) => {
      operation.leaveOpen()
      return Promise.resolve()
    }
    expect(await call({ key: 'k' })).toMatchObject({ isReplayed: false, data: { wasRepeated: false } })
    shelf.onAdded = () => Promise.resolve()
    expect(await call({ key: 'k' })).toMatchObject({ isReplayed: false, data: { wasRepeated: true } })
    expect((await call({ key: 'k' })).isReplayed).toBe(true)
    expect(shelf.books.size).toBe(1)
  })

  it('waits for the call that runs, and fails as unavailable after 20 seconds', async () => {
    const clock = new ManualClock()
    const { shelf, call } = await connect({ clock })
    const { reached, release } = hold(shelf)
    const first = call({ key: 'k' })
    await reached
    const { text } = await call({ key: 'k' })
    expect(parseJson(text)).toMatchObject({ error: { code: 'unavailable', retryable: true } })
    expect(clock.monotonic()).toBe(20_000)
    release()
    expect((await first).data).toMatchObject({ text: 'Emma' })
    expect((await call({ key: 'k' })).isReplayed).toBe(true)
    expect(shelf.books.size).toBe(1)
  })

  it('is free again after a call that failed, which the next one continues', async () => {
    const { shelf, call } = await connect()
    shelf.onAdded = () => Promise.reject(new Error('broken'))
    expect(parseJson((await call({ key: 'k' })).text)).toMatchObject({ error: { code: 'internal' } })
    shelf.onAdded = () => Promise.resolve()
    expect(await call({ key: 'k' })).toMatchObject({ isReplayed: false, data: { wasRepeated: true } })
    expect(shelf.books.size).toBe(1)
  })

  it('is forgotten after a day', async () => {
    const clock = new ManualClock()
    const { shelf, call } = await connect({ clock })
    await call({ key: 'k' })
    await clock.advance(23 * 3_600_000)
    expect((await call({ key: 'k' })).isReplayed).toBe(true)
    await clock.advance(2 * 3_600_000)
    expect((await call({ key: 'k', title: 'Persuasion' })).isReplayed).toBe(false)
    expect([...shelf.books.values()]).toEqual(['Emma', 'Persuasion'])
  })

  it('keeps 64 KB of a result, and says that the replay is shortened', async () => {
    const { call } = await connect()
    const title = 'x'.repeat(70_000)
    const first = await call({ key: 'k', title })
    const replay = await call({ key: 'k', title })
    expect(replay.data).toEqual({ notices: [expect.stringContaining('shortened to 64 KB')], ...first.data, text: `${'x'.repeat(8_000)}…` })
    expect(replay.isReplayed).toBe(true)
    expect(replay.text).toBe(JSON.stringify(replay.data))
  })
})

describe('a call whose process died', () => {
  it.each([undefined, 'k'])('is continued by an identical one in another process (key: %s)', async (key) => {
    const [shelf, killed] = [new Bookshelf(), await newDirectory()]
    const { call, directory } = await connect({ shelf })
    const { reached, release } = hold(shelf)
    const first = call({ key })
    await reached
    // The state after a kill: the records are there, and no process holds the locks beside them.
    cpSync(directory, path.join(killed, 'bookshelf'), { recursive: true })
    shelf.onAdded = () => Promise.resolve()
    const next = await connect({ shelf, settings: { dataDirectory: killed } })
    expect((await next.call({ key })).data).toMatchObject({ wasRepeated: true })
    expect(shelf.books.size).toBe(1)
    expect(await next.call({ key })).toMatchObject({ isReplayed: key !== undefined })
    expect(shelf.books.size).toBe(key === undefined ? 2 : 1)
    release()
    await first
  })
})

it('a call that died after eleven minutes of work is continued by an identical one', async () => {
  const [shelf, killed, clock] = [new Bookshelf(), await newDirectory(), new ManualClock({ skipSleeps: false })]
  const { call, directory } = await connect({ shelf, clock })
  const [begun, released] = [Promise.withResolvers<CallContext>(), Promise.withResolvers<undefined>()]
  shelf.onAdded = async (context) => {
    begun.resolve(context)
    await released.promise
  }
  const first = call()
  const { progress } = await begun.promise
  for (let step = 1; step <= 66; step += 1) {
    await clock.advance(10_000)
    progress(step)
  }
  // This call's record is written after the earlier ones.
  await call({ key: 'k', tool: 'RenameBook' })
  cpSync(directory, path.join(killed, 'bookshelf'), { recursive: true })
  shelf.onAdded = () => Promise.resolve()
  const next = await connect({ shelf, clock, settings: { dataDirectory: killed } })
  expect((await next.call()).data).toMatchObject({ wasRepeated: true })
  expect(shelf.books.size).toBe(1)
  released.resolve(undefined)
  await first
})

describe('the records of calls', () => {
  it('are readable by their owner only, and are not opened by reads', async () => {
    const { call, directory } = await connect()
    await call({ tool: 'FindBook' })
    await call({ tool: 'RenameBook' })
    expect(existsSync(directory)).toBe(false)
    await call()
    expect(statSync(path.join(directory, 'calls.db')).mode & 0o777).toBe(0o600)
  })

  it.each([undefined, 'k'])('that cannot be written refuse the create and say why; reads go on (key: %s)', async (key) => {
    const { shelf, call, directory } = await connect()
    writeFileSync(directory, 'This is no directory.')
    const { text } = await call({ key })
    expect(parseJson(text)).toMatchObject({ error: { code: 'unavailable', retryable: false } })
    expect(text).toContain('The call did nothing: it could not be recorded.')
    expect(shelf.books.size).toBe(0)
    expect((await call({ tool: 'FindBook' })).data).toEqual({ text: 'Emma' })
  })

  it('are set aside when they are damaged: one call does nothing and says so, and the next one works', async () => {
    const { shelf, call, directory } = await connect()
    mkdirSync(directory, { recursive: true })
    writeFileSync(path.join(directory, 'calls.db'), 'This is not a database. '.repeat(1_000))
    const { text } = await call({ key: 'k' })
    expect(parseJson(text)).toMatchObject({ error: { code: 'unavailable', retryable: false } })
    expect(text).toContain('first check whether the earlier call created what it should have')
    expect(shelf.books.size).toBe(0)
    await call({ key: 'k' })
    expect((await call({ key: 'k' })).isReplayed).toBe(true)
    expect(shelf.books.size).toBe(1)
    expect(readdirSync(directory).filter((name) => name.startsWith('calls.db.damaged-')).length).toBe(1)
  })

  it('are never opened by a read-only server', async () => {
    const { call, directory } = await connect({ settings: { readOnly: true } })
    await expect(call({ key: 'k' })).rejects.toThrow()
    await call({ key: 'k', tool: 'FindBook' })
    expect(existsSync(directory)).toBe(false)
  })
})

it('an error waits half a second for its record, which is written before the store closes', async () => {
  const clock = new ManualClock({ skipSleeps: false })
  const memory = memoryIdempotencyStore(clock)
  const abandoning = Promise.withResolvers<undefined>()
  const events: string[] = []
  const openStore = () =>
    Promise.resolve({
      ...memory,
      async abandon() {
        await abandoning.promise
        events.push('abandoned')
      },
      close: () => {
        events.push('closed')
        return Promise.resolve()
      },
    })
  const log = jsonLog('silent', () => undefined)
  const settings = { dataDirectory: '' }
  const operations = new Operations({ openStore, settings, clock, log, filter: String })
  const operation = operations.open({ tool: 'AddBook', account: () => Promise.resolve('me'), args: {}, key: undefined })
  await operation.claim()
  const failed = expect(operations.giveUp(operation, new Error('broken'))).rejects.toThrow('broken')
  await clock.advance(500)
  await failed
  const closed = operations.close()
  abandoning.resolve(undefined)
  await closed
  expect(events).toEqual(['abandoned', 'closed'])
})

describe.each(Object.entries(routes))('a person who is asked, over %s', (name, route) => {
  it('is asked once for a key', async () => {
    const office = new PostOffice()
    const definition = postServer(office)
    const settings = { embedded: false, dataDirectory: await newDirectory(), readOnly: false, toolNames: 'safe', environment: {} } as const
    const toolbox = postToolbox(definition, settings)
    onTestFinished(toolbox.close)
    const client = new Client(
      { name: 'desk', version: '1' },
      { versionNegotiation: { mode: route.mode }, capabilities: { elicitation: { form: {} } } },
    )
    let questions = 0
    client.setRequestHandler('elicitation/create', () => {
      questions += 1
      return { action: 'accept', content: { to: 'anna-2' } }
    })
    await client.connect(route.connect(definition, toolbox).transport)
    const _meta = { 'mcp-toolkits/idempotency-key': 'k' }
    const send = async () => client.callTool({ name: 'Post_SendLetter', arguments: { to: 'Anna Berg' }, _meta })
    // The earlier protocol cannot ask a person over HTTP.
    if (name === 'legacyHttp') expect(await send()).toMatchObject({ isError: true })
    else {
      expect((await send()).structuredContent).toMatchObject({ to: 'anna-2' })
      expect(await send()).toMatchObject({ structuredContent: { to: 'anna-2' }, _meta: { 'mcp-toolkits/replayed': true } })
      expect([questions, office.sent.length]).toEqual([1, 1])
    }
    await client.close()
  })
})
