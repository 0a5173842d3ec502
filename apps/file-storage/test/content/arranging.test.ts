import { expect, test } from 'vitest'
import { put } from '../contents.ts'
import { addPath, folderType, patchByOtherProgram, storage, textAt, type StorageOptions } from '../storage.ts'
import { contentIn } from './other-program.ts'

const copy = 'FileStorage.CopyFile'
const trash = 'FileStorage.TrashFile'
const restore = 'FileStorage.RestoreFile'
const withContent = (options: StorageOptions = {}) => storage({ toolsets: ['content'], ...options })

test('copies a file with its content, next to it or into a folder, and then looks for items with the same name', async () => {
  await using server = await withContent()
  const id = await put(server, 'plan.txt', Buffer.from('plan'), 'text/plain')
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType })
  const beside = await server.call(copy, { file_path_or_id: 'plan.txt' })
  expect(beside).toMatchObject({ file: { name: 'Copy of plan.txt', size: 4 }, copy_of: { id, name: 'plan.txt' } })
  expect(await contentIn(server, textAt(beside, 'file.id'))).toBe('plan')
  const args = { file_path_or_id: 'plan.txt', new_filename: 'old plan.txt', destination_folder_path_or_id: 'Archive' }
  expect(await server.call(copy, args)).toMatchObject({ file: { name: 'old plan.txt', parent_id: archive } })
  const requests = [`GET /drive/v3/files/${id}`, `POST /drive/v3/files/${id}/copy`, 'GET /drive/v3/files']
  expect(await server.requestsOf(copy, { file_path_or_id: id, new_filename: 'plan 2.txt' })).toEqual(requests)
})

test('says that a copy or a restored item has the same name as another one, with both ids', async () => {
  await using server = await withContent()
  const [work = '', plan = ''] = addPath(server, 'Work/plan.txt')
  await server.call('FileStorage.CreateFolder', { folder_name: 'Archive' })
  const args = { file_path_or_id: 'Work/plan.txt', destination_folder_path_or_id: 'Archive', new_filename: 'plan.txt', confirm: true }
  const first = await server.call(copy, args)
  expect(first).not.toHaveProperty('notices')
  const twice = `The folder now has two items named "plan.txt": ${textAt(first, 'file.id')}, and`
  expect(await server.call(copy, { ...args, file_path_or_id: plan })).toMatchObject({ notices: [expect.stringContaining(twice)] })
  const sent = server.sent.length
  const beside = await server.call(copy, { file_path_or_id: 'Work/plan.txt', new_filename: 'plan.txt' })
  expect(beside).toMatchObject({ notices: [expect.stringContaining(`"plan.txt": ${plan}, and ${textAt(beside, 'file.id')} (new)`)] })
  expect(server.sent.slice(sent)).toHaveLength(2)
  const unnamed = await server.call(copy, { file_path_or_id: plan })
  expect(unnamed).not.toHaveProperty('notices')
  const again = await server.call(copy, { file_path_or_id: plan, new_filename: 'Copy of plan.txt' })
  expect(again).toMatchObject({ notices: [expect.stringContaining(textAt(unnamed, 'file.id'))] })
  const old = server.emulator.addItem({ name: 'old.txt', parent: work })
  await server.call(trash, { file_path_or_id: old })
  const renewed = server.emulator.addItem({ name: 'old.txt', parent: work, key: 'new' })
  const restored = await server.call(restore, { file_path_or_id: old })
  const notice = `"old.txt": ${renewed}, and ${old} (restored). Nothing was overwritten. The path is now ambiguous, so use ids. If you did not want this, rename one of them.`
  expect(restored).toMatchObject({ changed: true, notices: [expect.stringContaining(notice)] })
})

test('copies into a shared folder only with consent, and says who can see the copy', async () => {
  await using server = await withContent()
  await put(server, 'salaries.txt', Buffer.from('plan'), 'text/plain')
  server.emulator.addItem({ name: 'Team', type: folderType, grants: [['ada@example.com', 'reader']] })
  const args = { file_path_or_id: 'salaries.txt', new_filename: 'copied', destination_folder_path_or_id: 'Team' }
  const written = server.emulator.store.mutations().length
  const error = await server.fails(copy, args)
  expect(error.message).toContain('A copy of "salaries.txt" in this folder would be open to "ada@example.com" (reader)')
  const after = [expect.objectContaining({ who: 'ada@example.com', role: 'reader' })]
  const dry = await server.call(copy, { ...args, dry_run: true })
  expect(dry).toMatchObject({ copy_of: { name: 'salaries.txt' }, after })
  expect(dry).not.toHaveProperty('file')
  expect(server.emulator.store.mutations().length).toBe(written)
  expect(await server.call(copy, { ...args, confirm: true })).toMatchObject({ file: { name: 'copied' }, after })
})

