import { covers } from './covers.ts'
import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { connected, rowsIn, type Request } from './connected.ts'
import type { DriveEmulatorOptions } from '../src/index.ts'

const priya = 'priya.nair@lodestar.example'
const mikael = 'mikael.lindstrom@lodestar.example'
const fields = 'id,type,role,emailAddress,displayName,permissionDetails'

/** An emulator, and `share`, which grants a role on an item by name. */
function sharing(options: DriveEmulatorOptions = {}) {
  const emulator = connected(options)
  const path = (name: string) => `/files/${emulator.one(name).id}/permissions`
  const request = (body: object, query: Request['query'] = {}) => ({ body, query: { supportsAllDrives: true, fields, ...query } })
  const share = (name: string, body: object, query?: Request['query']) =>
    emulator.get(`POST ${path(name)}`, request({ type: 'user', ...body }, query))
  const refused = (name: string, body: object, query?: Request['query']) =>
    emulator.refusal(`POST ${path(name)}`, request({ type: 'user', ...body }, query))
  const rolesOn = async (name: string) => {
    const { permissions } = await emulator.get(`GET ${path(name)}`, {
      query: { supportsAllDrives: true, fields: 'permissions(emailAddress,role)' },
    })
    return Object.fromEntries(
      rowsIn(permissions).map(({ emailAddress, role }): [string, unknown] => [String(emailAddress).replace(/@.*/, ''), role]),
    )
  }
  return { ...emulator, path, share, refused, rolesOn }
}

