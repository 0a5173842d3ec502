import { expect, test } from 'vitest'
import { folderType, sendPatch, storage, textAt, type Storage } from './storage.ts'

const share = 'FileStorage.ShareFile'

function addSharedItem({ emulator }: Storage): string {
  return emulator.addItem({
    name: 'Plan',
    grants: [
      ['ada@example.com', 'reader'],
      ['bob@example.com', 'writer'],
    ],
  })
}

const rolesOn = ({ emulator }: Storage, fileId: string): Record<string, string> =>
  Object.fromEntries(
    emulator.store
      .permissions()
      .filter((grant) => grant.fileId === fileId)
      .map(({ emailAddress, role }) => [emailAddress ?? '', role]),
  )

test('returns one row per address: adds new people, changes existing roles, keeps the owner', async () => {
  await using server = await storage()
  const id = addSharedItem(server)
  const owner = textAt(await server.call('FileStorage.WhoAmI'), 'user.email')
  const addresses = [' New@Example.com', 'ada@example.com', 'BOB@example.com', owner, 'new@example.com']
  const { people } = await server.call(share, { file_path_or_id: 'Plan', email_addresses: addresses, role: 'commenter' })
  expect(people).toEqual([
    { email_address: 'new@example.com', outcome: 'added', role: 'commenter' },
    { email_address: 'ada@example.com', outcome: 'updated', role: 'commenter', previous_role: 'reader' },
    { email_address: 'bob@example.com', outcome: 'updated', role: 'commenter', previous_role: 'writer' },
    { email_address: owner, outcome: 'unchanged', role: 'owner', reason: 'Owns the item.' },
  ])
  expect(rolesOn(server, id)).toMatchObject({
    'new@example.com': 'commenter',
    'ada@example.com': 'commenter',
    'bob@example.com': 'commenter',
  })
  const again = await server.call(share, { file_path_or_id: id, email_addresses: addresses, role: 'commenter' })
  expect(JSON.stringify(again['people'])).not.toMatch(/added|updated/)
})

test('keeps a higher role from above, and says when a role ends', async () => {
  await using server = await storage()
  const { emulator } = server
  const tomas = 'tomas.herrera@lodestar.example'
  const folder = emulator.addItem({ name: 'Team', type: folderType, grants: [[tomas, 'writer']] })
  const grants = [
    [tomas, 'commenter'],
    ['ada@example.com', 'reader'],
  ] as const
  const id = emulator.addItem({ name: 'Plan', parent: folder, grants })
  const ada = emulator.store.permissions().find(({ emailAddress }) => emailAddress === 'ada@example.com')?.permissionId ?? ''
  const ends = { expirationTime: new Date(Date.now() + 86_400_000).toISOString() }
  await sendPatch(server, `${id}/permissions/${ada}`, ends)
  const shareWith = async (role: string) =>
    (await server.call(share, { file_path_or_id: id, email_addresses: [tomas, 'ada@example.com'], role }))['people']
  const reason = 'Has the role "writer" from a folder above or the shared drive; it cannot be lowered here.'
  const end = `It ends at ${ends.expirationTime}.`
  expect(await shareWith('reader')).toEqual([
    { email_address: tomas, outcome: 'unchanged', role: 'writer', reason },
    { email_address: 'ada@example.com', outcome: 'unchanged', role: 'reader', reason: end },
  ])
  expect(await shareWith('commenter')).toMatchObject([
    { outcome: 'unchanged', role: 'writer', reason },
    { outcome: 'updated', role: 'commenter', reason: end },
  ])
})

test('sends emails with the message only to new people, and none when they are off', async () => {
  await using server = await storage()
  const id = addSharedItem(server)
  await server.call(share, {
    file_path_or_id: id,
    email_addresses: ['ada@example.com', 'new@example.com'],
    role: 'writer',
    message: 'Have a look',
  })
  expect(server.emulator.store.mails()).toMatchObject([{ recipient: 'new@example.com', message: 'Have a look' }])
  const quiet = { file_path_or_id: id, email_addresses: ['priya.nair@lodestar.example'], send_notification_email: false, message: 'Hello' }
  expect(await server.call(share, quiet)).toMatchObject({ notices: ['The message was not sent: send_notification_email is false.'] })
  expect(server.emulator.store.mails().length).toBe(1)
})

