import path from 'node:path'
import type { Connection, ConnectOptions, Emulation, Settings } from '@mcp-toolkits/server'
import type { Context } from './context.ts'
import { pipelinesClient } from './pipelines/client.ts'
import { delivery } from './pipelines/delivery.ts'
import { UnsettledTexts } from './pipelines/unsettled.ts'
import { accountOf, embeddedKey, type Account } from './upstream.ts'

/** The embedded default has an address too; nothing listens there, its emulator is called directly. */
const embeddedUrl = 'http://localhost/v1'

/** Connects to the account in the environment, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, options: ConnectOptions = {}): Promise<Connection<Context>> {
  const account = accountOf(settings)
  if (account) return open(settings, account, { fetch: options.fetch ?? globalThis.fetch, close: () => undefined })
  const emulation = options.fetch ? { fetch: options.fetch, close: () => undefined } : await embedded(settings)
  return open(settings, { url: embeddedUrl, key: embeddedKey }, emulation)
}

/** The vendor's stand-in on this machine, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<Emulation> {
  const { pipelinesEmulator } = await import('@mcp-toolkits/pipelines-emulator')
  return pipelinesEmulator({ file: path.join(dataDirectory, 'event-pipeline', 'pipelines.db'), key: embeddedKey.reveal() })
}

function open(settings: Settings, { url, key }: Account, { fetch, close }: Pick<Emulation, 'fetch' | 'close'>): Connection<Context> {
  const client = pipelinesClient({ fetch, baseUrl: url, key })
  const addIds = settings.environment['EVENT_PIPELINE_ADD_IDS'] !== '0'
  return {
    context: { delivery: delivery({ client, unsettled: new UnsettledTexts(), addIds }) },
    status: () => Promise.resolve({ adds_ids: addIds }),
    close: async () => {
      await close()
    },
  }
}
