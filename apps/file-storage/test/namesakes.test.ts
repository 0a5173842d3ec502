import { expect, test } from 'vitest'
import { addPath, folderType, storage, type Storage } from './storage.ts'
import { upload, uploading } from './uploading.ts'

const create = 'FileStorage.CreateFolder'
const rename = 'FileStorage.RenameFile'
const move = 'FileStorage.MoveFile'
const list = 'GET /drive/v3/files'
const shortcutType = 'application/vnd.google-apps.shortcut'
const post = 'POST /drive/v3/files'

/** `Work/Reports/May.pdf`, `Work/New` and `Work/Reports/New`; the id of the root and new ids are cached. */
async function connectSeeded(): Promise<
  Storage & { readonly ids: Readonly<Record<'work' | 'reports' | 'may' | 'inWork' | 'inReports', string>> }
> {
  const server = await storage()
  const [work = '', reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const inWork = server.emulator.addItem({ name: 'New', type: folderType, parent: work })
  const inReports = server.emulator.addItem({ name: 'New', type: folderType, parent: reports })
  await server.call(create, { folder_name: 'Other', parent_folder_path_or_id: 'Work/Reports' })
  return { ...server, ids: { work, reports, may, inWork, inReports } }
}

/** Notices of a call that sends exactly these requests. */
async function noticesOf(server: Storage, tool: string, args: Record<string, unknown>, requests: readonly string[]): Promise<string> {
  const before = server.sent.length
  const result = await server.call(tool, args)
  expect(server.sent.slice(before)).toEqual(requests)
  const { notices } = result
  return Array.isArray(notices) ? notices.join('\n') : ''
}

test.for([
  ['Work', 'inWork'],
  ['Work/Reports', 'inReports'],
  ['/Work//Reports/', 'inReports'],
] as const)('says that %s already has a folder with that name, without an extra request', async ([parent, existing]) => {
  await using server = await connectSeeded()
  const args = (folder_name: string) => ({ folder_name, parent_folder_path_or_id: parent })
  expect(await noticesOf(server, create, args('Unused'), [list, post])).not.toContain('items named')
  expect(await noticesOf(server, create, args('New'), [list, post])).toContain(
    `The folder now has two items named "New": ${server.ids[existing]}, and `,
  )
  expect(await noticesOf(server, create, args('new'), [list, post])).not.toContain('items named')
})

test('counts every item with that name, also through a shortcut, and says what to do', async () => {
  await using server = await connectSeeded()
  const { work, inWork } = server.ids
  const other = server.emulator.addItem({ name: 'New', parent: work, key: 'other' })
  server.emulator.addItem({ name: 'New', parent: work, key: 'trashed', trashed: true })
  server.emulator.addItem({ name: 'Short', type: shortcutType, target: work })
  const notices = await noticesOf(server, create, { folder_name: 'New', parent_folder_path_or_id: 'Short' }, [list, post])
  expect(notices).toMatch(/now has 3 items named "New": \S+, \S+, and \S+ \(new\)/)
  expect(notices).toContain(inWork)
  expect(notices).toContain(other)
  expect(notices).toContain('The path is now ambiguous, so use ids. If you did not want this, rename or move the new one.')
})

test('looks for the name in a folder given by id, at the top and in a shared drive, after creating the folder', async () => {
  await using server = await connectSeeded()
  const { work, inWork } = server.ids
  const top = server.emulator.addItem({ name: 'Top', type: folderType })
  server.emulator.addItem({ name: 'Top', type: folderType, key: 'trashed', trashed: true })
  server.emulator.addItem({ name: 'Work', type: folderType, parent: server.ids.reports })
  const byId = { folder_name: 'New', parent_folder_path_or_id: work }
  expect(await noticesOf(server, create, byId, [post, list])).toContain(`two items named "New": ${inWork}, and `)
  expect(await noticesOf(server, create, { folder_name: 'Top' }, [post, list])).toContain(`two items named "Top": ${top}, and `)
  expect(await noticesOf(server, create, { folder_name: 'Unused' }, [post, list])).toBe('')
  expect(await noticesOf(server, create, { folder_name: 'Work', parent_folder_path_or_id: 'Work' }, [list, post])).toBe('')
})

test('a search for namesakes that fails changes nothing', async () => {
  await using server = await connectSeeded()
  server.emulator.faults.add({ match: { method: 'GET' }, action: { kind: 'status', status: 403 } })
  expect(await noticesOf(server, create, { folder_name: 'New', parent_folder_path_or_id: server.ids.work }, [post, list])).toBe('')
})

test('finds namesakes of a new item although the root cannot be read', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const parent = server.emulator.addItem({ name: 'A', type: folderType, granted: true })
  const existing = server.emulator.addItem({ name: 'New', type: folderType, parent, granted: true })
  await server.call(create, { folder_name: 'Other', parent_folder_path_or_id: 'A' })
  const args = { folder_name: 'New', parent_folder_path_or_id: 'A' }
  expect(await noticesOf(server, create, args, [list, post])).toContain(`two items named "New": ${existing}, and `)
})

