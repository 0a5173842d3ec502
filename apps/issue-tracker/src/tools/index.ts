import { toolsOf } from '@mcp-toolkits/core/tool'
import * as attachments from './attachments.ts'
import * as comments from './comments.ts'
import * as cycles from './cycles.ts'
import * as initiatives from './initiatives.ts'
import * as issueChanges from './issues/issue-changes.ts'
import * as issues from './issues/issues.ts'
import * as labels from './labels.ts'
import * as projectUpdates from './project-updates.ts'
import * as projects from './projects.ts'
import * as relations from './issues/relations.ts'
import * as teams from './teams.ts'
import * as users from './users.ts'

/** Every tool that these modules export, by resource, in the order in which clients show them. */
const resources = [
  toolsOf(users),
  toolsOf(teams),
  toolsOf(issues, issueChanges, relations),
  toolsOf(comments),
  toolsOf(projects, projectUpdates),
  toolsOf(initiatives),
  toolsOf(cycles),
  toolsOf(labels),
  toolsOf(attachments),
]

/** Reads come first, and each resource's archive tool comes last. */
export const tools = [
  ...resources.flat().filter(({ effect }) => effect === 'read'),
  ...resources.flatMap((group) => [
    ...group.filter(({ effect }) => effect === 'create' || effect === 'update'),
    ...group.filter(({ effect }) => effect === 'delete'),
  ]),
]
