import path from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import {
  Forbidden,
  InvalidInput,
  NotFound,
  RateLimited,
  ToolError,
  Unauthenticated,
  Unavailable,
  withDetails,
} from '@mcp-toolkits/core/errors'
import { basicAuthorization, createTransport, jsonOf, memoryLimits, type Transport, withAuthorization } from '@mcp-toolkits/core/upstream'
import type { Connection, ConnectOptions, EmulatorHandle, Settings } from '@mcp-toolkits/server'
import { accountOf, embeddedKey } from './account.ts'
import type { Context, VendorRequest } from './context.ts'

const vendor = 'Sample Vendor'

/** Connects to the account in the environment, or else to the built-in emulator. Throws `Unauthenticated`. */
export async function connect(settings: Settings, { fetch, clock = systemClock }: ConnectOptions = {}): Promise<Connection<Context>> {
  const account = accountOf(settings)
  const data = account || fetch ? undefined : await emulator(settings)
  const { url, key } = account ?? { url: 'http://localhost/v1', key: embeddedKey }
  const transport = createTransport({
    fetch: withAuthorization(fetch ?? data?.fetch ?? globalThis.fetch, url, () => basicAuthorization(key)),
    vendor,
    limits: memoryLimits(clock),
  })
  return {
    context: { request: requestTo(transport, url) },
    status: () => Promise.resolve({}),
    close: async () => {
      await data?.close()
    },
  }
}

function requestTo(transport: Transport, url: string): Context['request'] {
  return async (request, schema, scope) => {
    const { repeat, ...options } = methodOf(request)
    const sent = transport.send(
      { url: `${url}/${request.path}`, repeat, ...options },
      (response) => {
        if (response.status >= 400) throw errorOf(response.status)
        return schema.parse(jsonOf(response, vendor))
      },
      scope,
    )
    return repeat === 'always' ? sent : sent.catch(failOnce)
  }
}

/** Tells the caller not to repeat a call that may have taken effect. */
function failOnce(error: unknown): never {
  if (!(error instanceof ToolError) || error.details.sent !== 'maybe') throw error
  throw withDetails(error, error.text, { ...error.details, retryable: false })
}

function methodOf({ body }: VendorRequest) {
  if (body === undefined) return { method: 'GET', repeat: 'always' } as const
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), repeat: 'refused' } as const
}

function errorOf(status: number): ToolError {
  if (status === 400 || status === 422) return new InvalidInput(`${vendor} refused the arguments.`)
  if (status === 401) return new Unauthenticated(`${vendor} refused the API key.`)
  if (status === 403) return new Forbidden(`${vendor} does not allow this account to do that.`)
  if (status === 404) return new NotFound(`${vendor} has nothing with this id.`)
  if (status === 429) return new RateLimited(`${vendor} asked us to slow down.`)
  return new Unavailable(`${vendor} answered HTTP ${status}.`)
}

/** Loads what the first call needs. */
export async function preload(isEmbedded: boolean): Promise<unknown> {
  return isEmbedded ? import('@mcp-toolkits/sample-server-emulator') : undefined
}

/** The emulator with its data in the data directory, and what other clients need to reach it. Loaded only when it is used. */
export async function emulator({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<EmulatorHandle & { readonly hint: string }> {
  const { sampleServerEmulator } = await import('@mcp-toolkits/sample-server-emulator')
  const file = path.join(dataDirectory, 'sample-server', 'data.db')
  return { ...sampleServerEmulator({ file, key: embeddedKey.reveal() }), hint: `Base URL {url}/v1, API key ${embeddedKey.reveal()}.` }
}
