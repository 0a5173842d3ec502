import { isObject } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { addPath, folderType, storage, type Storage, type StorageOptions } from '../storage.ts'

const check = 'FileStorage.CheckFileAccess'
const list = 'FileStorage.ListFilePermissions'
const revoke = 'FileStorage.RevokeFileAccess'
const removeAll = 'FileStorage.RemoveAllCollaborators'
const setAccess = 'FileStorage.SetGeneralAccess'

const me = 'robin.vance@lodestar.example'
const tomas = 'tomas.herrera@lodestar.example'
const priya = 'priya.nair@lodestar.example'

const connect = (options: StorageOptions = {}) => storage({ toolsets: ['access'], ...options })

/** A folder that Tomas may comment on, with a file that Ada and a group may read and Bob and Priya may edit. */
function addShared({ emulator }: Storage) {
  const folder = emulator.addItem({ name: 'Team', type: folderType, grants: [[tomas, 'commenter']] })
  const grants = [
    ['ada@example.com', 'reader'],
    ['bob@example.com', 'writer'],
    [priya, 'writer'],
  ] as const
  return { folder, file: emulator.addItem({ name: 'Plan', parent: folder, grants }) }
}

/** Opens an item to a domain, as another program of the same person would. */
async function openToDomain({ emulator }: Storage, id: string, domain: string): Promise<void> {
  const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify({ type: 'domain', domain, role: 'writer' }) }
  expect((await emulator.fetch(`http://localhost/drive/v3/files/${id}/permissions`, request)).status).toBe(200)
}

const rowsOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : [])
const times = (count: number, status: string) => Array.from({ length: count }, () => status)
const whoIn = (rows: unknown) =>
  rowsOf(rows)
    .map(({ who, role }) => `${String(who)} ${String(role)}`)
    .sort()

test('lists who has access, with the source of inherited roles, or only the requested roles', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const { item, permissions, pagination } = await server.call(list, { file_path_or_id: 'Team/Plan' })
  expect(item).toEqual({ id: file, name: 'Plan' })
  expect(whoIn(permissions)).toEqual(
    ['ada@example.com reader', 'bob@example.com writer', `${priya} writer`, `${me} owner`, `${tomas} commenter`].sort(),
  )
  expect(rowsOf(permissions).find(({ who }) => who === tomas)).toMatchObject({ inherited_from: 'a folder above' })
  expect(pagination).toEqual({ has_more: false, end_cursor: null })
  expect(whoIn((await server.call(list, { file_path_or_id: file, roles: ['owner', 'reader'] }))['permissions'])).toEqual(
    ['ada@example.com reader', `${me} owner`].sort(),
  )
  const first = await server.call(list, { file_path_or_id: file, limit: 2 })
  expect(first).toMatchObject({ pagination: { has_more: true } })
  expect(first['notices']).toEqual([
    'There are 5 permissions: raise limit, or pass roles.',
    'To grant or change a role, use FileStorage_ShareFile with the role reader, commenter or writer.',
  ])
})

test('removes access from people, and names roles that come from a folder above', async () => {
  await using server = await connect()
  const { folder, file } = addShared(server)
  const args = { file_path_or_id: 'Team/Plan', people: ['ADA@example.com', 'Tomás Herrera', 'nobody@example.com', me] }
  const { people, before, after } = await server.call(revoke, args)
  expect(people).toEqual([
    { who: 'ada@example.com', outcome: 'removed', previous_role: 'reader' },
    {
      who: tomas,
      outcome: 'kept',
      role: 'commenter',
      reason: `Has the role "commenter" from the folder "Team" (${folder}); it can only be changed there.`,
    },
    { who: 'nobody@example.com', outcome: 'no_access' },
    { who: me, outcome: 'kept', role: 'owner', reason: 'Owns the item.' },
  ])
  expect(whoIn(before)).toContain('ada@example.com reader')
  expect(whoIn(after)).not.toContain('ada@example.com reader')
  expect(
    server.emulator.store
      .permissions()
      .filter(({ fileId }) => fileId === file)
      .map(({ emailAddress }) => emailAddress),
  ).toEqual(['bob@example.com', priya])
  const again = await server.call(revoke, { file_path_or_id: file, people: ['ada@example.com'] })
  expect(again).toMatchObject({ people: [{ who: 'ada@example.com', outcome: 'no_access' }] })
})

