import { Fact, More, pageSize, Person, Prose, Time, type View, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { Health, IssueList, Progress, selectIssues, slugIn, slugPath } from './elements.tsx'
import { History } from './changes.tsx'
import { Milestones, Updates } from './projects.tsx'

const kinds = {
  project: {
    title: 'Projects',
    role: 'Lead',
    from: 'projects p join projectStatuses s on s.id = p.statusId left join users u on u.id = p.leadId',
    own: 's.name as status, p.startDate',
  },
  initiative: {
    title: 'Initiatives',
    role: 'Owner',
    from: 'initiatives p left join users u on u.id = p.ownerId',
    own: 'p.status, null as startDate',
  },
} as const

type PlanKind = keyof typeof kinds

const columns = {
  id: text,
  name: text,
  slugId: text,
  description: nullable(text),
  content: nullable(text),
  health: nullable(text),
  targetDate: nullable(text),
  updatedAt: text,
  status: text,
  startDate: nullable(text),
  /** The project's lead, or the initiative's owner. */
  person: nullable(text),
}

/** A project or an initiative. */
interface Plan extends RowOf<typeof columns> {
  readonly kind: PlanKind
}

/** The projects or initiatives, called `p`, that a clause selects. */
function selectPlans(store: Store, kind: PlanKind, clause: string, values: Readonly<Record<string, string | number>>): Plan[] {
  const { from, own } = kinds[kind]
  const sql = `select p.id, p.name, p.slugId, p.description, p.content, p.health, p.targetDate, p.updatedAt, ${own}, u.name as person
    from ${from} ${clause}`
  return store.rows(columns, sql, values).map((plan) => ({ ...plan, kind }))
}

const projectsOf = (store: Store, { id }: Plan) =>
  selectPlans(
    store,
    'project',
    'where p.archivedAt is null and p.id in (select projectId from initiativeToProjects where initiativeId = :id) order by p.updatedAt desc limit :limit',
    { id, limit: pageSize },
  )

/** Numbers of done issues and all issues in a project, or in all of an initiative's projects; canceled ones do not count. */
function progressOf(store: Store, plan: Plan): { readonly done: number; readonly total: number } {
  if (plan.kind === 'initiative') {
    const all = projectsOf(store, plan).map((project) => progressOf(store, project))
    const sum = (name: 'done' | 'total') => all.reduce((result, each) => result + each[name], 0)
    return { done: sum('done'), total: sum('total') }
  }
  const sql = `select s.type, sum(c.count) as count from emulator_issue_counts c join workflowStates s on s.id = c.stateId
    where c.projectId = :id and s.type not in ('canceled', 'duplicate') group by s.type`
  const counts = store.rows({ type: text, count: integer }, sql, { id: plan.id })
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return { done: counts.find(({ type }) => type === 'completed')?.count ?? 0, total }
}

/** All projects or all initiatives, most recently changed first. */
export const plansPage = (store: Store, kind: PlanKind): WorkspacePage => ({
  path: `/${kind}s`,
  show({ query }) {
    const before = query('before') ?? '9999'
    const clause = 'where p.archivedAt is null and p.updatedAt < :before order by p.updatedAt desc limit :limit'
    const found = selectPlans(store, kind, clause, { before, limit: pageSize + 1 })
    const plans = found.slice(0, pageSize)
    const end = found.length > pageSize ? plans.at(-1) : undefined
    return {
      title: kinds[kind].title,
      section: `/${kind}s`,
      content: (
        <>
          {plans.length === 0 && <p>No {kind}s yet.</p>}
          <PlanList store={store} plans={plans} />
          <More href={end && `/workspace/${kind}s?before=${encodeURIComponent(end.updatedAt)}`} />
        </>
      ),
    }
  },
})

/** Projects or initiatives with their progress. */
function PlanList({ store, plans }: { readonly store: Store; readonly plans: readonly Plan[] }) {
  return (
    <ul class="rows">
      {plans.map((plan) => (
        <li id={`${plan.kind}-${plan.slugId}`} data-version={plan.updatedAt}>
          <a href={slugPath(plan.kind, plan.slugId)} dir="auto">
            {plan.name}
          </a>{' '}
          <span class="tag">{plan.status}</span> <Health health={plan.health} /> <Progress {...progressOf(store, plan)} of={plan.name} />
          <p>
            <Person name={plan.person} none={`no ${kinds[plan.kind].role.toLowerCase()}`} />
            {plan.kind === 'project' && plan.targetDate !== null && ` · Target: ${plan.targetDate}`}
            {' · Updated '}
            <Time at={plan.updatedAt} />
          </p>
        </li>
      ))}
    </ul>
  )
}

/** One project or initiative with its parts and changes. */
export const planPage = (store: Store, kind: PlanKind): WorkspacePage => ({
  path: `/${kind}/:slug/*`,
  show({ part }): View | undefined {
    const [plan] = selectPlans(store, kind, 'where p.slugId = :slugId', { slugId: slugIn(part('slug')) })
    if (!plan) return undefined
    const { id, name, description, content, status, health, person, startDate, targetDate } = plan
    const isProject = kind === 'project'
    return {
      title: name,
      section: `/${kind}s`,
      content: (
        <div class="split">
          <div>
            {description !== null && description !== '' && <Prose text={description} />}
            {content !== null && <Prose text={content} />}
            {isProject ? <ProjectContent store={store} id={id} /> : <InitiativeContent store={store} plan={plan} />}
            <History store={store} id={id} />
          </div>
          <aside aria-label="Facts">
            <dl class="facts">
              <Fact name="Status">{status}</Fact>
              <Fact name="Progress">
                <Progress {...progressOf(store, plan)} of={name} />
              </Fact>
              <Fact name="Health">
                <Health health={health} />
              </Fact>
              <Fact name={kinds[kind].role}>
                <Person name={person} none="nobody" />
              </Fact>
              {startDate !== null && <Fact name="Start">{startDate}</Fact>}
              {targetDate !== null && <Fact name="Target">{targetDate}</Fact>}
              {isProject && <Milestones store={store} projectId={id} />}
            </dl>
          </aside>
        </div>
      ),
    }
  },
})

function InitiativeContent({ store, plan }: { readonly store: Store; readonly plan: Plan }) {
  return (
    <>
      <h2>Projects</h2>
      <PlanList store={store} plans={projectsOf(store, plan)} />
    </>
  )
}

function ProjectContent({ store, id }: { readonly store: Store; readonly id: string }) {
  const clause = 'where i.projectId = :id and i.archivedAt is null order by i.updatedAt desc limit :limit'
  return (
    <>
      <Updates store={store} projectId={id} />
      <section aria-labelledby="issues">
        <h2 id="issues">Issues, most recently changed first</h2>
        <IssueList issues={selectIssues(store, clause, { id, limit: pageSize })} none="No issues." />
      </section>
    </>
  )
}
