import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { openStore } from '@mcp-toolkits/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { downloadUrl } from '../../src/backfill/file/source.ts'
import { elapse } from '../pipeline.ts'
import { acceptedBy, backfillServer, csvOf, get, mapping, send } from './rows.ts'

const csv = Buffer.from(csvOf(3))
const gzip = gzipSync(csv)
const files: Readonly<Record<string, { readonly body: Buffer; readonly type?: string }>> = {
  '/events.csv': { body: csv, type: 'text/csv' },
  '/events.csv.gz': { body: gzip },
  '/bom.csv': { body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), csv]) },
  '/utf-16.csv': { body: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csvOf(3), 'utf16le')]) },
  '/cut.csv.gz': { body: gzip.subarray(0, -12) },
  '/latin-1.csv': { body: Buffer.from('user,what\nJos\xe9,Paid', 'latin1') },
  '/page': { body: Buffer.from('<html></html>'), type: 'text/html; charset=utf-8' },
  '/empty.csv': { body: Buffer.alloc(0) },
}

/** The URL of a server with the files. */
async function fileServer(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const file = files[url]
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'application/octet-stream' }).end(file?.body)
  })
  return addressOf(server)
}

async function addressOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

test.for(['/events.csv', '/events.csv.gz', '/bom.csv', '/utf-16.csv'])('sends the rows of %s', async (path) => {
  const url = await fileServer()
  await using server = await backfillServer({ environment: { EVENT_PIPELINE_ALLOW_PRIVATE_URLS: new URL(url).host } })
  const result = await server.call(send, { source_url: `${url}${path}`, call: 'track', mapping })
  expect(result).toMatchObject({ outcome: 'delivered', rows: { read: 3, accepted: 3 } })
  expect(acceptedBy(server)).toEqual(['u-0', 'u-1', 'u-2'])
})

test.for<[path: string, code: string, message: string]>([
  ['/cut.csv.gz', 'invalid_input', 'damaged or incomplete gzip'],
  ['/latin-1.csv', 'invalid_input', 'Save it as UTF-8'],
  ['/page', 'invalid_input', 'a web page, not to a file'],
  ['/empty.csv', 'invalid_input', 'The file is empty'],
  ['/none.csv', 'not_found', 'HTTP 404'],
])('sends nothing from %s', async ([path, code, message]) => {
  const url = await fileServer()
  await using server = await backfillServer({ environment: { EVENT_PIPELINE_ALLOW_PRIVATE_URLS: new URL(url).host } })
  const error = await server.fails(send, { source_url: `${url}${path}`, call: 'track', mapping })
  expect(error).toMatchObject({ code })
  expect(error.message).toContain(message)
  expect(server.emulator.store.requests()).toEqual([])
})

test('sends a file whose rows were all refused once the vendor accepts them', async () => {
  const url = await fileServer()
  await using server = await backfillServer({ environment: { EVENT_PIPELINE_ALLOW_PRIVATE_URLS: new URL(url).host } })
  server.emulator.faults.add({ times: 5, action: { kind: 'status', status: 400, body: { meta: { errors: ['no such event'] } } } })
  const way = { call: 'track', mapping }
  expect((await server.fails(send, { source_url: `${url}/events.csv`, ...way })).message).toContain('None of the 3 rows can be sent.')
  server.emulator.faults.clear()
  expect(await server.call(send, { text: csvOf(3), ...way })).toMatchObject({ outcome: 'delivered', rows: { accepted: 3 } })
})