describe('permissions', () => {
  it(
    'are one for each principal, which a second create does not change',
    covers('sharing/one-per-principal', 'sharing/create-never-raises'),
    async () => {
      const { share, rolesOn, store, path, get, one } = sharing()
      const first = await share('Plans', { role: 'writer', emailAddress: 'Priya.Nair@Lodestar.example' })
      expect(first).toMatchObject({ role: 'writer', emailAddress: priya, displayName: 'Priya Nair' })
      expect(await share('Plans', { role: 'reader', emailAddress: priya })).toEqual(first)
      await share('Plans', { role: 'commenter', emailAddress: mikael })
      expect(await share('Plans', { role: 'writer', emailAddress: mikael })).toMatchObject({ role: 'commenter' })
      expect(store.permissions().filter(({ fileId }) => fileId === one('Plans').id)).toHaveLength(2)
      await get(`PATCH ${path('Plans')}/${textAt(first, 'id')}`, { body: { role: 'reader' } })
      expect(await rolesOn('Plans')).toEqual({ 'robin.vance': 'owner', 'priya.nair': 'reader', 'mikael.lindstrom': 'commenter' })
      await get(`DELETE ${path('Plans')}/${textAt(first, 'id')}`)
      expect(await rolesOn('Plans')).toEqual({ 'robin.vance': 'owner', 'mikael.lindstrom': 'commenter' })
    },
  )

  it('apply only the last of concurrent changes', covers('sharing/concurrent'), async () => {
    const { share, rolesOn } = sharing()
    await Promise.all([priya, mikael].map((emailAddress) => share('Plans', { role: 'reader', emailAddress })))
    expect(await rolesOn('Plans')).toEqual({ 'robin.vance': 'owner', 'mikael.lindstrom': 'reader' })
    await share('Plans', { role: 'reader', emailAddress: priya })
    expect(await rolesOn('Plans')).toEqual({ 'robin.vance': 'owner', 'mikael.lindstrom': 'reader', 'priya.nair': 'reader' })
  })

  it('change at the same time on several items', covers('sharing/concurrent'), async () => {
    const { share, rolesOn, path, ask } = sharing()
    const { id } = await share('Plans', { role: 'reader', emailAddress: priya })
    const reader = { role: 'reader', emailAddress: mikael }
    await Promise.all([ask(`DELETE ${path('Plans')}/${String(id)}`), share('Photos', reader), share('Plans', reader)])
    expect(await rolesOn('Plans')).toEqual({ 'robin.vance': 'owner', 'priya.nair': 'reader', 'mikael.lindstrom': 'reader' })
    expect(await rolesOn('Photos')).toEqual({ 'robin.vance': 'owner', 'mikael.lindstrom': 'reader' })
  })

  it('of an owner become one when the ownership is transferred', covers('sharing/ownership'), async () => {
    const { share, path, get, one, login, store } = sharing()
    const { id } = await share('Photos', { role: 'reader', emailAddress: priya })
    const transfer = { query: { transferOwnership: true } }
    await Promise.all([
      get(`PATCH ${path('Photos')}/${String(id)}`, { body: { role: 'owner' }, ...transfer }),
      share('Photos', { role: 'reader', emailAddress: mikael }),
    ])
    const { accessToken: token } = await login(priya)
    await get(`POST ${path('Photos')}`, { token, body: { type: 'user', role: 'owner', emailAddress: mikael }, ...transfer })
    const roles = store.permissions().filter(({ fileId }) => fileId === one('Photos').id)
    expect(roles.map(({ permissionId, role }) => [permissionId, role])).toEqual([[id, 'writer']])
  })

  it('can expire within a year', covers('sharing/expiration'), async () => {
    const { share, refused, refusal, path, login, get, pass, one, store } = sharing()
    const role = 'reader'
    for (const expirationTime of ['2026-09-16T12:00:00Z', '2027-09-16T12:00:01Z', 'soon', 7])
      expect(await refused('Plans', { role, emailAddress: priya, expirationTime })).toEqual([400, 'invalid'])
    const expirationTime = '2026-09-16T12:30:00.000Z'
    expect(await refused('Plans', { role, type: 'anyone', expirationTime })).toEqual([400, 'invalid'])
    const { id } = await share('Plans', { role, emailAddress: priya })
    const own = `${path('Plans')}/${String(id)}`
    expect(await refusal(`PATCH ${own}`, { body: { expirationTime: '2028-01-01T00:00:00Z' } })).toEqual([400, 'invalid'])
    await get(`PATCH ${own}`, { body: { expirationTime } })
    const { accessToken: token } = await login(priya)
    const file = `/files/${one('Plans').id}`
    expect(await get(`GET ${file}`, { token })).toMatchObject({ name: 'Plans' })
    pass(1_800_000)
    expect(await refusal(`GET ${file}`, { token })).toEqual([404, 'notFound'])
    expect(store.permissions().filter(({ fileId }) => fileId === one('Plans').id)).toEqual([])
  })

  it('send an email unless disabled, on a repeated create too', covers('sharing/mails', 'sharing/mails-again'), async () => {
    const { share, store, one } = sharing()
    await share('Plans', { role: 'reader', emailAddress: priya })
    await share('Plans', { role: 'reader', emailAddress: priya }, { emailMessage: 'Please read' })
    await share('Plans', { role: 'reader', emailAddress: mikael }, { sendNotificationEmail: false })
    await share('Plans', { role: 'reader', type: 'anyone' })
    expect(store.mails().map(({ recipient, fileId, message }) => [recipient, fileId, message])).toEqual([
      [priya, one('Plans').id, null],
      [priya, one('Plans').id, 'Please read'],
    ])
  })

  it("map an alias to the account's address", covers('sharing/addresses'), async () => {
    const { share, rolesOn } = sharing()
    expect(await share('Plans', { role: 'reader', emailAddress: 'ada@lodestar.example' })).toMatchObject({
      emailAddress: 'ada.okafor@lodestar.example',
    })
    expect(await share('Plans', { role: 'writer', emailAddress: 'ADA.OKAFOR@lodestar.example' })).toMatchObject({ role: 'reader' })
    expect(await rolesOn('Plans')).toEqual({ 'robin.vance': 'owner', 'ada.okafor': 'reader' })
  })

  it("reject changes of the owner's permission", covers('sharing/owner'), async () => {
    const { share, refusal, path, get, rolesOn } = sharing()
    const owner = textAt(await get(`GET ${path('Plans')}`), 'permissions.0.id')
    expect(await share('Plans', { role: 'reader', emailAddress: 'robin.vance@lodestar.example' })).toMatchObject({
      id: owner,
      role: 'owner',
    })
    expect(await refusal(`PATCH ${path('Plans')}/${owner}`, { body: { role: 'reader' } })).toEqual([403, 'insufficientFilePermissions'])
    expect(await refusal(`DELETE ${path('Plans')}/${owner}`)).toEqual([403, 'insufficientFilePermissions'])
    expect(await rolesOn('Plans')).toEqual({ 'robin.vance': 'owner' })
    expect(await refusal(`PATCH ${path('Plans')}/123`, { body: { role: 'reader' } })).toEqual([404, 'notFound'])
  })

  it('transfer ownership only with transferOwnership', covers('sharing/ownership'), async () => {
    const { refused, share, rolesOn, path, refusal, get, store } = sharing()
    const toPriya = { role: 'owner', emailAddress: priya }
    expect(await refused('Plans', toPriya)).toEqual([403, 'forbidden'])
    expect(await refused('Plans', toPriya, { transferOwnership: true, sendNotificationEmail: false })).toEqual([
      400,
      'invalidSharingRequest',
    ])
    const outside = { role: 'owner', emailAddress: 'grace.kim@studio-kim.example' }
    expect(await refused('Plans', outside, { transferOwnership: true })).toEqual([403, 'consentRequiredForOwnershipTransfer'])
    expect(await share('Plans', toPriya, { transferOwnership: true })).toMatchObject({ role: 'owner', emailAddress: priya })
    expect(await rolesOn('Plans')).toEqual({ 'priya.nair': 'owner', 'robin.vance': 'writer' })
    expect(store.mails()).toHaveLength(1)
    const { id } = await share('Photos', { role: 'reader', emailAddress: priya })
    expect(await refusal(`PATCH ${path('Photos')}/${String(id)}`, { body: { role: 'owner' } })).toEqual([403, 'forbidden'])
    await get(`PATCH ${path('Photos')}/${String(id)}`, { body: { role: 'owner' }, query: { transferOwnership: true } })
    expect(await rolesOn('Photos')).toEqual({ 'priya.nair': 'owner', 'robin.vance': 'writer' })
  })

  it(
    'name the source of an inherited permission and change only there',
    covers('sharing/inherited', 'sharing/inherited-from'),
    async () => {
      const { get, path, share, refusal, one, rolesOn } = sharing()
      const query = { supportsAllDrives: true, fields: `permissions(${fields})` }
      const rows = rowsIn((await get(`GET ${path('Escalation.md')}`, { query }))['permissions'])
      const tomas = rows.find(({ emailAddress }) => String(emailAddress).startsWith('tomas'))
      const drive = one('Engineering').id
      expect(tomas?.['permissionDetails']).toEqual([{ permissionType: 'member', role: 'writer', inherited: true, inheritedFrom: drive }])
      const grace = rows.find(({ emailAddress }) => String(emailAddress).startsWith('grace'))
      expect(grace?.['permissionDetails']).toEqual([
        { permissionType: 'file', role: 'reader', inherited: true, inheritedFrom: one('Pager').id },
      ])
      const at = `${path('Escalation.md')}/${textAt(tomas, 'id')}`
      for (const call of [`PATCH ${at}`, `DELETE ${at}`]) {
        const body = call.startsWith('PATCH') ? { body: { role: 'reader' } } : {}
        expect(await refusal(call, { ...body, query: { supportsAllDrives: true } })).toEqual([403, 'cannotModifyInheritedPermission'])
      }
      const given = { role: 'fileOrganizer', emailAddress: 'tomas.herrera@lodestar.example' }
      expect(await share('Escalation.md', { ...given, role: 'reader' })).toMatchObject({ role: 'writer' })
      const raised = await share('Escalation.md', given)
      expect([raised['role'], rowsIn(raised['permissionDetails']).map(({ inherited }) => inherited)]).toEqual([
        'fileOrganizer',
        [false, true],
      ])
      expect(await rolesOn('Pager')).toMatchObject({ 'tomas.herrera': 'writer' })
    },
  )

  it('make the owner of a folder a writer of items added by others', covers('sharing/owners-of-folders'), async () => {
    const { get, one, rolesOn } = sharing()
    const made = await get('POST /files', { body: { name: 'mine.txt', parents: [one('Offsite').id] } })
    expect(await rolesOn('mine.txt')).toEqual({ 'robin.vance': 'owner', 'priya.nair': 'writer', 'mikael.lindstrom': 'reader' })
    const { permissions } = await get(`GET /files/${String(made['id'])}/permissions`, {
      query: { fields: 'permissions(role,permissionDetails)' },
    })
    const details = rowsIn(permissions).map(({ permissionDetails }) => [
      dig(permissionDetails, '0.inherited'),
      dig(permissionDetails, '0.inheritedFrom'),
    ])
    expect(details).toEqual([
      [false, undefined],
      [true, undefined],
      [true, undefined],
    ])
  })

  it('are paged in shared drives', covers('sharing/pages'), async () => {
    const { path, get, share, refusal } = sharing()
    for (let index = 0; index < 110; index += 1) await share('Runbooks', { role: 'reader', emailAddress: `guest-${index}@other.example` })
    const query = { supportsAllDrives: true }
    const first = await get(`GET ${path('Runbooks')}`, { query })
    const second = await get(`GET ${path('Runbooks')}`, { query: { ...query, pageToken: textAt(first, 'nextPageToken') } })
    expect([rowsIn(first['permissions']).length, rowsIn(second['permissions']).length, second['nextPageToken']]).toEqual([
      100,
      14,
      undefined,
    ])
    expect(await refusal(`GET ${path('Runbooks')}`, { query: { ...query, pageSize: 101 } })).toEqual([400, 'invalidParameter'])
    expect(await refusal(`GET ${path('Pager')}`, { query: { ...query, pageToken: textAt(first, 'nextPageToken') } })).toEqual([
      400,
      'invalid',
    ])
  })

  it("allow the drive's roles", covers('sharing/roles'), async () => {
    const { refused } = sharing()
    const to = { emailAddress: priya }
    expect(await refused('Plans', { ...to, role: 'organizer' })).toEqual([403, 'organizerOnNonTeamDriveNotSupported'])
    expect(await refused('Plans', { ...to, role: 'fileOrganizer' })).toEqual([403, 'fileOrganizerOnNonTeamDriveNotSupported'])
    expect(await refused('Pager', { ...to, role: 'owner' })).toEqual([403, 'ownerOnTeamDriveItemNotSupported'])
    expect(await refused('Pager', { ...to, role: 'organizer' })).toEqual([403, 'organizerOnNonTeamDriveItemNotSupported'])
    expect(await refused('Plans', { ...to, role: 'editor' })).toEqual([400, 'invalid'])
    expect(await refused('Plans', to)).toEqual([400, 'required'])
  })

  it(
    'are given by those who may share, and shown to those who may change the item',
    covers('sharing/who-may-share', 'sharing/who-sees'),
    async () => {
      const { refused, refusal, path, get, one, share } = sharing()
      const to = { emailAddress: priya, role: 'reader' }
      for (const name of ['Onboarding guide', 'Logo.png', 'Brand'])
        expect(await refused(name, to)).toEqual([403, 'insufficientFilePermissions'])
      await share('Agenda.txt', { emailAddress: mikael, role: 'writer' })
      expect(await refusal(`GET ${path('Onboarding guide')}`)).toEqual([403, 'insufficientFilePermissions'])
      const { permissions, permissionIds } = await get(`GET /files/${one('Apollo'.toLowerCase()).id}`, {
        query: { fields: 'permissions/role,permissionIds' },
      })
      expect([rowsIn(permissions), Array.isArray(permissionIds) && permissionIds.length]).toEqual([[{ role: 'owner' }], 1])
    },
  )

  it(
    'refuse addresses that are none, groups taken for people, and strangers without an email',
    covers('sharing/strangers', 'sharing/groups'),
    async () => {
      const { refused, share, store } = sharing()
      const role = 'reader'
      const before = store.permissions().length
      for (const emailAddress of ['nobody', 'a@b', 'a b@c.example', '', 'a@c.example,b@c.example']) {
        expect(await refused('Plans', { role, emailAddress })).toEqual([400, 'invalid'])
      }
      const group = { role, emailAddress: 'team-engineering@lodestar.example' }
      expect(await refused('Plans', group)).toEqual([400, 'invalid'])
      expect(await refused('Plans', { role, emailAddress: priya, type: 'group' })).toEqual([400, 'invalid'])
      const stranger = { role, emailAddress: 'stranger@other.example' }
      expect(await refused('Plans', stranger, { sendNotificationEmail: false })).toEqual([400, 'invalidSharingRequest'])
      expect(await refused('Plans', { role, type: 'robot' })).toEqual([400, 'invalid'])
      expect(store.permissions()).toHaveLength(before)
      expect(await share('Plans', { ...group, type: 'group' })).toMatchObject({ type: 'group', displayName: 'Engineering' })
      expect(await share('Plans', stranger)).toMatchObject({ emailAddress: 'stranger@other.example' })
    },
  )

  it('share with the domain and by link, and undo it', covers('sharing/domain-and-anyone'), async () => {
    const { share, names, path, get, one, store } = sharing()
    await share('Plans', { type: 'domain', domain: 'lodestar.example', role: 'reader', allowFileDiscovery: true })
    expect(await names('trashed = false', { corpora: 'domain' })).toEqual(['Drafts', 'Plans', 'Travel policy.pdf', 'idea.txt'])
    const { id } = await share('lake.png', { type: 'anyone', role: 'reader' })
    expect(id).toBe('anyoneWithLink')
    expect(one('lake.png').shared).toBe(1)
    await get(`DELETE ${path('lake.png')}/anyoneWithLink`)
    expect([one('lake.png').shared, store.mails()]).toEqual([0, []])
    expect(dig(await get(`GET ${path('Plans')}`), 'permissions.1.type')).toBe('domain')
  })
})
