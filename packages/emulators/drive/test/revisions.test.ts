import { textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { connected, rowsIn } from './connected.ts'
import { covers } from './covers.ts'

const day = 86_400_000

/** An emulator with a text file that has been written three times. */
async function revised() {
  const emulator = connected()
  const { get, send, pass } = emulator
  const id = textAt(
    await get('POST /upload/drive/v3/files', { query: { uploadType: 'media' }, body: 'one', headers: { 'content-type': 'text/plain' } }),
    'id',
  )
  const write = async (text: string) => {
    pass(1000)
    const request = { query: { uploadType: 'media' }, body: text, headers: { 'content-type': 'text/plain' } }
    return get(`PATCH /upload/drive/v3/files/${id}`, request)
  }
  await write('two')
  await write('three')
  const list = async () => rowsIn((await get(`GET /files/${id}/revisions`, { query: { fields: 'revisions' } }))['revisions'])
  const media = async (path: string) => (await send(`GET ${path}`, { query: { alt: 'media' } })).text()
  return { ...emulator, id, write, list, media }
}

describe('revisions', () => {
  it('lists, gets and downloads every content of a file', covers('revisions/list', 'lists/index-lag'), async () => {
    const { id, list, get, media, refusal, store, quirks } = await revised()
    const all = await list()
    expect(all.map(({ size, keepForever, kind }) => [size, keepForever, kind])).toEqual([
      ['3', false, 'drive#revision'],
      ['3', false, 'drive#revision'],
      ['5', false, 'drive#revision'],
    ])
    const ids = all.map((revision) => textAt(revision, 'id'))
    expect(await Promise.all([...ids, 'head'].map((each) => media(`/files/${id}/revisions/${each}`)))).toEqual([
      'one',
      'two',
      'three',
      'three',
    ])
    expect(await media(`/files/${id}`)).toBe('three')
    expect(await get(`GET /files/${id}/revisions/${ids[0] ?? ''}`)).toEqual({
      kind: 'drive#revision',
      id: ids[0],
      mimeType: 'text/plain',
      modifiedTime: '2026-09-16T12:00:00.000Z',
    })
    quirks.indexLag = 1000
    expect(await refusal(`GET /files/${id}/revisions/${ids[2] ?? ''}`)).toEqual([404, 'notFound'])
    expect(await list()).toHaveLength(3)
    expect(await get(`GET /files/${id}/revisions/${ids[1] ?? ''}`)).toMatchObject({ id: ids[1] })
    quirks.indexLag = 0
    const first = await get(`GET /files/${id}/revisions`, { query: { pageSize: 2 } })
    expect(rowsIn(first['revisions'])).toHaveLength(2)
    const pageToken = textAt(first, 'nextPageToken')
    expect(rowsIn((await get(`GET /files/${id}/revisions`, { query: { pageSize: 2, pageToken } }))['revisions'])).toHaveLength(1)
    const readable = store.files().find(({ role, content, driveId }) => role === 'reader' && content !== null && driveId === null)
    expect(await refusal(`GET /files/${id}/revisions/none`)).toEqual([404, 'notFound'])
    expect(await refusal(`GET /files/${readable?.id ?? ''}/revisions`)).toEqual([403, 'insufficientFilePermissions'])
  })

  it('replaces content without a condition, and keeps what was there', covers('content/no-condition'), async () => {
    const { id, get, list, media } = await revised()
    const headers = { 'content-type': 'text/plain', 'if-match': '"former"' }
    await get(`PATCH /upload/drive/v3/files/${id}`, { query: { uploadType: 'media' }, body: 'four', headers })
    expect(await media(`/files/${id}`)).toBe('four')
    expect((await list()).map(({ size }) => size)).toEqual(['3', '3', '5', '4'])
  })

  it('purges old revisions, except those with keepForever', covers('revisions/keep-forever'), async () => {
    const { id, list, get, pass, write, media } = await revised()
    const [first = ''] = (await list()).map((revision) => textAt(revision, 'id'))
    await get(`PATCH /files/${id}/revisions/${first}`, { body: { keepForever: true } })
    pass(31 * day)
    await write('four')
    expect((await list()).map(({ size, keepForever }) => [size, keepForever])).toEqual([
      ['3', true],
      ['5', false],
      ['4', false],
    ])
    expect(await media(`/files/${id}/revisions/${first}`)).toBe('one')
    for (let count = 0; count < 105; count += 1) await write(`more ${count}`)
    expect(await list()).toHaveLength(101)
  })

  it('counts the days from newer content, not from modifiedTime', covers('revisions/keep-forever'), async () => {
    const { id, list, get, write } = await revised()
    await get(`PATCH /files/${id}`, { body: { modifiedTime: '2020-01-01T00:00:00Z' } })
    await write('four')
    expect(await list()).toHaveLength(4)
  })

  it('keeps an upload forever on request', covers('revisions/keep-on-upload'), async () => {
    const { id, get, list } = await revised()
    const upload = { body: 'kept', headers: { 'content-type': 'text/plain' }, query: { uploadType: 'media', keepRevisionForever: true } }
    await get(`PATCH /upload/drive/v3/files/${id}`, upload)
    await get(`PATCH /files/${id}`, { body: { name: 'Renamed' }, query: { keepRevisionForever: true } })
    expect((await list()).map(({ keepForever }) => keepForever)).toEqual([false, false, false, true])
    const made = textAt(await get('POST /upload/drive/v3/files', upload), 'id')
    expect(await get(`GET /files/${made}/revisions/head`, { query: { fields: 'keepForever' } })).toEqual({ keepForever: true })
  })

  it('deletes revisions down to the last one', covers('revisions/delete', 'revisions/delete-head'), async () => {
    const { id, list, ask, refusal, media, store } = await revised()
    const [, second = '', third = ''] = (await list()).map((revision) => textAt(revision, 'id'))
    expect((await ask(`DELETE /files/${id}/revisions/${third}`)).status).toBe(204)
    expect([await media(`/files/${id}`), (await list()).length]).toEqual(['two', 2])
    expect((await ask(`DELETE /files/${id}/revisions/${second}`)).status).toBe(204)
    expect(await media(`/files/${id}`)).toBe('one')
    expect(await refusal(`DELETE /files/${id}/revisions/head`)).toEqual([403, 'cannotDeleteLastRevision'])
    expect((await ask(`DELETE /files/${id}`)).status).toBe(204)
    expect(store.files().some((item) => item.id === id)).toBe(false)
  })

  it('gives Google documents one revision', covers('revisions/documents'), async () => {
    const { get, one, refusal } = connected()
    const { id } = one('Launch plan')
    const { revisions } = await get(`GET /files/${id}/revisions`, { query: { fields: 'revisions(id,published)' } })
    expect(revisions).toEqual([{ id: '1', published: false }])
    expect(await refusal(`DELETE /files/${id}/revisions/1`)).toEqual([403, 'revisionDeletionNotSupported'])
  })
})
