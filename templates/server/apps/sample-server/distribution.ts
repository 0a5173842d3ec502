import type { Distribution } from '../../scripts/distribution/types.ts'

export const distribution: Distribution = {
  summary: 'To do: say in at most 100 characters what the server does.',
  variables: [
    { name: 'SAMPLE_SERVER_API_KEY', description: 'The Sample Vendor API key.', secret: true, formLabel: 'API key' },
    { name: 'SAMPLE_SERVER_API_URL', description: 'A base URL instead of the vendor’s.' },
  ],
  accountHint: 'Enter the API key, and turn sample data off.',
  embeddedDescription: 'a small Sample Vendor on this machine',
  privacy: {
    recipient: 'Sample Vendor',
    // To do: give the address of the vendor's policy.
    policy: 'https://sample-server.example/privacy',
    statements: ['Tool arguments are sent to Sample Vendor.', 'The server does not store the API key.'],
  },
}
