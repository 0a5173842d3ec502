import { defineServer } from '@mcp-toolkits/server'
import manifest from '../package.json' with { type: 'json' }
import { listedTools as listedForApps } from './generated/tools-for-apps.ts'
import { listedTools } from './generated/tools.ts'
import { apiKeys, files, outbox } from './extensions.ts'
import { upstreamOf } from './upstream.ts'

export const eventPipeline = defineServer({
  name: 'event-pipeline',
  title: 'Event Pipeline for Customer.io',
  version: manifest.version,
  prefix: 'EventPipelineApi',
  shortName: 'events',
  vendor: 'the Customer.io Pipelines API',
  instructions:
    'Send people, events, page and screen views, groups and aliases to Customer.io. Each tool wraps one endpoint of the Pipelines API (evaluate before production use): mode get_request_schema returns its schema, mode execute sends a body. Without strict validation the API answers 200 to any body, so read the findings of every result. In the next.change of an error, null removes an argument. Retrying an unanswered call is safe; repeating an answered one sends a second event.',
  connectHint: 'To use an account, set EVENT_PIPELINE_API_KEY (and EVENT_PIPELINE_REGION=eu for the EU region).',
  listedTools,
  toolsForApps: {
    listed: listedForApps,
    tools: async () => (await import('./toolsets/outbox/index.ts')).tools,
  },
  toolsets: {
    backfill: { listed: () => import('./generated/backfill.ts'), tools: () => import('./toolsets/backfill/index.ts') },
  },
  upstream: upstreamOf,
  extensions: [apiKeys, outbox, files],
  load: {
    tools: async () => (await import('./tools/index.ts')).tools,
    connector: () => import('./connect.ts'),
    vocabulary: async () => (await import('./tools/vocabulary.ts')).toolVocabulary,
    readable: () => import('./readable.ts'),
    apps: () => import('./apps.ts'),
    variables: async () => (await import('./variables.ts')).variables,
    team: async () => (await import('./team/team.ts')).team,
  },
})
