import type { Distribution } from '../../scripts/distribution/types.ts'

export const distribution: Distribution = {
  summary: 'Describe in at most 100 characters what the server does.',
  variables: [
    { name: 'SAMPLE_SERVER_API_KEY', description: 'The Sample Server API key.', secret: true, formLabel: 'API key' },
    { name: 'SAMPLE_SERVER_API_URL', description: 'A base URL instead of the vendor’s.' },
  ],
  accountHint: 'Enter the API key, and turn sample data off.',
  embeddedDescription: 'a small Sample Server on this machine',
  privacy: {
    recipient: 'Sample Server',
    policy: 'https://sample-server.example/privacy',
    statements: ['Tool arguments are sent to Sample Server.', 'The server does not store the API key.'],
  },
}
