import { Fact, More, pageSize, Person, Prose, Time, type View, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { Progress, slugIn, slugPath } from './elements.tsx'
import { Health, progressOf, ProjectList, selectProjects, SubjectHistory } from './projects.tsx'

const columns = {
  id: text,
  name: text,
  slugId: text,
  description: nullable(text),
  content: nullable(text),
  status: text,
  health: nullable(text),
  targetDate: nullable(text),
  updatedAt: text,
  owner: nullable(text),
}

type Initiative = RowOf<typeof columns>

function selectInitiatives(store: Store, clause: string, values: Readonly<Record<string, string | number>>): Initiative[] {
  const own = ['id', 'name', 'slugId', 'description', 'content', 'status', 'health', 'targetDate', 'updatedAt']
  const sql = `select ${own.map((name) => `i.${name}`).join(', ')}, u.name as owner from initiatives i left join users u on u.id = i.ownerId ${clause}`
  return store.rows(columns, sql, values)
}

const projectsOf = (store: Store, { id }: Initiative) =>
  selectProjects(
    store,
    'where p.archivedAt is null and p.id in (select projectId from initiativeToProjects where initiativeId = :id) order by p.updatedAt desc limit :limit',
    { id, limit: pageSize },
  )

/** The number of issues in all of an initiative's projects. */
function totalOf(store: Store, initiative: Initiative) {
  const all = projectsOf(store, initiative).map(({ id }) => progressOf(store, id))
  const sum = (name: 'done' | 'total') => all.reduce((result, each) => result + each[name], 0)
  return { done: sum('done'), total: sum('total') }
}

/** All initiatives, most recently changed first. */
export const initiativesPage = (store: Store): WorkspacePage => ({
  path: '/initiatives',
  show({ query }) {
    const before = query('before') ?? '9999'
    const found = selectInitiatives(store, 'where i.archivedAt is null and i.updatedAt < :before order by i.updatedAt desc limit :limit', {
      ...{ before, limit: pageSize + 1 },
    })
    const initiatives = found.slice(0, pageSize)
    const end = found.length > pageSize ? initiatives.at(-1) : undefined
    return {
      title: 'Initiatives',
      section: '/initiatives',
      content: (
        <>
          {initiatives.length === 0 && <p>No initiatives yet.</p>}
          <ul class="rows">
            {initiatives.map((initiative) => (
              <li id={`initiative-${initiative.slugId}`} data-version={initiative.updatedAt}>
                <a href={slugPath('initiative', initiative.slugId)} dir="auto">
                  {initiative.name}
                </a>{' '}
                <span class="tag">{initiative.status}</span> <Health health={initiative.health} />{' '}
                <Progress {...totalOf(store, initiative)} of={initiative.name} />
                <p>
                  <Person name={initiative.owner} none="no owner" />
                  {' · Updated '}
                  <Time at={initiative.updatedAt} />
                </p>
              </li>
            ))}
          </ul>
          <More href={end && `/workspace/initiatives?before=${encodeURIComponent(end.updatedAt)}`} />
        </>
      ),
    }
  },
})

/** One initiative with its projects. */
export const initiativePage = (store: Store): WorkspacePage => ({
  path: '/initiative/:slug/*',
  show({ part }): View | undefined {
    const [initiative] = selectInitiatives(store, 'where i.slugId = :slugId', { slugId: slugIn(part('slug')) })
    if (!initiative) return undefined
    const { description, content, status, owner, targetDate } = initiative
    return {
      title: initiative.name,
      section: '/initiatives',
      content: (
        <div class="split">
          <div>
            {description !== null && <Prose text={description} />}
            {content !== null && <Prose text={content} />}
            <h2>Projects</h2>
            <ProjectList store={store} projects={projectsOf(store, initiative)} />
            <SubjectHistory store={store} id={initiative.id} />
          </div>
          <aside aria-label="Facts">
            <dl class="facts">
              <Fact name="Status">{status}</Fact>
              <Fact name="Progress">
                <Progress {...totalOf(store, initiative)} of={initiative.name} />
              </Fact>
              <Fact name="Health">
                <Health health={initiative.health} />
              </Fact>
              <Fact name="Owner">
                <Person name={owner} none="nobody" />
              </Fact>
              {targetDate !== null && <Fact name="Target">{targetDate}</Fact>}
            </dl>
          </aside>
        </div>
      ),
    }
  },
})
