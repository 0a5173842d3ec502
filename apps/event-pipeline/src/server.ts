import { once } from '@mcp-toolkits/core/base'
import { defineServer } from '@mcp-toolkits/server'
import manifest from '../package.json' with { type: 'json' }
import { listedTools } from './generated/tools.ts'
import { apiKey, embeddedKey, hasOutbox, upstreamOf } from './upstream.ts'

export const eventPipeline = defineServer({
  name: 'event-pipeline',
  title: 'Event Pipeline',
  version: manifest.version,
  prefix: 'EventPipelineApi',
  shortName: 'events',
  vendor: 'the Customer.io Pipelines API',
  loadToolVocabulary: async () => (await import('./vocabulary.ts')).toolVocabulary,
  instructions:
    'Send people, events, page and screen views, groups and aliases to Customer.io. Each tool wraps one endpoint of the Pipelines API (evaluate before production use): mode get_request_schema returns its schema, mode execute sends a body. Without strict validation the API answers 200 to any body, so read the findings of every result. In the next.change of an error, null removes an argument. Retrying an unanswered call is safe; repeating an answered one sends a second event.',
  connectHint: 'To use an account, set EVENT_PIPELINE_API_KEY (and EVENT_PIPELINE_REGION=eu for the EU region).',
  keyVariable: apiKey.variable,
  checkKey: async (...given) => (await import('./vendor-key.ts')).checkVendorKey(...given),
  listedTools,
  loadVariables: async () => (await import('./variables.ts')).variables,
  loadTools: async () => (await import('./tools/index.ts')).tools,
  preloadConnection: async (isEmbedded) => (await import('./connect.ts')).preload(isEmbedded),
  upstream: upstreamOf,
  connect: async (settings, options) => (await import('./connect.ts')).connectLazily(settings, options),
  connectMany(settings, shared) {
    const many = once(async () => (await import('./connect.ts')).connectMany(settings, shared))
    return {
      connect: async (own, options) => (await many()).connect(own, options),
      workForKeys: {
        waiting: async () => (await many()).workForKeys.waiting(),
        reopen: async (account, key) => (await many()).workForKeys.reopen(account, key),
      },
      close: async () => (await many()).close(),
    }
  },
  hasPendingWork: hasOutbox,
  strandedWork: async (settings) => (await import('./stranded-events.ts')).strandedEvents(settings),
  commands: {
    outbox: {
      usage: 'outbox list | retry [ID] | drop ID | adopt [KEY] [--store URL]',
      description: 'what could not be delivered yet',
      example: 'outbox list',
      takesJson: true,
      takesStore: true,
      run: async (settings, operands, { json, ...options }) => {
        if (settings.readOnly && operands[0] !== 'list') return { code: 1, text: 'With --read-only the outbox can only be listed.' }
        const { connect } = await import('./connect.ts')
        const { outboxCommand } = await import('./outbox/command.ts')
        const connection = await connect(settings, options)
        try {
          return await outboxCommand(connection.context, operands, json)
        } finally {
          await connection.close()
        }
      },
    },
  },
  loadTeam: async () => (await import('./team/team.ts')).team,
  emulator: async (settings) => ({
    ...(await (await import('./connect.ts')).embedded(settings)),
    hint: `Base URL {url}/v1, API key ${embeddedKey.reveal()}; the page at {url}/ shows the requests and the outcome of every event.`,
  }),
})
