import { upstreamOf } from '@mcp-toolkits/server/account'
import { stringMember } from '@mcp-toolkits/core/base'
import { defineServer, type DownloadTools } from '@mcp-toolkits/server'
import manifest from '../package.json' with { type: 'json' }
import { listedTools } from './generated/tools.ts'
import { account, embeddedToken, privateUrlsVariable } from './account.ts'

/** How `call --output` reads a whole file. */
const downloads: DownloadTools = {
  whole: 'DownloadFile',
  part: 'DownloadFileChunk',
  next({ file, requires_chunked_download: isLarge, file_id: fileId, next_start_byte: start }) {
    if (isLarge === true) return { file_path_or_id: stringMember(file, 'id'), start_byte: 0 }
    return typeof start === 'number' ? { file_path_or_id: fileId, start_byte: start } : undefined
  },
  expected: ({ total_size: bytes, md5_checksum: md5 }) => ({ bytes: Number(bytes), md5: typeof md5 === 'string' ? md5 : undefined }),
}

export const fileStorage = defineServer({
  name: account.server,
  title: 'File Storage',
  version: manifest.version,
  prefix: 'FileStorage',
  shortName: 'files',
  vendor: 'Google Drive',
  loadToolVocabulary: async () => (await import('./vocabulary/tools.ts')).toolVocabulary,
  aliases: { 'FileStorage.GenerateGoogleFilePickerUrl': 'FileStorage.GenerateFilePickerUrl' },
  instructions:
    'Find, download, upload, organize and share files in Google Drive as the current user. Refer to an item by its path, such as Work/Reports/May.pdf (exact names, from the root of My Drive), its id or its link; "root" is the root itself. For a path in a shared drive, pass shared_drive_id as well. A path that matches several items is rejected with the id of each. In the next.change of an error, null removes an argument. Retrying an unanswered create within ten minutes is safe; repeating an answered one creates a second item.',
  connectHint:
    'To use an account, sign in with "file-storage-mcp login", or set FILE_STORAGE_ACCESS_TOKEN to an access token of Google with the scope drive.file or drive.',
  account,
  listedTools,
  loadVariables: async () => (await import('./variables.ts')).variables,
  loadTools: async () => (await import('./tools/index.ts')).tools,
  largeResults: ['DownloadFile', 'DownloadFileChunk', 'GetFileTreeStructure'],
  downloads,
  uploads: { tool: 'UploadFile', source: 'source_url', name: 'file_name' },
  privateUrlsVariable,
  preloadConnection: async (isEmbedded) => (await import('./connect.ts')).preload(isEmbedded),
  upstream: (settings) => upstreamOf(account, settings),
  connect: async (settings, options) => (await import('./connect.ts')).connect(settings, options),
  loadTeam: async () => (await import('./team/team.ts')).team,
  async emulator(settings) {
    const [{ openEmbeddedDrive }, { localClient }] = await Promise.all([import('./vendor.ts'), import('@mcp-toolkits/drive-emulator')])
    const { id, secret = '' } = localClient
    return {
      ...(await openEmbeddedDrive(settings)),
      hint: [
        `Root URL {url}/, access token ${embeddedToken.reveal()}; the page at {url}/ shows what arrived.`,
        `To sign in there: FILE_STORAGE_CLIENT_ID=${id} FILE_STORAGE_CLIENT_SECRET=${secret} FILE_STORAGE_AUTH_URL={url} FILE_STORAGE_API_URL={url} file-storage-mcp login`,
      ].join('\n'),
    }
  },
})
