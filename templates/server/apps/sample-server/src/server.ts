import { defineServer } from '@mcp-toolkits/server'
import manifest from '../package.json' with { type: 'json' }
import { upstreamOf } from './account.ts'
import { listedTools } from './generated/tools.ts'

export const sampleServer = defineServer({
  name: 'sample-server',
  title: 'Sample Server',
  version: manifest.version,
  prefix: 'SampleServer',
  shortName: 'sample-server',
  vendor: 'Sample Vendor',
  instructions: 'To do: say in two sentences what the server is for, and what a model should know first.',
  connectHint: 'To use an account, set SAMPLE_SERVER_API_KEY.',
  listedTools,
  upstream: upstreamOf,
  load: {
    tools: async () => (await import('./tools/index.ts')).tools,
    connector: () => import('./connect.ts'),
    variables: async () => (await import('./variables.ts')).variables,
    team: async () => (await import('@mcp-toolkits/team')).teamOf(),
  },
})
