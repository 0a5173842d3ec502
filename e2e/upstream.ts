import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { listenOnLoopback } from '../packages/testing/src/processes/loopback.ts'

export interface UpstreamOptions {
  readonly key?: string
}

/** Body of the server's key check: a strict request that stores nothing. */
const keyCheckBody = '{"batch":[]}'

/**
 * The emulator behind a listener that can hold back responses and that notices disconnects. Key checks are answered at once and do not
 * count.
 */
export interface Upstream extends AsyncDisposable {
  readonly emulator: ReturnType<typeof pipelinesEmulator>
  /** The variables that connect a server to it. */
  readonly environment: Readonly<Record<'EVENT_PIPELINE_API_KEY' | 'EVENT_PIPELINE_API_URL', string>>
  /** Holds back all responses from now on, until `release`. */
  readonly hold: () => void
  readonly release: () => void
  /** Counts requests that have arrived. */
  readonly arrived: () => number
  /** Counts clients that disconnected before they got a response. */
  readonly abandoned: () => number
  /** The `Authorization` headers received. */
  readonly authorizations: readonly string[]
}

export async function startUpstream({ key = 'k-1' }: UpstreamOptions = {}): Promise<Upstream> {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: key })
  const authorizations: string[] = []
  let abandoned = 0
  let gate: { readonly opened: Promise<undefined>; readonly open: () => void } | undefined

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    if (body.toString() === keyCheckBody && request.headers['x-strict-mode'] !== undefined) {
      const isRight = request.headers.authorization === `Basic ${Buffer.from(`${key}:`).toString('base64')}`
      response.writeHead(isRight ? 400 : 401, { 'content-type': 'application/json' }).end('{"meta":{"errors":["checked"]}}')
      return
    }
    const leaving = new AbortController()
    response.once('close', () => {
      if (response.writableFinished) return
      abandoned += 1
      leaving.abort()
    })
    authorizations.push(request.headers.authorization ?? '')
    const answer = await emulator.fetch(`http://localhost${request.url ?? ''}`, {
      method: request.method ?? 'POST',
      headers: Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      body,
      signal: leaving.signal,
    })
    await gate?.opened
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const listener = await listenOnLoopback(server)
  const release = () => gate?.open()

  return {
    emulator,
    environment: { EVENT_PIPELINE_API_KEY: key, EVENT_PIPELINE_API_URL: `${listener.url}/v1` },
    authorizations,
    hold() {
      const { promise: opened, resolve } = Promise.withResolvers<undefined>()
      gate = {
        opened,
        open: () => {
          resolve(undefined)
        },
      }
    },
    release,
    arrived: () => emulator.store.requests().length,
    abandoned: () => abandoned,
    async [Symbol.asyncDispose]() {
      release()
      await listener[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}