test('says that the members of a group may still see it', async () => {
  await using server = await connect()
  const grants = [
    ['ada@example.com', 'reader'],
    ['team-web@example.com', 'writer'],
  ] as const
  const file = server.emulator.addItem({ name: 'Plan', grants })
  const notices = ['It stays open to "team-web@example.com" (writer), so those who were removed may still see it.']
  expect(await server.call(revoke, { file_path_or_id: file, people: ['ada@example.com'] })).toMatchObject({ notices })
})

test('removes no one if one name is unknown or ambiguous', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const before = server.emulator.store.permissions()
  const unknown = await server.fails(revoke, { file_path_or_id: file, people: ['ada@example.com', 'Thomas Herrera'] })
  expect(unknown).toMatchObject({ code: 'not_found', suggestions: [{ parameter: 'people' }] })
  const invented = await server.fails(revoke, { file_path_or_id: file, people: ['priya@lodestar.exmaple', 'Priya Nayr'] })
  expect(JSON.stringify(invented)).not.toContain('priya@lodestar.exmaple"')
  const exception = await server.fails(removeAll, { file_path_or_id: file, except_people: ['priya.nair@lodestar.exmaple'] })
  expect(exception).toMatchObject({ code: 'not_found' })
  expect(server.emulator.store.permissions()).toEqual(before)
})

test('keeps a lower role from above when the role on the item is removed', async () => {
  await using server = await connect()
  const { folder } = addShared(server)
  const file = server.emulator.addItem({ name: 'Notes', parent: folder, grants: [[tomas, 'writer']] })
  const { people, after } = await server.call(revoke, { file_path_or_id: file, people: [tomas] })
  expect(people).toMatchObject([{ outcome: 'kept', previous_role: 'writer', role: 'commenter' }])
  expect(whoIn(after)).toContain(`${tomas} commenter`)
})

test('removes all collaborators but the exceptions, groups only on request, and says what stays open', async () => {
  await using server = await connect({ emulated: {} })
  const { file } = addShared(server)
  await server.call('FileStorage.ShareFile', { file_path_or_id: file, email_addresses: ['ada@example.com'] })
  await server.call(setAccess, { file_path_or_id: file, access: 'anyone', confirm: true })
  const { people, after, notices } = await server.call(removeAll, { file_path_or_id: file, except_people: ['Priya Nair'] })
  expect(whoIn(people)).toEqual(['ada@example.com undefined', 'bob@example.com undefined', `${tomas} commenter`].sort())
  expect(whoIn(after)).toEqual([`${me} owner`, `${priya} writer`, `${tomas} commenter`, 'anyone reader'].sort())
  expect(notices).toEqual(['It stays open to anyone who has the link (reader), so those who were removed may still see it.'])
})

test('opens an item to anyone only with consent, and says who could see it before and who can now', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const args = { file_path_or_id: 'Team/Plan', access: 'anyone' }
  const before = server.emulator.store.permissions()
  const planned = await server.call(setAccess, { ...args, dry_run: true })
  expect(planned).toMatchObject({ changed: false, notices: ['Nothing was changed: dry_run was true.'] })
  const refused = await server.fails(setAccess, args)
  expect(refused.code).toBe('invalid_input')
  expect(refused.message).toMatch(
    /^"Plan" would be open to anyone who has the link \(reader\)\. Now it is open to .*Nothing was changed\. Ask the user/,
  )
  expect(server.emulator.store.permissions()).toEqual(before)
  const done = await server.call(setAccess, { ...args, confirm: true })
  expect(done).toMatchObject({ changed: true, before: planned['before'] })
  expect(whoIn(done['after'])).toEqual(whoIn(planned['after']))
  expect(server.emulator.store.permissions().find(({ type }) => type === 'anyone')).toMatchObject({
    fileId: file,
    role: 'reader',
    allowFileDiscovery: 0,
  })
  const again = await server.call(setAccess, { ...args })
  expect(again).toMatchObject({ changed: false, before: done['after'], after: done['after'] })
  const closed = await server.call(setAccess, { ...args, access: 'restricted' })
  expect(closed).toMatchObject({ changed: true, after: done['before'] })
})

test('restores a link when Google Drive refuses the one that would replace it', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const set = (more: Record<string, unknown>) => ({ file_path_or_id: file, confirm: true, ...more })
  await server.call(setAccess, set({ access: 'anyone' }))
  const before = whoIn((await server.call(list, { file_path_or_id: file }))['permissions'])
  const body = { error: { code: 403, message: 'Not allowed.', errors: [{ reason: 'publishOutNotPermitted', message: 'Not allowed.' }] } }
  server.emulator.faults.add({ match: { method: 'POST', path: '/drive/v3/files/*' }, action: { kind: 'status', status: 403, body } })
  expect(await server.fails(setAccess, set({ allow_discovery: true }))).toMatchObject({ code: 'forbidden' })
  expect(whoIn((await server.call(list, { file_path_or_id: file }))['permissions'])).toEqual(before)
})

