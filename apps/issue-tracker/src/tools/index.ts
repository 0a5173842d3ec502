import { linkCodeHostToIssue } from './attachments.ts'
import { addComment, listComments, replyToComment, updateComment } from './comments.ts'
import { getCycle, listCycles } from './cycles.ts'
import {
  addProjectToInitiative,
  archiveInitiative,
  createInitiative,
  getInitiative,
  getInitiativeDescription,
  listInitiatives,
  updateInitiative,
} from './initiatives.ts'
import { archiveIssue, transitionIssueState, updateIssue } from './issues/issue-changes.ts'
import { createIssue, getIssue, listIssues } from './issues/issues.ts'
import { listLabels, listWorkflowStates, getTeam, listTeams } from './teams.ts'
import { archiveProject, createProject, getProject, getProjectDescription, listProjects, updateProject } from './projects.ts'
import { createProjectUpdate } from './project-updates.ts'
import { createIssueRelation, manageIssueSubscription } from './relations.ts'
import { getNotifications, getRecentActivity, whoAmI } from './users.ts'

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
