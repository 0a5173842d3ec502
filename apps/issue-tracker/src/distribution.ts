import type { Distribution } from '@mcp-toolkits/server/distribution'

export const distribution: Distribution = {
  summary: 'Read and change issues, comments, projects and initiatives in Linear; nothing is created twice.',
  variables: [
    {
      name: 'ISSUE_TRACKER_API_KEY',
      about: 'A personal API key of Linear (Settings, Security & access).',
      secret: true,
      field: 'Linear API key',
    },
    { name: 'ISSUE_TRACKER_ACCESS_TOKEN', about: 'An OAuth access token, for hosts that manage tokens themselves.', secret: true },
    { name: 'ISSUE_TRACKER_API_URL', about: 'The whole GraphQL endpoint, in place of Linear’s.' },
    { name: 'ISSUE_TRACKER_AUTH_URL', about: 'OAuth endpoints in place of Linear’s.' },
    { name: 'ISSUE_TRACKER_CLIENT_ID', about: 'The OAuth application that login asks for.' },
    { name: 'ISSUE_TRACKER_CLIENT_SECRET', about: 'The secret of that application, where it has one.', secret: true },
  ],
  accountHint: 'Enter a personal API key of Linear (Settings, Security & access) and switch practice data off.',
  embeddedDescription: 'a small issue tracker on this machine',
  recordNames: {
    Person: ['assignee', 'actor', 'user', 'creator', 'lead', 'owner', 'members', 'subscribers', 'delegate', 'author'],
    Issue: ['parent', 'children', 'blocks', 'blocked_by', 'duplicate_of', 'duplicated_by', 'related', 'related_to', 'related_issue'],
    WorkflowState: ['state', 'states', 'default_issue_state'],
    Cycle: ['active_cycle'],
  },
  privacy: {
    recipient: 'Linear',
    policy: 'https://linear.app/privacy',
    statements: [
      'What a tool is called with is sent to Linear, as the account that you connect, and to nobody else.',
      'Logins and the embedded issue tracker are kept in the data directory on this machine. An API key is not stored by the server.',
      'The address of a code host that is linked to an issue is never fetched.',
    ],
  },
}
