import { Call, type Change, More, pageSize, Time, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { type Store, text } from '@mcp-toolkits/store'
import { describeChanges, type MutationRow, selectMutations } from './changes.ts'
import { issuePath, nameOf, slugPath } from './references.tsx'

/** The newest change, for the status line. */
export function latestChange(store: Store): Change | undefined {
  const [row] = selectMutations(store, 'order by m.id desc limit 1', {})
  return row && { at: row.at, operation: row.field, call: row.call, subject: subjectOf(store, row.subject).label }
}

/** All changes, newest first. */
export const activityPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show({ query }) {
    const before = Number(query('before') ?? Number.MAX_SAFE_INTEGER)
    const found = selectMutations(store, 'where m.id < :before order by m.id desc limit :limit', { before, limit: pageSize + 1 })
    const rows = found.slice(0, pageSize)
    return {
      title: 'Activity',
      section: '/activity',
      content: (
        <>
          {rows.length === 0 && <p>No changes yet. They appear here as calls make them.</p>}
          <ul class="rows">
            {rows.map((row) => (
              <ChangeRow store={store} row={row} subject={subjectOf(store, row.subject)} />
            ))}
          </ul>
          <More href={found.length > pageSize ? `/workspace/activity?before=${rows.at(-1)?.id ?? 0}` : undefined} label="Older" />
        </>
      ),
    }
  },
})

interface Subject {
  readonly label: string
  readonly href?: string
}

interface ChangeRowProps {
  readonly store: Store
  readonly row: MutationRow
  /** Absent on the page of the subject itself. */
  readonly subject?: Subject
}

/** One change: which call made it, when, and what it changed. */
export function ChangeRow({ store, row, subject }: ChangeRowProps) {
  const changes = describeChanges(store, row)
  return (
    <li id={`change-${row.id}`}>
      <Call call={row.call} operation={row.field} />{' '}
      {subject && (subject.href === undefined ? <bdi>{subject.label}</bdi> : <a href={subject.href}>{subject.label}</a>)}{' '}
      {row.viewer !== null && <span class="soft">as {row.viewer}</span>} <Time at={row.at} />
      {changes.length > 0 && <p dir="auto">{changes.join(' · ')}</p>}
    </li>
  )
}

/** What a change was about, and its page. */
function subjectOf(store: Store, id: string | null): Subject {
  if (id === null) return { label: '' }
  const [issue] = store.rows({ identifier: text, title: text }, 'select identifier, title from issues where id = :id', { id })
  if (issue) return { label: `${issue.identifier} ${issue.title}`, href: issuePath(issue.identifier) }
  for (const [kind, table] of [
    ['project', 'projects'],
    ['initiative', 'initiatives'],
  ] as const) {
    const [found] = store.rows({ slugId: text, name: text }, `select slugId, name from ${table} where id = :id`, { id })
    if (found) return { label: found.name, href: slugPath(kind, found.slugId) }
  }
  return { label: nameOf(store, 'teams', id) ?? '' }
}