test('asks before a copy is open to people for longer than the original', async () => {
  await using server = await withContent()
  const ada = 'ada@example.com'
  const file = server.emulator.addItem({ name: 'Plan' })
  const [soon, later] = [30, 60].map((days) => server.emulator.addItem({ name: `${days} days`, type: folderType }))
  const lasting = server.emulator.addItem({ name: 'Lasting', type: folderType, grants: [[ada, 'reader']] })
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }
  for (const [id, days] of [
    [file, 40],
    [soon, 30],
    [later, 60],
  ] as const) {
    const body = JSON.stringify({ type: 'user', emailAddress: ada, role: 'reader', expirationTime: inDays(days) })
    const answer = await server.emulator.fetch(`http://localhost/drive/v3/files/${id}/permissions`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
  }
  for (const destination_folder_path_or_id of [later, lasting]) {
    const error = await server.fails(copy, { file_path_or_id: file, destination_folder_path_or_id })
    expect(error.message).toMatch(
      /would be open to "ada@example.com" \(reader.*\)\. Now it is open to .*"ada@example.com" \(reader until 20/,
    )
  }
  await server.call(copy, { file_path_or_id: file, destination_folder_path_or_id: soon })
})

test('copies the target of a shortcut, but no folder', async () => {
  await using server = await withContent()
  const plan = await put(server, 'plan.txt', Buffer.from('plan'), 'text/plain')
  const shortcut = server.emulator.addItem({ name: 'link', target: plan })
  const folder = server.emulator.addItem({ name: 'Folder', type: folderType })
  expect(await server.call(copy, { file_path_or_id: shortcut, new_filename: 'copied' })).toMatchObject({
    copy_of: { id: plan },
    notices: [expect.stringContaining('its target')],
  })
  const before = server.emulator.store.mutations().length
  for (const args of [{ file_path_or_id: folder }, { file_path_or_id: plan, destination_folder_path_or_id: plan }])
    expect(await server.fails(copy, args)).toMatchObject({ code: 'invalid_input' })
  expect(server.emulator.store.mutations().length).toBe(before)
})

test.for(['application/vnd.google-apps.document', 'text/plain'])('makes one copy of %s although responses are lost', async (type) => {
  await using server = await withContent()
  const id = server.emulator.addItem({ name: 'Plan', type })
  server.emulator.faults.add({ match: { path: `/drive/v3/files/${id}/copy` }, action: { kind: 'drop_after' } })
  expect(await server.call(copy, { file_path_or_id: id, new_filename: 'Second' })).toMatchObject({ file: { name: 'Second' } })
  expect(server.emulator.store.named('Second')).toHaveLength(1)
})

test('makes one copy of a document although searches find it late, on short pages', async () => {
  let searches = 0
  const seen = ({ method, url }: Request) => {
    if (method !== 'GET' || !url.includes('appProperties')) return
    searches += 1
    if (searches === 2) server.emulator.quirks.indexLag = 0
  }
  await using server = await withContent({ seen })
  const id = server.emulator.addItem({ name: 'Plan', type: 'application/vnd.google-apps.document' })
  Object.assign(server.emulator.quirks, { indexLag: 60_000, shortPages: true })
  server.emulator.faults.add({ match: { path: `/drive/v3/files/${id}/copy` }, action: { kind: 'drop_after' } })
  expect(await server.call(copy, { file_path_or_id: id, new_filename: 'Second' })).toMatchObject({ file: { name: 'Second' } })
  expect(server.emulator.store.named('Second')).toHaveLength(1)
  expect(searches).toBeGreaterThan(1)
})

test.for(['application/vnd.google-apps.document', 'text/plain'])('leaves no copy of %s in a folder in the trash', async (type) => {
  await using server = await withContent()
  const folder = server.emulator.addItem({ name: 'Old', type: folderType })
  const id = server.emulator.addItem({ name: 'Plan', type, parent: folder })
  await server.call(trash, { file_path_or_id: folder })
  const error = await server.fails(copy, { file_path_or_id: id, new_filename: 'Second' })
  expect([error.code, error.message]).toEqual(['invalid_input', expect.stringContaining('is in the trash, so the item created in it was')])
  expect(server.emulator.store.named('Second')).toEqual([])
})

test('puts a folder into the trash, says what it contains, and restores it by name', async () => {
  await using server = await withContent()
  const [, reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  expect(await server.call(trash, { file_path_or_id: 'Work/Reports' })).toMatchObject({
    item: { id: reports },
    changed: true,
    contains: { items: 1, names: ['May.pdf'], has_more: false },
  })
  expect(await server.fails('FileStorage.RenameFile', { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'x' })).toMatchObject({
    code: 'not_found',
  })
  expect(await server.call(trash, { file_path_or_id: reports })).toMatchObject({
    changed: false,
    notices: ['"Reports" was already in the trash. Nothing was changed.'],
  })
  expect(await server.call(trash, { file_path_or_id: may })).toMatchObject({
    changed: false,
    notices: ['"May.pdf" was already in the trash, with its folder. Nothing was changed.'],
  })
  expect(await server.call(restore, { file_path_or_id: 'Work/Reports' })).toMatchObject({ item: { id: reports }, changed: true })
  expect(await server.call(restore, { file_path_or_id: 'Work/Reports' })).toMatchObject({
    changed: false,
    notices: ['"Reports" is not in the trash. Nothing was changed.'],
  })
  await server.call('FileStorage.RenameFile', { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'June.pdf' })
})

test.for(['Quarterly-Planning-2026', 'quarterly-planning', 'MeetingNotesOfTheWholeTeam'])(
  'restores by a name that looks like an id, and by the id: %s',
  async (name) => {
    await using server = await withContent()
    const work = server.emulator.addItem({ name: 'Work', type: folderType })
    const id = server.emulator.addItem({ name, type: folderType, parent: work })
    for (const file_path_or_id of [name, `/${name}`, `Work/${name}`, id, `id:${id}`, `https://drive.google.com/drive/folders/${id}`]) {
      await server.call(trash, { file_path_or_id: id })
      expect(await server.call(restore, { file_path_or_id })).toMatchObject({ item: { id }, changed: true })
    }
    await server.call(trash, { file_path_or_id: id })
    expect(await server.requestsOf(restore, { file_path_or_id: id })).toHaveLength(3)
  },
)

test('restores nothing from a different folder than the path says', async () => {
  await using server = await withContent()
  const [, may = ''] = addPath(server, 'Private/May.pdf')
  addPath(server, 'Work/May.pdf')
  await server.call(trash, { file_path_or_id: may })
  const error = await server.fails(restore, { file_path_or_id: 'Work/May.pdf' })
  expect(error).toMatchObject({ code: 'not_found', suggestions: [{ value: may }] })
  expect(error.message).toContain('from the folder "Private"')
  expect(await server.call(restore, { file_path_or_id: 'Private/May.pdf' })).toMatchObject({ item: { id: may }, changed: true })
  const [, , june = ''] = addPath(server, 'Old/Reports/June.pdf')
  await server.call(trash, { file_path_or_id: june })
  const deeper = await server.fails(restore, { file_path_or_id: 'Work/Reports/June.pdf' })
  expect([deeper.code, deeper.message]).toEqual(['not_found', expect.stringContaining('from the folder "Old/Reports"')])
  for (const file_path_or_id of ['My Drive/Old/Reports/June.pdf', '/Old/Reports/June.pdf'])
    expect(await server.call(restore, { file_path_or_id })).toMatchObject({ item: { id: june } })
})

test('restores by a path that begins with the name of a shared drive', async () => {
  await using server = await withContent()
  const me = 'robin.vance@lodestar.example'
  const drives = ['Design', 'Sales'].map((name) => server.emulator.addDrive({ name, members: [[me, 'organizer']] }))
  const plans = drives.map((parent) => server.emulator.addItem({ name: 'Plan', parent, key: parent }))
  for (const id of plans) await server.call(trash, { file_path_or_id: id })
  expect(await server.call(restore, { file_path_or_id: 'Sales/Plan' })).toMatchObject({ item: { id: plans[1] }, changed: true })
  expect(await server.fails(restore, { file_path_or_id: 'Sales/x/Plan' })).toMatchObject({ code: 'not_found' })
  expect(await server.fails(restore, { file_path_or_id: 'Work/Plan' })).toMatchObject({
    code: 'not_found',
    suggestions: [{ value: plans[0] }],
  })
  expect(await server.call(restore, { file_path_or_id: 'Design/Plan' })).toMatchObject({ item: { id: plans[0] }, changed: true })
})

test('says that an item found by id is in the trash', async () => {
  await using server = await withContent({ toolsets: ['content', 'access'] })
  const id = await put(server, 'plan.txt', Buffer.from('plan'), 'text/plain')
  const document = server.emulator.addItem({ name: 'Plan', type: 'application/vnd.google-apps.document' })
  for (const each of [id, document]) await server.call(trash, { file_path_or_id: each })
  for (const [tool, args] of [
    ['ReadFile', {}],
    ['DownloadFile', {}],
    ['RenameFile', { new_filename: 'plan.txt' }],
    ['ShareFile', { email_addresses: ['ada@example.com'] }],
    ['ListFilePermissions', {}],
    ['CopyFile', { dry_run: true }],
  ] as const) {
    const { notices } = await server.call(`FileStorage.${tool}`, { file_path_or_id: id, ...args })
    expect([tool, notices]).toEqual([tool, expect.arrayContaining(['"plan.txt" is in the trash.'])])
  }
  const exported = await server.call('FileStorage.ExportFile', { file_path_or_id: document, format: 'txt' })
  expect(exported['notices']).toContain('"Plan" is in the trash.')
  expect(await server.call('FileStorage.CheckFileAccess', { files: [id] })).toMatchObject({
    files: [{ status: 'accessible', reason: 'It is in the trash.' }],
  })
})

test('says that a restored item stays in the trash with its folder', async () => {
  await using server = await withContent()
  const [work = '', may = ''] = addPath(server, 'Work/May.pdf')
  await patchByOtherProgram(server, may, { trashed: true })
  await patchByOtherProgram(server, work, { trashed: true })
  const notices = [`It is still in the trash with its folder ${work}, which has to be restored first.`]
  expect(await server.call(restore, { file_path_or_id: may })).toMatchObject({ changed: true, notices })
  for (const file_path_or_id of [may, 'Work/May.pdf'])
    expect(await server.call(restore, { file_path_or_id })).toMatchObject({ changed: false, notices })
})

test('finds items in the trash on all pages, and restores nothing after an incomplete search', async () => {
  await using server = await withContent()
  const id = server.emulator.addItem({ name: 'Plan' })
  await server.call(trash, { file_path_or_id: id })
  server.emulator.quirks.incompleteSearch = true
  expect(await server.fails(restore, { file_path_or_id: 'Plan' })).toMatchObject({ code: 'unavailable' })
  Object.assign(server.emulator.quirks, { incompleteSearch: false, shortPages: true })
  expect(await server.call(restore, { file_path_or_id: 'Plan' })).toMatchObject({ item: { id }, changed: true })
})

test('asks which of several items in the trash is meant', async () => {
  await using server = await withContent()
  const ids = ['one', 'two'].map((key) => server.emulator.addItem({ name: 'Plan', key }))
  for (const id of ids) await server.call(trash, { file_path_or_id: id })
  const error = await server.fails(restore, { file_path_or_id: 'Plan' })
  expect(error.code).toBe('ambiguous')
  expect(error.suggestions?.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  expect(await server.call(restore, { file_path_or_id: ids[0] })).toMatchObject({ item: { id: ids[0] }, changed: true })
  for (let number = 0; number < 12; number += 1)
    await server.call(trash, { file_path_or_id: server.emulator.addItem({ name: 'Old', key: `old ${number}` }) })
  const { message } = await server.fails(restore, { file_path_or_id: 'Old' })
  expect(message).toMatch(/^12 items in the trash are called "Old": .*, and 2 more\. Pass the id/)
})

test('refuses roots, and items that the account may not trash', async () => {
  await using server = await withContent({ emulated: { seed: 'company' } })
  for (const tool of [trash, restore])
    expect(await server.fails(tool, { file_path_or_id: 'root' })).toMatchObject({ code: 'invalid_input' })
  const shared = server.emulator.store.files().find(({ role, driveId }) => role === 'reader' && driveId === null)
  expect(await server.fails(trash, { file_path_or_id: shared?.id })).toMatchObject({ code: 'forbidden' })
})
