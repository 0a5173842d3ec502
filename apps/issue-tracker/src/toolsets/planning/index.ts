import { toolsOf } from '@mcp-toolkits/core/tool'
import * as customerNeeds from './customer-needs.ts'
import * as documents from './documents.ts'
import * as editDescription from './edit-description.ts'
import * as milestones from './milestones.ts'
import * as projectComments from './project-comments.ts'
import * as projectStatuses from './project-statuses.ts'
import * as projectUpdates from './project-updates.ts'
import * as threads from './threads.ts'
import * as upsertMilestone from './upsert-milestone.ts'
import * as users from './users.ts'

/** Tools for plans: milestones, discussions, statuses, documents, people and what customers ask for. */
export const tools = [
  ...toolsOf(milestones, upsertMilestone),
  ...toolsOf(projectComments, threads, projectUpdates),
  ...toolsOf(projectStatuses),
  ...toolsOf(documents, editDescription),
  ...toolsOf(users, customerNeeds),
]
