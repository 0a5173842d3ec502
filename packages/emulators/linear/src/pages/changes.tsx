import { Call, type Change, newestFirst, pageSize, Time, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { parseChanges, type RecordedChange } from '../store/mutations.ts'
import { issuePath, type NamedTable, nameOf, slugPath } from './elements.tsx'

const columns = {
  id: integer,
  at: text,
  field: text,
  subject: nullable(text),
  viewer: nullable(text),
  call: nullable(text),
  changes: nullable(text),
}

/** A mutation as shown on a page. */
type MutationRow = RowOf<typeof columns>

/** The mutations selected by a clause from `mutations m`. */
const selectMutations = (store: Store, clause: string, values: Readonly<Record<string, string | number>>): MutationRow[] =>
  store.rows(
    columns,
    `select m.id, m.at, m.field, m.subject, u.name as viewer, m.call, m.changes from mutations m left join users u on u.id = m.viewer ${clause}`,
    values,
  )

/** Columns with the id of something that has a name. */
const tables: Readonly<Record<string, NamedTable>> = {
  stateId: 'workflowStates',
  assigneeId: 'users',
  delegateId: 'users',
  leadId: 'users',
  ownerId: 'users',
  projectId: 'projects',
  projectMilestoneId: 'projectMilestones',
  cycleId: 'cycles',
  parentId: 'issues',
  teamId: 'teams',
  statusId: 'projectStatuses',
}

/** Columns derived from others. */
const derived = [
  ...['createdAt', 'startedAt', 'completedAt', 'canceledAt', 'triagedAt', 'addedToCycleAt', 'addedToProjectAt', 'addedToTeamAt'],
  ...['sortOrder', 'number', 'healthUpdatedAt'],
]

/** A mutation's changes in words: `state: Todo → Done`. */
function describeChanges(store: Store, { changes }: MutationRow): string[] {
  return Object.entries(parseChanges(changes))
    .filter(([name]) => !derived.includes(name))
    .map(([name, change]) => `${labelOf(name)}${valuesOf(store, name, change)}`)
}

const labelOf = (name: string) =>
  name
    .replace(/Id$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()

function valuesOf(store: Store, name: string, change: RecordedChange): string {
  if (change === 'long') return ''
  const table = tables[name]
  const [before, after] = change.map((value) => {
    if (value === null) return 'none'
    return table === undefined ? String(value) : (nameOf(store, table, String(value)) ?? String(value))
  })
  return `: ${before ?? ''} → ${after ?? ''}`
}

/** The newest change, for the status line. */
export function latestChange(store: Store): Change | undefined {
  const [row] = selectMutations(store, 'order by m.id desc limit 1', {})
  return row && { at: row.at, operation: row.field, call: row.call, subject: subjectOf(store, row.subject).label }
}

/** All changes, newest first. */
export const activityPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show(request) {
    const { rows, older } = newestFirst(request, '/workspace/activity', (range) =>
      selectMutations(store, 'where m.id < :before order by m.id desc limit :limit', { ...range }),
    )
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
          {older}
        </>
      ),
    }
  },
})

/** The changes to an issue, a project or an initiative; nothing if there are none and its creation is not shown. */
export function History({ store, id, createdAt }: { readonly store: Store; readonly id: string; readonly createdAt?: string }) {
  const rows = selectMutations(store, 'where m.subject = :id order by m.id desc limit :limit', { id, limit: pageSize })
  if (rows.length === 0 && createdAt === undefined) return null
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <ul class="rows">
        {rows.map((row) => (
          <ChangeRow store={store} row={row} />
        ))}
        {createdAt !== undefined && !rows.some(({ field }) => field === 'issueCreate') && (
          <li>
            Created <Time at={createdAt} />
          </li>
        )}
      </ul>
    </section>
  )
}

interface Subject {
  readonly label: string
  readonly href?: string
}

interface ChangeRowProps {
  readonly store: Store
  readonly row: MutationRow
  /** Absent on the subject's own page. */
  readonly subject?: Subject
}

/** One change: its call, its time and its effect. */
function ChangeRow({ store, row, subject }: ChangeRowProps) {
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

/** A change's subject, with its page. */
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
