import { countOf, More, pageSize, type View, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { IssueItem, IssueList, type IssueSummary, selectIssues } from './elements.tsx'

const teamColumns = { id: text, key: text, name: text, archivedAt: nullable(text) }
const stateColumns = { id: text, name: text, type: text }
type Team = RowOf<typeof teamColumns>
type State = RowOf<typeof stateColumns>

/** Issues of a state that the board shows; the state's own page has the others. */
const cardsPerState = 20

const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']

const teamsOf = (store: Store): Team[] =>
  store.rows(teamColumns, 'select id, key, name, archivedAt from teams order by archivedAt is not null, createdAt, id limit :limit', {
    limit: pageSize,
  })

/** The board of the first team. */
export const startPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show() {
    const [first] = teamsOf(store)
    return first ? board(store, first) : { title: 'Board', section: '/board', content: <p>There is no team yet.</p> }
  },
})

/** The board of a team, or all issues of one of its states. */
export const boardPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show({ part, query }) {
    const team = findTeam(store, part('key'))
    const state = query('state')
    if (!team) return undefined
    return state === undefined ? board(store, team) : statePage(store, team, { state, before: query('before') })
  },
})

const findTeam = (store: Store, key: string): Team | undefined =>
  store.rows(teamColumns, 'select id, key, name, archivedAt from teams where key = :key', { key: key.toUpperCase() })[0]

function statesOf(store: Store, { id }: Team): State[] {
  const sql = 'select id, name, type from workflowStates where teamId = :id and archivedAt is null order by position, id'
  return store.rows(stateColumns, sql, { id }).sort((one, other) => stateTypes.indexOf(one.type) - stateTypes.indexOf(other.type))
}

function board(store: Store, team: Team): View {
  const teams = teamsOf(store)
  return {
    title: team.name,
    section: '/board',
    content: (
      <>
        <nav class="tabs" aria-label="Teams">
          {teams.map(({ key, name }) => (
            <a href={boardPath(key)} aria-current={key === team.key ? 'page' : undefined} dir="auto">
              {name}
            </a>
          ))}
        </nav>
        <div class="board" id="board" tabindex={0} role="region" aria-label="Issues by state">
          {statesOf(store, team).map((state) => (
            <Column team={team} state={state} count={countIn(store, state)} issues={newestIn(store, state, cardsPerState)} />
          ))}
        </div>
      </>
    ),
  }
}

const boardPath = (key: string) => `/workspace/board/${encodeURIComponent(key)}`

interface ColumnProps {
  readonly team: Team
  readonly state: State
  readonly count: number
  readonly issues: readonly IssueSummary[]
}

function Column({ team, state, count, issues }: ColumnProps) {
  return (
    <section aria-labelledby={`state-${state.id}`}>
      <h2 id={`state-${state.id}`} dir="auto">
        {state.name} <span class="soft">{count}</span>
      </h2>
      <ul class="cards">
        {issues.map((issue) => (
          <IssueItem issue={issue} />
        ))}
      </ul>
      <More
        href={count > issues.length ? `${boardPath(team.key)}?state=${encodeURIComponent(state.id)}` : undefined}
        label={`All ${countOf(count, 'issue')}`}
      />
    </section>
  )
}

function countIn(store: Store, { id }: State): number {
  const sql = 'select coalesce(sum(count), 0) as count from emulator_issue_counts where stateId = :id'
  return store.rows({ count: integer }, sql, { id })[0]?.count ?? 0
}

/** Newest changes come first, so that a person sees the work of an agent. */
function newestIn(store: Store, { id }: State, limit: number, before?: Position): IssueSummary[] {
  const after = before === undefined ? '' : 'and (i.updatedAt, i.id) < (:updatedAt, :before)'
  return selectIssues(store, `where i.stateId = :id and i.archivedAt is null ${after} order by i.updatedAt desc, i.id desc limit :limit`, {
    ...{ id, limit },
    ...(before && { updatedAt: before.updatedAt, before: before.id }),
  })
}

interface Position {
  readonly updatedAt: string
  readonly id: string
}

function statePage(store: Store, team: Team, { state: id, before }: { readonly state: string; readonly before: string | undefined }) {
  const state = statesOf(store, team).find((each) => each.id === id)
  if (!state) return undefined
  const [updatedAt = '', last = ''] = (before ?? '').split(' ')
  const found = newestIn(store, state, pageSize + 1, before === undefined ? undefined : { updatedAt, id: last })
  const issues = found.slice(0, pageSize)
  const end = issues.at(-1)
  const next =
    found.length > pageSize && end ? new URLSearchParams({ state: id, before: `${end.updatedAt} ${end.id}` }).toString() : undefined
  return {
    title: `${team.name}: ${state.name}`,
    section: '/board',
    content: (
      <>
        <p>
          <a href={boardPath(team.key)}>Board</a> · {countOf(countIn(store, state), 'issue')}
        </p>
        <IssueList issues={issues} none="No issues." />
        <More href={next === undefined ? undefined : `${boardPath(team.key)}?${next}`} />
      </>
    ),
  }
}
