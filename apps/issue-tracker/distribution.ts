import type { Distribution } from '../../scripts/distribution/types.ts'

export const distribution: Distribution = {
  summary: 'Read and change issues, comments, projects and initiatives in Linear; nothing is created twice.',
  variables: [
    {
      name: 'ISSUE_TRACKER_API_KEY',
      description: 'A personal Linear API key (Settings, Security & access).',
      secret: true,
      formLabel: 'Linear API key',
    },
    { name: 'ISSUE_TRACKER_ACCESS_TOKEN', description: 'An OAuth access token, for hosts that manage tokens themselves.', secret: true },
    { name: 'ISSUE_TRACKER_API_URL', description: 'A GraphQL endpoint instead of Linear’s.' },
    { name: 'ISSUE_TRACKER_AUTH_URL', description: 'A base URL for OAuth instead of Linear’s.' },
    { name: 'ISSUE_TRACKER_CLIENT_ID', description: 'The client id of the OAuth application that login uses.' },
    { name: 'ISSUE_TRACKER_CLIENT_SECRET', description: 'The client secret of that application, if it has one.', secret: true },
    { name: 'ISSUE_TRACKER_ALLOW_PRIVATE_URLS', description: 'Non-public hosts to attach files from.' },
  ],
  accountHint: 'Enter a personal Linear API key (Settings, Security & access) and turn sample data off.',
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
      'The arguments of tools are sent to Linear, under the account that you connect.',
      'Logins and the emulator’s data are stored in the data directory on this machine. The server does not store API keys.',
      'With the attachments toolset, AttachFile also fetches the URL in its arguments, without your credentials. URLs linked to issues are never fetched.',
    ],
  },
}