test('changes the role, the discovery and the circle', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const set = async (more: Record<string, unknown>) =>
    whoIn((await server.call(setAccess, { file_path_or_id: file, confirm: true, ...more }))['after']).filter((row) => !row.includes('@'))
  expect(await set({ access: 'domain', allow_discovery: true })).toEqual(['lodestar.example reader'])
  expect(await set({ role: 'commenter' })).toEqual(['lodestar.example commenter'])
  expect(await set({ allow_discovery: false })).toEqual(['lodestar.example commenter'])
  expect(server.emulator.store.permissions().find(({ type }) => type === 'domain')).toMatchObject({ allowFileDiscovery: 0 })
  expect(await set({ access: 'anyone', role: 'writer' })).toEqual(['anyone writer'])
  expect(await set({ access: 'anyone', role: 'reader' })).toEqual(['anyone reader'])
  expect(await set({ access: 'restricted' })).toEqual([])
  expect(await server.fails(setAccess, { file_path_or_id: file, role: 'reader' })).toMatchObject({ code: 'invalid_input' })
  expect(await server.fails(setAccess, { file_path_or_id: file, access: 'restricted', role: 'reader' })).toMatchObject({
    code: 'invalid_input',
  })
})

test("the domain is the account's; a different one is named and kept, and only removed along with everything", async () => {
  await using server = await connect()
  const { file } = addShared(server)
  await openToDomain(server, file, 'partner.example')
  const set = (more: Record<string, unknown>) => server.call(setAccess, { file_path_or_id: file, ...more })
  const domainsIn = (rows: unknown) => whoIn(rows).filter((row) => !row.includes('@'))
  const refused = await server.fails(setAccess, { file_path_or_id: file, access: 'domain' })
  expect(refused.message).toContain('would be open to everyone at "lodestar.example" who has the link (reader). Now it is open to')
  expect(refused.message).toContain('everyone at "partner.example" who has the link (writer)')
  const unnamed = await server.fails(setAccess, { file_path_or_id: file, role: 'reader' })
  expect(unnamed.message).toContain('everyone at "partner.example" who has the link (writer), which is not this account\'s domain')
  expect(await set({})).toMatchObject({ changed: false })
  const planned = await set({ access: 'domain', dry_run: true })
  const done = await set({ access: 'domain', confirm: true })
  const both = ['lodestar.example reader', 'partner.example writer']
  expect([planned, done].map(({ after }) => domainsIn(after))).toEqual([both, both])
  const stays =
    'It stays open to everyone at "partner.example" who has the link (writer), which is not this account\'s domain. To revoke that access, use FileStorage_RevokeFileAccess with people ["partner.example"].'
  expect(done).toMatchObject({ changed: true, notices: [stays] })
  expect(planned['notices']).toContain(stays)
  expect(domainsIn((await set({ role: 'commenter', confirm: true }))['after'])).toEqual([
    'lodestar.example commenter',
    'partner.example writer',
  ])
  expect(domainsIn((await set({ access: 'anyone', confirm: true }))['after'])).toEqual(['anyone reader', 'partner.example writer'])
  const { people } = await server.call(revoke, { file_path_or_id: file, people: ['partner.example'] })
  expect(people).toEqual([{ who: 'partner.example', outcome: 'removed', previous_role: 'writer' }])
  await openToDomain(server, file, 'partner.example')
  expect(domainsIn((await set({ access: 'restricted' }))['after'])).toEqual([])
})

test('reports a change when it only removed a permission that another one covers', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const args = { file_path_or_id: file, access: 'anyone' }
  await server.call(setAccess, { ...args, role: 'writer', confirm: true })
  await openToDomain(server, file, 'lodestar.example')
  const { changed, before, after } = await server.call(setAccess, args)
  expect([changed, whoIn(before).length - whoIn(after).length]).toEqual([true, 1])
  expect(await server.call(setAccess, args)).toMatchObject({ changed: false })
})

