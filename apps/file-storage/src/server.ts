import { sentence } from '@mcp-toolkits/core/errors'
import { upstreamOf } from '@mcp-toolkits/server/account'
import { defineServer } from '@mcp-toolkits/server'
import manifest from '../package.json' with { type: 'json' }
import { listedTools } from './generated/tools.ts'
import { listedTools as listedForApps } from './generated/tools-for-apps.ts'
import { account } from './account.ts'
import { downloads, uploads } from './extensions.ts'

export const fileStorage = defineServer({
  name: account.server,
  title: 'File Storage for Google Drive',
  version: manifest.version,
  prefix: 'FileStorage',
  shortName: 'files',
  vendor: 'Google Drive',
  instructions:
    'Find, download, upload, organize and share files in Google Drive as the current user. Refer to an item by its path, such as Work/Reports/May.pdf (exact names, from the root of My Drive), its id or its link; "root" is the root itself. For a path in a shared drive, pass shared_drive_id as well. A path that matches several items is rejected with the id of each. In the next.change of an error, null removes an argument. Retrying an unanswered create within ten minutes is safe; repeating an answered one creates a second item.',
  connectHint: sentence`To use an account, sign in with "${{ command: 'file-storage-mcp login' }}", or set FILE_STORAGE_ACCESS_TOKEN to an access token of Google with the scope drive.file or drive.`,
  account,
  listedTools,
  extensions: [downloads, uploads],
  toolsForApps: {
    listed: listedForApps,
    tools: async () => [(await import('./toolsets/access/list.ts')).listFilePermissions],
  },
  toolsets: {
    content: { listed: () => import('./generated/content.ts'), tools: () => import('./toolsets/content/index.ts') },
    access: { listed: () => import('./generated/access.ts'), tools: () => import('./toolsets/access/index.ts') },
  },
  upstream: (settings) => upstreamOf(account, settings),
  load: {
    tools: async () => (await import('./tools/index.ts')).tools,
    connector: () => import('./connect.ts'),
    vocabulary: async () => (await import('./vocabulary/tools.ts')).toolVocabulary,
    readable: () => import('./readable.ts'),
    apps: () => import('./apps.ts'),
    variables: async () => (await import('./variables.ts')).variables,
    team: async () => (await import('./team/team.ts')).team,
  },
})
