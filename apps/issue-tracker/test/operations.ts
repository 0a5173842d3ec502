import { candidates } from '../src/linear/candidates.ts'
import { getCycle, listCycles } from '../src/linear/cycles.ts'
import { findInitiative, getInitiativeText, listInitiatives } from '../src/linear/initiatives.ts'
import { getIssue, listComments, listIssues } from '../src/linear/issues.ts'
import { listLabels, listWorkflowStates } from '../src/linear/metadata.ts'
import { allNotifications, inbox } from '../src/linear/notifications.ts'
import { findProject, getProject, getProjectText, listProjects } from '../src/linear/projects.ts'
import { findTeam, listTeams } from '../src/linear/teams.ts'
import { recentActivity, whoAmI } from '../src/linear/viewer.ts'

/** Every document of the reading tools. */
export const operations = [
  ...[candidates, getCycle, listCycles, findInitiative, getInitiativeText, listInitiatives, getIssue, listComments, listIssues],
  ...[
    listLabels,
    listWorkflowStates,
    findProject,
    getProject,
    getProjectText,
    listProjects,
    findTeam,
    listTeams,
    recentActivity,
    whoAmI,
    inbox,
    allNotifications,
  ],
].map(({ name, text }) => ({ name, text }))
