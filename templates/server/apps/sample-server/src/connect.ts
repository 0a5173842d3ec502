import path from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import { RateLimited, Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import { basicAuthorization, createTransport, jsonOf, memoryLimits, withAuthorization } from '@mcp-toolkits/core/upstream'
import type { Connection, ConnectOptions, EmulatorHandle, Settings } from '@mcp-toolkits/server'
import { accountOf, embeddedKey } from './account.ts'
import type { Context } from './context.ts'

/** Connects to the account in the environment, or else to the built-in emulator. Throws `Unauthenticated`. */
export async function connect(settings: Settings, { fetch, clock = systemClock }: ConnectOptions = {}): Promise<Connection<Context>> {
  const account = accountOf(settings)
  const data = account || fetch ? undefined : await emulator(settings)
  const { url, key } = account ?? { url: 'http://localhost/v1', key: embeddedKey }
  const transport = createTransport({
    fetch: withAuthorization(fetch ?? data?.fetch ?? globalThis.fetch, url, () => basicAuthorization(key)),
    vendor: 'Sample Server',
    limits: memoryLimits(clock),
  })
  return {
    context: {
      get: (resource, schema, scope) =>
        transport.send(
          { url: `${url}/${resource}`, method: 'GET' },
          (response) => {
            if (response.status === 401) throw new Unauthenticated('Sample Server refused the API key.')
            if (response.status === 429) throw new RateLimited('Sample Server asked us to slow down.')
            if (!response.ok) throw new Unavailable(`Sample Server answered HTTP ${response.status}.`)
            return schema.parse(jsonOf(response, 'Sample Server'))
          },
          scope,
        ),
    },
    status: () => Promise.resolve({}),
    close: async () => {
      await data?.close()
    },
  }
}

/** The emulator with its data in the data directory, and what other clients need to reach it. Loaded only when it is used. */
export async function emulator({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<EmulatorHandle & { readonly hint: string }> {
  const { sampleServerEmulator } = await import('@mcp-toolkits/sample-server-emulator')
  const file = path.join(dataDirectory, 'sample-server', 'data.db')
  return { ...sampleServerEmulator({ file, key: embeddedKey.reveal() }), hint: `Base URL {url}/v1, API key ${embeddedKey.reveal()}.` }
}
