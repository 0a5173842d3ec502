import { upstreamOf } from '@mcp-toolkits/auth/token-source'
import { defineServer } from '@mcp-toolkits/server'
import manifest from '../package.json' with { type: 'json' }
import { listedTools } from './generated/tools.ts'
import { account, embeddedKey } from './account.ts'

export const issueTracker = defineServer({
  name: account.server,
  title: 'Issue Tracker',
  version: manifest.version,
  prefix: 'IssueTracker',
  shortName: 'tracker',
  vendor: 'Linear',
  aliases: { 'IssueTracker.LinkGithubToIssue': 'IssueTracker.LinkCodeHostToIssue' },
  instructions:
    'Reads and changes issues, comments, projects and initiatives in Linear as the current user, and reads teams, cycles, labels and states. Issues are named by identifier such as ENG-12; teams, people, labels, states, cycles and projects by name. A name that matches nothing, or more than one thing, is refused with what could be meant, and nothing is written then. A call whose answer was lost can be repeated as it was: it creates nothing twice; a call that was answered creates another when it is repeated. A list that was cut off gives end_cursor to read on, or a notice that says how to see more.',
  connectHint:
    'To use an account, sign in with "issue-tracker-mcp login", or set ISSUE_TRACKER_API_KEY to a personal API key of Linear (or ISSUE_TRACKER_ACCESS_TOKEN to an OAuth token).',
  account,
  listedTools,
  loadTools: async () => (await import('./tools/index.ts')).tools,
  upstream: (settings) => upstreamOf(account, settings),
  connect: async (settings, options) => (await import('./connect.ts')).connect(settings, options),
  async emulator(settings) {
    const [{ embedded }, { localClient }] = await Promise.all([import('./connect.ts'), import('@mcp-toolkits/linear-emulator')])
    return {
      ...(await embedded(settings)),
      hint: [
        `GraphQL endpoint {url}/graphql, API key ${embeddedKey.reveal()}; the page at {url}/ shows what arrived.`,
        `To sign in there: ISSUE_TRACKER_CLIENT_ID=${localClient.id} ISSUE_TRACKER_AUTH_URL={url} ISSUE_TRACKER_API_URL={url}/graphql issue-tracker-mcp login`,
      ].join('\n'),
    }
  },
})
