import { Fact, pageSize, Person, Prose, Time, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { nullable, type Store, text } from '@mcp-toolkits/sqlite'
import { slugIdFor } from '../ids.ts'
import { Health, slugPath } from './elements.tsx'

interface ProjectProps {
  readonly store: Store
  readonly projectId: string
}

/** Redirects from an update to its project's page. */
export const projectUpdatePage = (store: Store): WorkspacePage => ({
  path: '/project-update/:slug',
  show({ part }) {
    // The slug is a hash of the id, so the update can only be found by trying the newest ones.
    const updates = store.rows({ id: text, projectId: text }, 'select id, projectId from projectUpdates order by createdAt desc limit 1000')
    const update = updates.find(({ id }) => slugIdFor(id) === part('slug'))
    const [project] = update ? store.rows({ slugId: text }, 'select slugId from projects where id = :id', { id: update.projectId }) : []
    return project && new Response(null, { status: 302, headers: { location: slugPath('project', project.slugId) } })
  },
})

/** A project's newest updates; nothing if there are none. */
export function Updates({ store, projectId }: ProjectProps) {
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

/** Facts about a project's milestones. */
export function Milestones({ store, projectId }: ProjectProps) {
  const sql = `select name, targetDate from projectMilestones where projectId = :projectId and archivedAt is null
    order by sortOrder, createdAt limit :limit`
  const milestones = store.rows({ name: text, targetDate: nullable(text) }, sql, { projectId, limit: pageSize })
  return milestones.map(({ name, targetDate }, index) => (
    <Fact name={index === 0 ? 'Milestones' : ''}>{targetDate === null ? name : `${name}, ${targetDate}`}</Fact>
  ))
}
