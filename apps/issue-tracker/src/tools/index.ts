import { archiveIssue } from './archive-issue.ts'
import { linkCodeHostToIssue } from './code-host-links.ts'
import { addComment, replyToComment, updateComment } from './comments.ts'
import { createIssue } from './create-issue.ts'
import { getCycle, listCycles } from './cycles.ts'
import { getInitiative, getInitiativeDescription, listInitiatives } from './initiatives.ts'
import { addProjectToInitiative, archiveInitiative, createInitiative, updateInitiative } from './initiative-writes.ts'
import { createIssueRelation } from './issue-relations.ts'
import { transitionIssueState } from './issue-states.ts'
import { manageIssueSubscription } from './issue-subscriptions.ts'
import { getIssue, listComments, listIssues } from './issues.ts'
import { listLabels, listWorkflowStates } from './metadata.ts'
import { archiveProject, createProject, createProjectUpdate, updateProject } from './project-writes.ts'
import { getProject, getProjectDescription, listProjects } from './projects.ts'
import { getTeam, listTeams } from './teams.ts'
import { updateIssue } from './update-issue.ts'
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
  createIssue,
  updateIssue,
  transitionIssueState,
  createIssueRelation,
  manageIssueSubscription,
  archiveIssue,
  addComment,
  updateComment,
  replyToComment,
  createProject,
  updateProject,
  createProjectUpdate,
  archiveProject,
  createInitiative,
  updateInitiative,
  addProjectToInitiative,
  archiveInitiative,
  linkCodeHostToIssue,
]
