import type { ConnectSteps } from '@mcp-toolkits/team/connect/connect-steps'
import { systemClock } from '@mcp-toolkits/core/base'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { withCallScope } from '@mcp-toolkits/core/tool'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { checkKey } from './pipelines/key-check.ts'
import { apiUrlOf } from './upstream.ts'

/** How long Customer.io may take to say whether a key is right, in milliseconds. */
const checkMs = 10_000

/** The page on which a person enters the key with which the server sends for them. Throws `Unauthenticated` for an address that cannot be used. */
export function connectSteps(settings: Settings, { fetch = globalThis.fetch, clock = systemClock }: ConnectOptions = {}): ConnectSteps {
  const baseUrl = apiUrlOf(settings)
  const { host } = new URL(baseUrl)
  return {
    key: {
      vendor: 'Customer.io',
      label: 'Pipelines API key',
      hint: `It is the API key of a source in Customer.io, in the region of ${host}. What you send through this server then comes from that source.`,
      async check(key, signal) {
        const { pipelinesClient } = await import('./pipelines/client.ts')
        const client = pipelinesClient({ fetch, baseUrl, key, clock })
        await withCallScope({ signal, clock, ms: checkMs }, (scope) => checkKey(client, scope)).catch(explainRefusal)
        return { region: host }
      },
    },
  }
}

/** Throws what says that a key is wrong, or that it could not be checked. */
function explainRefusal(error: unknown): never {
  if (!(error instanceof Unauthenticated)) throw error
  throw new Unauthenticated('Customer.io refused this key. Copy it again from its source; a key works in its region only.')
}
