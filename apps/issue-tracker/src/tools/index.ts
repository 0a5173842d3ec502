import { getCycle, listCycles } from './cycles.ts'
import { getInitiative, getInitiativeDescription, listInitiatives } from './initiatives.ts'
import { getIssue, listComments, listIssues } from './issues.ts'
import { listLabels, listWorkflowStates } from './metadata.ts'
import { getProject, getProjectDescription, listProjects } from './projects.ts'
import { getTeam, listTeams } from './teams.ts'
import { getNotifications, getRecentActivity, whoAmI } from './user.ts'

export const tools = [
  whoAmI,
  getNotifications,
  getRecentActivity,
  getTeam,
  listTeams,
  listIssues,
  getIssue,
  listComments,
  getProject,
  listProjects,
  getProjectDescription,
  getInitiative,
  listInitiatives,
  getInitiativeDescription,
  getCycle,
  listCycles,
  listLabels,
  listWorkflowStates,
]
