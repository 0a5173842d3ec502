import { Fact, pageSize, Person, Prose, Time, Trail, type View, WebLink, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { priorityLabels } from '../issues/issues.ts'
import { History } from './changes.tsx'
import { Comments } from './comments.tsx'
import { keptPath } from '../uploads/uploads.ts'
import { boardPath } from './board.tsx'
import { IssueList, issuePath, Labels, labelsColumn, selectIssues, slugPath } from './elements.tsx'
import { PriorityIcon, StateIcon } from './icons.tsx'

const columns = {
  id: text,
  identifier: text,
  title: text,
  description: nullable(text),
  priority: integer,
  estimate: nullable((value: unknown) => typeof value === 'number'),
  dueDate: nullable(text),
  createdAt: text,
  updatedAt: text,
  archivedAt: nullable(text),
  state: text,
  stateType: text,
  stateColor: text,
  teamKey: text,
  team: text,
  assignee: nullable(text),
  delegate: nullable(text),
  creator: nullable(text),
  labels: text,
  project: nullable(text),
  projectSlug: nullable(text),
  milestone: nullable(text),
  cycle: nullable(text),
  parent: nullable(text),
  parentTitle: nullable(text),
}

type Issue = RowOf<typeof columns>

const issues = `select i.id, i.identifier, i.title, i.description, i.priority, i.estimate, i.dueDate, i.createdAt, i.updatedAt, i.archivedAt,
    s.name as state, s.type as stateType, s.color as stateColor, t.key as teamKey, t.name as team, a.name as assignee, d.name as delegate,
    o.name as creator, ${labelsColumn} as labels, p.name as project, p.slugId as projectSlug, m.name as milestone,
    coalesce(c.name, 'Cycle ' || cast(c.number as integer)) as cycle, above.identifier as parent, above.title as parentTitle
  from issues i join workflowStates s on s.id = i.stateId join teams t on t.id = i.teamId
    left join users a on a.id = i.assigneeId left join users d on d.id = i.delegateId left join users o on o.id = i.creatorId
    left join projects p on p.id = i.projectId left join projectMilestones m on m.id = i.projectMilestoneId
    left join cycles c on c.id = i.cycleId left join issues above on above.id = i.parentId`

function findIssue(store: Store, reference: string): Issue | undefined {
  const identifier = reference.toUpperCase()
  return (
    store.rows(columns, `${issues} where i.identifier = :identifier`, { identifier })[0] ??
    store.rows(columns, `${issues} where i.id = (select issueId from formerIdentifiers where identifier = :identifier)`, { identifier })[0]
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
          <Trail steps={[{ href: boardPath(issue.teamKey), name: issue.team }]} />
          <div class="split">
            <div>
              {issue.archivedAt !== null && (
                <p class="bad">
                  Archived <Time at={issue.archivedAt} />
                </p>
              )}
              {issue.description === null ? <p class="soft">No description.</p> : <Prose text={issue.description} />}
              <Related store={store} id={issue.id} />
              <Comments store={store} issue={issue} before={query('before')} />
              <History store={store} id={issue.id} createdAt={issue.createdAt} />
            </div>
            <Facts issue={issue} />
          </div>
        </>
      ),
    }
  },
})

function Facts({ issue }: { readonly issue: Issue }) {
  const { priority, delegate, milestone, cycle, project, projectSlug, parent, estimate, dueDate } = issue
  return (
    <aside aria-label="Facts">
      <dl class="facts">
        <Fact name="State">
          <StateIcon type={issue.stateType} color={issue.stateColor} /> {issue.state}
        </Fact>
        <Fact name="Priority">
          <PriorityIcon priority={priority} label={priorityLabels[priority] ?? ''} /> {priorityLabels[priority]}
        </Fact>
        <Fact name="Assignee">
          <Person name={issue.assignee} />
        </Fact>
        {delegate !== null && (
          <Fact name="Delegate">
            <Person name={delegate} />
          </Fact>
        )}
        <Fact name="Labels">
          <Labels json={issue.labels} />
        </Fact>
        {projectSlug !== null && (
          <Fact name="Project">
            <a href={slugPath('project', projectSlug)}>{project}</a>
          </Fact>
        )}
        {milestone !== null && <Fact name="Milestone">{milestone}</Fact>}
        {cycle !== null && <Fact name="Cycle">{cycle}</Fact>}
        {parent !== null && (
          <Fact name="Parent">
            <a href={issuePath(parent)}>
              {parent} {issue.parentTitle}
            </a>
          </Fact>
        )}
        {estimate !== null && <Fact name="Estimate">{estimate}</Fact>}
        {dueDate !== null && <Fact name="Due">{dueDate}</Fact>}
        <Fact name="Team">{issue.team}</Fact>
        <Fact name="Created">
          <Time at={issue.createdAt} /> <bdi>{issue.creator}</bdi>
        </Fact>
        <Fact name="Updated">
          <Time at={issue.updatedAt} />
        </Fact>
      </dl>
    </aside>
  )
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
function Related({ store, id }: { readonly store: Store; readonly id: string }) {
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
