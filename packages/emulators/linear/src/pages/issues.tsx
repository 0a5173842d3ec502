import {
  filteredPath,
  type FilterChoice,
  Filters,
  More,
  type PageRequest,
  pageSize,
  type WorkspacePage,
} from '@mcp-toolkits/emulator/workspace'
import { type Store, text } from '@mcp-toolkits/sqlite'
import { priorityLabels } from '../issues/issues.ts'
import { IssueList, selectIssues } from './elements.tsx'

const path = '/workspace/issues'

/** The list's filters, each with the condition that it sets. */
const filters: Readonly<Record<string, string>> = {
  q: "instr(lower(i.identifier || ' ' || i.title || ' ' || coalesce(i.description, '')), lower(:q)) > 0",
  team: 'i.teamId = (select id from teams where key = :team)',
  state: 's.name = :state',
  assignee: "coalesce(u.displayName, 'none') = :assignee",
  priority: 'i.priority = cast(:priority as integer)',
  label: 'i.id in (select issueId from issueLabels where labelId in (select id from labels where name = :label))',
}

/** All teams' issues, most recently changed first. */
export const issuesPage = (store: Store): WorkspacePage => ({
  path: '/issues',
  show({ query }) {
    const set = Object.keys(filters).flatMap((name) => {
      const value = query(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    const [updatedAt, last] = (query('before') ?? '9999 ').split(' ')
    const conditions = ['i.archivedAt is null', '(i.updatedAt, i.id) < (:updatedAt, :last)', ...set.map(([name]) => filters[name])]
    const found = selectIssues(store, `where ${conditions.join(' and ')} order by i.updatedAt desc, i.id desc limit :limit`, {
      ...Object.fromEntries(set),
      ...{ updatedAt: updatedAt ?? '', last: last ?? '', limit: pageSize + 1 },
    })
    const issues = found.slice(0, pageSize)
    const end = found.length > pageSize ? issues.at(-1) : undefined
    return {
      title: 'Issues',
      section: '/issues',
      content: (
        <>
          <IssueFilters store={store} query={query} />
          <IssueList issues={issues} none="No issues." />
          <More href={end && filteredPath(path, query, Object.keys(filters), { before: `${end.updatedAt} ${end.id}` })} />
        </>
      ),
    }
  },
})

/** The address of a team's issues in one state. */
export const issuesPath = (team: string, state: string): string => `${path}?${new URLSearchParams({ team, state }).toString()}`

/** The form that filters the issue list. */
export function IssueFilters({ store, query }: { readonly store: Store; readonly query: PageRequest['query'] }) {
  return <Filters action={path} query={query} search="Search issues" choices={choicesOf(store)} />
}

/** Maximum number of options in a choice. */
const limit = 200

function choicesOf(store: Store): FilterChoice[] {
  const choice = (name: string, options: FilterChoice['options']) => ({ name, any: `Any ${name}`, options })
  const named = (columns: string, table: string) =>
    store
      .rows({ value: text, name: text }, `select ${columns} from ${table} where archivedAt is null order by name limit :limit`, { limit })
      .map(({ value, name }) => [value, name] as const)
  return [
    choice('team', named('key as value, name', 'teams')),
    choice('state', named('distinct name as value, name', 'workflowStates')),
    choice('assignee', [['none', 'Nobody'], ...named('displayName as value, name', 'users')]),
    choice('priority', Object.entries(priorityLabels)),
    choice('label', named('distinct name as value, name', 'labels')),
  ]
}
