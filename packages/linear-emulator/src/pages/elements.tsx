import { Call, Time } from '@mcp-toolkits/emulator/workspace'
import { priorityLabels } from '../entities/issues.ts'
import { type IssueSummary, issuePath } from './references.tsx'

/** The name of a person; who that is, is null for what Linear itself has done. */
export function Person({ name }: { readonly name: string | null }) {
  return name === null ? <span class="soft">unassigned</span> : <bdi>{name}</bdi>
}

/** An issue in a list. */
export function IssueItem({ issue, showsState = false }: { readonly issue: IssueSummary; readonly showsState?: boolean }) {
  const { identifier, title, priority, stateName, assignee, updatedAt, field, call } = issue
  return (
    <li id={`issue-${identifier}`} data-version={`${updatedAt} ${field ?? ''}`}>
      <a href={issuePath(identifier)} dir="auto">
        <span class="soft">{identifier}</span> {title}
      </a>
      <p>
        {showsState && <span class="tag">{stateName}</span>} {priority > 0 && <span class="tag">{priorityLabels[priority]}</span>}{' '}
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

/** Rows of issues; a sentence when there are none. */
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

/** How much of the work is done, in words and as a bar. */
export function Progress({ done, total, of }: { readonly done: number; readonly total: number; readonly of: string }) {
  if (total === 0) return <span class="soft">no issues</span>
  return (
    <span>
      <progress value={done} max={total} aria-label={`Progress of ${of}`} /> {done} of {total} done
    </span>
  )
}