test('names the folder from which an item stays open', async () => {
  await using server = await connect()
  const { folder, file } = addShared(server)
  await server.call(setAccess, { file_path_or_id: folder, access: 'anyone', confirm: true })
  const { notices, changed } = await server.call(setAccess, { file_path_or_id: file, access: 'restricted' })
  expect(changed).toBe(false)
  expect(notices).toEqual([
    `It stays open to anyone who has the link (reader). That comes from the folder "Team" (${folder}) and can only be changed there.`,
  ])
})

test('dry_run works under --read-only', async () => {
  await using server = await connect({ readOnly: true })
  const { file } = addShared(server)
  expect(await server.call(setAccess, { file_path_or_id: file, access: 'anyone', dry_run: true })).toMatchObject({ changed: false })
  expect(await server.fails(setAccess, { file_path_or_id: file, access: 'anyone', confirm: true })).toMatchObject({ code: 'forbidden' })
})

test('checks twenty paths, ids and links with three requests, and offers one picker for all missing items', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const paths = Array.from({ length: 10 }, (_, index) => `Work/Reports/${index}.pdf`)
  for (const path of paths) if (path.endsWith('0.pdf')) addPath(server, path)
  const [, reports = ''] = [server.emulator.store.named('Work')[0]?.id, server.emulator.store.named('Reports')[0]?.id]
  for (const index of [1, 2, 3, 4]) server.emulator.addItem({ name: `${index}.pdf`, parent: reports })
  const ids = Array.from({ length: 8 }, (_, index) => server.emulator.addItem({ name: `by id ${index}` }))
  const files = [...paths, ...ids, `https://drive.google.com/file/d/${file}/view`, 'https://example.com/x']
  const requests = ['GET /drive/v3/drives', 'GET /drive/v3/files', 'POST /batch/drive/v3']
  expect((await server.requestsOf(check, { files })).sort()).toEqual([...requests, 'GET /drive/v3/files/root'].sort())
  const sent = server.sent.length
  const result = await server.call(check, { files })
  expect(server.sent.slice(sent).sort()).toEqual(requests.filter((each) => !each.endsWith('drives')))
  const rows = rowsOf(result['files'])
  expect(rows.map(({ file: written }) => written)).toEqual(files)
  expect(rows.map(({ status }) => status)).toEqual([
    ...times(5, 'accessible'),
    ...times(5, 'missing'),
    ...times(9, 'accessible'),
    'refused',
  ])
  expect(rows[18]).toEqual({ file: files[18], status: 'accessible', id: file, name: 'Plan', can: ['download', 'comment', 'edit', 'share'] })
  expect(result['notices']).toMatchObject([expect.stringContaining('picker cannot be opened')])
  expect(result['all_accessible']).toBe(false)
  const all = await server.call(check, { files: ['Team/Plan', 'Team'] })
  expect(all).toMatchObject({ all_accessible: true })
  expect(all).not.toHaveProperty('picker')
})

test('checks a name that looks like an id', async () => {
  await using server = await connect()
  server.emulator.addItem({ name: 'Release-Notes-2027', type: folderType })
  const { files } = await server.call(check, { files: ['Release-Notes-2027', 'Release-Notes-2028'] })
  expect(rowsOf(files).map(({ status }) => status)).toEqual(['accessible', 'missing'])
})

test('checks paths in shared drives, and the targets of shortcuts', async () => {
  await using server = await connect({ emulated: {} })
  const { file } = addShared(server)
  const shortcut = server.emulator.addItem({ name: 'Short', target: file })
  const broken = server.emulator.addItem({ name: 'Broken', target: server.emulator.addItem({ name: 'x', parent: null, owner: priya }) })
  const design = server.emulator.store.named('Design')[0]?.id
  const files = ['Design/Brand/Logo.png', 'Design', 'design/brand', 'Design/Nowhere.png', 'Short', shortcut, broken]
  const { files: rows } = await server.call(check, { files })
  expect(rowsOf(rows).map(({ status, name }) => [status, name])).toEqual([
    ['accessible', 'Logo.png'],
    ['accessible', expect.any(String)],
    ['missing', undefined],
    ['missing', undefined],
    ['accessible', 'Plan'],
    ['accessible', 'Plan'],
    ['missing', undefined],
  ])
  expect(rowsOf(rows)[1]).toMatchObject({ id: design })
  expect(rowsOf(rows)[3]?.['reason']).toBe('The shared drive "Design" has nothing at the path "Nowhere.png".')
  expect(await server.requestsOf(check, { files: ['Short', 'Design/Brand/Logo.png'] })).toHaveLength(4)
})

