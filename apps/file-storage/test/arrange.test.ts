import { runs } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { addRandomFaults, clockWithoutWaits, folderType, moveByOtherProgram, addPath, storage, textAt, type Storage } from './storage.ts'

const move = 'FileStorage.MoveFile'

const parentOf = ({ emulator }: Storage, id: string) => emulator.store.files().find((file) => file.id === id)?.parentId

test('moves and renames in one request, and the result names the previous parent', async () => {
  await using server = await storage()
  const [, reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType })
  const args = { source_file_path_or_id: 'Work/Reports/May.pdf', destination_folder_path_or_id: 'Archive', new_filename: 'May 2026.pdf' }
  expect(await server.call(move, args)).toMatchObject({
    item: { id: may, name: 'May 2026.pdf', parent_id: archive },
    previous_name: 'May.pdf',
    previous_parent_id: reports,
    moved: true,
  })
})

test('only renames an item that is there already, or changes nothing', async () => {
  await using server = await storage()
  const [, reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const args = { source_file_path_or_id: may, destination_folder_path_or_id: reports }
  expect(await server.call(move, { ...args, new_filename: 'June.pdf' })).toMatchObject({ moved: false, item: { name: 'June.pdf' } })
  const before = server.emulator.store.mutations().length
  expect(await server.call(move, args)).toMatchObject({ moved: false })
  expect(server.emulator.store.mutations().length).toBe(before)
})

test('accepts "root" for the root and a shortcut for its folder', async () => {
  await using server = await storage()
  const [work = '', reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  await server.call(move, { source_file_path_or_id: 'Work/Reports/May.pdf', destination_folder_path_or_id: 'root' })
  expect(parentOf(server, may)).toBe(parentOf(server, work))
  server.emulator.addItem({ name: 'Short', target: reports })
  await server.call(move, { source_file_path_or_id: 'May.pdf', destination_folder_path_or_id: 'Short' })
  expect(parentOf(server, may)).toBe(reports)
})

test('does not move a shortcut into the folder of the same name, except by ids', async () => {
  await using server = await storage()
  const folder = server.emulator.addItem({ name: 'Apollo', type: folderType })
  const shortcut = server.emulator.addItem({ name: 'Apollo link', target: folder })
  const before = server.emulator.store.mutations().length
  const error = await server.fails(move, { source_file_path_or_id: 'Apollo link', destination_folder_path_or_id: 'Apollo' })
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain(
    `Nothing was moved: the shortcut "Apollo link" (${shortcut}) leads to the destination "Apollo" (${folder}).`,
  )
  expect(server.emulator.store.mutations().length).toBe(before)
  await server.call('FileStorage.RenameFile', { file_path_or_id: shortcut, new_filename: 'Apollo' })
  const same = await server.fails(move, { source_file_path_or_id: 'Apollo', destination_folder_path_or_id: 'Apollo' })
  expect(same.suggestions?.map(({ value, id }) => id ?? value)).toEqual(expect.arrayContaining([shortcut, folder]))
  expect(parentOf(server, shortcut)).toBe(parentOf(server, folder))
  const moved = await server.call(move, { source_file_path_or_id: shortcut, destination_folder_path_or_id: folder })
  expect(moved).toMatchObject({ moved: true, item: { id: shortcut, parent_id: folder } })
})

test('moves a file into a shared drive and out of it, and passes on why a folder cannot be moved', async () => {
  await using server = await storage({ emulated: {} })
  const { shared_drives: drives } = await server.call('FileStorage.WhoAmI')
  const driveId = textAt(drives, '0.id')
  const create = async (args: Record<string, unknown>) => textAt(await server.call('FileStorage.CreateFolder', args), 'folder.id')
  const inDrive = await create({ folder_name: 'In the drive', shared_drive_id: driveId })
  const mine = await create({ folder_name: 'Mine' })
  const plan = server.emulator.addItem({ name: 'Plan', parent: mine })
  const moveTo = (source: string, destination: string) => ({ source_file_path_or_id: source, destination_folder_path_or_id: destination })
  for (const [folder, said] of [
    [inDrive, [`The item now belongs to the shared drive ${driveId}, and to no person.`]],
    [driveId, undefined],
    [mine, ['The item has left the shared drive.']],
  ] as const) {
    const result = await server.call(move, moveTo(plan, folder))
    expect(result).toMatchObject({ moved: true, item: { parent_id: folder } })
    expect(result['notices']).toEqual(said)
    expect(parentOf(server, plan)).toBe(folder)
  }
  for (const [source, destination, reason] of [
    [mine, inDrive, 'cannot be moved into a shared drive; files can'],
    [inDrive, 'root', 'cannot be moved out of a shared drive; files can'],
  ] as const) {
    const error = await server.fails(move, moveTo(source, destination))
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error.message).toContain(reason)
    expect(error.next).toBeUndefined()
  }
  expect(parentOf(server, inDrive)).toBe(driveId)
})

test('does not report a move as failed when its response is lost', async () => {
  await using server = await storage()
  const [, , may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType })
  server.emulator.faults.add({ match: { method: 'PATCH' }, action: { kind: 'drop_after' } })
  const args = { source_file_path_or_id: may, destination_folder_path_or_id: archive }
  expect(await server.call(move, args)).toMatchObject({ moved: true, item: { parent_id: archive } })
  expect(parentOf(server, may)).toBe(archive)
})

