import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { toObject } from '@mcp-toolkits/emulator'
import { covers } from './covers.ts'
import { describe, expect, it } from 'vitest'
import { connected, folderType, rowsIn } from './connected.ts'

const docType = 'application/vnd.google-apps.document'
const shortcutType = 'application/vnd.google-apps.shortcut'

describe('creating items', () => {
  it('creates a folder, an empty file and a document', covers('files/no-parent', 'files/empty-names'), async () => {
    const { get, store } = connected({ seed: 'empty' })
    const fields = 'name,mimeType,parents,size,md5Checksum,createdTime,modifiedTime,ownedByMe,trashed,webViewLink'
    const root = textAt(await get('GET /files/root'), 'id')
    const folder = await get('POST /files', { query: { fields }, body: { name: 'a/b', mimeType: folderType } })
    expect(folder).toMatchObject({ name: 'a/b', parents: [root], createdTime: '2026-09-16T12:00:00.000Z', ownedByMe: true, trashed: false })
    expect(folder).not.toHaveProperty('size')
    const file = await get('POST /files', { query: { fields }, body: {} })
    expect(file).toMatchObject({
      name: 'Untitled',
      mimeType: 'application/octet-stream',
      size: '0',
      md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e',
    })
    const document = await get('POST /files', { query: { fields }, body: { name: 'd', mimeType: docType } })
    expect(document).not.toHaveProperty('md5Checksum')
    expect(store.mutations().map(({ method }) => method)).toEqual(['files.create', 'files.create', 'files.create'])
  })

  it('accepts a generated id for a file or folder once', covers('files/ids', 'files/ids-of-deleted'), async () => {
    const { get, refusal, store } = connected({ seed: 'empty' })
    const { ids } = await get('GET /files/generateIds', { query: { count: 3 } })
    const [first, second] = [textAt(ids, '0'), textAt(ids, '1')]
    expect(await get('POST /files', { body: { id: first, mimeType: folderType } })).toMatchObject({ id: first })
    expect(await get('POST /files', { body: { id: second, name: 'x' } })).toMatchObject({ id: second })
    for (const id of [first, second]) expect(await refusal('POST /files', { body: { id } })).toEqual([409, 'fileIdInUse'])
    await get(`DELETE /files/${second}`)
    expect(await refusal('POST /files', { body: { id: second } })).toEqual([409, 'fileIdInUse'])
    expect(store.files()).toHaveLength(2)
    for (const query of [{ count: 0 }, { count: 1001 }, { type: 'shortcuts' }, { space: 'photos' }]) {
      expect(await refusal('GET /files/generateIds', { query })).toEqual([400, 'invalidParameter'])
    }
  })

  it('rejects ids for shortcuts and Google documents, and foreign ids', covers('files/ids-unsupported'), async () => {
    const { ask, get, refusal, one } = connected()
    const { ids } = await get('GET /files/generateIds')
    const id = textAt(ids, '0')
    const message = async (mimeType: string) => {
      const { status, body } = await ask('POST /files', { body: { id, mimeType } })
      return [status, dig(body, 'error.message')]
    }
    expect(await message(docType)).toEqual([403, 'Generated IDs are not supported for Docs Editors formats'])
    expect(await message(shortcutType)).toEqual([400, 'The provided file ID is not usable.'])
    for (const other of ['x', `${id}x`, `1${'a'.repeat(32)}`])
      expect(await refusal('POST /files', { body: { id: other } })).toEqual([400, 'invalid'])
    expect(await refusal('POST /files', { body: { id: one('Plans').id } })).toEqual([409, 'fileIdInUse'])
  })

  it('allows two folders of the same name', covers('files/same-names'), async () => {
    const { get, names } = connected()
    await get('POST /files', { body: { name: 'Plans', mimeType: folderType } })
    expect(await names("name = 'Plans'")).toEqual(['Plans', 'Plans'])
  })

  it('rejects parents that are missing, not folders, not writable or several', covers('files/parents'), async () => {
    const { refusal, one, store } = connected()
    const before = store.files().length
    const make = (...parents: string[]) => refusal('POST /files', { query: { supportsAllDrives: true }, body: { name: 'x', parents } })
    expect(await make(one('lake.png').id)).toEqual([403, 'parentNotAFolder'])
    expect(await make('1234567890123456789012345678')).toEqual([404, 'notFound'])
    expect(await make(one('Brand').id)).toEqual([403, 'insufficientParentPermissions'])
    expect(await make('root', one('Plans').id)).toEqual([400, 'invalid'])
    expect(store.files()).toHaveLength(before)
  })

  it('creates a shortcut with the type of its target', covers('files/shortcut-details'), async () => {
    const { get, refusal, one } = connected()
    const make = (targetId?: string) => ({
      query: { fields: 'id,shortcutDetails' },
      body: { name: 's', mimeType: shortcutType, ...(targetId && { shortcutDetails: { targetId } }) },
    })
    const made = await get('POST /files', make(one('lake.png').id))
    expect(made).toMatchObject({ shortcutDetails: { targetId: one('lake.png').id, targetMimeType: 'image/png' } })
    expect(await refusal('POST /files', make(textAt(made, 'id')))).toEqual([403, 'shortcutTargetInvalid'])
    expect(await refusal('POST /files', make('1234567890123456789012345678'))).toEqual([404, 'notFound'])
    expect(await refusal('POST /files', make())).toEqual([400, 'invalid'])
  })

  it('rejects read-only fields and values of a wrong type', covers('files/read-only-fields'), async () => {
    const { refusal, one } = connected()
    const { id } = one('lake.png')
    for (const body of [{ size: '1' }, { md5Checksum: 'x' }, { owners: [] }, { webViewLink: 'x' }]) {
      expect(await refusal('POST /files', { body })).toEqual([403, 'fieldNotWritable'])
      expect(await refusal(`PATCH /files/${id}`, { body })).toEqual([403, 'fieldNotWritable'])
    }
    expect(await refusal(`PATCH /files/${id}`, { body: { parents: ['root'] } })).toEqual([403, 'fieldNotWritable'])
    for (const body of [
      { name: 1 },
      { starred: 'yes' },
      { parents: 'root' },
      { modifiedTime: 'today' },
      { mimeType: 'application/vnd.google-apps.map' },
    ]) {
      expect(await refusal('POST /files', { body })).toEqual([400, 'invalid'])
    }
    for (const body of ['{', '[]', '"x"']) expect(await refusal('POST /files', { body })).toEqual([400, 'parseError'])
  })

  it('rejects content beyond the storage limit', covers('files/storage'), async () => {
    const { ask, get } = connected({ seed: 'empty', storageLimit: 10 })
    const upload = (size: number) => ask('POST /upload/drive/v3/files', { query: { uploadType: 'media' }, body: new Uint8Array(size) })
    const { status, body } = await upload(11)
    expect([status, dig(body, 'error.errors.0.reason')]).toEqual([403, 'storageQuotaExceeded'])
    expect((await upload(10)).status).toBe(200)
    const quota = await get('GET /about', { query: { fields: 'storageQuota' } })
    expect(quota).toEqual({ storageQuota: { limit: '10', usage: '10', usageInDrive: '10', usageInDriveTrash: '0' } })
    const pooled = await connected({ seed: 'empty', storageLimit: null }).get('GET /about', { query: { fields: 'storageQuota' } })
    expect(dig(pooled, 'storageQuota.limit')).toBeUndefined()
  })
})

