import { Call, Time } from '@mcp-toolkits/emulator/workspace'
import { lastMutation } from '../changes/mutations.ts'
import { personById } from '../people/people.ts'
import { isFolder, isRoot, isShortcut, type Item } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'

/** The page of an item, where Google has it. */
export const itemPath = (item: Pick<Item, 'id' | 'mimeType'>): string =>
  isFolder(item) ? `/workspace/drive/folders/${encodeURIComponent(item.id)}` : `/workspace/file/d/${encodeURIComponent(item.id)}/view`

/** The name of an item, as Drive shows it. */
export const titleOf = (item: Item): string => (isRoot(item) && item.driveId === null ? 'My Drive' : item.name)

/** The name of a person or group; the id of one that no longer exists, null for none. */
export function personName(store: DriveStore, id: string | null): string | null {
  return id === null ? null : (personById(store, id)?.displayName ?? id)
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** A size as people read it. */
export function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return power === 0 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${(bytes / 1000 ** power).toFixed(1)} ${units[power] ?? ''}`
}

/** The kind of an item in a word or two. */
export function kindOf({ mimeType }: Pick<Item, 'mimeType'>): string {
  return mimeType.startsWith('application/vnd.google-apps.') ? mimeType.slice('application/vnd.google-apps.'.length) : mimeType
}

/** A mark for the kind, for those who see it. */
function Mark({ item }: { readonly item: Item }) {
  return <span aria-hidden="true">{isFolder(item) ? '▸' : isShortcut(item) ? '↗' : '·'}</span>
}

interface ItemProps {
  readonly store: DriveStore
  readonly item: Item
}

/** One item in a list. */
export function ItemLine({ store, item }: ItemProps) {
  const change = lastMutation(store, item.id)
  return (
    <>
      <Mark item={item} />{' '}
      <a href={itemPath(item)} dir="auto">
        {titleOf(item)}
      </a>{' '}
      {!isFolder(item) && <span class="soft">{item.size === null ? kindOf(item) : sizeText(item.size)}</span>}{' '}
      {item.shared === 1 && <span class="tag">shared</span>}{' '}
      {change && (
        <span class="soft">
          <Call call={change.call} operation={change.method} /> <Time at={change.at} />
        </span>
      )}
    </>
  )
}
