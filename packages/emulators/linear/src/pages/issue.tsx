import { Fact, pageSize, Person, Prose, Time, Trail, type View, WebLink, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { priorityLabels } from '../issues/issues.ts'
import { ChangeRow, selectMutations } from './changes.tsx'
import { Comments } from './comments.tsx'
import { keptPath } from '../uploads/uploads.ts'
import { boardPath } from './board.tsx'
import { IssueList, issuePath, Labels, labelsColumn, nameOf, selectIssues, slugPath } from './elements.tsx'
import { PriorityIcon, StateIcon } from './icons.tsx'

const isNumber = (value: unknown): value is number => typeof value === 'number'

const columns = {
  id: text,
  identifier: text,
  title: text,
  description: nullable(text),
  priority: integer,
  estimate: nullable(isNumber),
  dueDate: nullable(text),
  stateId: text,
  teamId: text,
  assigneeId: nullable(text),
  delegateId: nullable(text),
  creatorId: nullable(text),
  projectId: nullable(text),
  projectMilestoneId: nullable(text),
  cycleId: nullable(text),
  parentId: nullable(text),
  createdAt: text,
  updatedAt: text,
  archivedAt: nullable(text),
}

type Issue = RowOf<typeof columns>

function findIssue(store: Store, reference: string): Issue | undefined {
  const select = `select ${Object.keys(columns).join(', ')} from issues where`
  const identifier = reference.toUpperCase()
  return (
    store.rows(columns, `${select} identifier = :identifier`, { identifier })[0] ??
    store.rows(columns, `${select} id = (select issueId from formerIdentifiers where identifier = :identifier)`, { identifier })[0]
  )
}

/** One issue with everything that belongs to it. */
export const issuePage = (store: Store): WorkspacePage => ({
  path: '/issue/:identifier/*',
  show({ part, query }): View | undefined {
    const issue = findIssue(store, part('identifier'))
    if (!issue) return undefined
    return {
      title: `${issue.identifier} ${issue.title}`,
      section: '/board',
      content: (
        <>
          <TeamTrail store={store} issue={issue} />
          <div class="split">
            <div>
              {issue.archivedAt !== null && (
                <p class="bad">
                  Archived <Time at={issue.archivedAt} />
                </p>
              )}
              {issue.description === null ? <p class="soft">No description.</p> : <Prose text={issue.description} />}
              <Related store={store} issue={issue} />
              <Comments store={store} issue={issue} before={query('before')} />
              <History store={store} issue={issue} />
            </div>
            <Facts store={store} issue={issue} />
          </div>
        </>
      ),
    }
  },
})

interface IssueProps {
  readonly store: Store
  readonly issue: Issue
}

function TeamTrail({ store, issue }: IssueProps) {
  const teams = store.rows({ key: text, name: text }, 'select key, name from teams where id = :id', { id: issue.teamId })
  return <Trail steps={teams.map(({ key, name }) => ({ href: boardPath(key), name }))} />
}

function StateFact({ store, issue }: IssueProps) {
  const [state] = store.rows({ name: text, type: text, color: text }, 'select name, type, color from workflowStates where id = :id', {
    id: issue.stateId,
  })
  return (
    <Fact name="State">
      {state && <StateIcon {...state} />} {state?.name}
    </Fact>
  )
}

function Facts({ store, issue }: IssueProps) {
  const { priority, assigneeId, delegateId, estimate, dueDate, projectMilestoneId, cycleId, creatorId, createdAt, updatedAt } = issue
  return (
    <aside aria-label="Facts">
      <dl class="facts">
        <StateFact store={store} issue={issue} />
        <Fact name="Priority">
          <PriorityIcon priority={priority} label={priorityLabels[priority] ?? ''} /> {priorityLabels[priority]}
        </Fact>
        <Fact name="Assignee">
          <Person name={nameOf(store, 'users', assigneeId)} />
        </Fact>
        {delegateId !== null && (
          <Fact name="Delegate">
            <Person name={nameOf(store, 'users', delegateId)} />
          </Fact>
        )}
        <Fact name="Labels">
          <Labels json={labelsOf(store, issue)} />
        </Fact>
        <ProjectFact store={store} issue={issue} />
        {projectMilestoneId !== null && <Fact name="Milestone">{nameOf(store, 'projectMilestones', projectMilestoneId)}</Fact>}
        {cycleId !== null && <Fact name="Cycle">{nameOf(store, 'cycles', cycleId)}</Fact>}
        <ParentFact store={store} issue={issue} />
        {estimate !== null && <Fact name="Estimate">{estimate}</Fact>}
        {dueDate !== null && <Fact name="Due">{dueDate}</Fact>}
        <Fact name="Team">{nameOf(store, 'teams', issue.teamId)}</Fact>
        <Fact name="Created">
          <Time at={createdAt} /> <bdi>{nameOf(store, 'users', creatorId)}</bdi>
        </Fact>
        <Fact name="Updated">
          <Time at={updatedAt} />
        </Fact>
      </dl>
    </aside>
  )
}

const labelsOf = (store: Store, { id }: Issue) =>
  store.rows({ labels: text }, `select ${labelsColumn} as labels from issues i where i.id = :id`, { id })[0]?.labels ?? ''

function ProjectFact({ store, issue }: IssueProps) {
  const [project] = store.rows({ name: text, slugId: text }, 'select name, slugId from projects where id = :id', { id: issue.projectId })
  return project ? (
    <Fact name="Project">
      <a href={slugPath('project', project.slugId)}>{project.name}</a>
    </Fact>
  ) : null
}

function ParentFact({ store, issue }: IssueProps) {
  const [parent] = store.rows({ identifier: text, title: text }, 'select identifier, title from issues where id = :id', {
    id: issue.parentId,
  })
  return parent ? (
    <Fact name="Parent">
      <a href={issuePath(parent.identifier)}>
        {parent.identifier} {parent.title}
      </a>
    </Fact>
  ) : null
}

const relationColumns = { type: text, isOther: integer, identifier: text, title: text, state: text }

/** A relation's names, seen from either end. */
const relationNames: Readonly<Record<string, readonly [string, string]>> = {
  blocks: ['Blocks', 'Blocked by'],
  duplicate: ['Duplicate of', 'Duplicated by'],
  related: ['Related to', 'Related to'],
  similar: ['Similar to', 'Similar to'],
}

/** Sub-issues, relations and attachments. */
function Related({ store, issue: { id } }: IssueProps) {
  const values = { id, limit: pageSize }
  const children = selectIssues(store, 'where i.parentId = :id and i.archivedAt is null order by i.createdAt, i.id limit :limit', values)
  const relation = (mine: string, other: string, isOther: number) =>
    `select r.type, ${isOther} as isOther, i.identifier, i.title, s.name as state from relations r
      join issues i on i.id = r.${other} join workflowStates s on s.id = i.stateId where r.${mine} = :id`
  const relations = store.rows(
    relationColumns,
    `${relation('issueId', 'relatedIssueId', 0)} union all ${relation('relatedIssueId', 'issueId', 1)} limit :limit`,
    values,
  )
  const attachments = store
    .rows({ title: text, url: text }, 'select title, url from attachments where issueId = :id order by createdAt limit :limit', values)
    .map(({ title, url }) => ({ title, url, file: keptPath(store, url) }))
  return (
    <>
      {children.length > 0 && (
        <section aria-labelledby="children">
          <h2 id="children">Sub-issues</h2>
          <IssueList issues={children} none="" />
        </section>
      )}
      {relations.length > 0 && (
        <section aria-labelledby="relations">
          <h2 id="relations">Relations</h2>
          <ul class="rows">
            {relations.map(({ type, isOther, identifier, title, state }) => (
              <li id={`relation-${type}-${isOther}-${identifier}`}>
                {relationNames[type]?.[isOther] ?? type}{' '}
                <a href={issuePath(identifier)} dir="auto">
                  {identifier} {title}
                </a>{' '}
                <span class="tag">{state}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {attachments.length > 0 && (
        <section aria-labelledby="attachments">
          <h2 id="attachments">Attachments</h2>
          <ul class="rows">
            {attachments.map(({ title, url, file }) => (
              <li>
                {file === undefined ? (
                  <WebLink url={url}>{title}</WebLink>
                ) : (
                  <a href={`/workspace${file}`} dir="auto">
                    {title}
                  </a>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function History({ store, issue }: IssueProps) {
  const rows = selectMutations(store, 'where m.subject = :id order by m.id desc limit :limit', { id: issue.id, limit: pageSize })
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <ul class="rows">
        {rows.map((row) => (
          <ChangeRow store={store} row={row} />
        ))}
        {!rows.some(({ field }) => field === 'issueCreate') && (
          <li>
            Created <Time at={issue.createdAt} />
          </li>
        )}
      </ul>
    </section>
  )
}
