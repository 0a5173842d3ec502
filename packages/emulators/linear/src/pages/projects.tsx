import { Fact, More, pageSize, Person, Prose, Time, type View, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { slugIdFor } from '../ids.ts'
import { ChangeRow, selectMutations } from './changes.tsx'
import { IssueList, Progress, selectIssues, slugIn, slugPath } from './elements.tsx'

const columns = {
  id: text,
  name: text,
  slugId: text,
  description: text,
  content: nullable(text),
  health: nullable(text),
  startDate: nullable(text),
  targetDate: nullable(text),
  createdAt: text,
  updatedAt: text,
  archivedAt: nullable(text),
  status: text,
  lead: nullable(text),
}

export type ProjectRow = RowOf<typeof columns>

/** The projects selected by a clause from `projects p`. */
export function selectProjects(store: Store, clause: string, values: Readonly<Record<string, string | number>>): ProjectRow[] {
  const own = [
    'id',
    'name',
    'slugId',
    'description',
    'content',
    'health',
    'startDate',
    'targetDate',
    'createdAt',
    'updatedAt',
    'archivedAt',
  ]
  const sql = `select ${own.map((name) => `p.${name}`).join(', ')}, s.name as status, u.name as lead
    from projects p join projectStatuses s on s.id = p.statusId left join users u on u.id = p.leadId ${clause}`
  return store.rows(columns, sql, values)
}

/** Numbers of done issues and all issues in a project; canceled ones do not count. */
export function progressOf(store: Store, projectId: string): { readonly done: number; readonly total: number } {
  const sql = `select s.type, sum(c.count) as count from emulator_issue_counts c join workflowStates s on s.id = c.stateId
    where c.projectId = :projectId and s.type not in ('canceled', 'duplicate') group by s.type`
  const counts = store.rows({ type: text, count: integer }, sql, { projectId })
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return { done: counts.find(({ type }) => type === 'completed')?.count ?? 0, total }
}

/** All projects, most recently changed first. */
export const projectsPage = (store: Store): WorkspacePage => ({
  path: '/projects',
  show({ query }) {
    const before = query('before') ?? '9999'
    const found = selectProjects(store, 'where p.archivedAt is null and p.updatedAt < :before order by p.updatedAt desc limit :limit', {
      ...{ before, limit: pageSize + 1 },
    })
    const projects = found.slice(0, pageSize)
    const end = found.length > pageSize ? projects.at(-1) : undefined
    return {
      title: 'Projects',
      section: '/projects',
      content: (
        <>
          {projects.length === 0 && <p>No projects yet.</p>}
          <ProjectList store={store} projects={projects} />
          <More href={end && `/workspace/projects?before=${encodeURIComponent(end.updatedAt)}`} />
        </>
      ),
    }
  },
})

/** Project rows with their progress. */
export function ProjectList({ store, projects }: { readonly store: Store; readonly projects: readonly ProjectRow[] }) {
  return (
    <ul class="rows">
      {projects.map((project) => (
        <li id={`project-${project.slugId}`} data-version={project.updatedAt}>
          <a href={slugPath('project', project.slugId)} dir="auto">
            {project.name}
          </a>{' '}
          <span class="tag">{project.status}</span> <Health health={project.health} />{' '}
          <Progress {...progressOf(store, project.id)} of={project.name} />
          <p>
            <Person name={project.lead} none="no lead" />
            {project.targetDate !== null && ` · Target: ${project.targetDate}`}
            {' · Updated '}
            <Time at={project.updatedAt} />
          </p>
        </li>
      ))}
    </ul>
  )
}

const healths: Readonly<Record<string, string>> = { onTrack: 'On track', atRisk: 'At risk', offTrack: 'Off track' }

/** Health of a project or initiative; empty if none was reported. */
export function Health({ health }: { readonly health: string | null }) {
  return health === null ? null : <span class={health === 'onTrack' ? 'good' : 'bad'}>{healths[health] ?? health}</span>
}

/** One project with its milestones, updates, issues and changes. */
export const projectPage = (store: Store): WorkspacePage => ({
  path: '/project/:slug/*',
  show({ part }): View | undefined {
    const [project] = selectProjects(store, 'where p.slugId = :slugId', { slugId: slugIn(part('slug')) })
    if (!project) return undefined
    const { id, content, description, lead, status, startDate, targetDate } = project
    const issues = selectIssues(store, 'where i.projectId = :id and i.archivedAt is null order by i.updatedAt desc limit :limit', {
      ...{ id, limit: pageSize },
    })
    return {
      title: project.name,
      section: '/projects',
      content: (
        <div class="split">
          <div>
            {description !== '' && <Prose text={description} />}
            {content !== null && <Prose text={content} />}
            <Updates store={store} projectId={id} />
            <section aria-labelledby="issues">
              <h2 id="issues">Issues, most recently changed first</h2>
              <IssueList issues={issues} none="No issues." />
            </section>
            <SubjectHistory store={store} id={id} />
          </div>
          <aside aria-label="Facts">
            <dl class="facts">
              <Fact name="Status">{status}</Fact>
              <Fact name="Progress">
                <Progress {...progressOf(store, id)} of={project.name} />
              </Fact>
              <Fact name="Health">
                <Health health={project.health} />
              </Fact>
              <Fact name="Lead">
                <Person name={lead} none="nobody" />
              </Fact>
              {startDate !== null && <Fact name="Start">{startDate}</Fact>}
              {targetDate !== null && <Fact name="Target">{targetDate}</Fact>}
              <Milestones store={store} projectId={id} />
            </dl>
          </aside>
        </div>
      ),
    }
  },
})

/** Redirects from an update to its project's page. */
export const projectUpdatePage = (store: Store): WorkspacePage => ({
  path: '/project-update/:slug',
  show({ part }) {
    // The slug is a hash of the id, so the update can only be found by trying the newest ones.
    const updates = store.rows({ id: text, projectId: text }, 'select id, projectId from projectUpdates order by createdAt desc limit 1000')
    const update = updates.find(({ id }) => slugIdFor(id) === part('slug'))
    const [project] = update ? selectProjects(store, 'where p.id = :id', { id: update.projectId }) : []
    return project && new Response(null, { status: 302, headers: { location: slugPath('project', project.slugId) } })
  },
})

function Updates({ store, projectId }: { readonly store: Store; readonly projectId: string }) {
  const sql = `select p.id, p.body, p.health, p.createdAt, u.name as author from projectUpdates p left join users u on u.id = p.userId
    where p.projectId = :projectId and p.archivedAt is null order by p.createdAt desc limit 10`
  const updates = store.rows({ id: text, body: text, health: text, createdAt: text, author: nullable(text) }, sql, { projectId })
  if (updates.length === 0) return null
  return (
    <section aria-labelledby="updates">
      <h2 id="updates">Updates</h2>
      {updates.map(({ id, body, health, createdAt, author }) => (
        <article class="comment" id={`update-${id}`}>
          <p>
            <strong>
              <Person name={author} />
            </strong>{' '}
            <Health health={health} /> <Time at={createdAt} />
          </p>
          <Prose text={body} under={2} />
        </article>
      ))}
    </section>
  )
}

function Milestones({ store, projectId }: { readonly store: Store; readonly projectId: string }) {
  const sql = `select name, targetDate from projectMilestones where projectId = :projectId and archivedAt is null
    order by sortOrder, createdAt limit :limit`
  const milestones = store.rows({ name: text, targetDate: nullable(text) }, sql, { projectId, limit: pageSize })
  return milestones.map(({ name, targetDate }, index) => (
    <Fact name={index === 0 ? 'Milestones' : ''}>{targetDate === null ? name : `${name}, ${targetDate}`}</Fact>
  ))
}

/** The changes to a project or an initiative. */
export function SubjectHistory({ store, id }: { readonly store: Store; readonly id: string }) {
  const rows = selectMutations(store, 'where m.subject = :id order by m.id desc limit :limit', { id, limit: pageSize })
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <ul class="rows">
        {rows.map((row) => (
          <ChangeRow store={store} row={row} />
        ))}
      </ul>
    </section>
  )
}
