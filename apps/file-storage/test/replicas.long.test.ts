import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { driveError } from '@mcp-toolkits/drive-emulator'
import type { ConnectSettings } from '@mcp-toolkits/testing'
import { runsPostgres, useReplicas } from '@mcp-toolkits/testing/postgres'
import { describe, expect, test } from 'vitest'
import { bytesIn, md5, pseudoRandomBytes, put } from './contents.ts'
import { folderType, patchByOtherProgram, storage, textAt, type Storage, type StorageOptions } from './storage.ts'
import { upload, uploading } from './uploading.ts'

const create = 'FileStorage.CreateFolder'
const rename = 'FileStorage.RenameFile'
const search = 'FileStorage.SearchFiles'
const download = 'FileStorage.DownloadFile'
const chunk = 'FileStorage.DownloadFileChunk'
const share = 'FileStorage.ShareFile'

describe.runIf(runsPostgres())('replicas', () => {
  const replicas = useReplicas()

  /** Two replicas for one account, whose drive is the emulator of the first. */
  async function twoReplicas(options: StorageOptions = {}, other: ConnectSettings = {}) {
    const { start } = replicas()
    const clock = new ManualClock()
    const first = await storage({ shared: await start(), clock, ...options })
    const second = await first.restarted({ shared: await start(), ...other })
    return {
      first,
      second,
      clock,
      start,
      async [Symbol.asyncDispose]() {
        await second[Symbol.asyncDispose]()
        await first[Symbol.asyncDispose]()
      },
    }
  }

  test('one finds a folder that the other made, by its path, before searches show it', async () => {
    await using where = await twoReplicas()
    const { first, second } = where
    first.emulator.quirks.indexLag = 60_000
    const id = textAt(await first.call(create, { folder_name: 'New' }), 'folder.id')
    const found = { query: 'x', folder_path_or_id: 'New' }
    expect(await second.call(search, found)).toMatchObject({ searched: `directly in "New" (${id})` })
    const inner = textAt(await second.call(create, { folder_name: 'Inner', parent_folder_path_or_id: 'New' }), 'folder.id')
    await second.call(rename, { file_path_or_id: 'New', new_filename: 'Renamed' })
    expect(await first.call(search, { ...found, folder_path_or_id: 'Renamed/Inner' })).toMatchObject({
      searched: `directly in "Inner" (${inner})`,
    })
    expect(await first.fails(search, found)).toMatchObject({ code: 'not_found' })
  })

  test('one says that the other has just made a folder of that name', async () => {
    await using where = await twoReplicas()
    const { first, second } = where
    const id = textAt(await first.call(create, { folder_name: 'New' }), 'folder.id')
    expect(await second.call(create, { folder_name: 'New' })).toMatchObject({
      notices: [expect.stringContaining(`The folder now has two items named "New": ${id}`)],
    })
  })

  test('one account does not learn what another changes', async () => {
    await using where = await twoReplicas()
    const { first, start } = where
    first.emulator.quirks.indexLag = 60_000
    // To the emulator, both are the same person, so only the server's own memory could tell them apart.
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init)
      request.headers.set('authorization', 'Bearer test-token')
      return first.emulator.fetch(request)
    }
    await using other = await first.restarted({ shared: await start(), fetch, environment: { FILE_STORAGE_ACCESS_TOKEN: 'other' } })
    await first.call(create, { folder_name: 'New' })
    expect(await other.fails(search, { query: 'x', folder_path_or_id: 'New' })).toMatchObject({ code: 'not_found' })
  })

  test('one continues a download that the other announced and began, and notices that the content has changed', async () => {
    await using where = await twoReplicas()
    const { first, second } = where
    const content = pseudoRandomBytes(6_000_000)
    const id = await put(first, 'large.bin', content)
    await first.call(download, { file_path_or_id: 'large.bin' })
    // From now on, the path refers to a different file, but not for this download.
    await patchByOtherProgram(first, id, { trashed: true })
    const after = await put(first, 'large.bin', pseudoRandomBytes(100, 1))
    const part = (start: number) => ({ file_path_or_id: 'large.bin', start_byte: start, chunk_size: 2_000_000 })
    const parts = [await second.result(chunk, part(0)), await first.result(chunk, part(2_000_000))]
    expect(Buffer.concat(parts.map(bytesIn)).equals(content.subarray(0, 4_000_000))).toBe(true)
    await replaceContent(first, id, pseudoRandomBytes(6_000_000, 2))
    expect(await second.fails(chunk, part(4_000_000))).toMatchObject({ code: 'conflict', next: { change: { start_byte: 0 } } })
    expect(await first.call(chunk, part(0))).toMatchObject({ file_id: after, total_size: 100 })
  })

  test('one continues the upload of another that has died, and sends only what is missing', async () => {
    const { start } = replicas()
    const chunkBytes = 8 * 1024 * 1024
    const [alive, dying] = [await start(), await start()]
    const ranges: (string | null)[] = []
    const content = pseudoRandomBytes(2 * chunkBytes + 1)
    const seen = ({ method, headers }: Request) => method === 'PUT' && ranges.push(headers.get('content-range'))
    await using first = await uploading({ content, etag: '"v1"' }, { shared: dying, seen })
    await using second = await first.restarted({ shared: alive, environment: { FILE_STORAGE_ALLOW_PRIVATE_URLS: first.from.host } })
    first.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'slow', milliseconds: 0 } })
    first.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'hang' } })
    const args = { file_name: 'new.bin', source_url: first.from.url }
    const end = new AbortController()
    const lost = first.client.callTool({ name: upload, arguments: args }, { signal: end.signal }).catch(() => undefined)
    await expect.poll(() => ranges.length).toBe(2)
    // To the other replicas, this one is dead.
    await dying.replica.close()
    ranges.length = 0
    const made = await second.call(upload, args)
    expect(ranges).toEqual([
      'bytes */*',
      `bytes ${chunkBytes}-${2 * chunkBytes - 1}/${content.length}`,
      `bytes ${2 * chunkBytes}-${2 * chunkBytes}/${content.length}`,
    ])
    expect(made).toMatchObject({ md5_checksum: md5(content), notices: ['An earlier call had started this upload; it was continued.'] })
    expect(first.emulator.store.named('new.bin').length).toBe(1)
    end.abort()
    await lost
  })

  test('one reaches, by its id, an item that the other reached with the key of a link or shortcut', async () => {
    await using where = await twoReplicas()
    const { first, second } = where
    const owned = { parent: null, owner: 'grace.kim@studio-kim.example', grants: [['anyone', 'reader']] } as const
    const [linked, target] = ['0-link', '0-target'].map((resourceKey) =>
      first.emulator.addItem({ name: resourceKey, type: folderType, ...owned, resourceKey }),
    )
    // Not in the root, whose items are searched for suggestions.
    const work = first.emulator.addItem({ name: 'Work', type: folderType })
    first.emulator.addItem({ name: 'Short', parent: work, target: target ?? '' })
    const find = (folder: string) => ({ query: 'x', folder_path_or_id: folder })
    for (const id of [linked, target]) expect(await second.fails(search, find(id ?? ''))).toMatchObject({ code: 'not_found' })
    await first.call(search, find(`https://drive.google.com/drive/folders/${linked}?resourcekey=0-link`))
    await first.call(search, find('Work/Short'))
    for (const id of [linked, target]) expect(textAt(await second.call(search, find(id ?? '')), 'searched')).toContain(id)
  })

  test('change the permissions of an item one after another', async () => {
    await using where = await twoReplicas()
    const { first, second, start } = where
    await using third = await first.restarted({ shared: await start() })
    const id = first.emulator.addItem({ name: 'Plan' })
    const addresses = Array.from({ length: 12 }, (_, index) => `person${index}@example.com`)
    await Promise.all(
      [first, second, third].map((server, index) =>
        server.call(share, { file_path_or_id: id, email_addresses: addresses.slice(4 * index, 4 * index + 4) }),
      ),
    )
    expect(first.overlapping.filter((request) => request.startsWith('POST'))).toEqual([])
  })

  test('send nothing more after one of them got a quota error', async () => {
    await using where = await twoReplicas()
    const { first, second, clock } = where
    await second.call(search, { query: 'x' })
    first.emulator.faults.add({ action: { kind: 'status', ...driveError(403, 'userRateLimitExceeded'), retry_after: 120 } })
    expect(await first.fails(search, { query: 'x' })).toMatchObject({ code: 'rate_limited' })
    const { length } = first.sent
    await clock.advance(1_000)
    for (const server of [first, second, first, second])
      expect(await server.fails(search, { query: 'x' })).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(first.sent.length).toBe(length)
  })
})

async function replaceContent({ emulator }: Pick<Storage, 'emulator'>, id: string, content: Uint8Array): Promise<void> {
  const headers = { authorization: 'Bearer test-token', 'content-type': 'application/octet-stream' }
  const request = { method: 'PATCH', headers, body: new Uint8Array(content) }
  const { ok } = await emulator.fetch(`http://localhost/upload/drive/v3/files/${id}?uploadType=media`, request)
  expect(ok).toBe(true)
}