test.for([
  ['drop_after', 'added'],
  ['status_after_commit', 'added'],
  ['drop_before', 'unknown'],
] as const)('checks after %s and sends no one a second email', async ([kind, outcome]) => {
  await using server = await storage()
  const id = addSharedItem(server)
  server.emulator.faults.add({ match: { method: 'POST' }, action: kind === 'status_after_commit' ? { kind, status: 502 } : { kind } })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: ['new@example.com', 'ada@example.com'] })
  expect(people).toMatchObject([{ outcome }, { outcome: 'unchanged' }])
  expect(server.emulator.store.mails().length).toBe(outcome === 'added' ? 1 : 0)
  expect(server.sent.filter((request) => request.startsWith('POST')).length).toBe(1)
  await server.call(share, { file_path_or_id: id, email_addresses: ['new@example.com'] })
  expect(server.emulator.store.mails().length).toBe(1)
})

test('waits for a rate limit, because nothing was begun', async () => {
  await using server = await storage()
  const id = addSharedItem(server)
  const body = { error: { code: 403, message: 'Slow down', errors: [{ reason: 'sharingRateLimitExceeded' }] } }
  server.emulator.faults.add({ match: { method: 'POST' }, times: 2, action: { kind: 'status', status: 403, body, retry_after: 0 } })
  expect(await server.call(share, { file_path_or_id: id, email_addresses: ['new@example.com'] })).toMatchObject({
    people: [{ outcome: 'added' }],
  })
  expect(server.emulator.store.mails().length).toBe(1)
})

test('continues after a failure for one person, and fails when it fails for all', async () => {
  await using server = await storage()
  const id = addSharedItem(server)
  const body = { error: { code: 400, message: 'No Google account.', errors: [{ reason: 'invalidSharingRequest' }] } }
  server.emulator.faults.add({ match: { method: 'POST' }, action: { kind: 'status', status: 400, body } })
  const some = await server.call(share, { file_path_or_id: id, email_addresses: ['one@example.com', 'two@example.com'] })
  expect(some).toMatchObject({ people: [{ outcome: 'failed' }, { outcome: 'added' }] })
  server.emulator.faults.add({ match: { method: 'POST' }, action: { kind: 'status', status: 400, body } })
  const error = await server.fails(share, { file_path_or_id: id, email_addresses: ['three@example.com'] })
  expect(error).toMatchObject({ code: 'invalid_input' })
  expect(error.message).toContain('three@example.com: Google Drive cannot share with this address. Google Drive says: "No Google account."')
})

test('changes one item in sequence, even from several calls', async () => {
  await using server = await storage()
  const id = addSharedItem(server)
  const addresses = Array.from({ length: 12 }, (_, index) => `person${index}@example.com`)
  await Promise.all(
    [0, 4, 8].map((start) => server.call(share, { file_path_or_id: id, email_addresses: addresses.slice(start, start + 4) })),
  )
  expect(Object.keys(rolesOn(server, id)).length).toBe(14)
  expect(server.overlapping.filter((request) => request.startsWith('POST'))).toEqual([])
})

test('shares the target of a shortcut, and says so', async () => {
  await using server = await storage()
  const folder = server.emulator.addItem({ name: 'Folder', type: folderType })
  server.emulator.addItem({ name: 'Short', target: folder })
  const shortcut = server.emulator.addItem({ name: 'Other', target: folder })
  for (const [role, given] of Object.entries({ reader: 'Short', writer: shortcut })) {
    const result = await server.call(share, { file_path_or_id: given, email_addresses: ['ada@example.com'], role })
    expect(result).toMatchObject({
      shared_item: { id: folder },
    })
    expect(String(result['notices'])).toContain('is a shortcut; its target was shared.')
    expect(rolesOn(server, folder)).toEqual({ 'ada@example.com': role })
  }
  expect(rolesOn(server, shortcut)).toEqual({})
})

