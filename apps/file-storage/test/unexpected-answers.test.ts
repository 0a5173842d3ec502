import { isObject } from '@mcp-toolkits/core/base'
import fc from 'fast-check'
import { runs } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { addPath, storage, type StorageOptions } from './storage.ts'

type Change = (value: unknown) => unknown

/** Members that identify an item or a permission. */
const required = ['id', 'name', 'mimeType', 'files', 'drives', 'permissions', 'targetId', 'kind', 'nextPageToken', 'ids', 'error']

/** Changes members of JSON at any depth, except those that are required. */
function changed(value: unknown, change: (key: string, value: unknown) => readonly [string, unknown][]): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (required.includes(key) ? [[key, changed(each, change)]] : change(key, each))),
  )
}

/** A Drive whose responses are changed on the way. */
const answering =
  (change: Change): NonNullable<StorageOptions['inFront']> =>
  (drive) =>
  async (input, init) => {
    const response = await drive(input, init)
    if (!response.ok || response.headers.get('content-type')?.includes('json') !== true) return response
    const { url } = new Request(input, init)
    if (new URL(url).searchParams.get('alt') === 'media') return response
    return Response.json(change(await response.json()), { status: response.status })
  }

/** Puts rows at the front of a list in a response. */
const withRows =
  (member: string, rows: readonly unknown[]): Change =>
  (body) => {
    const list = isObject(body) ? body[member] : undefined
    if (!isObject(body) || !Array.isArray(list)) return body
    const present: readonly unknown[] = list
    return { ...body, [member]: [...rows, ...present] }
  }

const reads = [
  ['WhoAmI', {}],
  ['GetFileTreeStructure', { include_shared_drives: true }],
  ['SearchFiles', { query: 'report' }],
  ['SearchFiles', { query: 'logo', shared_drive_id: 'Design' }],
  ['DownloadFile', { file_path_or_id: 'Photos/Summer 2026/lake.png' }],
  ['DownloadFileChunk', { file_path_or_id: 'Photos/Summer 2026/lake.png', start_byte: 0 }],
] as const

const odd = fc.constantFrom<(key: string, value: unknown) => readonly [string, unknown][]>(
  () => [],
  (key, value) => [[`${key}V4`, value]],
  (key) => [[key, null]],
  (key) => [[key, 7.5]],
  (key) => [[key, 12]],
  (key) => [[key, {}]],
  (key) => [[key, ['odd', null]]],
  (key) => [[key, 'odd']],
  (key, value) => [
    [key, value],
    ['newIn2027', { odd: [null] }],
  ],
)

test('every tool that reads tolerates missing and malformed optional members of responses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(odd, { minLength: 1, maxLength: 7 }), fc.nat(), async (changes, seed) => {
      let count = seed
      const change = (key: string, value: unknown) => {
        count += 1
        return changes[count % changes.length]?.(key, value) ?? []
      }
      await using server = await storage({ emulated: {}, inFront: answering((body) => changed(body, change)) })
      for (const [tool, args] of reads) {
        const result = await server.result(`FileStorage.${tool}`, args)
        expect(JSON.stringify(result), tool).not.toMatch(/does not know|internal/)
        if (tool.startsWith('Search')) expect(result.isError, JSON.stringify(result)).not.toBe(true)
      }
    }),
    { numRuns: runs(100) },
  )
})

test.for([
  ['null', null],
  ['a row without an id', { name: 'Odd.md', mimeType: 'text/plain' }],
  ['a text', 'odd'],
] as const)('%s among the rows of a list is left out, as the result says', async ([, row]) => {
  await using server = await storage({ inFront: answering(withRows('files', [row])) })
  const id = server.emulator.addItem({ name: 'Plan.md' })
  const result = await server.call('FileStorage.SearchFiles', { query: 'plan' })
  expect(result).toMatchObject({ files: [{ id }] })
  expect(String(result['notices'])).toContain('so there may be more')
})

test('numbers in place of text are read, and a version that is not a number is ignored', async () => {
  const retyped: Change = (body) =>
    changed(body, (key, value) => [[key, key === 'size' ? Number(value) : key === 'version' ? 'v2' : value]])
  await using server = await storage({ inFront: answering(retyped) })
  const [, file = ''] = addPath(server, 'Work/May.txt')
  await server.call('FileStorage.RenameFile', { file_path_or_id: file, new_filename: 'June.txt' })
  const { files } = await server.call('FileStorage.SearchFiles', { query: 'june' })
  expect(files).toMatchObject([{ id: file, name: 'June.txt', size: 0 }])
  expect(await server.call('FileStorage.DownloadFile', { file_path_or_id: 'Work/June.txt' })).toMatchObject({ file: { id: file } })
})

test('shares an item whose other permissions have unknown types and roles', async () => {
  const rows = [null, { id: 'p1', type: 'agent', role: 'auditor' }, { id: 'p2', type: null, role: null }]
  await using server = await storage({ inFront: answering(withRows('permissions', rows)) })
  const id = server.emulator.addItem({ name: 'Plan' })
  const args = { file_path_or_id: id, email_addresses: ['ada@example.com'] }
  expect(await server.call('FileStorage.ShareFile', args)).toMatchObject({ people: [{ outcome: 'added' }] })
})
