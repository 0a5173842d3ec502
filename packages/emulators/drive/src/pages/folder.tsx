import { countOf, More, pageSize, type View, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { folderType, isFolder, isRoot, type Item, itemById, selectItems, toNaturalSortKey } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'
import { countIn, itemPath, ItemTable, personName, titleOf } from './items.tsx'
import { FileFilters } from './search.tsx'
import { Path, Sharing } from './sharing.tsx'
import { Uploads } from './uploads.tsx'

/** Maximum number of items shown in each folder on the start page. */
const branchSize = 15

const order = `(f.mimeType <> '${folderType}'), f.nameNatural, f.n`

interface Position {
  readonly rank: number
  readonly name: string
  readonly n: number
}

/** A folder's items, folders first, then by name. */
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

/** All drives and all shared items, each with two levels of folders. */
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
          <FileFilters store={store} query={() => undefined} />
          <Uploads store={store} />
          {roots.map((root) => (
            <section aria-labelledby={`root-${root.id}`}>
              <h2 id={`root-${root.id}`} dir="auto">
                <a href={itemPath(root)}>{titleOf(root)}</a>
                {root.driveId === null && root.id !== store.viewer.rootId && ` of ${personName(store, root.ownerId) ?? ''}`}
                {root.driveId !== null && <span class="soft"> shared drive</span>}
              </h2>
              <Branches store={store} folder={root} />
            </section>
          ))}
          {others.length > 0 && (
            <section aria-labelledby="shared">
              <h2 id="shared">Shared by others</h2>
              <ItemTable store={store} rows={others.map(top)} />
            </section>
          )}
        </>
      ),
    }
  },
})

/** One folder. */
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
          {items.length === 0 ? <p>This folder is empty.</p> : <ItemTable store={store} rows={items.map(top)} />}
          <More href={end && `${itemPath(folder)}?after=${encodeURIComponent(positionOf(end))}`} />
          <h2>Sharing</h2>
          <Sharing store={store} item={folder} />
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

/** Items moved to the trash, newest first. */
export const trashPage = (store: DriveStore): WorkspacePage => ({
  path: '/trash',
  show() {
    const items = selectItems(store, 'where f.explicitlyTrashed = 1 order by f.trashedTime desc, f.n desc limit :limit', {
      limit: pageSize,
    })
    return {
      title: 'Trash',
      section: '/trash',
      content: items.length === 0 ? <p>The trash is empty.</p> : <ItemTable store={store} rows={items.map(top)} />,
    }
  },
})

const top = (item: Item) => ({ item, depth: 0 })

/** First items in a folder, and in its subfolders. */
function Branches({ store, folder }: { readonly store: DriveStore; readonly folder: Item }) {
  const first = (id: string) => childrenOf(store, id, { limit: branchSize })
  const items = first(folder.id)
  if (items.length === 0) return <p class="soft">Empty.</p>
  const rows = items.flatMap((item) => [top(item), ...(isFolder(item) ? first(item.id).map((inner) => ({ item: inner, depth: 1 })) : [])])
  const count = countIn(store, folder.id)
  return (
    <>
      <ItemTable store={store} rows={rows} />
      <More href={count > items.length ? itemPath(folder) : undefined} label={`All ${countOf(count, 'item')}`} />
    </>
  )
}
