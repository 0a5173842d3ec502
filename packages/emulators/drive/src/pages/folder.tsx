import { countOf, More, pageSize, type View, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer } from '@mcp-toolkits/sqlite'
import { folderType, isFolder, isRoot, type Item, itemById, selectItems, toNaturalSortKey } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'
import { ItemLine, itemPath, personName, titleOf } from './items.tsx'
import { Uploads } from './uploads.tsx'

/** Levels of a tree below the folder of its page, and items shown of each folder. */
const treeDepth = 2
const branchSize = 15

const order = `(f.mimeType <> '${folderType}'), f.nameNatural, f.n`

interface Position {
  readonly rank: number
  readonly name: string
  readonly n: number
}

/** The items of a folder, folders first, then by name. */
function childrenOf(
  store: DriveStore,
  parentId: string,
  { limit, after }: { readonly limit: number; readonly after?: Position | undefined },
) {
  const beyond = after === undefined ? '' : `and (${order}) > (:rank, :name, :n)`
  return selectItems(store, `where f.parentId = :parentId and f.trashed = 0 ${beyond} order by ${order} limit :limit`, {
    ...{ parentId, limit },
    ...after,
  })
}

/** All drives and all shared items, each as a tree. */
export const startPage = (store: DriveStore, path: string): WorkspacePage => ({
  path,
  show() {
    const all = selectItems(store, 'where f.parentId is null and f.trashed = 0 order by f.n limit :limit', { limit: 4 * pageSize })
    const [roots, others] = [all.filter(isRoot), all.filter((item) => !isRoot(item))]
    return {
      title: 'Files',
      section: '/files',
      content: (
        <>
          <Uploads store={store} />
          {roots.map((root) => (
            <section aria-labelledby={`root-${root.id}`}>
              <h2 id={`root-${root.id}`} dir="auto">
                <a href={itemPath(root)}>{titleOf(root)}</a>
                {root.driveId === null && root.id !== store.viewer.rootId && ` of ${personName(store, root.ownerId) ?? ''}`}
                {root.driveId !== null && <span class="soft"> shared drive</span>}
              </h2>
              <Branch store={store} folder={root} depth={1} />
            </section>
          ))}
          {others.length > 0 && (
            <section aria-labelledby="shared">
              <h2 id="shared">Shared by others</h2>
              <Tree store={store} items={others} depth={treeDepth} />
            </section>
          )}
        </>
      ),
    }
  },
})

/** One folder as a tree. */
export const folderPage = (store: DriveStore): WorkspacePage => ({
  path: '/drive/folders/:id',
  show({ part, query }): View | undefined {
    const folder = itemById(store, part('id') === 'my-drive' ? store.viewer.rootId : part('id'))
    if (!folder || !isFolder(folder)) return undefined
    const after = parsePosition(query('after'))
    const found = childrenOf(store, folder.id, { limit: pageSize + 1, after })
    const items = found.slice(0, pageSize)
    const end = found.length > pageSize ? items.at(-1) : undefined
    return {
      title: titleOf(folder),
      section: '/files',
      content: (
        <>
          <Path store={store} item={folder} />
          {items.length === 0 && <p>This folder is empty.</p>}
          <Tree store={store} items={items} depth={1} />
          <More href={end && `${itemPath(folder)}?after=${encodeURIComponent(positionOf(end))}`} />
        </>
      ),
    }
  },
})

const positionOf = (item: Item) => JSON.stringify([isFolder(item) ? 0 : 1, toNaturalSortKey(item.name), item.n])

function parsePosition(text: string | undefined): Position | undefined {
  const [, rank, name, n] = /^\[([01]),(".*"),(\d+)\]$/s.exec(text ?? '') ?? []
  if (rank === undefined || name === undefined) return undefined
  return { rank: Number(rank), name: String(JSON.parse(name)), n: Number(n) }
}

/** The items that were moved to the trash, newest first. */
export const trashPage = (store: DriveStore): WorkspacePage => ({
  path: '/trash',
  show() {
    const items = selectItems(store, 'where f.explicitlyTrashed = 1 order by f.trashedTime desc, f.n desc limit :limit', {
      limit: pageSize,
    })
    return {
      title: 'Trash',
      section: '/trash',
      content: items.length === 0 ? <p>The trash is empty.</p> : <Tree store={store} items={items} depth={treeDepth} />,
    }
  },
})

/** The folders above an item, each as a link. */
export function Path({ store, item }: { readonly store: DriveStore; readonly item: Item }) {
  const above: Item[] = []
  for (let next = parentOf(store, item); next && above.length < pageSize; next = parentOf(store, next)) above.unshift(next)
  if (above.length === 0) return null
  return (
    <nav class="tabs" aria-label="Path">
      {above.map((folder) => (
        <>
          <a href={itemPath(folder)} dir="auto">
            {titleOf(folder)}
          </a>
          <span aria-hidden="true">/</span>
        </>
      ))}
    </nav>
  )
}

const parentOf = (store: DriveStore, { parentId }: Item) => (parentId === null ? undefined : itemById(store, parentId))

interface TreeProps {
  readonly store: DriveStore
  readonly items: readonly Item[]
  /** Levels between the folder of the page and these items. */
  readonly depth: number
}

function Tree({ store, items, depth }: TreeProps) {
  return (
    <ul class="tree">
      {items.map((item) => (
        <li id={`item-${item.id}`} data-version={`${item.version} ${item.parentId ?? ''} ${item.shared}`}>
          <ItemLine store={store} item={item} />
          {isFolder(item) && depth < treeDepth && <Branch store={store} folder={item} depth={depth + 1} />}
        </li>
      ))}
    </ul>
  )
}

/** First items of a folder. */
function Branch({ store, folder, depth }: { readonly store: DriveStore; readonly folder: Item; readonly depth: number }) {
  const found = childrenOf(store, folder.id, { limit: branchSize + 1 })
  if (found.length === 0) return null
  return (
    <>
      <Tree store={store} items={found.slice(0, branchSize)} depth={depth} />
      {found.length > branchSize && (
        <p class="tree">
          <a href={itemPath(folder)}>All {countOf(countIn(store, folder.id), 'item')}</a>
        </p>
      )}
    </>
  )
}

/** Counting takes longer, the more there is; beyond this it would be felt. */
const maxCount = 10_000

function countIn(store: DriveStore, parentId: string): number {
  const sql = 'select count(*) as count from (select 1 from files where parentId = :parentId and trashed = 0 limit :maxCount)'
  return store.rows({ count: integer }, sql, { parentId, maxCount })[0]?.count ?? 0
}