test('checks the root under each of its names, and an invalid path makes no other file fail', async () => {
  await using server = await connect()
  addShared(server)
  const roots = ['/', '//', 'root', 'My Drive', '/my drive/', '"My Drive"', '~', 'Google Drive']
  const deep = 'a/'.repeat(500)
  const { files, all_accessible } = await server.call(check, { files: ['Team/Plan', ...roots, deep] })
  expect(rowsOf(files).map(({ file, status }) => [file, status])).toEqual([
    ...['Team/Plan', ...roots].map((file) => [file, 'accessible']),
    [deep, 'refused'],
  ])
  expect(all_accessible).toBe(false)
  const named = server.emulator.addItem({ name: 'My Drive', type: folderType })
  expect(await server.call(check, { files: ['My Drive'] })).toMatchObject({ files: [{ id: named }] })
  await using granted = await connect({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const hidden = await granted.call(check, { files: ['/', 'My Drive'] })
  expect(rowsOf(hidden['files']).map(({ status }) => status)).toEqual(times(2, 'refused'))
  expect(hidden).not.toHaveProperty('notices')
})

test('offers no picker for shared drives that one call does not search', async () => {
  await using server = await connect()
  const files = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => {
    const drive = server.emulator.addDrive({ name, members: [[me, 'organizer']] })
    server.emulator.addItem({ name: 'Plan', parent: drive, key: name })
    return `${name}/Plan`
  })
  const result = await server.call(check, { files })
  expect(rowsOf(result['files']).map(({ status }) => status)).toEqual([...times(5, 'accessible'), ...times(2, 'refused')])
  expect(rowsOf(result['files'])[5]?.['reason']).toContain('The shared drive "F" was not searched')
  expect([result['picker'], result['notices']]).toEqual([undefined, undefined])
})

test('takes few requests, and no more for a path than for an id once the root is known', async () => {
  await using server = await connect()
  const { file } = addShared(server)
  const permissions = `/drive/v3/files/${file}/permissions`
  await server.call(check, { files: ['Team/Plan'] })
  for (const [reference, found] of [
    ['Team/Plan', 'GET /drive/v3/files'],
    [file, `GET /drive/v3/files/${file}`],
  ] as const) {
    const args = { file_path_or_id: reference }
    expect(await server.requestsOf(list, args)).toEqual([found, `GET ${permissions}`])
    expect(await server.requestsOf(setAccess, { ...args, access: 'anyone', dry_run: true })).toEqual([found, `GET ${permissions}`])
    expect(await server.requestsOf(setAccess, { ...args, access: 'anyone', confirm: true })).toEqual([
      found,
      `GET ${permissions}`,
      `POST ${permissions}`,
      `GET ${permissions}`,
    ])
    expect(await server.requestsOf(setAccess, { ...args, access: 'restricted' })).toHaveLength(4)
  }
  const once = await server.requestsOf(revoke, { file_path_or_id: file, people: ['ada@example.com'] })
  expect(once.filter((request) => request.includes('permissions')).map((request) => request.split(' ')[0])).toEqual([
    'GET',
    'DELETE',
    'GET',
  ])
  expect(await server.requestsOf(revoke, { file_path_or_id: file, people: ['ada@example.com'] })).toHaveLength(2)
})

test('looks for the source of a role in My Drive, where Google names none, from the folder of the item upward', async () => {
  await using server = await connect()
  const { folder } = addShared(server)
  const inner = server.emulator.addItem({ name: 'Inner', type: folderType, parent: folder })
  const file = server.emulator.addItem({ name: 'Deep', parent: inner })
  const { people } = await server.call(revoke, { file_path_or_id: file, people: [tomas] })
  expect(rowsOf(people)[0]).toMatchObject({
    outcome: 'kept',
    reason: `Has the role "commenter" from the folder "Team" (${folder}); it can only be changed there.`,
  })
})

test('names the shared drive that a role comes from', async () => {
  await using server = await connect()
  const drive = server.emulator.addDrive({
    name: 'Engineering',
    members: [
      [me, 'organizer'],
      [tomas, 'writer'],
    ],
  })
  const file = server.emulator.addItem({ name: 'Runbook', parent: drive })
  const { people, before, after } = await server.call(revoke, { file_path_or_id: file, people: [tomas] })
  expect(rowsOf(people)[0]).toMatchObject({
    outcome: 'kept',
    reason: `Has the role "writer" from the shared drive "Engineering" (${drive}); it can only be changed there.`,
  })
  expect(after).toEqual(before)
})
