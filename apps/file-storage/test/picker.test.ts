import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { manualCall } from '@mcp-toolkits/core/manual-clock'
import { ToolError } from '@mcp-toolkits/core'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { connect } from '../src/connect.ts'
import { tools } from '../src/tools/index.ts'

const unknown = '1aBcDeFgHiJkLmNoPqRsTuVwXyZ123456'
const forbidden = { error: { code: 403, message: 'no', errors: [{ reason: 'insufficientFilePermissions' }] } }

/** Calls that find nothing, and calls that are not permitted; what they answer is the same for every way of asking. */
const calls: readonly (readonly [what: string, tool: string, args: Record<string, unknown>, refused?: true])[] = [
  ['a path', 'RenameFile', { file_path_or_id: 'Work/May.pdf', new_filename: 'x' }],
  ['a name', 'ShareFile', { file_path_or_id: 'nothing', email_addresses: ['ada@example.com'] }],
  ['an id', 'ShareFile', { file_path_or_id: unknown, email_addresses: ['ada@example.com'] }],
  ['a link', 'RenameFile', { file_path_or_id: `https://drive.google.com/file/d/${unknown}/view`, new_filename: 'x' }],
  ['a parent', 'CreateFolder', { folder_name: 'x', parent_folder_path_or_id: unknown }],
  ['a folder to search', 'SearchFiles', { query: 'x', folder_path_or_id: unknown }],
  ['a shared drive', 'GetFileTreeStructure', { restrict_to_shared_drive_id: unknown }],
  ['two paths', 'MoveFile', { source_file_path_or_id: 'a/b', destination_folder_path_or_id: 'c/d' }],
  ['two ids', 'MoveFile', { source_file_path_or_id: unknown, destination_folder_path_or_id: 'c/d' }],
  ['a rename', 'RenameFile', { file_path_or_id: unknown, new_filename: 'x' }, true],
  ['sharing', 'ShareFile', { file_path_or_id: unknown, email_addresses: ['ada@example.com'] }, true],
]

test.for(calls)('%s points to the file picker for a missing or forbidden item', async ([, name, args, refused]) => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'mcp-toolkits-'))
  if (refused) emulator.faults.add({ times: 9, action: { kind: 'status', status: 403, body: forbidden } })
  const settings = {
    embedded: false,
    dataDirectory,
    readOnly: false,
    toolNames: 'safe',
    environment: { FILE_STORAGE_ACCESS_TOKEN: 't' },
  } as const
  const { context, close } = await connect(settings, { fetch: emulator.fetch })
  const call = manualCall()
  const tool = tools.find((each) => each.name === name)
  const error: unknown = await tool?.call(args, await context, call).catch((thrown: unknown) => thrown)
  expect(error instanceof ToolError ? error.toJSON() : error).toMatchObject({
    code: refused ? 'forbidden' : 'not_found',
    next: { tool: 'FileStorage.GenerateFilePickerUrl' },
  })
  await close()
  await emulator.close()
  await rm(dataDirectory, { recursive: true, force: true })
})
