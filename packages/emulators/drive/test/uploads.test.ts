import { covers } from './covers.ts'
import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connected, folderType, type Request } from './connected.ts'
import type { DriveEmulatorOptions } from '../src/index.ts'

const files = '/upload/drive/v3/files'
const unit = 262_144
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
const fields = 'id,name,size,md5Checksum,mimeType,headRevisionId'

/** An emulator, and `begin`, which starts a resumable upload and returns functions that continue it. */
function uploading(options: DriveEmulatorOptions = {}) {
  const emulator = connected({ seed: 'empty', ...options })
  const begin = async (body: object = { name: 'a.bin' }, headers: Request['headers'] = {}, path = `POST ${files}`) => {
    const response = await emulator.send(path, { query: { uploadType: 'resumable', fields }, body, headers })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const location = response.headers.get('location') ?? ''
    const put = async (range: string | null, bytes = new Uint8Array(), authorization: string | null = 'Bearer drive-emulator') => {
      const sent = { ...(range !== null && { 'content-range': range }), ...(authorization !== null && { authorization }) }
      const answer = await emulator.fetch(location, { method: 'PUT', headers: sent, body: bytes, redirect: 'manual' })
      const text = await answer.text()
      return { status: answer.status, range: answer.headers.get('range'), body: text === '' ? {} : parsed(text) }
    }
    return { location, put }
  }
  /** The content of a file. */
  const content = async (id: unknown) => {
    const response = await emulator.send(`GET /files/${String(id)}`, { query: { alt: 'media' } })
    return Buffer.from(await response.arrayBuffer())
  }
  return { ...emulator, begin, content }
}

function parsed(text: string): unknown {
  return JSON.parse(text)
}

const multipart = (metadata: object, media: string, end = '\r\n') =>
  [
    '--frontier',
    'Content-Type: application/json; charset=UTF-8',
    '',
    JSON.stringify(metadata),
    '--frontier',
    'Content-Type: text/csv',
    '',
    media,
    '--frontier--',
    '',
  ].join(end)

describe('a long body', () => {
  const inFolder = () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'uploads-'))
    onTestFinished(() => {
      rmSync(folder, { recursive: true })
    })
    return path.join(folder, 'drive.db')
  }
  const storedBytes = (file: string) => {
    const folder = `${file}.contents`
    return existsSync(folder) ? readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0) : 0
  }
  /** Sends the second half once the first is stored. */
  async function* halves(file: string, before = 0) {
    yield new Uint8Array(unit)
    await expect.poll(() => storedBytes(file) - before).toBe(unit)
    yield new Uint8Array(unit)
  }

  it.for(['in this process', 'over a socket'])('is stored piece by piece %s', async (where) => {
    const file = inFolder()
    const emulator = uploading({ file })
    const { url } = await emulator.listen()
    const send = async (target: URL, method: string, before?: number) => {
      const body = ReadableStream.from(halves(file, before))
      const init: RequestInit = { method, body, duplex: 'half', headers: { authorization: 'Bearer drive-emulator' } }
      const response =
        where === 'over a socket' ? await fetch(new URL(target.pathname + target.search, url), init) : await emulator.fetch(target, init)
      return [response.status, parsed(await response.text())]
    }
    const stored = [200, { size: String(2 * unit) }]
    expect(await send(new URL(`https://www.googleapis.com${files}?uploadType=media&fields=size`), 'POST')).toEqual(stored)
    const { location } = await emulator.begin({}, {}, `POST ${files}`)
    expect(await send(new URL(location.replace(/fields=[^&]*/, 'fields=size')), 'PUT', 2 * unit)).toEqual(stored)
    const log: unknown = await (await fetch(`${url}/__emulator/requests`)).json()
    expect(log).toMatchObject({ requests: [{ bytes: 2 * unit }, { bytes: 2 }, { bytes: 2 * unit }] })
  })
})

