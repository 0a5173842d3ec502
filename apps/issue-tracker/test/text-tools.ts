import type { Args } from './calls.ts'
import { initiativeNamed, projectNamed } from './project-calls.ts'
import { firstComment } from './writing-calls.ts'
import type { Workspace } from './workspace.ts'

/** The tools that replace text, with the parameter for the text. */
export const textTools = {
  UpdateIssue: () => ['description', { issue_id: 'ENG-9' }],
  UpdateProject: (server) => ['description', { project_id: projectNamed(server, 'Apollo')['id'] }],
  UpdateInitiative: (server) => ['description', { initiative_id: initiativeNamed(server, 'Reliability')['id'] }],
  UpdateComment: (server) => ['body', { comment_id: firstComment(server).own }],
} as const satisfies Readonly<Record<string, (server: Workspace) => readonly [parameter: string, target: Args]>>
