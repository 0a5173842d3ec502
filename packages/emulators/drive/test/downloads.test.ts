import { covers } from './covers.ts'
import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { connected, type Request } from './connected.ts'

/** An emulator, and `load`, which downloads a file by name. */
function downloading() {
  const emulator = connected()
  const load = async (name: string, range?: string, query: Request['query'] = {}) => {
    const headers = range === undefined ? {} : { range }
    const response = await emulator.send(`GET /files/${emulator.one(name).id}`, {
      query: { alt: 'media', supportsAllDrives: true, ...query },
      headers,
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return {
      status: response.status,
      headers: response.headers,
      contentRange: response.headers.get('content-range'),
      bytes,
      text: bytes.toString(),
    }
  }
  return { ...emulator, load }
}

describe('a download', () => {
  it('returns the whole content without a range', covers('content/alt-media'), async () => {
    const { load, one, store } = downloading()
    const { status, bytes, headers } = await load('Launch rehearsal.mp4')
    const large = one('Launch rehearsal.mp4')
    expect([status, bytes.length, hash('md5', bytes), headers.get('content-type')]).toEqual([200, 12_000_000, large.md5, 'video/mp4'])
    expect(headers.get('content-length')).toBe('12000000')
    for (const item of store
      .files()
      .filter(({ md5, role, trashed, abusive }) => md5 !== null && role !== null && trashed === 0 && abusive === 0)) {
      if (item.name === 'Report.pdf' || item.resourceKey !== null) continue
      const loaded = await load(item.name)
      expect([item.name, hash('md5', loaded.bytes), loaded.bytes.length]).toEqual([item.name, item.md5, item.size])
    }
    expect(store.unitsByMethod()['files.get']?.units).toBeGreaterThanOrEqual(200)
  })

  it('answers a range with 206', covers('content/range'), async () => {
    const { load } = downloading()
    const whole = (await load('Colours.txt')).text
    const cases = [
      ['bytes=0-3', 0, 4],
      ['bytes=5-', 5, 22],
      ['bytes=-4', 18, 22],
      ['bytes=-100', 0, 22],
      ['bytes=20-100', 20, 22],
    ] as const
    for (const [range, start, end] of cases) {
      const { status, text, contentRange } = await load('Colours.txt', range)
      expect([range, status, text, contentRange]).toEqual([range, 206, whole.slice(start, end), `bytes ${start}-${end - 1}/22`])
    }
    const { bytes } = await load('Launch rehearsal.mp4', 'bytes=131072-131075')
    expect(bytes.readUInt32BE(0)).toBe(131_072)
  })

  it(
    'answers 416 for a range past the end, and for any of an empty file',
    covers('content/range-past-end', 'content/range-empty-file'),
    async () => {
      const { load } = downloading()
      expect(await load('Colours.txt', 'bytes=22-30')).toMatchObject({ status: 416, contentRange: 'bytes */22' })
      expect(await load('Colours.txt', 'bytes=-0')).toMatchObject({ status: 416 })
      expect(await load('empty.txt', 'bytes=0-10')).toMatchObject({ status: 416, contentRange: 'bytes */0' })
      expect(await load('empty.txt')).toMatchObject({ status: 200, text: '' })
    },
  )

  it('ignores malformed ranges', covers('content/range-other-forms'), async () => {
    const { load } = downloading()
    for (const range of ['bytes=5-2', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,4-5', 'bytes=-']) {
      expect(await load('Colours.txt', range)).toMatchObject({ status: 200, contentRange: null })
    }
  })

  it('is rejected for documents, folders and shortcuts', covers('content/not-downloadable'), async () => {
    const { load } = downloading()
    for (const name of ['Launch plan', 'Plans', 'Latest plan', 'Budget']) {
      const { status, text } = await load(name)
      expect([status, text]).toEqual([403, expect.stringContaining('"reason":"fileNotDownloadable"')])
    }
  })

  it('requires acknowledgeAbuse for a dangerous file', covers('content/abusive'), async () => {
    const { load } = downloading()
    const refused = await load('setup-tool.exe')
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('cannotDownloadAbusiveFile')])
    expect(await load('setup-tool.exe', undefined, { acknowledgeAbuse: true })).toMatchObject({ status: 200, text: 'MZ' })
  })

  it('is rejected for readers of a protected file', covers('content/download-forbidden'), async () => {
    const { load, one, addItem, get } = downloading()
    const name = 'secret.txt'
    addItem({
      name,
      parent: null,
      owner: 'ada.okafor@lodestar.example',
      grants: [['robin.vance@lodestar.example', 'reader']],
      protected: true,
    })
    expect((await load(name)).text).toContain('cannotDownloadFile')
    expect(await get(`GET /files/${one(name).id}`, { query: { fields: 'capabilities/canDownload' } })).toEqual({
      capabilities: { canDownload: false },
    })
  })
})
