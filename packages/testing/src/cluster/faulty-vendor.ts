import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { randomNumbers } from '../processes/random.ts'
import { listenOnLoopback } from '../processes/loopback.ts'
import type { OpenVendor } from '../vendors/vendor.ts'

/** A vendor on a real socket, some of whose requests fail. */
export interface FaultyVendor extends AsyncDisposable {
  readonly url: string
  /** From now on, makes this share of the requests fail; with 1, none reaches the vendor. */
  readonly setFaults: (share: number) => void
  /** People for whom two requests ran at the same time. */
  readonly overlaps: readonly string[]
  /** The bodies of requests that the vendor carried out, in order. */
  readonly bodies: readonly string[]
}

/** Kinds of fault. Half of them carry out the request first. */
const faults = ['refused', 'reset', 'carried out, then refused', 'carried out, then reset'] as const

/** `peopleIn` returns the people named in a request's body. */
export async function openFaultyVendor(
  vendor: OpenVendor,
  { seed, peopleIn = () => [] }: { readonly seed: number; readonly peopleIn?: (body: string) => readonly string[] },
): Promise<FaultyVendor> {
  const random = randomNumbers(seed)
  const underWay = new Set<string>()
  const overlaps: string[] = []
  const bodies: string[] = []
  let share = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    const people = peopleIn(body.toString())
    overlaps.push(...people.filter((person) => underWay.has(person)))
    for (const person of people) underWay.add(person)
    response.once('close', () => {
      for (const person of people) underWay.delete(person)
    })
    const fault = random() < share ? faults[Math.floor(random() * (share === 1 ? 2 : faults.length))] : undefined
    const processed = fault === 'refused' || fault === 'reset' ? undefined : await forward(vendor, request, body)
    if (processed) bodies.push(body.toString())
    if (fault?.endsWith('reset')) request.socket.resetAndDestroy()
    else if (fault !== undefined || !processed) response.writeHead(503, { 'content-type': 'application/json' }).end('{}')
    else response.writeHead(processed.status, processed.headers).end(processed.bytes)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const listener = await listenOnLoopback(server)
  return {
    url: listener.url,
    overlaps,
    bodies,
    setFaults(next) {
      share = next
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

async function forward(vendor: OpenVendor, request: IncomingMessage, body: Buffer) {
  const { method = 'GET', url = '/', headers } = request
  // URLs in the response must lead to this server.
  const processed = await vendor.fetch(`http://${headers.host ?? ''}${url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
    ...(method !== 'GET' && { body: new Uint8Array(body) }),
  })
  return {
    status: processed.status,
    headers: Object.fromEntries(processed.headers),
    bytes: Buffer.from(await processed.arrayBuffer()),
  }
}