describe('updating items', () => {
  it('changes only the given fields', covers('files/modified-time'), async () => {
    const { get, one, pass } = connected()
    const before = one('lake.png')
    pass(1000)
    const fields = 'name,description,modifiedTime,starred,appProperties,lastModifyingUser/me'
    expect(await get(`PATCH /files/${before.id}`, { query: { fields }, body: { name: 'sea.png', appProperties: { a: 'b' } } })).toEqual({
      name: 'sea.png',
      modifiedTime: '2026-09-16T12:00:01.000Z',
      starred: false,
      appProperties: { a: 'b' },
      lastModifyingUser: { me: true },
    })
    expect(one('sea.png')).toMatchObject({ parentId: before.parentId, md5: before.md5, version: before.version + 1 })
    pass(1000)
    await get(`PATCH /files/${before.id}`, { body: { starred: true } })
    expect(one('sea.png')).toMatchObject({ starred: 1, modifiedTime: '2026-09-16T12:00:01.000Z' })
    await get(`PATCH /files/${before.id}`, { body: { modifiedTime: '2020-01-02T03:04:05+01:00' } })
    expect(one('sea.png').modifiedTime).toBe('2020-01-02T02:04:05.000Z')
  })

  it('renames a shortcut, not its target', covers('files/rename-shortcuts'), async () => {
    const { get, store, one } = connected()
    const shortcut = one('Latest plan')
    await get(`PATCH /files/${shortcut.id}`, { body: { name: 'Newest plan' } })
    expect([one('Newest plan').id, store.named('Launch plan')]).toMatchObject([shortcut.id, [{ id: shortcut.targetId }]])
  })

  it('trashes a folder with its contents and restores it', covers('files/trash'), async () => {
    const { get, one, names } = connected()
    const summer = one('Summer 2026').id
    const fields = 'trashed,explicitlyTrashed'
    expect(await get(`PATCH /files/${summer}`, { query: { fields }, body: { trashed: true } })).toEqual({
      trashed: true,
      explicitlyTrashed: true,
    })
    expect(await names(`'${summer}' in parents and trashed = false`)).toEqual([])
    const [lake] = rowsIn((await get('GET /files', { query: { q: "name = 'lake.png'", fields: `files(${fields})` } }))['files'])
    expect(lake).toEqual({ trashed: true, explicitlyTrashed: false })
    await get(`PATCH /files/${summer}`, { body: { trashed: false } })
    expect(await names(`'${summer}' in parents and trashed = false`)).toEqual(['dot.gif', 'lake.png'])
  })

  it('deletes a tree for good and empties the trash', covers('files/delete'), async () => {
    const { ask, get, one, store, refusal } = connected()
    const projects = one('Projects').id
    const answer = await ask(`DELETE /files/${projects}`)
    expect([answer.status, answer.body]).toEqual([204, {}])
    expect(['Apollo', 'Q4', 'Retrospective.md', 'Kick-off.txt'].map((name) => store.named(name).length)).toEqual([1, 0, 0, 0])
    expect(await refusal(`GET /files/${projects}`)).toEqual([404, 'notFound'])
    expect(store.permissions().every(({ fileId }) => store.files().some(({ id }) => id === fileId))).toBe(true)
    await get('DELETE /files/trash')
    expect(store.files().filter(({ trashed, driveId }) => trashed === 1 && driveId === null)).toEqual([])
    expect(await refusal(`DELETE /files/${one('Offsite').id}`)).toEqual([403, 'insufficientFilePermissions'])
  })

  it('rejects changes to roots', covers('files/drive-roots'), async () => {
    const { refusal, one, ask } = connected()
    const drive = one('Engineering').id
    for (const id of ['root', drive]) {
      for (const body of [{ name: 'x' }, { trashed: true }]) {
        const query = { supportsAllDrives: true }
        expect(await refusal(`PATCH /files/${id}`, { query, body })).toEqual([403, 'rootFolderNotModifiable'])
      }
      expect((await ask(`DELETE /files/${id}`, { query: { supportsAllDrives: true } })).status).toBe(403)
    }
  })

  it('reports capabilities and enforces them', covers('files/capabilities'), async () => {
    const { get, refusal, one } = connected()
    const fields = 'capabilities(canEdit,canTrash,canAddChildren,canShare,canDownload,canMoveItemWithinDrive)'
    const capabilities = async (name: string) => {
      const shown = await get(`GET /files/${one(name).id}`, { query: { fields, supportsAllDrives: true } })
      return Object.entries(toObject(shown['capabilities']))
        .filter(([, may]) => may === true)
        .map(([capability]) => capability)
    }
    expect(await capabilities('Plans')).toEqual(['canAddChildren', 'canEdit', 'canMoveItemWithinDrive', 'canShare', 'canTrash'])
    expect(await capabilities('Onboarding guide')).toEqual(['canDownload'])
    expect(await capabilities('Agenda.txt')).toEqual(['canDownload', 'canEdit', 'canMoveItemWithinDrive', 'canShare'])
    expect(await capabilities('Logo.png')).toEqual(['canDownload'])
    expect(await capabilities('Runbooks')).toEqual(['canAddChildren', 'canEdit', 'canMoveItemWithinDrive', 'canShare', 'canTrash'])
    const query = { supportsAllDrives: true }
    expect(await refusal(`PATCH /files/${one('Logo.png').id}`, { query, body: { name: 'x' } })).toEqual([
      403,
      'insufficientFilePermissions',
    ])
    expect(await refusal(`PATCH /files/${one('Agenda.txt').id}`, { body: { trashed: true } })).toEqual([403, 'insufficientFilePermissions'])
    expect(await get(`PATCH /files/${one('Onboarding guide').id}`, { query: { fields: 'starred' }, body: { starred: true } })).toEqual({
      starred: true,
    })
  })
})

