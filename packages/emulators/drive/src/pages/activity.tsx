import { Call, type Change, newestFirst, Time, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { type MutationRow, selectMutations } from '../changes/mutations.ts'
import { itemById } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'
import { itemPath, personName, titleOf } from './items.tsx'

/** The newest change, for the status line. */
export function latestChange(store: DriveStore): Change | undefined {
  const [row] = selectMutations(store, 'order by id desc limit 1', {})
  const item = row && itemOf(store, row)
  return row && { at: row.at, operation: row.method, call: row.call, subject: item ? titleOf(item) : '' }
}

const itemOf = (store: DriveStore, { fileId }: MutationRow) => (fileId === null ? undefined : itemById(store, fileId))

/** All changes, newest first. */
export const activityPage = (store: DriveStore): WorkspacePage => ({
  path: '/activity',
  show(request) {
    const { rows, older } = newestFirst(request, '/workspace/activity', (range) =>
      selectMutations(store, 'where id < :before order by id desc limit :limit', { ...range }),
    )
    return {
      title: 'Activity',
      section: '/activity',
      content: (
        <>
          {rows.length === 0 && <p>No changes yet. They appear here as calls make them.</p>}
          <ul class="rows">
            {rows.map((row) => (
              <ChangeRow store={store} row={row} showsItem />
            ))}
          </ul>
          {older}
        </>
      ),
    }
  },
})

interface ChangeRowProps {
  readonly store: DriveStore
  readonly row: MutationRow
  /** False on the item's own page. */
  readonly showsItem: boolean
}

/** One change: its call, its subject and its time. */
export function ChangeRow({ store, row, showsItem }: ChangeRowProps) {
  const item = showsItem ? itemOf(store, row) : undefined
  return (
    <li id={`change-${row.id}`}>
      <Call call={row.call} operation={row.method} />{' '}
      {item ? (
        <a href={itemPath(item)} dir="auto">
          {titleOf(item)}
        </a>
      ) : (
        showsItem && <span class="soft">since deleted</span>
      )}{' '}
      {row.viewer !== null && <span class="soft">as {personName(store, row.viewer)}</span>} <Time at={row.at} />
    </li>
  )
}
