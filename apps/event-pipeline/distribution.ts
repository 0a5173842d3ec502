import type { Distribution } from '../../scripts/distribution/types.ts'

export const distribution: Distribution = {
  summary: 'Send people, events, page and screen views and groups to Customer.io; no event is lost or doubled.',
  variables: [
    {
      name: 'EVENT_PIPELINE_API_KEY',
      description: 'The API key of a source in Customer.io (Pipelines API).',
      secret: true,
      formLabel: 'Pipelines API key',
    },
    {
      name: 'EVENT_PIPELINE_REGION',
      description: 'The region of the Customer.io account: us or eu.',
      choices: ['us', 'eu'],
      defaultValue: 'us',
      formLabel: 'Region',
    },
    { name: 'EVENT_PIPELINE_API_URL', description: 'A base URL instead of Customer.io’s, ending in /v1.' },
    {
      name: 'EVENT_PIPELINE_ADD_IDS',
      description: '0: send bodies without adding messageId and timestamp; a repeat may then count twice.',
      defaultValue: '1',
    },
    {
      name: 'EVENT_PIPELINE_ALLOW_PRIVATE_URLS',
      description: 'Non-public hosts to read event files from, comma-separated.',
    },
  ],
  accountHint: 'Enter the API key of a source in Customer.io, choose the region, and turn sample data off.',
  embeddedDescription: 'a pipeline on this machine that accepts events and sends them nowhere',
  privacy: {
    recipient: 'Customer.io',
    policy: 'https://customer.io/legal/privacy-policy',
    statements: [
      'The request bodies, with people’s traits and events, are sent to Customer.io in the region that you choose. With the backfill toolset, SendEventsFromFile also fetches the URL in its arguments, without your key.',
      'A body is written to the data directory on this machine before it is sent, and stays there until it is delivered or dropped.',
      'The server does not store the API key.',
    ],
  },
}
