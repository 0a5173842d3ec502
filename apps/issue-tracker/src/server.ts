import { sentence } from '@mcp-toolkits/core/errors'
import { upstreamOf } from '@mcp-toolkits/server/account'
import { defineServer } from '@mcp-toolkits/server'
import manifest from '../package.json' with { type: 'json' }
import { listedTools } from './generated/tools.ts'
import { account } from './account.ts'

export const issueTracker = defineServer({
  name: account.server,
  title: 'Issue Tracker for Linear',
  version: manifest.version,
  prefix: 'IssueTracker',
  shortName: 'tracker',
  vendor: 'Linear',
  instructions:
    'Read and change issues, comments, projects and initiatives in Linear as the current user; read teams, cycles, labels and workflow states. Refer to an issue by its identifier (ENG-12), to teams, people, labels, states, cycles and projects by name, as lists print them. An unknown or ambiguous name is rejected with suggestions, and nothing is written. In the next.change of an error, null removes an argument. Retrying an unanswered create within ten minutes is safe; repeating an answered one creates a second item. Results leave out what is empty or false; notices say what you might otherwise miss. If a list has more, pass its end_cursor or do what its notice says.',
  connectHint: sentence`To use an account, set ISSUE_TRACKER_API_KEY to a personal Linear API key, or sign in with "${{ command: 'issue-tracker-mcp login' }}" (or set ISSUE_TRACKER_ACCESS_TOKEN to an OAuth token).`,
  account,
  listedTools,
  extensions: [{ longCalls: ['BatchCreateIssues', 'BatchUpdateIssues'] }],
  toolsets: {
    planning: { listed: () => import('./generated/planning.ts'), tools: () => import('./toolsets/planning/index.ts') },
    attachments: { listed: () => import('./generated/attachments.ts'), tools: () => import('./toolsets/attachments/index.ts') },
    triage: { listed: () => import('./generated/triage.ts'), tools: () => import('./toolsets/triage/index.ts') },
  },
  upstream: (settings) => upstreamOf(account, settings),
  load: {
    tools: async () => (await import('./tools/index.ts')).tools,
    connector: () => import('./connect.ts'),
    vocabulary: async () => (await import('./vocabulary/tools.ts')).toolVocabulary,
    readable: () => import('./readable.ts'),
    apps: () => import('./apps.ts'),
    variables: async () => (await import('./variables.ts')).variables,
    team: async () => (await import('@mcp-toolkits/team')).teamOf(),
  },
})