test('says that an uploaded file has the same name as another item', async () => {
  await using server = await uploading()
  const [, , may = ''] = addPath(server, 'Work/Reports/May.pdf')
  await server.call(create, { folder_name: 'Other', parent_folder_path_or_id: 'Work/Reports' })
  const args = { file_name: 'May.pdf', source_url: server.from.url, destination_folder_path_or_id: 'Work/Reports' }
  const put = 'POST /upload/drive/v3/files'
  expect(await noticesOf(server, upload, args, [list, put])).toContain(`two items named "May.pdf": ${may}, and `)
})

test('says that a renamed or moved item has the same name as another item', async () => {
  await using server = await connectSeeded()
  const { work, reports, may, inReports } = server.ids
  const patch = `PATCH /drive/v3/files/${may}`
  const args = { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'New' }
  expect(await noticesOf(server, rename, args, [list, patch])).toContain(
    `"New": ${inReports}, and ${may} (renamed). Nothing was overwritten.`,
  )
  expect(await noticesOf(server, rename, { file_path_or_id: may, new_filename: 'May.pdf' }, [patch, list])).toBe('')
  expect(await noticesOf(server, rename, { file_path_or_id: may, new_filename: 'New' }, [patch, list])).toContain(
    `"New": ${inReports}, and ${may}`,
  )
  await server.call(rename, { file_path_or_id: may, new_filename: 'May.pdf' })
  const twin = server.emulator.addItem({ name: 'May.pdf', parent: work })
  const moved = { source_file_path_or_id: 'Work/Reports/May.pdf', destination_folder_path_or_id: 'Work' }
  expect(await noticesOf(server, move, moved, [list, patch])).toContain(`"May.pdf": ${twin}, and ${may} (moved).`)
  expect(
    await noticesOf(server, move, { source_file_path_or_id: may, destination_folder_path_or_id: reports, new_filename: 'New' }, [
      `GET /drive/v3/files/${may}`,
      `GET /drive/v3/files/${reports}`,
      patch,
      list,
    ]),
  ).toContain(`"New": ${inReports}, and ${may} (moved).`)
})

test('says so however a moved item and its destination are given, in any drive', async () => {
  await using server = await connectSeeded()
  const { work, may } = server.ids
  const box = server.emulator.addItem({ name: 'Box', type: folderType, parent: work })
  const driveId = server.emulator.addDrive({ name: 'Team', members: [['robin.vance@lodestar.example', 'organizer']] })
  const folder = server.emulator.addItem({ name: 'Shared', type: folderType, parent: driveId })
  server.emulator.addItem({ name: 'Short', type: shortcutType, target: folder })
  const twins = [work, box, folder].map((parent) => server.emulator.addItem({ name: 'May.pdf', parent, key: 'twin' }))
  const moves = [
    ['Work/Reports/May.pdf', work, 0],
    [may, 'Work/Box', 1],
    [may, 'Short', 2],
    [may, work, 0],
    [may, folder, 2],
  ] as const
  for (const [source, destination, twin] of moves) {
    const found = await server.call(move, {
      source_file_path_or_id: source,
      destination_folder_path_or_id: destination,
    })
    expect(JSON.stringify(found['notices']), `${source} to ${destination}`).toContain(`: ${twins[twin]}, and ${may} (moved)`)
  }
})

test('finds a namesake in another drive that a shortcut leads to', async () => {
  await using server = await connectSeeded()
  const driveId = server.emulator.addDrive({ name: 'Team', members: [['robin.vance@lodestar.example', 'organizer']] })
  const folder = server.emulator.addItem({ name: 'Shared', type: folderType, parent: driveId })
  const plan = server.emulator.addItem({ name: 'Plan', parent: folder })
  server.emulator.addItem({ name: 'Draft', parent: folder })
  server.emulator.addItem({ name: 'Short', type: shortcutType, target: folder })
  const created = await server.call(create, { folder_name: 'Plan', parent_folder_path_or_id: 'Short' })
  expect(JSON.stringify(created['notices'])).toContain(plan)
  const renamed = await server.call(rename, { file_path_or_id: 'Short/Draft', new_filename: 'Plan' })
  expect(JSON.stringify(renamed['notices'])).toContain(plan)
})

test('looks once for a name that more items have than fit on a page, and then no more', async () => {
  await using server = await connectSeeded()
  const elsewhere = server.emulator.addItem({ name: 'Elsewhere', type: folderType })
  for (let index = 0; index < 1001; index += 1) server.emulator.addItem({ name: 'Common', parent: elsewhere, key: `${index}` })
  const args = (parent: string) => ({ folder_name: 'Common', parent_folder_path_or_id: parent })
  await noticesOf(server, create, args('Work/Reports'), [list, list, post])
  await noticesOf(server, create, args('Work/Reports'), [list, post])
  await noticesOf(server, create, args('Work'), [list, post])
})
