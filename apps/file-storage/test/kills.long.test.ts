import { once } from 'node:events'
import { createServer } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { driveEmulator, type DriveEmulator } from '@mcp-toolkits/drive-emulator'
import { connectProgram, shareOf, type ConnectedProgram } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { contentOf, md5, pseudoRandomBytes } from './contents.ts'
import { source, type TestSource } from './source.ts'
import { textAt } from './storage.ts'
import { dataDirectory } from './uploading.ts'

const moments = ['before', 'after'] as const
type Moment = (typeof moments)[number]

const main = path.join(import.meta.dirname, '..', 'src', 'main.ts')
const chunk = 8 * 1024 * 1024

/** Drive on a socket, and servers in separate processes that share a data directory. */
interface Machine extends AsyncDisposable {
  readonly emulator: DriveEmulator
  readonly from: TestSource
  /** The ranges that were sent to upload sessions. */
  readonly ranges: (string | null)[]
  readonly start: () => Promise<ConnectedProgram>
  /** Makes a call whose process dies just before or after Drive carries out a request; the request never gets a response. */
  readonly die: (
    server: ConnectedProgram,
    call: Call,
    at: { readonly request: Pick<RegExp, 'test'>; readonly moment: Moment },
  ) => Promise<void>
}

interface Call {
  readonly tool: string
  readonly args: Record<string, unknown>
  readonly key?: string | undefined
}

async function openMachine(): Promise<Machine> {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 'test-token' })
  const from = await source({ etag: '"v1"' })
  const directory = await dataDirectory()
  const ranges: (string | null)[] = []
  let isFatal: (request: string, moment: Moment) => boolean = () => false
  const gate = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const answer = async () => {
      const body = await buffer(incoming)
      const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      )
      if (method === 'PUT') ranges.push(headers['content-range'] ?? null)
      if (isFatal(`${method} ${url}`, 'before')) return
      const request = { method, headers: sent, ...(method !== 'GET' && { body: new Uint8Array(body) }) }
      const response = await emulator.fetch(`http://${headers.host ?? ''}${url}`, request)
      const bytes = Buffer.from(await response.arrayBuffer())
      if (!isFatal(`${method} ${url}`, 'after')) outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(bytes)
    }
    answer().catch(() => outgoing.destroy())
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  const address = gate.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    emulator,
    from,
    ranges,
    start: () =>
      connectProgram([main, '--data-dir', directory, '--allow-private-urls', from.host], {
        FILE_STORAGE_ACCESS_TOKEN: 'test-token',
        FILE_STORAGE_API_URL: `http://127.0.0.1:${port}`,
      }),
    async die(server, { tool, args, key }, { request, moment }) {
      isFatal = (seen, now) => {
        if (now !== moment || !request.test(seen)) return false
        isFatal = () => false
        server.kill()
        return true
      }
      await expect(server.call(tool, args, key)).rejects.toThrow()
    },
    async [Symbol.asyncDispose]() {
      gate.closeAllConnections()
      gate.close()
      await from[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

const mebibyte = 1024 * 1024
const upload = 'FileStorage_UploadFile'

/** Each test starts many processes. */
const options = { timeout: 300_000 }

test('an upload whose process dies between two chunks sends only what is missing', options, async () => {
  await using machine = await openMachine()
  const { emulator, from, ranges } = machine
  from.served.content = pseudoRandomBytes(2 * chunk + 1)
  const total = from.served.content.length
  const [first, second, last] = [`0-${chunk - 1}`, `${chunk}-${2 * chunk - 1}`, `${2 * chunk}-${2 * chunk}`]
  const points: readonly (readonly [request: number, moment: Moment, resent: readonly (string | undefined)[]])[] = [
    [1, 'before', [first, second, last]],
    [1, 'after', [second, last]],
    [2, 'before', [second, last]],
    [2, 'after', [last]],
    [3, 'before', [last]],
    [3, 'after', []],
  ]
  let server = await machine.start()
  for (const [number, moment, resent] of shareOf(points, 3, 0)) {
    const args = { file_name: `${number} ${moment}`, source_url: from.url }
    ranges.length = 0
    let puts = 0
    const request = { test: (seen: string) => seen.startsWith('PUT') && (puts += 1) === number }
    await machine.die(server, { tool: upload, args }, { request, moment })
    ranges.length = 0
    server = await machine.start()
    const made = await server.call(upload, args)
    expect(made, args.file_name).toMatchObject({ md5_checksum: md5(from.served.content), notices: [expect.any(String)] })
    expect(ranges, args.file_name).toEqual(['bytes */*', ...resent.map((range) => `bytes ${range ?? ''}/${total}`)])
    expect((await contentOf({ emulator }, textAt(made, 'file.id'))).equals(from.served.content)).toBe(true)
    expect(emulator.store.named(args.file_name).length).toBe(1)
  }
  await server[Symbol.asyncDispose]()
})

test('an upload starts over under its id when the source has changed since the process died', options, async () => {
  await using machine = await openMachine()
  const { emulator, from } = machine
  from.served.content = pseudoRandomBytes(9 * mebibyte)
  const call = { tool: upload, args: { file_name: 'new.bin', source_url: from.url } }
  const first = await machine.start()
  await machine.die(first, call, { request: /^PUT/, moment: 'after' })
  Object.assign(from.served, { content: pseudoRandomBytes(9 * mebibyte + 1, 2), etag: '"v2"' })
  await using server = await machine.start()
  expect(await server.call(upload, call.args)).toMatchObject({
    md5_checksum: md5(from.served.content),
    notices: [expect.stringContaining('This call finished it')],
  })
  expect(emulator.store.named('new.bin').length).toBe(1)
})

test('three processes with one key create one thing', options, async () => {
  await using machine = await openMachine()
  const servers = await Promise.all([machine.start(), machine.start(), machine.start()])
  const made = await Promise.all(servers.map((server) => server.call('FileStorage_CreateFolder', { folder_name: 'One' }, 'key')))
  expect(new Set(made.map((each) => textAt(each, 'folder.id'))).size).toBe(1)
  expect(machine.emulator.store.named('One').length).toBe(1)
  for (const server of servers) await server[Symbol.asyncDispose]()
})
