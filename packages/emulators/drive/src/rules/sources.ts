import { assumedOn, type Day, documented, seen } from '@mcp-toolkits/emulator'

export const assumed = assumedOn('2026-11-28')

/** Google's pages for the Drive API. */
export const guide = (name: string, date: Day = '2026-11-22') =>
  documented(`https://developers.google.com/workspace/drive/api/guides/${name}`, date)
export const reference = (name: string, date: Day = '2026-11-22') =>
  documented(`https://developers.google.com/workspace/drive/api/reference/rest/v3/${name}`, date)
export const authGuide = guide('api-specific-auth')
export const errorGuide = guide('handle-errors')
export const resourceKeyGuide = guide('resource-keys')
export const limitsGuide = guide('limits')
export const uploadGuide = guide('manage-uploads')
export const downloadGuide = guide('manage-downloads')
export const folderGuide = guide('folder')
export const shortcutGuide = guide('shortcuts')
export const singleParentGuide = guide('ref-single-parent')
export const sharedDriveGuide = guide('about-shareddrives')
export const sharedDriveSupportGuide = guide('enable-shareddrives')
export const sharingGuide = guide('manage-sharing')
export const roleGuide = guide('ref-roles')
export const fieldsGuide = guide('fields-parameter')
export const searchTermReference = guide('ref-search-terms', '2026-11-28')
export const searchGuide = guide('search-files')
export const aboutReference = reference('about/get')
export const drivesListReference = reference('drives/list')
export const filesReference = reference('files', '2026-11-28')
export const listReference = reference('files/list')
export const updateReference = reference('files/update')
export const deleteReference = reference('files/delete', '2026-11-28')
export const generateIdsReference = reference('files/generateIds')
export const permissionsReference = reference('permissions', '2026-11-28')
export const permissionsCreateReference = reference('permissions/create')
export const permissionsListReference = reference('permissions/list')

/** Google's pages on other subjects. */
const google = (path: string) => documented(`https://developers.google.com/${path}`, '2026-11-22')
export const pickerGuide = google('workspace/drive/picker/guides/overview-desktop')
export const discoveryReference = google('discovery/v1/reference/apis/getRest')
export const nativeAppGuide = google('identity/protocols/oauth2/native-app')
export const webServerGuide = google('identity/protocols/oauth2/web-server')
export const openidGuide = google('identity/openid-connect/openid-connect')
export const serviceAccountGuide = google('identity/protocols/oauth2/service-account')
export const serviceAccountErrors = google('identity/protocols/oauth2/service-account#error-codes')
export const delegationGuide = google('identity/protocols/oauth2/service-account#delegatingauthority')

const standard = (path: string) => documented(`https://www.rfc-editor.org/rfc/${path}`, '2026-11-28')
export const rangeStandard = standard('rfc9110#name-range-requests')
export const codeStandard = standard('rfc6749#section-4.1.2')
export const tokenErrorStandard = standard('rfc6749#section-5.2')

const source = (by: string, path: string, date: Day) => seen(by, `https://github.com/${path}`, date)

/** A table comparing a client author's beliefs about Drive with what Drive did. */
const beliefs = 'mmedum/google-drive-mcp/blob/0545e99dc0474062b42fbba88a1b6aa90f5daf7e/docs/architecture.md'
export const mmedum = (date: Day) => source('mmedum/google-drive-mcp, §18', beliefs, date)

/** The rclone source, whose comments say what Drive does. */
const rcloneFolder = 'rclone/rclone/blob/64ab1ac32260238eefca3c61327f5faf1c6e106f/backend/drive'
export const rclone = (line: number) => source('rclone', `${rcloneFolder}/drive.go#L${line}`, '2026-08-17')
export const rcloneUpload = source('rclone', `${rcloneFolder}/upload.go#L114-L127`, '2026-08-17')

/** Tests that their author also ran against Drive. */
const mockTests = 'pubkey/google-drive-mock/blob/b5250c141a90ebed0110b688cfe5d86fa0c5ea3b/test'
export const mock = (place: string) => source('google-drive-mock, against Drive', `${mockTests}/${place}`, '2026-06-16')

/** GAM's notes, which quote Drive's responses. */
export const gam = (line: number) =>
  source('GAM', `GAM-team/GAM/blob/e54877b3e81e4b33829f6784e87ad18888ac3b48/src/GamUpdate.txt#L${line}`, '2026-08-20')

export const pythonClient = source(
  "Google's client for Python",
  'googleapis/google-api-python-client/blob/v2.201.0/googleapiclient/discovery.py',
  '2026-11-22',
)

/** A GitHub issue or pull request that quotes a response from Google. */
export const thread = (repository: string, number: number, date: Day) => source(repository, `${repository}/issues/${number}`, date)
