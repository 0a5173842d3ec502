import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { isFull, runs } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { contentOf, md5, pseudoRandomBytes } from './contents.ts'
import { addRandomFaults, clockWithoutWaits, textAt } from './storage.ts'
import { cancelUpload, dataDirectory, resumeStatesIn, upload, uploading } from './uploading.ts'

const mebibyte = 1024 * 1024
const chunk = 8 * mebibyte
const etag = '"v1"'

const calls = 4 * runs(50)

test(`${calls} calls under faults before and after commit create exactly ${calls} files, each with the right md5`, async () => {
  // Every 25th file is too large for one request, and a quarter have the same name and content as another file.
  const contents = new Map(
    Array.from({ length: calls * 0.75 }, (_, index) => [
      `/${index}`,
      pseudoRandomBytes(index % 25 === 0 ? 5 * mebibyte + index : 1_000 + index, index),
    ]),
  )
  await using server = await uploading(
    { others: contents, etag, cuts: Array.from({ length: 30 }, (_, index) => index * 90) },
    { clock: clockWithoutWaits },
  )
  const { seed } = addRandomFaults(server.emulator)
  const numbers = Array.from({ length: calls }, (_, index) => index % contents.size)
  const made = new Set<string>()
  const base = server.from.url.replace('/file', '')
  for (let start = 0; start < numbers.length; start += 25) {
    const answers = numbers
      .slice(start, start + 25)
      .map((index) => server.call(upload, { file_name: `file ${index}`, source_url: `${base}/${index}` }))
    for (const answer of await Promise.all(answers)) made.add(textAt(answer, 'file.id'))
  }
  expect(made.size, `seed ${seed}`).toBe(calls)
  const stored = server.emulator.store.files().filter(({ name }) => name.startsWith('file '))
  const wanted = numbers.map((index) => [`file ${index}`, md5(contents.get(`/${index}`) ?? Buffer.alloc(0))])
  expect(stored.map(({ name, md5: sum }) => [name, sum]).sort()).toEqual(wanted.sort())
  // Without faults, fewer requests would be enough. If there are only a few calls, any number of them may have a fault.
  if (isFull) expect(server.lost()).toBeGreaterThan(calls / 10)
  expect(server.sent.length).toBeGreaterThan(calls * (isFull ? 1.45 : 1))
})

test.for(isFull ? [true, false] : [true])('continues a cancelled upload with an identical call, after a restart: %s', async (restarts) => {
  const size = chunk + 1
  const ranges: (string | null)[] = []
  const directory = await dataDirectory()
  const content = pseudoRandomBytes(size)
  const seen = ({ method, headers }: Request) => {
    if (method === 'PUT') ranges.push(headers.get('content-range'))
  }
  await using server = await uploading({ content, etag }, { dataDirectory: directory, seen })
  const args = { file_name: 'new.bin', source_url: server.from.url }
  await cancelUpload(server, args)
  const [kept = '', ...others] = readdirSync(resumeStatesIn(directory))
  expect(others).toEqual([])
  const text = readFileSync(path.join(resumeStatesIn(directory), kept), 'utf8')
  expect(text).not.toContain('test-token')
  expect(text).not.toContain(server.from.host)
  ranges.length = 0
  await using restarted = await server.restarted()
  const next = restarts ? restarted : server
  const made = await next.call(upload, args)
  expect(ranges).toEqual(['bytes */*', `bytes ${chunk}-${chunk}/${size}`])
  expect(made).toMatchObject({ md5_checksum: md5(content), notices: ['An earlier call had started this upload; it was continued.'] })
  expect((await contentOf(server, textAt(made, 'file.id'))).equals(content)).toBe(true)
  expect(server.emulator.store.named('new.bin').length).toBe(1)
  expect(readdirSync(resumeStatesIn(directory))).toEqual([])
  // The state is used up: the next call creates another file.
  await next.call(upload, args)
  expect(server.emulator.store.named('new.bin').length).toBe(2)
})

test.for(isFull ? [1_000, 6 * mebibyte] : [1_000])(
  'repeats an upload of %i bytes with the same id after all responses were lost',
  async (size) => {
    await using server = await uploading({ content: pseudoRandomBytes(size), etag })
    const args = { file_name: 'new.bin', source_url: server.from.url }
    const path = '/upload/drive/v3/files'
    if (size > 5 * mebibyte) server.emulator.faults.add({ match: { method: 'POST', path }, action: { kind: 'slow', milliseconds: 0 } })
    server.emulator.faults.add({ match: { path }, times: 9, action: { kind: 'drop_after' } })
    expect(await server.fails(upload, args)).toMatchObject({ code: 'unavailable', retryable: true })
    server.emulator.faults.clear()
    expect(server.emulator.store.named('new.bin').length).toBe(1)
    const made = await server.call(upload, args)
    expect(server.emulator.store.named('new.bin').map(({ id }) => id)).toEqual([textAt(made, 'file.id')])
    await server.call(upload, args)
    expect(server.emulator.store.named('new.bin').length).toBe(2)
  },
)

test('reports a file with different content, and recreates a trashed one', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(1_000) })
  const args = { file_name: 'new.bin', source_url: server.from.url }
  const losing = { match: { path: '/upload/drive/v3/files' }, times: 9, action: { kind: 'drop_after' } } as const
  server.emulator.faults.add(losing)
  await server.fails(upload, args)
  server.emulator.faults.clear()
  server.from.served.content = pseudoRandomBytes(1_001)
  const older = await server.call(upload, args)
  expect(older).toMatchObject({ file: { size: 1_000 }, notices: [expect.stringContaining('differs from what the URL returns now')] })
  server.emulator.faults.add(losing)
  await server.fails(upload, args)
  server.emulator.faults.clear()
  const lost = server.emulator.store.named('new.bin').find(({ id }) => id !== textAt(older, 'file.id'))
  await server.emulator.fetch(`http://localhost/drive/v3/files/${lost?.id ?? ''}`, {
    method: 'PATCH',
    body: '{"trashed":true}',
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
  })
  expect(textAt(await server.call(upload, args), 'file.id')).not.toBe(lost?.id)
})

test('creates two files for two equal calls, in sequence and in parallel', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(1_000) })
  const args = { file_name: 'twin.bin', source_url: server.from.url }
  await server.call(upload, args)
  await Promise.all([server.call(upload, args), server.call(upload, args)])
  expect(server.emulator.store.named('twin.bin').length).toBe(3)
})

test('recognizes a repeated call in another process for ten minutes', async () => {
  for (const [minutes, files] of [
    [9, 1],
    [11, 2],
  ] as const) {
    const directory = await dataDirectory()
    const clock = new ManualClock()
    await using server = await uploading({ content: pseudoRandomBytes(1_000) }, { dataDirectory: directory, clock })
    server.emulator.faults.add({ match: { path: '/upload/drive/v3/files' }, times: 9, action: { kind: 'drop_after' } })
    await server.fails(upload, { file_name: 'new.bin', source_url: server.from.url })
    server.emulator.faults.clear()
    await clock.advance(minutes * 60_000)
    await using again = await server.restarted()
    await again.call(upload, { file_name: 'new.bin', source_url: server.from.url })
    expect(server.emulator.store.named('new.bin').length).toBe(files)
  }
})
