import { Call, countOf, Person, Time } from '@mcp-toolkits/emulator/workspace'
import { integer } from '@mcp-toolkits/sqlite'
import { lastMutation } from '../changes/mutations.ts'
import { personById } from '../people/people.ts'
import { isFolder, isRoot, isShortcut, type Item } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'

/** An item's page, at Google's path. */
export const itemPath = (item: Pick<Item, 'id' | 'mimeType'>): string =>
  isFolder(item) ? `/workspace/drive/folders/${encodeURIComponent(item.id)}` : `/workspace/file/d/${encodeURIComponent(item.id)}/view`

/** An item's name, as Drive shows it. */
export const titleOf = (item: Item): string => (isRoot(item) && item.driveId === null ? 'My Drive' : item.name)

/** The name of a person or group; the id if they no longer exist, null for none. */
export function personName(store: DriveStore, id: string | null): string | null {
  return id === null ? null : (personById(store, id)?.displayName ?? id)
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** A size in readable form. */
export function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return power === 0 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${(bytes / 1000 ** power).toFixed(1)} ${units[power] ?? ''}`
}

/** An item's kind, in a word or two. */
export function kindOf({ mimeType }: Pick<Item, 'mimeType'>): string {
  return mimeType.startsWith('application/vnd.google-apps.') ? mimeType.slice('application/vnd.google-apps.'.length) : mimeType
}

const folderMark = 'M1 3h5l2 2h7v8H1z'
const pageMark = 'M3 1h7l3 3v11H3z'

/** The outline of the icon for an item's kind. */
function markOf(item: Item): string {
  if (isFolder(item)) return folderMark
  if (isShortcut(item)) return 'M8 2h6v6l-2-2-5 5-2-2 5-5zM2 4h4v2H4v6h6v-2h2v4H2z'
  if (item.mimeType.startsWith('image/')) return 'M1 2h14v12H1zm2 9h10l-3-5-2 3-2-2z'
  return /spreadsheet|csv/.test(item.mimeType) ? 'M1 2h14v12H1zm2 2v3h4V4zm6 0v3h4V4zM3 9v3h4V9zm6 0v3h4V9z' : pageMark
}

/** Maximum number of items to count: beyond this, counting would take noticeable time. */
const maxCount = 10_000

/** Number of items in a folder. */
export function countIn(store: DriveStore, parentId: string): number {
  const sql = 'select count(*) as count from (select 1 from files where parentId = :parentId and trashed = 0 limit :maxCount)'
  return store.rows({ count: integer }, sql, { parentId, maxCount })[0]?.count ?? 0
}

interface ItemRow {
  readonly item: Item
  /** Levels below the table's folder. */
  readonly depth: number
}

/** Items with their owners and their last changes. */
export function ItemTable({ store, rows }: { readonly store: DriveStore; readonly rows: readonly ItemRow[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="narrow">
            Owner
          </th>
          <th scope="col">Modified</th>
          <th scope="col" class="narrow">
            Size
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <ItemLine store={store} {...row} />
        ))}
      </tbody>
    </table>
  )
}

function ItemLine({ store, item, depth }: ItemRow & { readonly store: DriveStore }) {
  const change = lastMutation(store, item.id)
  return (
    <tr id={`item-${item.id}`} data-version={`${item.version} ${item.parentId ?? ''} ${item.shared}`}>
      <td class={depth > 0 ? 'inner' : undefined}>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path fill-rule="evenodd" d={markOf(item)} />
        </svg>{' '}
        <a href={itemPath(item)} dir="auto">
          {titleOf(item)}
        </a>{' '}
        {item.shared === 1 && item.driveId === null && <span class="tag">shared</span>}
      </td>
      <td class="narrow">
        <Person name={personName(store, item.ownerId)} none="shared drive" />
      </td>
      <td>
        <Time at={item.modifiedTime} /> {change && <Call call={change.call} operation={change.method} />}
      </td>
      <td class="narrow soft">
        {isFolder(item) ? countOf(countIn(store, item.id), 'item') : item.size === null ? kindOf(item) : sizeText(item.size)}
      </td>
    </tr>
  )
}
