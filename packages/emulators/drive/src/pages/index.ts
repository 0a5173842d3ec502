import type { Workspace } from '@mcp-toolkits/emulator/workspace'
import { integer, type Store } from '@mcp-toolkits/sqlite'
import type { ContentStore } from '../content/content.ts'
import { firstViewer } from '../people/people.ts'
import { seenBy } from '../store/viewers.ts'
import { activityPage, latestChange } from './activity.tsx'
import { contentPage, downloadPage, filePages } from './file.tsx'
import { folderPage, startPage, trashPage } from './folder.tsx'
import { searchPage } from './search.tsx'
import { uploadRevision } from './uploads.tsx'

/** The files as pages, at the same paths as Google's. All items are shown, no matter who owns them. */
export function driveWorkspace(store: Store, contents: ContentStore): Workspace {
  const drive = seenBy(store, firstViewer)
  const lastMutation = () => store.rows({ last: integer }, 'select coalesce(max(id), 0) as last from mutations')[0]?.last ?? 0
  return {
    sections: [
      { path: '/files', label: 'Files' },
      { path: '/trash', label: 'Trash' },
      { path: '/activity', label: 'Activity' },
    ],
    revision: () => `${lastMutation()}-${uploadRevision(store)}`,
    latestChange: () => latestChange(drive),
    pages: [
      startPage(drive, '/'),
      startPage(drive, '/files'),
      folderPage(drive),
      trashPage(drive),
      searchPage(drive),
      ...filePages(drive, contents),
      contentPage(drive, contents),
      downloadPage,
      activityPage(drive),
    ],
  }
}