describe('an upload in one request', () => {
  it('accepts content without metadata', covers('content/media'), async () => {
    const { get, content, names } = uploading()
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const made = await get(`POST ${files}`, { query: { uploadType: 'media', fields }, body: 'hello wörld', headers })
    expect(made).toMatchObject({ name: 'Untitled', mimeType: 'text/plain', size: '12', md5Checksum: md5(Buffer.from('hello wörld')) })
    expect((await content(made['id'])).toString()).toBe('hello wörld')
    expect(await names("fullText contains 'wörld'")).toEqual(['Untitled'])
  })

  it.each([
    ['CRLF', '\r\n'],
    ['LF', '\n'],
  ])('takes metadata and content in two parts whose lines end in %s', covers('content/multipart'), async (_, end) => {
    const { get, content } = uploading()
    const headers = { 'content-type': 'multipart/related; boundary="frontier"' }
    const media = `a,b\r\n--frontier inside\n\nlast\n`
    const body = multipart({ name: 'x.csv' }, media, end)
    const made = await get(`POST ${files}`, { query: { uploadType: 'multipart', fields }, body, headers })
    expect(made).toMatchObject({ name: 'x.csv', mimeType: 'text/csv', md5Checksum: md5(Buffer.from(media)) })
    expect((await content(made['id'])).toString()).toBe(media)
  })

  it('rejects truncated bodies, a missing boundary and an unknown uploadType', covers('content/multipart-malformed'), async () => {
    const { refusal, store } = uploading()
    const headers = { 'content-type': 'multipart/related; boundary=frontier' }
    const query = { uploadType: 'multipart' }
    const body = multipart({ name: 'x.csv' }, 'a,b')
    for (const bad of [body.slice(0, -8), 'x', '--frontier--', multipart({ name: 'x' }, 'a').replace('{', '[')]) {
      expect((await refusal(`POST ${files}`, { query, body: bad, headers }))[0]).toBe(400)
    }
    expect(await refusal(`POST ${files}`, { query, body, headers: { 'content-type': 'multipart/related' } })).toEqual([400, 'badRequest'])
    expect(await refusal(`POST ${files}`, { body, headers })).toEqual([400, 'invalid'])
    expect(store.files()).toHaveLength(1)
  })

  it('replaces the content of a file, but not of a folder', covers('content/new-content'), async () => {
    const { get, content, refusal, one } = uploading()
    const query = { uploadType: 'media', fields }
    const headers = { 'content-type': 'text/plain' }
    const made = await get(`POST ${files}`, { query, body: 'one', headers })
    const at = `PATCH ${files}/${textAt(made, 'id')}`
    const changed = await get(at, { query, body: 'two!', headers })
    expect(changed).toMatchObject({ id: made['id'], size: '4' })
    expect(changed['headRevisionId']).not.toBe(made['headRevisionId'])
    expect((await content(made['id'])).toString()).toBe('two!')
    const renamed = {
      query: { ...query, uploadType: 'multipart' },
      body: multipart({ name: 'three' }, '3'),
      headers: { 'content-type': 'multipart/related; boundary=frontier' },
    }
    expect(await get(at, renamed)).toMatchObject({ name: 'three', size: '1', mimeType: 'text/csv' })
    const folder = await get('POST /files', { body: { name: 'folder', mimeType: folderType } })
    expect(await refusal(`PATCH ${files}/${textAt(folder, 'id')}`, { query, body: 'x', headers })).toEqual([400, 'invalid'])
    expect(await refusal(`PATCH ${files}/nope`, { query, body: 'x', headers })).toEqual([404, 'notFound'])
    expect(one('three').size).toBe(1)
  })
})

