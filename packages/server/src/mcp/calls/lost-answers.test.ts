import { PassThrough, Writable } from 'node:stream'
import { request as sendRequest } from 'node:http'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../../cli/commands/call.ts'
import type { CommandLine } from '../../cli/command.ts'
import { Delivery } from './current-request.ts'
import { serveHttp } from '../../serve/http/server.ts'
import { serveInProcess } from '../../serve/library/in-process.ts'
import { serveStdio } from '../../serve/stdio/serve.ts'
import { overStreams } from '../../../test/stdio/client-end.ts'
import { bookshelfServer, longTitle, newDirectory, openBookshelf, Bookshelf, Recorder } from '../../../test/bookshelf.ts'

type Opened = Awaited<ReturnType<typeof openBookshelf>>

interface Route {
  /** Returns a new client's transport. */
  readonly connect: () => Transport
  /** Makes a call, and loses its answer after the tool has returned it. Resolves when the server has noticed. */
  readonly lose: (title: string) => Promise<void>
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const callOf = (name: string, title: string, id = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `Shelf_${name}`, arguments: { title } } })

const addBook = (title: string) => callOf('AddBook', title)

function overStdio({ definition, toolbox, log }: Opened): Promise<Route> {
  const open = (output: PassThrough | Writable) => {
    const input = new PassThrough()
    serveStdio(definition, toolbox, { input, output, log })
    return input
  }
  return Promise.resolve({
    connect() {
      const output = new PassThrough()
      return overStreams(output, open(output))
    },
    async lose(title) {
      const reached = Promise.withResolvers<undefined>()
      const output = new Writable({
        write: () => {
          reached.resolve(undefined)
        },
      })
      open(output).write(`${addBook(title)}\n`)
      await reached.promise
      output.destroy()
    },
  })
}

async function overHttp({ definition, toolbox, log, returned }: Opened): Promise<Route> {
  const server = await serveHttp(definition, toolbox, { host: '127.0.0.1', port: 0, allowedHosts: [], log })
  onTestFinished(() => server.drain())
  return {
    connect: () => new StreamableHTTPClientTransport(new URL(server.url)),
    async lose(title) {
      // More than the system buffers for a client that reads none of the body.
      const request = sendRequest(server.url, { method: 'POST', headers, agent: false })
      request.on('error', () => undefined).end(addBook(title))
      await returned.reaches(1)
      request.destroy()
    },
  }
}

function inProcess({ definition, toolbox, log, returned }: Opened): Promise<Route> {
  const server = serveInProcess(definition, toolbox, { log })
  const url = new URL('http://localhost/mcp')
  return Promise.resolve({
    connect: () => new StreamableHTTPClientTransport(url, { fetch: (target, init) => server.fetch(new Request(target, init)) }),
    async lose(title) {
      const response = await server.fetch(new Request(url, { method: 'POST', headers, body: addBook(title) }))
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      await returned.reaches(1)
      await response.body?.cancel()
    },
  })
}

const routes = { stdio: overStdio, HTTP: overHttp, 'a program that serves it': inProcess }

describe.each(Object.entries(routes))('over %s', (_, open) => {
  it.each(['legacy', 'auto'] as const)('an identical call after one that was answered creates a second thing (%s)', async (mode) => {
    const opened = await openBookshelf()
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect((await open(opened)).connect())
    for (let made = 1; made <= 3; made += 1) {
      const { structuredContent } = await client.callTool({ name: 'Shelf_AddBook', arguments: { title: 'Emma' } })
      expect(structuredContent).toMatchObject({ wasRepeated: false })
      expect(opened.shelf.books.size).toBe(made)
    }
    await opened.delivered.reaches(3)
    expect(opened.delivered.entries).toEqual([true, true, true])
    await client.close()
  })

  it('an identical call after a lost answer continues it, once', async () => {
    const opened = await openBookshelf()
    const route = await open(opened)
    await route.lose(longTitle)
    await opened.delivered.reaches(1)
    expect(opened.delivered.entries).toEqual([false])
    expect(opened.shelf.books.size).toBe(1)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(route.connect())
    const add = async () => (await client.callTool({ name: 'Shelf_AddBook', arguments: { title: longTitle } })).structuredContent
    expect(await add()).toMatchObject({ wasRepeated: true })
    expect(opened.shelf.books.size).toBe(1)
    expect(await add()).toMatchObject({ wasRepeated: false })
    expect(opened.shelf.books.size).toBe(2)
    await client.close()
  })

  it('an identical call after one that the client left continues it', async () => {
    const opened = await openBookshelf()
    const { connect } = await open(opened)
    // In the earlier protocol, the server cannot tell which call a client abandons over HTTP.
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(connect())
    const controller = new AbortController()
    opened.shelf.onAdded = ({ signal }) => {
      const { promise, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => {
        reject(new Error('aborted'))
      })
      controller.abort()
      return promise
    }
    const request = { name: 'Shelf_AddBook', arguments: { title: 'Emma' } }
    await expect(client.callTool(request, { signal: controller.signal })).rejects.toThrow()
    await opened.delivered.reaches(1)
    opened.shelf.onAdded = () => Promise.resolve()
    expect((await client.callTool(request)).structuredContent).toMatchObject({ wasRepeated: true })
    expect(opened.shelf.books.size).toBe(1)
    await client.close()
  })
})

