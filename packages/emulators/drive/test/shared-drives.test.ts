import { textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { connected, rowsIn } from './connected.ts'
import { covers } from './covers.ts'

const all = { supportsAllDrives: true }

describe('shared drives', () => {
  it(
    'creates one for a request, and renames, restricts and deletes it',
    covers('drives/create', 'drives/update', 'drives/delete'),
    async () => {
      const { get, refusal, ask } = connected()
      const create = { query: { requestId: 'one' }, body: { name: 'Trials' } }
      const id = textAt(await get('POST /drives', create), 'id')
      expect(await refusal('POST /drives', create)).toEqual([409, 'alreadyExists'])
      expect(await refusal('POST /drives', { body: { name: 'Trials' } })).toEqual([400, 'required'])
      const { capabilities } = await get(`GET /drives/${id}`, { query: { fields: 'capabilities(canRenameDrive,canDeleteDrive)' } })
      expect(capabilities).toEqual({ canRenameDrive: true, canDeleteDrive: true })
      const body = { name: 'Tests', restrictions: { sharingFoldersRequiresOrganizerPermission: true } }
      const fields = 'name,restrictions/sharingFoldersRequiresOrganizerPermission'
      expect(await get(`PATCH /drives/${id}`, { query: { fields }, body })).toEqual(body)
      const file = textAt(await get('POST /files', { query: all, body: { name: 'In it', parents: [id] } }), 'id')
      expect(await refusal(`DELETE /drives/${id}`)).toEqual([403, 'cannotDeleteNonEmptyDrive'])
      await get(`PATCH /files/${file}`, { query: all, body: { trashed: true } })
      expect((await ask(`DELETE /drives/${id}`)).status).toBe(204)
      expect(await refusal(`GET /drives/${id}`)).toEqual([404, 'notFound'])
    },
  )

  it(
    'shows revisions and comments of its files without the parameter that their methods lack',
    covers('revisions/shared-drives'),
    async () => {
      const { get, refusal } = connected()
      const drive = textAt(await get('POST /drives', { query: { requestId: 'one' }, body: { name: 'Trials' } }), 'id')
      const file = textAt(await get('POST /files', { query: all, body: { name: 'In it.txt', parents: [drive] } }), 'id')
      expect(await refusal(`GET /files/${file}`)).toEqual([404, 'notFound'])
      expect(rowsIn((await get(`GET /files/${file}/revisions`))['revisions'])).toHaveLength(1)
      const comment = { query: { fields: 'content' }, body: { content: 'Why?' } }
      expect(await get(`POST /files/${file}/comments`, comment)).toEqual({ content: 'Why?' })
    },
  )

  it('merges restrictions, and lists a new one late with a switch', covers('drives/restrictions', 'lists/index-lag'), async () => {
    const { get, refusal, pass, quirks } = connected()
    quirks.indexLag = 60_000
    const id = textAt(await get('POST /drives', { query: { requestId: 'one' }, body: { name: 'Trials' } }), 'id')
    const listed = async () =>
      rowsIn((await get('GET /drives', { query: { pageSize: 100 } }))['drives']).some((drive) => drive['id'] === id)
    expect(await listed()).toBe(false)
    expect(await get(`GET /drives/${id}`)).toMatchObject({ name: 'Trials' })
    pass(60_000)
    expect(await listed()).toBe(true)
    const restrict = (restrictions: object) => get(`PATCH /drives/${id}`, { query: { fields: 'restrictions' }, body: { restrictions } })
    await restrict({ driveMembersOnly: true, sharingFoldersRequiresOrganizerPermission: true })
    expect(await restrict({ copyRequiresWriterPermission: true })).toEqual({
      restrictions: {
        adminManagedRestrictions: false,
        copyRequiresWriterPermission: true,
        domainUsersOnly: false,
        driveMembersOnly: true,
        sharingFoldersRequiresOrganizerPermission: true,
        downloadRestriction: { restrictedForReaders: true, restrictedForWriters: false },
      },
    })
    expect(await restrict({ copyRequiresWriterPermission: false, driveMembersOnly: false })).toMatchObject({
      restrictions: { driveMembersOnly: false, downloadRestriction: { restrictedForReaders: false } },
    })
    for (const downloadRestriction of [{}, { restrictedForReaders: true }])
      expect(await refusal(`PATCH /drives/${id}`, { body: { restrictions: { downloadRestriction } } })).toEqual([400, 'badRequest'])
    expect(await refusal(`PATCH /drives/${id}`, { body: { restrictions: { domainUsersOnly: 'yes' } } })).toEqual([400, 'invalid'])
  })

  it('hides one and shows it again', covers('drives/hide'), async () => {
    const { get } = connected()
    const [drive] = rowsIn((await get('GET /drives'))['drives'])
    const id = textAt(drive, 'id')
    expect(await get(`POST /drives/${id}/hide`, { query: { fields: 'hidden' } })).toEqual({ hidden: true })
    expect(await get(`POST /drives/${id}/unhide`, { query: { fields: 'hidden' } })).toEqual({ hidden: false })
  })

  it('lists one app, and no labels or requests for access', covers('apps/list', 'apps/empty-lists'), async () => {
    const { get, refusal, one } = connected()
    const [app] = rowsIn((await get('GET /apps'))['items'])
    expect(await get(`GET /apps/${textAt(app, 'id')}`, { query: { fields: 'name' } })).toEqual({ name: 'Lodestar Desktop' })
    expect(await refusal('GET /apps/1')).toEqual([404, 'notFound'])
    const { id } = one('Launch plan')
    expect(await get(`GET /files/${id}/accessproposals`)).toEqual({ accessProposals: [] })
    expect(await get(`GET /files/${id}/listLabels`)).toEqual({ kind: 'drive#labelList', labels: [] })
  })
})
