import { expect, test } from 'vitest'
import { setUpAccount } from './setup.ts'

const create = ['FileStorage.CreateFolder', { folder_name: 'New' }] as const
const search = ['FileStorage.SearchFiles', { query: 'report' }] as const
const tree = ['FileStorage.GetFileTreeStructure', { limit: 5 }] as const
const whoAmI = 'FileStorage.WhoAmI'

test('refuses a call before sending it when the person did not grant its scope', async () => {
  const { login, server: open, stored, requests, command } = await setUpAccount()
  const { output, page } = await login([], { leave: ['drive.file'] })
  for (const message of [output, page.body])
    expect(message).toContain('You left out drive.file. 9 of 11 tools cannot be used without them. Run the command again')
  expect(output).toContain('Scopes: userinfo.profile, userinfo.email.')
  expect((await stored())?.scopes).toEqual(['userinfo.profile', 'userinfo.email'])
  const server = await open()
  const before = await requests('/drive/v3/files')
  for (const [tool, args] of [create, search]) {
    const error = await server.fails(tool, args)
    expect(error).toMatchObject({
      code: 'forbidden',
      next: { command: 'file-storage-mcp login --scopes userinfo.profile,userinfo.email,drive.file' },
    })
  }
  expect(await requests('/drive/v3/files')).toBe(before)
  expect((await command(['status', '--json'])).output).toContain('FileStorage_SearchFiles (drive.file|drive.readonly)')

  const { next } = await server.fails(...create)
  const repeated = await login(next?.command?.split(' ').slice(2) ?? [])
  for (const message of [repeated.output, repeated.page.body]) expect(message).not.toContain('left out')
  await server.call(...create)
})

test('only names a scope that was not granted and that no tool needs', async () => {
  const { login } = await setUpAccount()
  const { output, page } = await login(['--scopes', 'drive.file drive.readonly'], { leave: ['drive.readonly'] })
  expect(output).toContain('You left out drive.readonly.\n')
  expect(page.body).toContain('You left out drive.readonly.</p>')
})

test('drive.readonly permits reading and downloading, but no changes', async () => {
  const { login, server: open, emulator, requests } = await setUpAccount()
  const id = emulator.addItem({ name: 'note.txt', content: 'text' })
  await login(['--scopes', 'drive.readonly,userinfo.email'])
  const server = await open()
  await server.call(...search)
  await server.call(...tree)
  await server.call(whoAmI)
  await server.call('FileStorage.DownloadFile', { file_path_or_id: id })
  await server.call('FileStorage.DownloadFileChunk', { file_path_or_id: id, start_byte: 0 })
  const before = await requests('/drive/v3/files')
  const error = await server.fails(...create)
  expect(error).toMatchObject({
    code: 'forbidden',
    next: { command: 'file-storage-mcp login --scopes drive.readonly,userinfo.email,drive.file' },
  })
  expect(error.message).toContain('needs the scope drive.file, and this login has: drive.readonly, userinfo.email')
  expect(await requests('/drive/v3/files')).toBe(before)
})

test('drive includes drive.file and drive.readonly', async () => {
  const { login, server: open, command } = await setUpAccount()
  await login(['--scopes', 'drive'])
  const server = await open()
  await server.call(...search)
  await server.call(...create)
  await server.call(whoAmI)
  expect((await command(['status'])).output).toContain('tools lacking a scope: none')
})

test('tries a call with a token of unknown scope', async () => {
  const { server: open, requests } = await setUpAccount({ accessToken: 't', scopes: ['drive.readonly'] })
  const server = await open({ environment: { FILE_STORAGE_ACCESS_TOKEN: 't' } })
  expect(await server.fails(...create)).toMatchObject({ code: 'forbidden' })
  expect(await requests('/drive/v3/files/generateIds')).toBeGreaterThan(0)
})
