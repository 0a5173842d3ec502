import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { withCallScope } from '@mcp-toolkits/core/tool'
import type { Fetch, Secret } from '@mcp-toolkits/core/upstream'
import { pipelinesClient } from './client.ts'
import { checkKey } from './key-check.ts'

/** Timeout, in milliseconds, for Customer.io to accept or refuse a key. */
const checkMs = 10_000

/** Asks Customer.io about a key. Throws `Unauthenticated` if the key is refused, and `Unavailable` if Customer.io could not be asked. */
export async function checkEnteredKey(
  baseUrl: string,
  key: Secret,
  signal: AbortSignal,
  { fetch = globalThis.fetch, clock = systemClock }: { readonly fetch?: Fetch | undefined; readonly clock?: Clock | undefined } = {},
): Promise<void> {
  const client = pipelinesClient({ fetch, baseUrl, key, clock })
  await withCallScope({ signal, clock, ms: checkMs }, (scope) => checkKey(client, scope)).catch(explainRefusal)
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof Unauthenticated)) throw error
  throw new Unauthenticated('Customer.io refused this key. Copy it again from its source; a key works only in its region.')
}