test('rereads a file after another program kept its rows from being stored', async () => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'backfill-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  let requests = 0
  const source = createServer((_, response) => {
    requests += 1
    if (requests === 1) resolve(response)
    else response.end(csv)
  })
  const url = await addressOf(source)
  const clock = new ManualClock({ skipSleeps: false })
  const environment = { EVENT_PIPELINE_ALLOW_PRIVATE_URLS: new URL(url).host }
  await using server = await backfillServer({ dataDirectory, clock, environment })
  const answering = elapse(clock, server.call(send, { source_url: `${url}/events.csv`, call: 'track', mapping }))
  const response = await asked
  const other = openStore({ file: path.join(dataDirectory, 'event-pipeline', 'backfills.db') })
  other.script('begin immediate')
  response.end(csv)
  const { backfill } = await answering
  await elapse(clock, clock.sleep(5_500))
  other.script('commit')
  await other.close()
  for (let looks = 0; acceptedBy(server).length < 3 && looks < 20; looks += 1) await elapse(clock, clock.sleep(1_000))
  expect(await elapse(clock, server.call(get, { backfill }))).toMatchObject({ outcome: 'delivered', rows: { accepted: 3 } })
  expect(requests).toBe(2)
})

test('rereads a file that did not exist at the first call', async () => {
  const url = await fileServer()
  const [first] = Object.values(files)
  await using server = await backfillServer({ environment: { EVENT_PIPELINE_ALLOW_PRIVATE_URLS: new URL(url).host } })
  const call = { source_url: `${url}/later.csv`, call: 'track', mapping }
  expect(await server.fails(send, call)).toMatchObject({ code: 'not_found' })
  Object.assign(files, { '/later.csv': first })
  onTestFinished(() => void Object.assign(files, { '/later.csv': undefined }))
  expect(await server.call(send, call)).toMatchObject({ outcome: 'delivered', rows: { accepted: 3 } })
})

test.for<[rows: number, text: RegExp]>([
  [3, /Only the first 3 rows were checked/],
  [0, /arrives too slowly.*Without dry_run it is read in the background/],
])('checks %i rows of a file that arrives slowly, and says how to read all of it', async ([rows, text]) => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  const source = createServer((_, response) => {
    response.write('\n')
    resolve(response)
  })
  const url = await addressOf(source)
  await using server = await backfillServer({ environment: { EVENT_PIPELINE_ALLOW_PRIVATE_URLS: new URL(url).host } })
  const checking = server.call(send, { source_url: `${url}/slow.ndjson`, call: 'track', format: 'ndjson', dry_run: true })
  const answer = checking.then(JSON.stringify, String)
  const response = await asked
  for (let row = 0; row < rows; row += 1) {
    await elapse(server.clock, server.clock.sleep(6_000), 1_000)
    response.write(`{"userId":"u-${row}","event":"Paid"}\n`)
  }
  expect(await elapse(server.clock, answer)).toMatch(text)
})

test('does not fetch from a non-public host', async () => {
  const url = await fileServer()
  await using server = await backfillServer()
  const error = await server.fails(send, { source_url: `${url}/events.csv`, call: 'track', mapping })
  expect(error.message).toContain('not public')
})

test.for<[link: string, address: string]>([
  [
    'https://drive.google.com/file/d/1aB-c/view?usp=sharing',
    'https://drive.usercontent.google.com/download?id=1aB-c&export=download&confirm=t',
  ],
  [
    'https://drive.google.com/open?id=1aB-c&resourcekey=0-x',
    'https://drive.usercontent.google.com/download?id=1aB-c&export=download&confirm=t&resourcekey=0-x',
  ],
  ['https://docs.google.com/spreadsheets/d/1aB-c/edit#gid=7', 'https://docs.google.com/spreadsheets/d/1aB-c/export?format=csv&gid=7'],
  ['https://docs.google.com/spreadsheets/u/0/d/1aB-c/edit', 'https://docs.google.com/spreadsheets/d/1aB-c/export?format=csv'],
  ...['d/e/2PACX-1x/pub?output=csv', 'd/1aB-c/gviz/tq?tqx=out:csv&sheet=May', 'd/1aedit/export?format=tsv'].map(
    (rest): [string, string] => [`https://docs.google.com/spreadsheets/${rest}`, `https://docs.google.com/spreadsheets/${rest}`],
  ),
  ['https://files.example/drive.google.com/file/d/x', 'https://files.example/drive.google.com/file/d/x'],
])('reads the file behind the link %s', ([link, address]) => {
  expect(downloadUrl(link)).toBe(address)
})
