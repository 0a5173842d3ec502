import type { App } from '@mcp-toolkits/server'

export const apps: readonly App[] = [
  {
    name: 'board',
    title: 'Board',
    description: 'The issues of a search by state. The person filters and opens them, and changes state, assignee and priority.',
    shows: ['ListIssues', 'SearchIssues'],
    calls: ['GetIssue', 'GetTeam', 'ListWorkflowStates', 'TransitionIssueState', 'UpdateIssue'],
    load: () => import('./generated/board.ts'),
  },
  {
    name: 'projects',
    title: 'Projects',
    description: 'A table of projects, which the person sorts.',
    shows: ['ListProjects'],
    calls: [],
    load: () => import('./generated/projects.ts'),
  },
]
