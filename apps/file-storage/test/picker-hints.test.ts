import { driveError } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { storage } from './storage.ts'

const picker = { tool: 'FileStorage_GenerateFilePickerUrl' }
const status = { command: 'file-storage-mcp status' }

/**
 * Every reason on Google's page about errors, and others that we have seen, with the status, our error's code, the remedy and the next
 * step.
 */
const reasons: readonly (readonly [status: number, reason: string, code: string, helps: RegExp, next?: object])[] = [
  [400, 'badRequest', 'invalid_input', /refused the request/],
  [400, 'illegalKeepForeverModification', 'invalid_input', /up to the item's owner/],
  [400, 'invalidSharingRequest', 'invalid_input', /Check the address/],
  [400, 'shareOutNotPermittedForContent', 'forbidden', /only its administrator can change/],
  [401, 'authError', 'unauthenticated', /expired, revoked or wrong/, status],
  [401, 'required', 'unauthenticated', /expired, revoked or wrong/, status],
  [403, 'fileNotDownloadable', 'forbidden', /export a Google document/],
  [403, 'fileNotExportable', 'forbidden', /export a Google document/],
  [403, 'activeItemCreationLimitExceeded', 'conflict', /limit of Google Drive.*deleted for good/],
  [403, 'appNotAuthorizedToFile', 'forbidden', /FilePickerUrl lets the person choose it/, picker],
  [403, 'cannotModifyInheritedTeamDrivePermission', 'forbidden', /Change it there/],
  [403, 'dailyLimitExceeded', 'rate_limited', /used up for today/],
  [403, 'domainPolicy', 'forbidden', /only its administrator can change/],
  [403, 'download_restricted_for_revision', 'forbidden', /up to the item's owner/],
  [403, 'fileOwnerNotMemberOfTeamDrive', 'forbidden', /managers of the shared drive.*add the owner/],
  [403, 'fileWriterTeamDriveMoveInDisabled', 'forbidden', /administrator.*owner to move it/],
  [403, 'insufficientFilePermissions', 'forbidden', /item's owner.*role "writer"/],
  [403, 'insufficientParentPermissions', 'forbidden', /pass a different one/],
  [403, 'myDriveHierarchyDepthLimitExceeded', 'conflict', /limit of Google Drive.*closer to the root/],
  [403, 'numChildrenInNonRootLimitExceeded', 'conflict', /limit of Google Drive.*different folder/],
  [403, 'rateLimitExceeded', 'rate_limited', /asked us to slow down/],
  [403, 'sharingRateLimitExceeded', 'rate_limited', /without emails/],
  [403, 'storageQuotaExceeded', 'conflict', /service account.*shared drive, or has to act as a person/],
  [403, 'teamDriveFileLimitExceeded', 'conflict', /limit of Google Drive.*different drive/],
  [403, 'teamDriveHierarchyTooDeep', 'conflict', /limit of Google Drive.*closer to the root/],
  [403, 'teamDriveMembershipRequired', 'forbidden', /managers of the shared drive.*add this account/],
  [403, 'teamDrivesFolderMoveInNotSupported', 'invalid_input', /limit of Google Drive.*move its files/],
  [403, 'teamDrivesParentLimit', 'forbidden', /one folder at a time/],
  [403, 'UrlLeaseLimitExceeded', 'rate_limited', /asked us to slow down/],
  [403, 'userRateLimitExceeded', 'rate_limited', /asked us to slow down/],
  [403, 'insufficientPermissions', 'forbidden', /lacks a scope/, status],
  [403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'forbidden', /lacks a scope/, status],
  [403, 'accessNotConfigured', 'forbidden', /not enabled the Drive API/, status],
  [403, 'SERVICE_DISABLED', 'forbidden', /not enabled the Drive API/, status],
  [403, 'cannotDownloadFile', 'forbidden', /Ask for the role "writer"/],
  [403, 'cannotDownloadAbusiveFile', 'forbidden', /owner can check it/],
  [403, 'parentNotAFolder', 'invalid_input', /Pass a folder/],
  [404, 'notFound', 'not_found', /this app has no access to it/, picker],
  [409, 'fileIdInUse', 'conflict', /already in use/],
]

test.for(reasons)('%d %s says whose rule it is and what helps, and nothing else', async ([code, reason, kind, helps, next]) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ times: 99, action: { kind: 'status', ...driveError(code, reason), retry_after: 900 } })
  const error = await server.fails('FileStorage.RenameFile', { file_path_or_id: id, new_filename: 'New plan' })
  expect(error.code).toBe(kind)
  expect(error.message).toMatch(helps)
  expect(error.next).toEqual(next)
  expect(error.retryable).toBe(kind === 'rate_limited')
})

test.for([
  [403, 'somethingNew', 'forbidden'],
  [400, 'somethingNew', 'invalid_input'],
] as const)('%d %s, which we do not know, gets no advice', async ([code, reason, kind]) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ times: 9, action: { kind: 'status', ...driveError(code, reason, { message: 'Not so.' }) } })
  const error = await server.fails('FileStorage.RenameFile', { file_path_or_id: id, new_filename: 'New plan' })
  expect(error).toMatchObject({ code: kind, retryable: false })
  expect(error.message).toMatch(/^Google Drive [^.]*\. Google Drive says: "Not so\."$/)
  expect(error.next).toBeUndefined()
})

test.for([
  ['{"errors":[null],"error":{"message":"Odd."}}', 'Odd.'],
  ['{"error":"Odd."}', 'Odd.'],
  ['{"error":{"errors":"Odd."}}', 'Odd.'],
  ['{"error":{"errors":[null,{"reason":7,"message":"Odd."}]}}', 'Odd.'],
  ['{"errors":["Odd.","Also"]}', 'Odd.'],
  ['{"error":"invalid_request","error_description":"Odd."}', 'Odd.'],
  ['"Odd."', 'Odd.'],
  ['Odd.', 'Odd.'],
  ['[]', ''],
  ['<html>Odd.</html>', ''],
] as const)('the error %s is shown as its text', async ([body, text]) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ times: 9, action: { kind: 'status', status: 400, body } })
  const error = await server.fails('FileStorage.RenameFile', { file_path_or_id: id, new_filename: 'New plan' })
  expect(error.message).toBe(`Google Drive refused the request.${text === '' ? '' : ` Google Drive says: "${text}"`}`)
})
