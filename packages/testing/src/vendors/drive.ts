import { createServer } from 'node:http'
import { driveEmulator, driveError, type DriveEmulator } from '@mcp-toolkits/drive-emulator'
import { fileStorage } from '../../../../servers.ts'
import { listenOnLoopback } from '../processes/loopback.ts'
import type { Refusal } from './faults.ts'
import { examplesOf, linesOf, tooManyRequests, toolsOf, type Vendor } from './vendor.ts'

const accessToken = 'ya29.tokenOfTheReliabilitySuite'
const clientSecret = 'GOCSPX-secretOfTheReliabilitySuite'

/** https://developers.google.com/workspace/drive/api/guides/handle-errors */
const refusals: readonly Refusal[] = [
  { name: 'HTTP 400', class: 'permanent', code: 'invalid_input', ...driveError(400, 'invalid') },
  { name: 'HTTP 401', class: 'permanent', code: 'unauthenticated', ...driveError(401, 'authError') },
  { name: 'HTTP 403: no permission', class: 'permanent', code: 'forbidden', ...driveError(403, 'insufficientFilePermissions') },
  { name: 'HTTP 403: missing scope', class: 'permanent', code: 'forbidden', ...driveError(403, 'insufficientPermissions') },
  { name: 'HTTP 403: policy', class: 'permanent', code: 'forbidden', ...driveError(403, 'domainPolicy') },
  { name: 'HTTP 403: storage full', class: 'permanent', code: 'conflict', ...driveError(403, 'storageQuotaExceeded') },
  { name: 'HTTP 404', class: 'permanent', code: 'not_found', ...driveError(404, 'notFound') },
  { name: 'HTTP 409', class: 'permanent', code: 'conflict', ...driveError(409, 'conflict') },
  ...tooManyRequests(driveError(429, 'rateLimitExceeded')),
  {
    name: 'vendor rate limit with a retry delay',
    class: 'limited',
    hintMs: 2_000,
    headers: { 'retry-after': '2' },
    ...driveError(403, 'userRateLimitExceeded'),
  },
  { name: 'vendor rate limit without a retry delay', class: 'limited', ...driveError(403, 'rateLimitExceeded', { newer: true }) },
  { name: 'vendor quota used up', class: 'exhausted', ...driveError(403, 'dailyLimitExceeded') },
]

export const drive: Vendor = {
  server: fileStorage,
  tools: await toolsOf(fileStorage),
  secrets: [accessToken],
  refusals,
  unrepeatable: ['ShareFile'],
  async open(clock) {
    const emulator = driveEmulator({ seed: 'company', accessToken, now: clock.now })
    const source = await openSource()
    const calls = await examplesOf(fileStorage)
    return {
      fetch: emulator.fetch,
      options: { accessToken, clientId: 'client-of-the-suite', clientSecret, allowPrivateUrls: [new URL(source.url).host] },
      calls: { ...calls, UploadFile: { ...calls['UploadFile'], source_url: source.url } },
      decisive: {
        WhoAmI: /\/about\?/,
        GetFileTreeStructure: /\/files\?/,
        RevokeFileAccess: /\/permissions\/\w+\?/,
        SetGeneralAccess: /sendNotificationEmail/,
        RemoveAllCollaborators: /\/permissions\/\w+\?/,
        RestoreFile: /\/files\/[\w-]+\?/,
      },
      state: () => stateOf(emulator),
      changes: () => emulator.store.mutations().length,
      reset: emulator.reset,
      async [Symbol.asyncDispose]() {
        await source[Symbol.asyncDispose]()
        await emulator.close()
      },
    }
  },
}

/** Columns, besides times, that differ between two equal runs. */
const volatile = ['n', 'id', 'version', 'headRevisionId', 'content']

function stateOf({ store }: DriveEmulator): string[] {
  const files = store.files()
  const names = new Map(files.map(({ id, name }) => [id, name]))
  const permissions = store.permissions().map(({ fileId, ...permission }) => ({ file: names.get(fileId), ...permission }))
  return [
    ...linesOf('files', files, volatile),
    ...linesOf('permissions', permissions, volatile),
    ...linesOf('mails', store.mails(), volatile),
  ].sort()
}

/** A file on the web, for uploads. */
async function openSource() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end('A small file.\n')
  })
  const listener = await listenOnLoopback(server)
  return {
    url: `${listener.url}/file.txt`,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}
