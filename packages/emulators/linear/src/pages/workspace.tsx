import { pageSize, type Workspace, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { integer, type Store, text } from '@mcp-toolkits/sqlite'
import { boardPage, startPage } from './board.tsx'
import { activityPage, latestChange } from './changes.tsx'
import { IssueList, selectIssues } from './elements.tsx'
import { issuePage } from './issue.tsx'
import { issuesPage } from './issues.tsx'
import { filePage } from '../uploads/uploads.ts'
import { planPage, plansPage } from './plans.tsx'
import { projectUpdatePage } from './projects.tsx'

/** The workspace's issues, projects and initiatives as pages, at the same paths as Linear's. */
export const linearWorkspace = (store: Store): Workspace => ({
  sections: [
    { path: '/board', label: 'Board' },
    { path: '/issues', label: 'Issues' },
    { path: '/projects', label: 'Projects' },
    { path: '/initiatives', label: 'Initiatives' },
    { path: '/activity', label: 'Activity' },
  ],
  // Every change is a mutation, but a reset restarts the ids.
  revision: () => String(store.rows({ last: integer }, 'select coalesce(max(id), 0) as last from mutations')[0]?.last ?? 0),
  latestChange: () => latestChange(store),
  pages: [
    startPage(store, '/'),
    startPage(store, '/board'),
    boardPage(store, '/board/:key'),
    // Linear's path for a team's page.
    boardPage(store, '/team/:key/*'),
    issuesPage(store),
    issuePage(store),
    filePage(store),
    plansPage(store, 'project'),
    planPage(store, 'project'),
    projectUpdatePage(store),
    plansPage(store, 'initiative'),
    planPage(store, 'initiative'),
    profilePage(store),
    activityPage(store, '/activity'),
    activityPage(store, '/inbox'),
  ],
})

/** A person and the issues assigned to them. */
const profilePage = (store: Store): WorkspacePage => ({
  path: '/profiles/:name',
  show({ part }) {
    const [person] = store.rows({ id: text, name: text, email: text }, 'select id, name, email from users where displayName = :name', {
      name: part('name'),
    })
    if (!person) return undefined
    const clause = 'where i.assigneeId = :id and i.archivedAt is null order by i.updatedAt desc limit :limit'
    return {
      title: person.name,
      content: (
        <>
          <p>{person.email}</p>
          <h2>Assigned issues, most recently changed first</h2>
          <IssueList issues={selectIssues(store, clause, { id: person.id, limit: pageSize })} none="No issues." />
        </>
      ),
    }
  },
})
