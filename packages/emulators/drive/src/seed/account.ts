import { integer, type Store } from '@mcp-toolkits/sqlite'
import { refreshAccess } from '../sharing/effective-access.ts'
import { fileIdFor } from '../store/ids.ts'
import { folderType, insertItem, insertRoot } from '../store/items.ts'
import { domain, firstViewer, insertPerson, robin } from '../people/people.ts'
import { type DriveStore, seenBy } from '../store/viewers.ts'
import { describeContent } from '../content/generated.ts'

/** Adds the first person with an empty My Drive. */
export function seedAccount(database: Store, now: number): DriveStore {
  const store = seenBy(database, firstViewer)
  insertPerson(store, { name: robin.displayName, email: robin.email, aliases: [`robin@${domain}`] })
  const createdTime = new Date(now - 900 * 86_400_000).toISOString()
  insertRoot(store, { createdTime, viewedByMeTime: new Date(now).toISOString() })
  refreshAccess(store, firstViewer.rootId)
  return store
}

/** Items per folder in a bulk tree. */
const perFolder = 20

/** Adds items to My Drive in one transaction, one second apart, every twentieth a folder. */
export function addItems(database: Store, { count, now }: { count: number; now: number }): void {
  const store = seenBy(database, firstViewer)
  store.writeNow(() => {
    const sql = "select count(*) as found from files where content like 'bulk-%' or name like 'Folder %'"
    const before = store.rows({ found: integer }, sql)[0]?.found ?? 0
    for (let added = before; added < before + count; added += 1) {
      const isFolder = added % perFolder === 0
      // Folder k is in folder k / 20, so the tree deepens slowly.
      const place = Math.floor((isFolder ? added / perFolder - 1 : added) / perFolder) * perFolder
      const createdTime = new Date(now - (before + count - 1 - added) * 1000).toISOString()
      insertItem(store, {
        id: fileIdFor(`bulk ${added}`),
        parentId: added === 0 ? firstViewer.rootId : fileIdFor(`bulk ${place}`),
        ownerId: firstViewer.id,
        createdTime,
        viewedByMeTime: createdTime,
        modifiedByMeTime: createdTime,
        lastModifyingId: firstViewer.id,
        role: 'owner',
        reach: 'user',
        ...(isFolder
          ? { name: `Folder ${added / perFolder}`, mimeType: folderType }
          : { name: `Item ${added}.txt`, mimeType: 'text/plain', ...describeContent(`bulk-${added}`), headRevisionId: `0B${added}` }),
      })
    }
  })
}