test('does not report a move as done when the new name is missing', async () => {
  const meanwhile: { moved?: () => Promise<void> } = {}
  const seen = async ({ method }: Request) => {
    if (method === 'PATCH') await meanwhile.moved?.()
  }
  await using server = await storage({ seen })
  const [, reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType })
  // Another client moves it there between the look-up and the change.
  meanwhile.moved = async () => {
    delete meanwhile.moved
    await moveByOtherProgram(server, may, { from: reports, into: archive })
  }
  const args = { source_file_path_or_id: may, destination_folder_path_or_id: archive, new_filename: 'June.pdf' }
  expect(await server.call(move, args)).toMatchObject({ item: { name: 'June.pdf', parent_id: archive } })
  expect(server.emulator.store.files().find(({ id }) => id === may)).toMatchObject({ name: 'June.pdf', parentId: archive })
})

test('moves nothing out of the trash or into it', async () => {
  await using server = await storage()
  const trashed = server.emulator.addItem({ name: 'Old', type: folderType, trashed: true })
  const kept = server.emulator.addItem({ name: 'Kept', type: folderType })
  const before = server.emulator.store.mutations().length
  for (const [source, destination] of [
    [trashed, kept],
    [kept, trashed],
  ]) {
    const error = await server.fails(move, { source_file_path_or_id: source, destination_folder_path_or_id: destination })
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error.message).toContain('is in the trash')
  }
  expect(server.emulator.store.mutations().length).toBe(before)
})

test('reports both wrong references together', async () => {
  await using server = await storage()
  const byPath = await server.fails(move, { source_file_path_or_id: 'nowhere', destination_folder_path_or_id: 'no/where' })
  expect(byPath.message).toContain('"nowhere"')
  expect(byPath.message).toContain('"no/where"')
  const mixed = await server.fails(move, {
    source_file_path_or_id: 'nowhere',
    destination_folder_path_or_id: '1aBcDeFgHiJkLmNoPqRsTuVwXyZ123456',
  })
  expect(mixed).toMatchObject({ code: 'not_found' })
  expect(mixed.message).toContain('"nowhere"')
  expect(mixed.message).toContain('1aBcDeFgHiJkLmNoPqRsTuVwXyZ123456')
})

const rounds = runs(5)

test(`${rounds * 20} moves and renames under faults before and after commit succeed exactly once`, async () => {
  await using server = await storage({ clock: clockWithoutWaits })
  const folders = ['Left', 'Right'].map((name) => server.emulator.addItem({ name, type: folderType }))
  const ids = Array.from({ length: 20 }, (_, index) =>
    server.emulator.addItem({ name: `file ${index}`, ...(folders[0] !== undefined && { parent: folders[0] }) }),
  )
  const { seed } = addRandomFaults(server.emulator)
  for (let round = 1; round <= rounds; round += 1) {
    const destination = folders[round % 2] ?? ''
    const moves = ids.map((id, index) =>
      server.call(move, {
        source_file_path_or_id: id,
        destination_folder_path_or_id: destination,
        new_filename: `file ${index}, round ${round}`,
      }),
    )
    await Promise.all(moves)
    const files = server.emulator.store.files().filter(({ id }) => ids.includes(id))
    expect(files.map(({ name }) => name).sort(), `seed ${seed}`).toEqual(ids.map((_, index) => `file ${index}, round ${round}`).sort())
    expect(new Set(files.map(({ parentId }) => parentId))).toEqual(new Set([destination]))
  }
})

test('renames an item whose folder is not visible in one request', async () => {
  await using server = await storage()
  const grants = [['robin.vance@lodestar.example', 'writer']] as const
  const id = server.emulator.addItem({ name: 'Plan', parent: null, owner: 'priya.nair@lodestar.example', grants })
  expect(await server.requestsOf('FileStorage.RenameFile', { file_path_or_id: id, new_filename: 'Other' })).toEqual([
    `PATCH /drive/v3/files/${id}`,
  ])
})

test('a new name that begins at the root leads to a move of an item in a folder', async () => {
  await using server = await storage()
  addPath(server, 'Work/May.pdf')
  const error = await server.fails('FileStorage.RenameFile', { file_path_or_id: 'Work/May.pdf', new_filename: '/June.pdf' })
  const args = { source_file_path_or_id: 'Work/May.pdf', destination_folder_path_or_id: 'root', new_filename: 'June.pdf' }
  expect(error.next).toEqual({ tool: 'FileStorage_MoveFile', arguments: args })
})
