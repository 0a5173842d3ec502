import { countOf, pageSize, Trail } from '@mcp-toolkits/emulator/workspace'
import { permissionsOn } from '../sharing/grants.ts'
import { type Item, withFoldersAbove } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'
import { itemPath, personName, titleOf } from './items.tsx'

export interface ItemProps {
  readonly store: DriveStore
  readonly item: Item
}

/** The folders above an item, nearest first, up to its drive. */
const foldersAbove = (store: DriveStore, item: Item) => withFoldersAbove(store, item).slice(1, pageSize + 1)

/** The folders above an item, each as a link. */
export function Path({ store, item }: ItemProps) {
  const folders = [...foldersAbove(store, item)].reverse()
  return <Trail steps={folders.map((folder) => ({ href: itemPath(folder), name: titleOf(folder) }))} />
}

/** Roles on the item itself, and the number inherited from each folder above and from the drive, whose pages list them. */
export function Sharing({ store, item }: ItemProps) {
  const inherited = foldersAbove(store, item)
    .map((folder) => ({ folder, count: permissionsOn(store, folder.id).length }))
    .filter(({ count }) => count > 0)
  const direct = permissionsOn(store, item.id).slice(0, pageSize)
  if (direct.length + inherited.length === 0) return <p class="soft">Not shared.</p>
  return (
    <ul class="rows">
      {direct.map(({ role, type, emailAddress, domain, permissionId }) => (
        <li>
          <bdi>{type === 'anyone' ? 'Anyone with the link' : (emailAddress ?? domain ?? personName(store, permissionId))}</bdi>{' '}
          <span class="tag">{role}</span>
        </li>
      ))}
      {inherited.map(({ folder, count }) => (
        <li>
          {countOf(count, 'role')} inherited from{' '}
          <a href={itemPath(folder)} dir="auto">
            {titleOf(folder)}
          </a>
        </li>
      ))}
    </ul>
  )
}
