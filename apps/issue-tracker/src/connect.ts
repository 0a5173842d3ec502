import path from 'node:path'
import { authorized, ToolError, type Fetch } from '@mcp-toolkits/core'
import { Identities } from '@mcp-toolkits/core/identities'
import type { Connection, ConnectOptions, Emulation, Settings } from '@mcp-toolkits/server'
import type { Context } from './context.ts'
import { linearClient, type LinearClient } from './linear/client.ts'
import { whoAmI } from './linear/viewer.ts'
import { accountOf, embeddedKey, type Account } from './upstream.ts'

/** The embedded default has an address too; nothing listens there, its emulator is called directly. */
const embeddedUrl = 'http://localhost/graphql'

/** How long a person waits to be told the account, in milliseconds. */
const statusMs = 10_000

/** A vendor, real or embedded. */
interface Vendor extends Account {
  readonly fetch: Fetch
  readonly close: () => void | Promise<void>
}

/** Connects to the account in the environment, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, { fetch }: ConnectOptions = {}): Promise<Connection<Context>> {
  const { url, authorization, ...vendor } = await vendorOf(settings, fetch)
  const linear = linearClient({ fetch: authorized(vendor.fetch, url, authorization), url })
  return {
    context: { linear, identities: new Identities() },
    status: () => accountAt(linear),
    close: async () => {
      await vendor.close()
    },
  }
}

/** Whom the credentials are for, or why they cannot be used: Linear is asked, so that a person sees what the tools would meet. */
async function accountAt(linear: LinearClient): Promise<Readonly<Record<string, string>>> {
  const patience = AbortSignal.timeout(statusMs)
  try {
    const { viewer } = await linear.run(whoAmI, {}, patience)
    return { account: `${viewer.name} <${viewer.email}>`, workspace: viewer.organization.name }
  } catch (error) {
    if (patience.aborted) return { problem: 'Linear did not answer in time.' }
    if (error instanceof ToolError) return { problem: error.message }
    throw error
  }
}

async function vendorOf(settings: Settings, fetch: Fetch | undefined): Promise<Vendor> {
  const account = accountOf(settings)
  const close = () => undefined
  if (account) return { ...account, fetch: fetch ?? globalThis.fetch, close }
  const emulation = fetch ? { fetch, close } : await embedded(settings)
  return { url: embeddedUrl, authorization: embeddedKey.reveal(), fetch: emulation.fetch, close: () => emulation.close() }
}

/** The vendor's stand-in on this machine, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<Emulation> {
  const { linearEmulator } = await import('@mcp-toolkits/linear-emulator')
  return linearEmulator({ file: path.join(dataDirectory, 'issue-tracker', 'linear.db'), apiKey: embeddedKey.reveal() })
}
