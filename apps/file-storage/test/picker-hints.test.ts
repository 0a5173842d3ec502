import { driveError } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { storage } from './storage.ts'

const picker = { tool: 'FileStorage_GenerateFilePickerUrl' }
const status = { command: 'file-storage-mcp status' }

test.for([
  [404, 'notFound', picker],
  [403, 'insufficientFilePermissions', picker],
  [403, 'appNotAuthorizedToFile', picker],
  [403, 'somethingNew', picker],
  [403, 'insufficientPermissions', status],
  [403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', status],
  [403, 'accessNotConfigured', status],
  [403, 'SERVICE_DISABLED', status],
  [401, 'authError', status],
  [403, 'domainPolicy', undefined],
  [400, 'shareOutNotPermittedForContent', undefined],
  [403, 'parentNotAFolder', undefined],
] as const)('suggests only what helps for %d %s', async ([code, reason, next]) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ times: 9, action: { kind: 'status', ...driveError(code, reason) } })
  const error = await server.fails('FileStorage.RenameFile', { file_path_or_id: id, new_filename: 'New plan' })
  expect(error.next).toEqual(next)
})