test('changes the role of a person through another address', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan', grants: [['ada.okafor@lodestar.example', 'reader']] })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: ['ada@lodestar.example'], role: 'writer' })
  expect(people).toEqual([{ email_address: 'ada@lodestar.example', outcome: 'updated', role: 'writer', previous_role: 'reader' }])
  expect(rolesOn(server, id)).toEqual({ 'ada.okafor@lodestar.example': 'writer' })
})

test('raises an inherited role and does not lower it', async () => {
  await using server = await storage()
  const folder = server.emulator.addItem({ name: 'Folder', type: folderType, grants: [['tomas.herrera@lodestar.example', 'commenter']] })
  const id = server.emulator.addItem({ name: 'Plan', parent: folder })
  const lower = { file_path_or_id: id, email_addresses: ['tomas.herrera@lodestar.example'], role: 'reader' }
  expect(await server.call(share, lower)).toMatchObject({ people: [{ outcome: 'unchanged', role: 'commenter' }] })
  const raise = { ...lower, role: 'writer' }
  expect(await server.call(share, raise)).toMatchObject({ people: [{ outcome: 'updated', role: 'writer', previous_role: 'commenter' }] })
  expect(rolesOn(server, folder)).toEqual({ 'tomas.herrera@lodestar.example': 'commenter' })
})

test('reports an unknown outcome and tries no one else when the check fails', async () => {
  const vendor: { faults?: Storage['emulator']['faults'] } = {}
  const seen = ({ method }: Request) => {
    if (method !== 'POST') return
    vendor.faults?.add({ match: { method: 'POST' }, action: { kind: 'drop_after' } })
    vendor.faults?.add({ match: { method: 'GET' }, times: 9, action: { kind: 'status', status: 500, retry_after: 0 } })
  }
  await using server = await storage({ seen })
  vendor.faults = server.emulator.faults
  const addresses = ['ada@example.com', 'new@example.com', 'other@example.com']
  const { people } = await server.call(share, { file_path_or_id: addSharedItem(server), email_addresses: addresses })
  expect(people).toMatchObject([{ outcome: 'unchanged' }, { outcome: 'unknown' }, { outcome: 'not_tried' }])
  expect(server.emulator.store.mails().length).toBe(1)
})

test('refuses to share the root of a drive', async () => {
  await using server = await storage()
  const error = await server.fails(share, { file_path_or_id: 'root', email_addresses: ['ada@example.com'] })
  expect(error.message).toBe('The root of a drive cannot be shared. Pass a file or folder in it.')
  expect(server.sent).toEqual([])
})

test('refuses to share a whole drive however its root is named', async () => {
  await using server = await storage({ emulated: {} })
  const driveId = textAt(await server.call('FileStorage.WhoAmI'), 'shared_drives.0.id')
  const myDrive = textAt(await server.call('FileStorage.CreateFolder', { folder_name: 'At the top' }), 'folder.parent_id')
  const before = server.emulator.store.mutations().length
  for (const top of [driveId, `https://drive.google.com/drive/folders/${driveId}`, myDrive]) {
    const error = await server.fails(share, { file_path_or_id: top, email_addresses: ['ada@example.com'] })
    expect(error, top).toMatchObject({ code: 'invalid_input' })
    expect(error.message).toContain('The root of a drive cannot be shared.')
    for (const [tool, args] of [
      ['RenameFile', { file_path_or_id: top, new_filename: 'Mine' }],
      ['MoveFile', { source_file_path_or_id: top, destination_folder_path_or_id: 'At the top' }],
    ] as const) {
      const refused = await server.fails(`FileStorage.${tool}`, args)
      expect(refused, tool).toMatchObject({ code: 'invalid_input' })
      expect(refused.message).toContain('The root of a drive cannot be')
    }
  }
  expect(server.emulator.store.mutations().length).toBe(before)
})

test('reports progress person by person', async () => {
  await using server = await storage()
  const told: (number | undefined)[][] = []
  const args = { file_path_or_id: addSharedItem(server), email_addresses: ['one@example.com', 'two@example.com'] }
  await server.client.callTool({ name: share, arguments: args }, { onprogress: ({ progress, total }) => told.push([progress, total]) })
  expect(told).toEqual([
    [1, 2],
    [2, 2],
  ])
})