describe('a resumable upload', () => {
  it('accepts a file in chunks', covers('access/quota-units-of-chunks', 'content/resumable'), async () => {
    const { begin, content, store } = uploading()
    const bytes = randomBytes(2 * unit + 100)
    const { put, location } = await begin(
      { name: 'a.bin' },
      { 'x-upload-content-type': 'image/png', 'x-upload-content-length': String(bytes.length) },
    )
    expect(new URL(location).origin).toBe('https://www.googleapis.com')
    const total = bytes.length
    expect(await put(`bytes 0-${unit - 1}/${total}`, bytes.subarray(0, unit))).toEqual({
      status: 308,
      range: `bytes=0-${unit - 1}`,
      body: {},
    })
    expect(await put(`bytes ${unit}-${2 * unit - 1}/${total}`, bytes.subarray(unit, 2 * unit))).toMatchObject({ status: 308 })
    expect(store.named('a.bin')).toEqual([])
    const last = await put(`bytes ${2 * unit}-${total - 1}/${total}`, bytes.subarray(2 * unit))
    expect(last).toMatchObject({
      status: 200,
      body: { name: 'a.bin', size: String(total), md5Checksum: md5(bytes), mimeType: 'image/png' },
    })
    expect((await content(dig(last.body, 'id'))).equals(bytes)).toBe(true)
    expect(store.unitsByMethod()).toMatchObject({ 'files.create': { calls: 1, units: 50 }, 'upload.chunk': { calls: 3, units: 0 } })
  })

  it('accepts a whole file without a range, and chunks by POST', covers('content/resumable-without-range'), async () => {
    const { begin, fetch } = uploading()
    const { put } = await begin()
    expect(await put(null, Buffer.from('all'))).toMatchObject({ status: 200, body: { size: '3' } })
    const { location } = await begin()
    const posted = await fetch(location, { method: 'POST', headers: { 'content-range': 'bytes 0-2/3' }, body: 'all' })
    expect(posted.status).toBe(200)
  })

  it('stores part of a chunk with a switch, and reports it', covers('content/resumable-partial'), async () => {
    const { begin, quirks, content } = uploading({ quirks: { partialChunks: 2, partialBytes: 1000 } })
    const bytes = randomBytes(3 * unit)
    const { put } = await begin()
    const total = bytes.length
    expect(await put(`bytes 0-${2 * unit - 1}/${total}`, bytes.subarray(0, 2 * unit))).toMatchObject({ status: 308, range: 'bytes=0-999' })
    expect(await put(`bytes 1000-${total - 1}/${total}`, bytes.subarray(1000))).toMatchObject({ status: 308, range: 'bytes=0-1999' })
    expect(quirks.partialChunks).toBe(0)
    const last = await put(`bytes 2000-${total - 1}/${total}`, bytes.subarray(2000))
    expect(last.status).toBe(200)
    expect((await content(dig(last.body, 'id'))).equals(bytes)).toBe(true)
    quirks.partialChunks = 1
    quirks.partialBytes = 0
    const { put: again } = await begin()
    expect(await again(`bytes 0-${unit - 1}/*`, bytes.subarray(0, unit))).toEqual({ status: 308, range: null, body: {} })
  })

  it('reports its status', covers('content/resumable-status'), async () => {
    const { begin } = uploading()
    const { put } = await begin()
    expect(await put('bytes */*')).toEqual({ status: 308, range: null, body: {} })
    expect(await put('bytes */1000000')).toEqual({ status: 308, range: null, body: {} })
    await put(`bytes 0-${unit - 1}/1000000`, new Uint8Array(unit))
    for (const range of ['bytes */*', 'bytes */1000000'])
      expect(await put(range)).toMatchObject({ status: 308, range: `bytes=0-${unit - 1}` })
  })

  it(
    'completes once the length is known, in a chunk or after it',
    covers('content/resumable-unknown-length', 'content/resumable-empty-last-request'),
    async () => {
      const { begin } = uploading()
      const first = await begin()
      expect(await first.put(`bytes 0-${unit - 1}/*`, new Uint8Array(unit))).toMatchObject({ status: 308 })
      expect(await first.put(`bytes ${unit}-${unit + 9}/${unit + 10}`, new Uint8Array(10))).toMatchObject({
        status: 200,
        body: { size: String(unit + 10) },
      })
      const second = await begin()
      await second.put(`bytes 0-${unit - 1}/*`, new Uint8Array(unit))
      expect(await second.put(`bytes */${unit}`)).toMatchObject({ status: 200, body: { size: String(unit) } })
      const empty = await begin()
      expect(await empty.put('bytes */0')).toMatchObject({
        status: 200,
        body: { size: '0', md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e' },
      })
    },
  )

  it('rejects chunks of a wrong size or offset', covers('content/resumable-chunk-size', 'content/resumable-overlap'), async () => {
    const { begin, store } = uploading()
    const { put } = await begin({ name: 'a.bin' }, { 'x-upload-content-length': '1000000' })
    const chunk = new Uint8Array(unit)
    const bad: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
      ['bytes 0-999/1000000', new Uint8Array(1000)],
      [`bytes ${unit}-${2 * unit - 1}/1000000`, chunk],
      [`bytes 0-${unit - 1}/2000000`, chunk],
      [`bytes 0-${unit}/1000000`, chunk],
      [`bytes 0-${unit - 1}/1000`, chunk],
      ['bytes */1000000', chunk],
      ['bytes=0-5', chunk],
      ['bytes 0-5', chunk],
    ]
    for (const [range, bytes] of bad) expect([range, (await put(range, bytes)).status]).toEqual([range, 400])
    expect(await put(`bytes 0-${unit - 1}/1000000`, chunk)).toMatchObject({ status: 308 })
    expect((await put(`bytes 0-${unit - 1}/1000000`, chunk)).status).toBe(400)
    expect(store.named('a.bin')).toEqual([])
  })

  it('expires after a week or when cancelled', covers('content/resumable-lifetime'), async () => {
    const { begin, pass, fetch } = uploading()
    const { put } = await begin()
    pass(7 * 86_400_000 - 1)
    expect(await put('bytes */*')).toMatchObject({ status: 308 })
    pass(1)
    expect(await put('bytes */*')).toMatchObject({ status: 404 })
    const other = await begin()
    expect((await fetch(other.location, { method: 'DELETE' })).status).toBe(499)
    expect(await other.put('bytes */*')).toMatchObject({ status: 404 })
    expect((await fetch(other.location.replace(/upload_id=.*/, 'upload_id=x'), { method: 'PUT' })).status).toBe(404)
  })

  it('starts again for a file while others of its uploads are over', covers('content/resumable-lifetime'), async () => {
    const { begin, get, fetch } = uploading()
    const file = textAt(await get('POST /files', { body: { name: 'a.txt' } }), 'id')
    const again = () => begin({}, {}, `PATCH ${files}/${file}`)
    const [first, second] = [await again(), await again()]
    await fetch(first.location, { method: 'DELETE' })
    const third = await again()
    expect(new Set([first, second, third].map(({ location }) => location)).size).toBe(3)
    expect(await first.put('bytes */*')).toMatchObject({ status: 404 })
  })

  it('answers with the file after completion', covers('content/resumable-after-end'), async () => {
    const { begin, store, faults } = uploading()
    const { put } = await begin()
    faults.add({ match: { method: 'PUT' }, action: { kind: 'drop_after' } })
    await expect(put('bytes 0-2/3', Buffer.from('abc'))).rejects.toThrow('fetch failed')
    expect(await put('bytes */3')).toMatchObject({ status: 200, body: { name: 'a.bin', size: '3' } })
    expect(await put('bytes 0-2/3', Buffer.from('abc'))).toMatchObject({ status: 200 })
    expect(store.named('a.bin')).toHaveLength(1)
  })

  it('creates one file for concurrent final requests', covers('content/resumable-concurrent-end'), async () => {
    const { begin, store } = uploading()
    const { put } = await begin({ name: 'once.txt' }, { 'x-upload-content-type': 'text/plain' })
    await put(`bytes 0-${unit - 1}/*`, new Uint8Array(unit))
    const answers = await Promise.all([1, 2, 3].map(() => put(`bytes */${unit}`)))
    expect(answers.map(({ status, body }) => [status, dig(body, 'size')])).toEqual(Array(3).fill([200, String(unit)]))
    expect(store.named('once.txt')).toHaveLength(1)
  })

  it('is validated when it starts', covers('content/resumable-early-refusal'), async () => {
    const { begin, get, store } = uploading()
    const { ids } = await get('GET /files/generateIds')
    const id = textAt(ids, '0')
    await expect(begin({ name: 'x', parents: ['1234567890123456789012345678'] })).rejects.toThrow('404')
    await expect(begin({ name: 'x' }, { 'x-upload-content-length': String(2 ** 40) })).rejects.toThrow('storageQuotaExceeded')
    const { put } = await begin({ id, name: 'x' })
    expect(store.named('x')).toEqual([])
    await get('POST /files', { body: { id, name: 'quicker' } })
    await expect(begin({ id, name: 'x' })).rejects.toThrow('409')
    expect(await put(null, Buffer.from('abc'))).toMatchObject({ status: 409, body: { error: { errors: [{ reason: 'fileIdInUse' }] } } })
    expect(store.named('x')).toEqual([])
  })

  it('replaces the content of a file', covers('content/resumable-new-content'), async () => {
    const { begin, get, content } = uploading()
    const made = await get('POST /files', { body: { name: 'old' } })
    const { put } = await begin({ name: 'new' }, {}, `PATCH ${files}/${textAt(made, 'id')}`)
    expect(await put(null, Buffer.from('abc'))).toMatchObject({ status: 200, body: { id: made['id'], name: 'new', size: '3' } })
    expect((await content(made['id'])).toString()).toBe('abc')
  })

  it('needs no token after the first request, but rejects a bad one', covers('content/resumable-token'), async () => {
    const { begin } = uploading()
    const { put } = await begin()
    expect(await put('bytes */*', new Uint8Array(), 'Bearer nobody')).toMatchObject({ status: 401 })
    expect(await put('bytes */*', new Uint8Array(), null)).toMatchObject({ status: 308 })
    expect(await put(null, Buffer.from('abc'), null)).toMatchObject({ status: 200 })
  })
})
