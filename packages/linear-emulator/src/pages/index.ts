import type { Workspace } from '@mcp-toolkits/emulator/workspace'
import { integer, type Store } from '@mcp-toolkits/store'
import { activityPage, latestChange } from './activity.tsx'
import { boardPage, startPage } from './board.tsx'
import { initiativePage, initiativesPage } from './initiatives.tsx'
import { issuePage } from './issue.tsx'
import { profilePage } from './profile.tsx'
import { projectPage, projectsPage, projectUpdatePage } from './projects.tsx'

/** The issues, projects and initiatives of the workspace as pages, at the addresses that Linear gives its own. */
export const linearWorkspace = (store: Store): Workspace => ({
  sections: [
    { path: '/board', label: 'Board' },
    { path: '/projects', label: 'Projects' },
    { path: '/initiatives', label: 'Initiatives' },
    { path: '/activity', label: 'Activity' },
  ],
  // Nothing changes without a mutation, and a reset takes the ids back to the beginning.
  revision: () => String(store.rows({ last: integer }, 'select coalesce(max(id), 0) as last from mutations')[0]?.last ?? 0),
  latestChange: () => latestChange(store),
  pages: [
    startPage(store, '/'),
    startPage(store, '/board'),
    boardPage(store, '/board/:key'),
    // Where Linear has the page of a team.
    boardPage(store, '/team/:key/*'),
    issuePage(store),
    projectsPage(store),
    projectPage(store),
    projectUpdatePage(store),
    initiativesPage(store),
    initiativePage(store),
    profilePage(store),
    activityPage(store, '/activity'),
    activityPage(store, '/inbox'),
  ],
})
