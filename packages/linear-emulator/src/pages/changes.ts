import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/store'
import { parseChanges, type RecordedChange } from '../store/recorded-changes.ts'
import { nameOf, type NamedTable } from './references.tsx'

const columns = {
  id: integer,
  at: text,
  field: text,
  subject: nullable(text),
  viewer: nullable(text),
  call: nullable(text),
  changes: nullable(text),
}

/** A mutation as it is shown. */
export type MutationRow = RowOf<typeof columns>

/** The mutations that a clause selects from `mutations m`. */
export const selectMutations = (store: Store, clause: string, values: Readonly<Record<string, string | number>>): MutationRow[] =>
  store.rows(
    columns,
    `select m.id, m.at, m.field, m.subject, u.name as viewer, m.call, m.changes from mutations m left join users u on u.id = m.viewer ${clause}`,
    values,
  )

/** The columns that hold the id of something with a name. */
const tables: Readonly<Record<string, NamedTable>> = {
  stateId: 'workflowStates',
  assigneeId: 'users',
  leadId: 'users',
  ownerId: 'users',
  projectId: 'projects',
  projectMilestoneId: 'projectMilestones',
  cycleId: 'cycles',
  parentId: 'issues',
  teamId: 'teams',
  statusId: 'projectStatuses',
}

/** Columns that follow from others. */
const derived = [
  ...['createdAt', 'startedAt', 'completedAt', 'canceledAt', 'triagedAt', 'addedToCycleAt', 'addedToProjectAt', 'addedToTeamAt'],
  ...['sortOrder', 'number', 'healthUpdatedAt'],
]

/** What a mutation changed, in words: `state: Todo → Done`. */
export function describeChanges(store: Store, { changes }: MutationRow): string[] {
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
