import path from 'node:path'
import { authorized, ToolError, type Fetch } from '@mcp-toolkits/core'
import { signedIn, type Identity } from '@mcp-toolkits/core/accounts'
import { Identities } from '@mcp-toolkits/core/identities'
import type { Connection, ConnectOptions, Emulation, Settings } from '@mcp-toolkits/server'
import { openStored } from '@mcp-toolkits/server/accounts'
import type { Context } from './context.ts'
import { linearClient } from './linear/client.ts'
import { whoAmI } from './linear/viewer.ts'
import { signIn } from './sign-in.ts'
import { Turns } from './turns.ts'
import { accountOf, embeddedKey, name } from './upstream.ts'

/** The embedded default has an address too; nothing listens there, its emulator is called directly. */
const embeddedUrl = 'http://localhost/graphql'

/** How long a person waits to be told the account, in milliseconds. */
const statusMs = 10_000

/** A vendor, real or embedded, as whoever the credentials are for. */
interface Vendor extends Pick<Connection<Context>, 'scopes' | 'close'> {
  readonly url: string
  readonly fetch: Fetch
}

/** Connects to the account in the environment or to the stored login, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, { fetch }: ConnectOptions = {}): Promise<Connection<Context>> {
  const { url, fetch: send, ...rest } = await vendorOf(settings, fetch)
  return {
    ...rest,
    context: { linear: linearClient({ fetch: send, url }), identities: new Identities(), relating: new Turns() },
    status: () => statusAt({ fetch: send, url }),
  }
}

/** Whom the credentials are for. `fetch` has them. */
export async function whoIsAt(api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal): Promise<Identity> {
  const { viewer } = await linearClient(api).run(whoAmI, {}, signal)
  return { account: `${viewer.name} <${viewer.email}>`, workspace: viewer.organization.name }
}

/** Whom the credentials are for, or why they cannot be used: Linear is asked, so that a person sees what the tools would meet. */
async function statusAt(api: { readonly fetch: Fetch; readonly url: string }): Promise<Identity> {
  const patience = AbortSignal.timeout(statusMs)
  try {
    return await whoIsAt(api, patience)
  } catch (error) {
    if (patience.aborted) return { problem: 'Linear did not answer in time.' }
    if (error instanceof ToolError) return { problem: error.message }
    throw error
  }
}

async function vendorOf(settings: Settings, fetch: Fetch | undefined): Promise<Vendor> {
  const account = accountOf(settings)
  if (account) {
    const below = fetch ?? globalThis.fetch
    const { url } = account
    if (account.kind === 'fixed') return { url, fetch: authorized(below, url, account.authorization), close: () => Promise.resolve() }
    const login = openStored({ server: name, provider: signIn.provider, settings, url, fetch: below })
    return { url, fetch: signedIn(below, url, login), scopes: () => login.login().scopes, close: () => login.settled() }
  }
  const emulation = fetch ? { fetch, close: () => undefined } : await embedded(settings)
  return {
    url: embeddedUrl,
    fetch: authorized(emulation.fetch, embeddedUrl, embeddedKey.reveal()),
    close: async () => {
      await emulation.close()
    },
  }
}

/** The vendor's stand-in on this machine, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<Emulation> {
  const { linearEmulator } = await import('@mcp-toolkits/linear-emulator')
  return linearEmulator({ file: path.join(dataDirectory, name, 'linear.db'), apiKey: embeddedKey.reveal() })
}
