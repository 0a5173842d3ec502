import { integer, nullable, text, type Store } from '@mcp-toolkits/store'

/** The tables of what pages show by name, with what names a row. */
const nameColumns = {
  users: 'name',
  workflowStates: 'name',
  projects: 'name',
  initiatives: 'name',
  teams: 'name',
  projectStatuses: 'name',
  projectMilestones: 'name',
  cycles: "coalesce(name, 'Cycle ' || cast(number as integer))",
  issues: "identifier || ' ' || title",
} as const

export type NamedTable = keyof typeof nameColumns

/** The name of the row with this id; null when there is none. */
export function nameOf(store: Store, table: NamedTable, id: string | null): string | null {
  if (id === null) return null
  return store.rows({ name: text }, `select ${nameColumns[table]} as name from ${table} where id = :id`, { id })[0]?.name ?? null
}

const issueColumns = {
  id: text,
  identifier: text,
  title: text,
  priority: integer,
  stateName: text,
  stateType: text,
  assignee: nullable(text),
  updatedAt: text,
  /** The mutation that changed it last, and the tool that sent that. */
  field: nullable(text),
  call: nullable(text),
}

export type IssueSummary = {
  readonly [Name in keyof typeof issueColumns]: (typeof issueColumns)[Name] extends (value: unknown) => value is infer T ? T : never
}

/** The issues that a clause selects from `issues i`, with what a row or card shows. */
export function selectIssues(store: Store, clause: string, values: Readonly<Record<string, string | number>>): IssueSummary[] {
  const sql = `select i.id, i.identifier, i.title, i.priority, s.name as stateName, s.type as stateType, u.name as assignee, i.updatedAt, m.field, m.call
    from issues i join workflowStates s on s.id = i.stateId left join users u on u.id = i.assigneeId
    left join mutations m on m.id = (select max(id) from mutations where subject = i.id) ${clause}`
  return store.rows(issueColumns, sql, values)
}

/** The page of an issue. */
export const issuePath = (identifier: string): string => `/workspace/issue/${encodeURIComponent(identifier)}`

/** The page of a project or an initiative, whose slug decides. */
export const slugPath = (kind: 'project' | 'initiative', slugId: string): string => `/workspace/${kind}/${encodeURIComponent(slugId)}`

/** The slug at the end of the last part of a URL. */
export const slugIn = (part: string): string => part.slice(part.lastIndexOf('-') + 1)