describe('moving items', () => {
  it('moves and renames in one request', covers('files/move-and-rename'), async () => {
    const { get, one, names } = connected()
    const [item, from, to] = [one('lake.png'), one('Summer 2026').id, one('Plans').id]
    const query = { addParents: to, removeParents: from, fields: 'name,parents' }
    expect(await get(`PATCH /files/${item.id}`, { query, body: { name: 'lake-2.png' } })).toEqual({ name: 'lake-2.png', parents: [to] })
    expect(await names(`'${from}' in parents`)).toEqual(['dot.gif'])
    expect(one('lake-2.png').modifiedTime).not.toBe(item.modifiedTime)
    await get(`PATCH /files/${item.id}`, { query: { addParents: 'root', removeParents: to } })
    expect(await names("'root' in parents and name contains 'lake'")).toEqual(['lake-2.png'])
  })

  it(
    'rejects a duplicate parent, a second parent and no parent',
    covers('files/duplicate-parent', 'files/remove-parents-alone'),
    async () => {
      const { refusal, one, get, addDrive, addItem } = connected()
      const [item, from, to] = [one('lake.png').id, one('Summer 2026').id, one('Plans').id]
      expect(await refusal(`PATCH /files/${item}`, { query: { addParents: from, removeParents: from } })).toEqual([400, 'invalid'])
      expect(await refusal(`PATCH /files/${item}`, { query: { addParents: from } })).toEqual([400, 'invalid'])
      const shared = { query: { addParents: to, supportsAllDrives: true } }
      const drive = addDrive({ name: 'Field tests', members: [['robin.vance@lodestar.example', 'organizer']] })
      expect(await refusal(`PATCH /files/${addItem({ name: 'log.txt', parent: drive })}`, shared)).toEqual([403, 'cannotAddParent'])
      expect(await refusal(`PATCH /files/${item}`, { query: { addParents: `${to},${one('Photos').id}`, removeParents: from } })).toEqual([
        400,
        'invalid',
      ])
      expect(await refusal(`PATCH /files/${item}`, { query: { removeParents: from } })).toEqual([403, 'cannotRemoveParent'])
      expect(await refusal(`PATCH /files/${item}`, { query: { addParents: one('dot.gif').id, removeParents: from } })).toEqual([
        403,
        'parentNotAFolder',
      ])
      expect(one('lake.png').parentId).toBe(from)
      await get(`PATCH /files/${item}`, { query: { addParents: to } })
      expect(one('lake.png').parentId).toBe(to)
    },
  )

  it('rejects a cycle', covers('files/cycle'), async () => {
    const { ask, one } = connected()
    const photos = one('Photos')
    for (const to of [photos.id, one('Summer 2026').id]) {
      const { status, body } = await ask(`PATCH /files/${photos.id}`, { query: { addParents: to, removeParents: photos.parentId ?? '' } })
      expect([status, dig(body, 'error.errors.0.reason')]).toEqual([400, 'badRequest'])
    }
  })

  it('keeps the properties that an update does not name, and clears one with null', covers('files/properties'), async () => {
    const { get } = connected()
    const query = { fields: 'properties,appProperties' }
    const { id } = await get('POST /files', { body: { name: 'a', properties: { a: '1', b: '2', c: null }, appProperties: { d: '4' } } })
    const update = (body: object) => get(`PATCH /files/${String(id)}`, { query, body })
    expect(await update({ properties: { a: null, e: '5' } })).toEqual({ properties: { b: '2', e: '5' }, appProperties: { d: '4' } })
    expect(await update({ appProperties: { d: null } })).toEqual({ properties: { b: '2', e: '5' } })
  })

  it('moves files but not folders into a shared drive, and out only with permission', covers('files/move-into-drive'), async () => {
    const { refusal, get, one } = connected()
    const to = { addParents: one('Runbooks').id, supportsAllDrives: true }
    const folder = one('Summer 2026')
    const into = { query: { ...to, removeParents: folder.parentId ?? '' } }
    expect(await refusal(`PATCH /files/${folder.id}`, into)).toEqual([403, 'teamDrivesFolderMoveInNotSupported'])
    const query = { ...to, removeParents: folder.id, fields: 'driveId,owners,parents' }
    expect(await get(`PATCH /files/${one('lake.png').id}`, { query })).toEqual({ driveId: one('Engineering').id, parents: [to.addParents] })
    const out = { addParents: 'root', removeParents: one('Brand').id, supportsAllDrives: true }
    expect(await refusal(`PATCH /files/${one('Logo.png').id}`, { query: out })).toEqual([403, 'insufficientFilePermissions'])
    const home = { addParents: 'root', removeParents: to.addParents, supportsAllDrives: true, fields: 'driveId,ownedByMe' }
    expect(await get(`PATCH /files/${one('lake.png').id}`, { query: home })).toEqual({ ownedByMe: true })
  })

  it('inherits access from the new folder', covers('files/move-changes-access'), async () => {
    const { get, one } = connected()
    const [item, apollo] = [one('Photos'), one('Archive').parentId ?? '']
    const shared = (id: string) => get(`GET /files/${id}`, { query: { fields: 'shared' } })
    expect(await shared(one('lake.png').id)).toEqual({ shared: false })
    await get(`PATCH /files/${item.id}`, { query: { addParents: apollo, removeParents: item.parentId ?? '' } })
    expect(await shared(one('lake.png').id)).toEqual({ shared: true })
    const { permissions } = await get(`GET /files/${one('lake.png').id}/permissions`, {
      query: { fields: 'permissions(emailAddress,role)' },
    })
    expect(rowsIn(permissions).map(({ role }) => role)).toEqual(['owner', 'writer', 'commenter'])
  })
})
