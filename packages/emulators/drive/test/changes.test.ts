import { textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { connected, folderType, type Request, rowsIn } from './connected.ts'
import { covers } from './covers.ts'

/** The feed, from now on. */
async function following(token?: string) {
  const emulator = connected({ seed: 'company' })
  const { get } = emulator
  const as = token === undefined ? {} : { token }
  const start = textAt(await get('GET /changes/startPageToken', as), 'startPageToken')
  const changes = async (query: Request['query'] = {}, request: Request = {}) =>
    rowsIn((await get('GET /changes', { ...as, ...request, query: { pageToken: start, ...query } }))['changes'])
  const create = async (body: object, query: Request['query'] = {}) => textAt(await get('POST /files', { body, query }), 'id')
  return { ...emulator, start, changes, create }
}

describe('the change feed', () => {
  it('lists what changed since a token, each item once', covers('changes/start', 'changes/pages'), async () => {
    const { get, start, changes, create } = await following()
    expect(await get('GET /changes', { query: { pageToken: start } })).toEqual({
      kind: 'drive#changeList',
      newStartPageToken: start,
      changes: [],
    })
    const [first, second] = [await create({ name: 'First' }), await create({ name: 'Second' })]
    await get(`PATCH /files/${first}`, { body: { name: 'Renamed' } })
    const [created, renamed] = await changes()
    expect(created).toEqual({
      ...{ kind: 'drive#change', type: 'file', changeType: 'file', time: '2026-09-16T12:00:00.000Z', removed: false, fileId: second },
      file: { kind: 'drive#file', id: second, name: 'Second', mimeType: 'application/octet-stream' },
    })
    expect(renamed).toMatchObject({ fileId: first, file: { name: 'Renamed' } })
    const page = await get('GET /changes', { query: { pageToken: start, pageSize: 1 } })
    expect([rowsIn(page['changes']).length, 'newStartPageToken' in page]).toEqual([1, false])
    const last = await get('GET /changes', { query: { pageToken: textAt(page, 'nextPageToken'), pageSize: 1 } })
    expect([rowsIn(last['changes']).map(({ fileId }) => fileId), 'nextPageToken' in last]).toEqual([[first], false])
    const { changes: none } = await get('GET /changes', { query: { pageToken: textAt(last, 'newStartPageToken') } })
    expect(none).toEqual([])
  })

  it('shows a change late with a switch, and skips none', covers('lists/index-lag'), async () => {
    const { get, start, create, pass, quirks } = await following()
    quirks.indexLag = 60_000
    const from = async (pageToken: string) => {
      const { changes, newStartPageToken } = await get('GET /changes', { query: { pageToken } })
      return { ids: rowsIn(changes).map(({ fileId }) => fileId), token: String(newStartPageToken) }
    }
    const first = await create({ name: 'First' })
    const early = await from(start)
    expect(early.ids).toEqual([])
    pass(30_000)
    const second = await create({ name: 'Second' })
    pass(30_000)
    const later = await from(early.token)
    expect(later.ids).toEqual([first])
    pass(30_000)
    const last = await from(later.token)
    expect(last.ids).toEqual([second])
    expect((await from(last.token)).ids).toEqual([])
  })

  it('reports deletions and access that ended', covers('changes/removed', 'changes/folders'), async () => {
    const { get, changes, create, login } = await following()
    const folder = await create({ name: 'Folder', mimeType: folderType })
    const inside = await create({ name: 'Inside', parents: [folder] })
    const body = { type: 'user', role: 'reader', emailAddress: 'priya.nair@lodestar.example' }
    const { id: permission } = await get(`POST /files/${inside}/permissions`, { body })
    const { accessToken } = await login('priya.nair@lodestar.example')
    const hers = await changes({}, { token: accessToken })
    expect(hers.map(({ fileId, removed }) => [fileId, removed])).toEqual([[inside, false]])
    await get(`DELETE /files/${inside}/permissions/${String(permission)}`)
    expect((await changes({}, { token: accessToken })).map(({ removed }) => removed)).toEqual([true])
    await get(`PATCH /files/${folder}`, { body: { trashed: true } })
    const trashed = await changes({ fields: 'changes(fileId,removed,file/trashed)' })
    expect(trashed.at(-1)).toEqual({ fileId: folder, removed: false, file: { trashed: true } })
    await get(`DELETE /files/${folder}`)
    expect((await changes()).map(({ fileId, removed }) => [fileId, removed])).toEqual([folder, inside].sort().map((id) => [id, true]))
    expect((await changes({ pageSize: 1 })).length).toBe(1)
    expect(await changes({ includeRemoved: false })).toEqual([])
  })

  it('reports deletions to people who could see the item', covers('changes/removed-unseen', 'changes/drives'), async () => {
    const { get, changes, create, login } = await following()
    const { accessToken: token } = await login('priya.nair@lodestar.example')
    const drive = textAt(await get('POST /drives', { query: { requestId: 'a' }, body: { name: 'Field tests' } }), 'id')
    const all = { supportsAllDrives: true, includeItemsFromAllDrives: true }
    const [mine, inside] = [await create({ name: 'Mine' }), await create({ name: 'Inside', parents: [drive] }, all)]
    for (const id of [mine, inside]) await get(`DELETE /files/${id}`, { query: all })
    const removed = async (query: Request['query'], request: Request = {}) =>
      (await changes({ ...query, fields: 'changes(fileId,removed)' }, request)).flatMap((each) =>
        each['removed'] === true ? [each['fileId']] : [],
      )
    expect(await removed({ ...all, driveId: drive })).toEqual([inside])
    expect(await removed({})).toEqual([mine])
    expect(await removed(all)).toEqual([mine, inside])
    expect(await removed(all, { token })).toEqual([])
  })

  it('lists shared drives on request', covers('changes/drives'), async () => {
    const { get, changes, create } = await following()
    const drive = textAt(await get('POST /drives', { query: { requestId: 'a' }, body: { name: 'Field tests' } }), 'id')
    const mine = await create({ name: 'Mine' })
    const inside = await create({ name: 'Inside', parents: [drive] }, { supportsAllDrives: true })
    expect((await changes()).map(({ fileId }) => fileId)).toEqual([mine])
    const query = { includeItemsFromAllDrives: true, supportsAllDrives: true, fields: 'changes(changeType,fileId,driveId,drive/name)' }
    expect(await changes(query)).toEqual([
      { changeType: 'drive', driveId: drive, drive: { name: 'Field tests' } },
      { changeType: 'file', fileId: mine },
      { changeType: 'file', fileId: inside },
    ])
    expect((await changes({ ...query, driveId: drive })).map(({ changeType }) => changeType)).toEqual(['drive', 'file'])
    expect(await changes({ ...query, restrictToMyDrive: true })).toHaveLength(1)
  })

  it('refuses other tokens', covers('changes/tokens'), async () => {
    const { refusal } = await following()
    expect(await refusal('GET /changes')).toEqual([400, 'required'])
    for (const pageToken of ['x', '1000000', '1~a b'])
      expect([pageToken, await refusal('GET /changes', { query: { pageToken } })]).toEqual([pageToken, [400, 'invalid']])
  })
})
