import { countOf, More, pageSize, type View, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { IssueItem, selectIssues } from './elements.tsx'
import { StateIcon } from './icons.tsx'
import { IssueFilters, issuesPath } from './issues.tsx'

const teamColumns = { id: text, key: text, name: text, archivedAt: nullable(text) }
const stateColumns = { id: text, name: text, type: text, color: text }
type Team = RowOf<typeof teamColumns>
type State = RowOf<typeof stateColumns>

/** Maximum number of issues per state on the board; the issue list has the rest. */
const cardsPerState = 20

const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']

const teamsOf = (store: Store): Team[] =>
  store.rows(teamColumns, 'select id, key, name, archivedAt from teams order by archivedAt is not null, createdAt, id limit :limit', {
    limit: pageSize,
  })

/** The first team's board. */
export const startPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show() {
    const [first] = teamsOf(store)
    return first ? board(store, first) : { title: 'Board', section: '/board', content: <p>No teams yet.</p> }
  },
})

/** A team's board. */
export const boardPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show({ part }) {
    const [team] = store.rows(teamColumns, 'select id, key, name, archivedAt from teams where key = :key', {
      key: part('key').toUpperCase(),
    })
    return team && board(store, team)
  },
})

function statesOf(store: Store, { id }: Team): State[] {
  const sql = 'select id, name, type, color from workflowStates where teamId = :id and archivedAt is null order by position, id'
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
        <IssueFilters store={store} query={() => undefined} />
        <div class="board" id="board" tabindex={0} role="region" aria-label="Issues by state">
          {statesOf(store, team).map((state) => (
            <Column store={store} team={team} state={state} />
          ))}
        </div>
      </>
    ),
  }
}

/** The path of a team's board. */
export const boardPath = (key: string) => `/workspace/board/${encodeURIComponent(key)}`

function Column({ store, team, state }: { readonly store: Store; readonly team: Team; readonly state: State }) {
  const { id, name, type, color } = state
  const sql = 'select coalesce(sum(count), 0) as count from emulator_issue_counts where stateId = :id'
  const count = store.rows({ count: integer }, sql, { id })[0]?.count ?? 0
  // The latest changes come first, so that people see what an agent is doing.
  const clause = 'where i.stateId = :id and i.archivedAt is null order by i.updatedAt desc, i.id desc limit :limit'
  const issues = selectIssues(store, clause, { id, limit: cardsPerState })
  return (
    <section aria-labelledby={`state-${id}`}>
      <h2 id={`state-${id}`} dir="auto">
        <StateIcon type={type} color={color} /> {name} <span class="soft">{count}</span>
      </h2>
      <ul class="cards">
        {issues.map((issue) => (
          <IssueItem issue={issue} />
        ))}
      </ul>
      <More href={count > issues.length ? issuesPath(team.key, name) : undefined} label={`All ${countOf(count, 'issue')}`} />
    </section>
  )
}
