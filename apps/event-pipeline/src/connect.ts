import path from 'node:path'
import type { Fetch } from '@mcp-toolkits/core'
import type { Connection, ConnectOptions, EmulatorHandle, Settings } from '@mcp-toolkits/server'
import type { Context } from './context.ts'
import type { OutboxAccess } from './outbox/command.ts'
import { countsOf } from './outbox/counts.ts'
import { Courier } from './outbox/courier.ts'
import { Ledger } from './outbox/ledger.ts'
import { Outbox } from './outbox/outbox.ts'
import { pipelinesClient } from './pipelines/client.ts'
import { accountOf, addsIds, embeddedKey, outboxFile, type Account } from './upstream.ts'

/** The embedded default has an address too; nothing listens there, its emulator is called directly. */
const embeddedUrl = 'http://localhost/v1'

/** Where entries of the embedded default are for. */
const embeddedOrigin = 'embedded'

/** A vendor, real or embedded, and what the outbox calls it. */
interface Vendor extends Account {
  readonly origin: string
  readonly fetch: Fetch
  readonly close: () => void | Promise<void>
}

interface OpenConnection extends Connection<Context & OutboxAccess> {
  readonly context: Context & OutboxAccess
}

/** Connects to the account in the environment, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, { fetch, log }: ConnectOptions = {}): Promise<OpenConnection> {
  const { url, key, origin, ...vendor } = await vendorOf(settings, fetch)
  const client = pipelinesClient({ fetch: vendor.fetch, baseUrl: url, key })
  const addIds = addsIds(settings)
  const ledger = new Ledger(outboxFile(settings))
  const destination = { origin, keyHash: key.fingerprint(ledger.hashKey) }
  const courier = new Courier({
    ledger,
    client,
    destination,
    report: (problem) => log?.error('outbox', { problem }),
    putOff: (entry, failure) => log?.warn('outbox', { entry, outcome: 'queued', ...failure }),
  })
  return {
    context: { outbox: new Outbox({ ledger, courier, destination, addIds }), ledger, courier, destination },
    status: () => Promise.resolve({ adds_ids: addIds, outbox: countsOf(ledger.operator.waiting(), destination) }),
    resume: () => {
      courier.wake()
    },
    close: async () => {
      await courier.close()
      ledger.close()
      await vendor.close()
    },
  }
}

async function vendorOf(settings: Settings, fetch: Fetch | undefined): Promise<Vendor> {
  const account = accountOf(settings)
  const close = () => undefined
  if (account) return { ...account, origin: account.url, fetch: fetch ?? globalThis.fetch, close }
  const emulation = fetch ? { fetch, close } : await embedded(settings)
  return { url: embeddedUrl, key: embeddedKey, origin: embeddedOrigin, fetch: emulation.fetch, close: () => emulation.close() }
}

/** The vendor's stand-in on this machine, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<EmulatorHandle> {
  const { pipelinesEmulator } = await import('@mcp-toolkits/pipelines-emulator')
  return pipelinesEmulator({ file: path.join(dataDirectory, 'event-pipeline', 'pipelines.db'), key: embeddedKey.reveal() })
}
