import { integer, type Store } from '@mcp-toolkits/store'
import { idOf } from '../ids.ts'
import { folderType, insertItem } from '../items.ts'
import { rootId, viewerId } from '../people.ts'
import { describe } from './contents.ts'

/** How many items a folder of the many holds. */
const perFolder = 20

/** Adds items to My Drive in one transaction, a second apart, the last one now: a tree in which every twentieth is a folder. */
export function addItems(store: Store, { count, now }: { count: number; now: number }): void {
  store.write(() => {
    const sql = "select count(*) as found from files where content like 'bulk-%' or name like 'Folder %'"
    const before = store.rows({ found: integer }, sql)[0]?.found ?? 0
    for (let added = before; added < before + count; added += 1) {
      const isFolder = added % perFolder === 0
      // Folder k lies in folder k / 20, so that the tree grows deep slowly.
      const place = Math.floor((isFolder ? added / perFolder - 1 : added) / perFolder) * perFolder
      const createdTime = new Date(now - (before + count - 1 - added) * 1000).toISOString()
      insertItem(store, {
        id: idOf(`bulk ${added}`),
        parentId: added === 0 ? rootId : idOf(`bulk ${place}`),
        ownerId: viewerId,
        createdTime,
        viewedByMeTime: createdTime,
        modifiedByMeTime: createdTime,
        lastModifyingId: viewerId,
        role: 'owner',
        reach: 'user',
        ...(isFolder
          ? { name: `Folder ${added / perFolder}`, mimeType: folderType }
          : { name: `Item ${added}.txt`, mimeType: 'text/plain', ...describe(`bulk-${added}`), headRevisionId: `0B${added}` }),
      })
    }
  })
}
