import { member, stringMember } from '@mcp-toolkits/core/base'
import type { ToolResource } from '@mcp-toolkits/server'

export { skills } from './generated/skills.ts'

export const resources: readonly ToolResource[] = [
  {
    name: 'issue',
    title: 'Issue',
    description: 'An issue of Linear with its description, relations and comments, by its identifier (ENG-12).',
    uriTemplate: 'linear://issue/{issue_id}',
    tool: 'GetIssue',
    findIn: ({ issue }) => [{ id: member(issue, 'identifier'), name: stringMember(issue, 'title') }],
  },
  {
    name: 'project',
    title: 'Project',
    description: 'A project of Linear with its state, lead, dates and progress, by its id or the slug in its address.',
    uriTemplate: 'linear://project/{value}',
    tool: 'GetProject',
    findIn: ({ project }) => [{ id: member(project, 'slug_id'), name: stringMember(project, 'name') }],
  },
]
