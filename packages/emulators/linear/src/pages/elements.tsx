import { isObject, parseJson, stringAt } from '@mcp-toolkits/emulator'
import { Call, Person, Time } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { priorityLabels } from '../issues/issues.ts'
import { Label, PriorityIcon, StateIcon } from './icons.tsx'

/** Tables whose rows are shown by name, with the expression for that name. */
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

/** The name of the row with this id; null if there is none. */
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
  stateColor: text,
  assignee: nullable(text),
  dueDate: nullable(text),
  labels: text,
  updatedAt: text,
  /** The issue's last mutation, and the tool that sent it. */
  field: nullable(text),
  call: nullable(text),
}

export type IssueSummary = RowOf<typeof issueColumns>

/** The labels of an issue `i`, as JSON. */
export const labelsColumn = `(select json_group_array(json_object('name', name, 'color', color)) from
  (select name, color from labels where id in (select labelId from issueLabels where issueId = i.id) limit 20))`

/** The issues selected by a clause from `issues i`, with the columns shown in a row or card. */
export function selectIssues(store: Store, clause: string, values: Readonly<Record<string, string | number>>): IssueSummary[] {
  const sql = `select i.id, i.identifier, i.title, i.priority, s.name as stateName, s.type as stateType, s.color as stateColor,
      u.name as assignee, i.dueDate, ${labelsColumn} as labels, i.updatedAt, m.field, m.call
    from issues i join workflowStates s on s.id = i.stateId left join users u on u.id = i.assigneeId
    left join mutations m on m.id = (select max(id) from mutations where subject = i.id) ${clause}`
  return store.rows(issueColumns, sql, values)
}

/** The path of an issue's page. */
export const issuePath = (identifier: string): string => `/workspace/issue/${encodeURIComponent(identifier)}`

/** The path of a project's or initiative's page, found by its slug. */
export const slugPath = (kind: 'project' | 'initiative', slugId: string): string => `/workspace/${kind}/${encodeURIComponent(slugId)}`

/** The slug at the end of a URL's last segment. */
export const slugIn = (part: string): string => part.slice(part.lastIndexOf('-') + 1)

/** A row's labels. */
export function Labels({ json }: { readonly json: string }) {
  const labels = parseJson(json)
  const found = (Array.isArray(labels) ? labels.filter(isObject) : []).map(
    (each) => [stringAt(each, 'name'), stringAt(each, 'color')] as const,
  )
  return found.sort().map(([name, color]) => (
    <>
      <Label name={name} color={color} />{' '}
    </>
  ))
}

/** An issue in a list. */
export function IssueItem({ issue, showsState = false }: { readonly issue: IssueSummary; readonly showsState?: boolean }) {
  const { identifier, title, priority, stateName, stateType, stateColor, assignee, dueDate, labels, updatedAt, field, call } = issue
  return (
    <li id={`issue-${identifier}`} data-version={`${updatedAt} ${field ?? ''}`}>
      <a class="title" href={issuePath(identifier)} dir="auto">
        <PriorityIcon priority={priority} label={priorityLabels[priority] ?? ''} /> <span class="soft">{identifier}</span> {title}
      </a>
      <p>
        {showsState && (
          <span class="tag">
            <StateIcon type={stateType} color={stateColor} /> {stateName}
          </span>
        )}{' '}
        <Labels json={labels} />
        {dueDate !== null && <span class="whole">Due {dueDate} </span>}
        <Person name={assignee} />
      </p>
      {field !== null && (
        <p>
          <Call call={call} operation={field} /> <Time at={updatedAt} />
        </p>
      )}
    </li>
  )
}

/** Rows of issues; a sentence if there are none. */
export function IssueList({ issues, none }: { readonly issues: readonly IssueSummary[]; readonly none: string }) {
  if (issues.length === 0) return <p class="soft">{none}</p>
  return (
    <ul class="rows">
      {issues.map((issue) => (
        <IssueItem issue={issue} showsState />
      ))}
    </ul>
  )
}

/** Share of finished work, in words and as a bar. */
export function Progress({ done, total, of }: { readonly done: number; readonly total: number; readonly of: string }) {
  if (total === 0) return <span class="soft">no issues</span>
  return (
    <span>
      <progress value={done} max={total} aria-label={`Progress of ${of}`} /> {done} of {total} done
    </span>
  )
}

const healths: Readonly<Record<string, string>> = { onTrack: 'On track', atRisk: 'At risk', offTrack: 'Off track' }

/** Health of a project or initiative; empty if none was reported. */
export function Health({ health }: { readonly health: string | null }) {
  return health === null ? null : <span class={health === 'onTrack' ? 'good' : 'bad'}>{healths[health] ?? health}</span>
}
