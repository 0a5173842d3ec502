import path from 'node:path'
import type { Identity } from '@mcp-toolkits/core/accounts'
import { IdempotencyKeys } from '@mcp-toolkits/core/idempotency'
import type { Connection, ConnectOptions, EmulatorHandle, Settings } from '@mcp-toolkits/server'
import { embeddedVendor, openVendor, statusOf, type Vendor } from '@mcp-toolkits/server/vendor'
import type { Context } from './context.ts'
import { linearClient } from './linear/client.ts'
import { whoAmI } from './linear/viewer.ts'
import { signIn } from './sign-in.ts'
import { Turns } from './turns.ts'
import { embeddedKey, source } from './upstream.ts'

/** Connects to the account in the environment or to the stored login, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, { fetch, log }: ConnectOptions = {}): Promise<Connection<Context>> {
  const { provider } = signIn
  const vendor = openVendor(source, { provider, settings, fetch, log }) ?? atStandIn(fetch ? { fetch } : await embedded(settings))
  return {
    ...(vendor.scopes && { scopes: vendor.scopes }),
    context: { linear: linearClient(vendor), idempotencyKeys: new IdempotencyKeys(), relating: new Turns() },
    status: () => statusOf(provider.name, (signal) => whoIsAt(vendor, signal)),
    close: vendor.close,
  }
}

/** Whom the credentials are for. `fetch` has them. */
export async function whoIsAt(api: Pick<Vendor, 'fetch' | 'url'>, signal: AbortSignal): Promise<Identity> {
  const { viewer } = await linearClient(api).run(whoAmI, {}, signal)
  return { account: `${viewer.name} <${viewer.email}>`, workspace: viewer.organization.name }
}

function atStandIn(standIn: Parameters<typeof embeddedVendor>[0]): Vendor {
  return embeddedVendor(standIn, { path: '/graphql', authorization: embeddedKey.reveal() })
}

/** The vendor's stand-in on this machine, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<EmulatorHandle> {
  const { linearEmulator } = await import('@mcp-toolkits/linear-emulator')
  return linearEmulator({ file: path.join(dataDirectory, source.server, 'linear.db'), apiKey: embeddedKey.reveal() })
}
