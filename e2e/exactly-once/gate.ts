import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { listenOnLoopback } from '../../packages/testing/src/processes/loopback.ts'

/** Stages of a request at which the client may die. */
export const moments = ['before it is processed', 'after it is processed', 'after its response'] as const
export type Moment = (typeof moments)[number]

/** A vendor on a real socket, which reports each stage of a request before going on. */
export interface Gate extends AsyncDisposable {
  readonly url: string
  /** Called at each stage of each request; the index counts from the last `watch`. Returns whether the client has died. */
  readonly watch: (passes: (index: number, moment: Moment) => boolean) => void
  /** Counts requests since the last `watch`. */
  readonly requests: () => number
}

export async function openGate(vendor: Fetch): Promise<Gate> {
  let requests = 0
  let isDead: (index: number, moment: Moment) => boolean = () => false
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const index = requests
    requests += 1
    const body = await buffer(request)
    if (isDead(index, 'before it is processed')) return
    const { method = 'GET', url = '/' } = request
    // URLs in the answer must lead to this gate.
    const processed = await vendor(`http://${request.headers.host ?? ''}${url}`, {
      method,
      headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
      ...(method !== 'GET' && { body: new Uint8Array(body) }),
    })
    const bytes = Buffer.from(await processed.arrayBuffer())
    if (isDead(index, 'after it is processed')) return
    response.writeHead(processed.status, Object.fromEntries(processed.headers)).end(bytes, () => {
      isDead(index, 'after its response')
    })
  }
  const failures: unknown[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A client that has died aborts its request; any other failure is a defect in the emulator.
      if (!request.destroyed) failures.push(error)
      response.destroy()
    })
  })
  const listener = await listenOnLoopback(server)
  return {
    url: listener.url,
    watch(passes) {
      requests = 0
      isDead = passes
    },
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]()
      if (failures.length > 0) throw new AggregateError(failures, `The emulator failed: ${String(failures[0])}`)
    },
  }
}