describe('of two calls whose lines arrive together over stdio', () => {
  /** Sends both calls in one chunk, to an output that takes only the first line. */
  async function sendTogether(opened: Opened) {
    const [input, lines] = [new PassThrough(), new Recorder<string>()]
    const output = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.add(line.toString())
        if (lines.entries.length === 1) done()
      },
    })
    serveStdio(opened.definition, opened.toolbox, { input, output, log: opened.log })
    input.write(`${callOf('FindBook', 'Emma')}\n${callOf('AddBook', 'Emma', 2)}\n`)
    await lines.reaches(1)
    return { input, output, lines }
  }

  async function addAgain(opened: Opened) {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect((await overStdio(opened)).connect())
    const { structuredContent } = await client.callTool({ name: 'Shelf_AddBook', arguments: { title: 'Emma' } })
    await client.close()
    return structuredContent
  }

  it('one is not answered by the line of the other', async () => {
    const opened = await openBookshelf()
    const held = Promise.withResolvers<undefined>()
    opened.shelf.onAdded = () => held.promise
    const { output, lines } = await sendTogether(opened)
    held.resolve(undefined)
    await lines.reaches(2)
    output.destroy()
    await opened.delivered.reaches(2)
    expect(opened.delivered.entries).toEqual([true, false])
    expect(await addAgain(opened)).toMatchObject({ wasRepeated: true })
    expect(opened.shelf.books.size).toBe(1)
  })

  it('one is still answered if the other is cancelled', async () => {
    const opened = await openBookshelf()
    const { promise: never } = Promise.withResolvers<never>()
    opened.shelf.onFound = () => never
    const { input } = await sendTogether(opened)
    await opened.delivered.reaches(1)
    input.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n')
    await opened.delivered.reaches(2)
    expect(opened.delivered.entries).toEqual([true, false])
    expect(await addAgain(opened)).toMatchObject({ wasRepeated: false })
    expect(opened.shelf.books.size).toBe(2)
  })
})

interface RunOptions {
  readonly output?: Writable
  readonly idempotencyKey?: string
}

describe('the call command', () => {
  /** Runs `call Shelf.AddBook` as a separate process would, as far as the server can tell. */
  async function run(shelf: Bookshelf, dataDirectory: string, { output = new PassThrough(), idempotencyKey }: RunOptions = {}) {
    const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: {} } as const
    const line: CommandLine = {
      command: 'call',
      operands: ['Shelf.AddBook'],
      settings,
      forTool: ['{"title":"Emma"}'],
      forwarded: [],
      logLevel: 'silent',
      host: '',
      port: undefined,
      allowedHosts: [],
      store: undefined,
      issuer: undefined,
      publicUrl: undefined,
      authorizationServer: false,
      audience: undefined,
      audit: undefined,
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      drainWait: undefined,
      check: false,
      files: new Map(),
      idempotencyKey,
      scopes: [],
      browser: false,
      json: false,
      write: false,
      help: false,
      version: false,
    }
    const [input, errors] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })]
    const onSignal = () => undefined
    await call(bookshelfServer(shelf), line, { input, output, errors, environment: {}, program: 'shelf', onSignal })
    return { printed: String(output instanceof PassThrough ? output.read() : ''), said: String(errors.read() ?? '') }
  }

  it('has answered when it has printed the result', async () => {
    const [shelf, directory] = [new Bookshelf(), await newDirectory()]
    const broken = new Writable({
      write(_chunk, _encoding, done) {
        done(new Error('EPIPE'))
      },
    })
    broken.on('error', () => undefined)
    await run(shelf, directory, { output: broken })
    await run(shelf, directory)
    expect(shelf.books.size).toBe(1)
    await run(shelf, directory)
    expect(shelf.books.size).toBe(2)
  })

  it('prints the first result again for the same key, and says so', async () => {
    const [shelf, directory] = [new Bookshelf(), await newDirectory()]
    const first = await run(shelf, directory, { idempotencyKey: 'k' })
    const second = await run(shelf, directory, { idempotencyKey: 'k' })
    expect(second.printed).toBe(first.printed)
    expect([first.said, second.said]).toEqual([
      '',
      'This is the result of an earlier call with the same idempotency key. Nothing was done again.\n',
    ])
    expect(shelf.books.size).toBe(1)
  })
})

it('counts the first end of a delivery', () => {
  const delivery = new Delivery()
  const ends: boolean[] = []
  delivery.onEnd((end) => ends.push(end))
  delivery.end(false)
  delivery.end(true)
  delivery.onEnd((end) => ends.push(end))
  expect(ends).toEqual([false, false])
})
