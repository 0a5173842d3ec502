import { covers } from './covers.ts'
import { describe, expect, it } from 'vitest'
import { allDrives, connected, folderType, rowsIn, type Request } from './connected.ts'

const keys = [
  'createdTime',
  'folder',
  'modifiedByMeTime',
  'modifiedTime',
  'name',
  'name_natural',
  'quotaBytesUsed',
  'recency',
  'sharedWithMeTime',
  'starred',
  'viewedByMeTime',
]

/** An emulator, and `all`, which reads all pages of a list. */
function paged(...options: Parameters<typeof connected>) {
  const emulator = connected(...options)
  const all = async (query: Request['query'] = {}) => {
    const pages: string[][] = []
    let pageToken: unknown
    do {
      const token = typeof pageToken === 'string' ? { pageToken } : {}
      const page = await emulator.get('GET /files', { query: { pageSize: 7, ...query, ...token } })
      pages.push(rowsIn(page['files']).map(({ id }) => String(id)))
      pageToken = page['nextPageToken']
    } while (pageToken !== undefined)
    return pages
  }
  return { ...emulator, all }
}

describe('a list', () => {
  it('pages without gaps or repeats in any order', covers('lists/pages'), async () => {
    const { all } = paged()
    const [whole = []] = await all({ pageSize: 1000 })
    expect(whole.length).toBeGreaterThan(45)
    for (const orderBy of [...keys, ...keys.map((key) => `${key} desc`), 'folder,modifiedTime desc,name', 'starred, name_natural desc']) {
      const ids = (await all({ orderBy })).flat()
      expect([orderBy, ids.length, new Set(ids)]).toEqual([orderBy, whole.length, new Set(whole)])
    }
  })

  it('sorts by latest first or by orderBy', covers('lists/default-order', 'lists/order-by', 'lists/order-by-asc'), async () => {
    const { addItem, get, store, refusal } = paged({ seed: 'empty' })
    for (const [index, name] of ['b10', 'B9', 'a'].entries())
      addItem({ name, days: index + 1, text: 'x'.repeat(index), starred: name === 'a' })
    addItem({ name: 'c', type: folderType, days: 9 })
    const order = async (orderBy?: string) => {
      const { files } = await get('GET /files', { query: orderBy === undefined ? {} : { orderBy } })
      return rowsIn(files).map(({ name }) => name)
    }
    expect(store.files()).toHaveLength(5)
    expect(await order()).toEqual(['b10', 'B9', 'a', 'c'])
    expect(await order('modifiedTime')).toEqual(['c', 'a', 'B9', 'b10'])
    expect(await order('name')).toEqual(['a', 'b10', 'B9', 'c'])
    expect(await order('name asc, modifiedTime desc')).toEqual(['a', 'b10', 'B9', 'c'])
    expect(await order('name_natural desc')).toEqual(['c', 'b10', 'B9', 'a'])
    expect(await order('folder,quotaBytesUsed desc')).toEqual(['c', 'a', 'B9', 'b10'])
    expect(await order('starred,createdTime desc')).toEqual(['a', 'b10', 'B9', 'c'])
    for (const orderBy of ['size', 'name up', 'name,', 'modifiedTime DESC']) {
      expect(await refusal('GET /files', { query: { orderBy } })).toEqual([400, 'invalid'])
    }
  })

  it('binds a page token to its query', covers('lists/page-tokens'), async () => {
    const { get, refusal } = paged()
    const { nextPageToken } = await get('GET /files', { query: { pageSize: 1, q: 'trashed = false' } })
    const pageToken = String(nextPageToken)
    expect(rowsIn((await get('GET /files', { query: { pageSize: 2, q: 'trashed = false', pageToken } }))['files'])).toHaveLength(2)
    for (const query of [{ q: 'trashed = true' }, { q: 'trashed = false', orderBy: 'name' }, { q: 'trashed = false', ...allDrives }]) {
      expect(await refusal('GET /files', { query: { ...query, pageToken } })).toEqual([400, 'invalid'])
    }
    for (const bad of ['x', '~!!~x', `${pageToken}x`, `~!!~${Buffer.from('[]').toString('base64url')}`]) {
      expect(await refusal('GET /files', { query: { q: 'trashed = false', pageToken: bad } })).toEqual([400, 'invalid'])
    }
    expect(await refusal('GET /drives', { query: { pageToken } })).toEqual([400, 'invalid'])
    const parts: unknown = JSON.parse(Buffer.from(pageToken.slice(4), 'base64url').toString())
    const cut = Buffer.from(JSON.stringify(Array.isArray(parts) ? parts.slice(0, -1) : [])).toString('base64url')
    expect(await refusal('GET /files', { query: { q: 'trashed = false', pageToken: `~!!~${cut}` } })).toEqual([400, 'invalid'])
  })

  it('accepts page sizes from 1 to 1000', covers('lists/page-size'), async () => {
    const { refusal, get } = paged()
    for (const pageSize of [0, -1, 1001, 'x', '1.5']) {
      expect(await refusal('GET /files', { query: { pageSize } })).toEqual([400, 'invalidParameter'])
    }
    for (const [path, pageSize] of [
      ['/files', 1],
      ['/files', 1000],
      ['/drives', 100],
    ] as const)
      await get(`GET ${path}`, { query: { pageSize } })
    expect(await refusal('GET /drives', { query: { pageSize: 101 } })).toEqual([400, 'invalidParameter'])
  })

  it('defaults to 100 items and ten drives', covers('lists/drives'), async () => {
    const { addFiles, addDrive, get } = paged({ seed: 'empty' })
    addFiles(101)
    expect(rowsIn((await get('GET /files'))['files'])).toHaveLength(100)
    for (let index = 0; index < 11; index += 1) addDrive({ name: `Drive ${index}`, members: [['robin.vance@lodestar.example', 'reader']] })
    const { drives, nextPageToken } = await get('GET /drives')
    expect(rowsIn(drives)).toHaveLength(10)
    const rest = await get('GET /drives', { query: { pageToken: String(nextPageToken) } })
    expect([rowsIn(rest['drives']).map(({ name }) => name), rest['nextPageToken']]).toEqual([['Drive 10'], undefined])
    addDrive({ name: 'Hidden', members: [['robin.vance@lodestar.example', 'reader']], hidden: true })
    const all = await get('GET /drives', { query: { pageSize: 100, fields: 'drives(name,hidden)' } })
    expect(rowsIn(all['drives']).filter(({ hidden }) => hidden)).toEqual([{ name: 'Hidden', hidden: true }])
  })

  it('requires driveId exactly with corpora=drive', covers('lists/corpora-and-drive-id'), async () => {
    const { refusal, names, one, store } = paged()
    const driveId = store.named('Engineering')[0]?.id ?? ''
    for (const query of [{ driveId }, { driveId, corpora: 'allDrives' }, { driveId, corpora: 'domain' }, { corpora: 'drive' }]) {
      expect(await refusal('GET /files', { query: { ...allDrives, ...query } })).toEqual([400, 'invalid'])
    }
    expect(await refusal('GET /files', { query: { corpora: 'all' } })).toEqual([400, 'invalid'])
    expect(await refusal('GET /files', { query: { spaces: 'appDataFolder' } })).toEqual([400, 'invalid'])
    expect(await names('trashed = false', { ...allDrives, corpora: 'drive', driveId })).toEqual([
      'Architecture',
      'Escalation.md',
      'Pager',
      'Report.pdf',
      'Runbooks',
    ])
    expect(one('Brand').driveId).not.toBe(driveId)
  })

  it('shows items of shared drives only with the flags', covers('lists/corpora-shared-drives', 'lists/corpora-missing-flags'), async () => {
    const { names, refusal, one, get } = paged()
    const q = "name = 'Report.pdf'"
    expect(await names(q)).toHaveLength(2)
    expect(await names(q, allDrives)).toHaveLength(2)
    expect(await names(q, { ...allDrives, corpora: 'allDrives' })).toHaveLength(3)
    expect(await refusal('GET /files', { query: { includeItemsFromAllDrives: true } })).toEqual([400, 'invalidParameter'])
    expect(await refusal('GET /files', { query: { corpora: 'allDrives', supportsAllDrives: true } })).toEqual([
      403,
      'teamDrivesNotIncluded',
    ])
    const runbooks = one('Runbooks').id
    expect(await refusal(`GET /files/${runbooks}`)).toEqual([404, 'notFound'])
    expect(await refusal(`GET /files/${runbooks}/permissions`)).toEqual([404, 'notFound'])
    expect(await refusal('POST /files', { body: { parents: [runbooks] } })).toEqual([404, 'notFound'])
    expect(await get(`GET /files/${runbooks}`, { query: { supportsAllDrives: true } })).toMatchObject({ name: 'Runbooks' })
    await get('POST /files', { query: { supportsAllDrives: true }, body: { name: 'Mine', parents: [runbooks] } })
    expect(await names("name = 'Mine'", allDrives)).toEqual(['Mine'])
  })

  it('finds a folder shared out of a drive that is not visible', covers('lists/corpora-drive-not-member'), async () => {
    const { refusal, names, one, store, get } = paged()
    const driveId = store.named('Finance')[0]?.id ?? ''
    expect(await refusal('GET /files', { query: { ...allDrives, corpora: 'drive', driveId } })).toEqual([404, 'notFound'])
    expect(await refusal(`GET /drives/${driveId}`)).toEqual([404, 'notFound'])
    expect(await names(`'${one('Audit 2026').id}' in parents`, allDrives)).toEqual(['Ledger.csv'])
    expect(await names(`'${one('Audit 2026').id}' in parents`, { ...allDrives, corpora: 'user' })).toEqual([])
    const audit = await get(`GET /files/${one('Audit 2026').id}`, { query: { supportsAllDrives: true, fields: 'driveId,parents' } })
    expect(audit).toEqual({ driveId })
  })

  it('lists what the organization shares with corpora=domain', covers('lists/corpora-domain'), async () => {
    const { names } = paged()
    expect(await names("name contains 'travel'")).toEqual([])
    expect(await names("name contains 'travel'", { corpora: 'domain' })).toEqual(['Travel policy.pdf'])
    expect(await names('trashed = false', { corpora: 'domain' })).toEqual(['Travel policy.pdf'])
  })

  it('returns empty and short pages with a switch', covers('lists/short-pages'), async () => {
    const { all } = paged({ quirks: { shortPages: true } })
    const [whole = []] = await paged().all({ pageSize: 1000 })
    for (const orderBy of ['modifiedTime desc', 'name', 'folder,modifiedTime desc', 'quotaBytesUsed desc']) {
      const pages = await all({ orderBy })
      expect(pages.slice(0, 2).map((page) => page.length)).toEqual([0, 4])
      expect(new Set(pages.flat())).toEqual(new Set(whole))
    }
  })

  it('lags behind changes with a switch', covers('lists/index-lag'), async () => {
    const { names, get, refusal, pass, quirks } = paged({ seed: 'empty' })
    quirks.indexLag = 60_000
    const { id } = await get('POST /files', { body: { name: 'fresh' } })
    expect(await names("name = 'fresh'")).toEqual([])
    expect(await get(`GET /files/${String(id)}`)).toMatchObject({ name: 'fresh' })
    pass(60_000)
    expect(await names("name = 'fresh'")).toEqual(['fresh'])
    await get(`PATCH /files/${String(id)}`, { body: { trashed: true, properties: { stage: 'draft' } } })
    expect(await names('trashed = true')).toEqual([])
    expect(await names("properties has { key='stage' and value='draft' }")).toEqual([])
    await get('DELETE /files/trash')
    expect(await get(`PATCH /files/${String(id)}`, { body: { trashed: false } })).toMatchObject({ name: 'fresh' })
    await get(`PATCH /files/${String(id)}`, { body: { trashed: true } })
    pass(60_000)
    expect(await names('trashed = true')).toEqual(['fresh'])
    await get('DELETE /files/trash')
    expect(await refusal(`GET /files/${String(id)}`)).toEqual([404, 'notFound'])
    quirks.incompleteSearch = true
    expect(await get('GET /files')).toMatchObject({ incompleteSearch: true })
  })

  it('never contains roots', covers('lists/roots'), async () => {
    const { names, store } = paged()
    const roots = ['My Drive', 'Engineering', 'Design', 'Finance']
    expect(store.files().filter(({ name }) => roots.includes(name))).toHaveLength(4)
    const found = await names('trashed = false', { ...allDrives, corpora: 'allDrives' })
    expect(found.filter((name) => roots.includes(name))).toEqual([])
  })
})
