import { systemClock } from '@mcp-toolkits/core/base'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { withCallScope } from '@mcp-toolkits/core/tool'
import type { Secret } from '@mcp-toolkits/core/upstream'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { pipelinesClient } from './pipelines/client.ts'
import { checkKey } from './pipelines/key-check.ts'
import { apiUrlOf } from './upstream.ts'

/** Time limit for Customer.io to accept or refuse a key, in milliseconds. */
const checkMs = 10_000

/** Asks Customer.io about a key. Throws `Unauthenticated` for one that it refuses, and `Unavailable` when it could not be asked. */
export async function checkVendorKey(
  settings: Settings,
  key: Secret,
  signal: AbortSignal,
  { fetch = globalThis.fetch, clock = systemClock }: ConnectOptions = {},
): Promise<void> {
  const client = pipelinesClient({ fetch, baseUrl: apiUrlOf(settings), key, clock })
  await withCallScope({ signal, clock, ms: checkMs }, (scope) => checkKey(client, scope)).catch(explainRefusal)
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof Unauthenticated)) throw error
  throw new Unauthenticated('Customer.io refused this key. Copy it again from its source; a key works in its region only.')
}
