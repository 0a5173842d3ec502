import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listen } from '@mcp-toolkits/core/base'
import { type Page, pageHeaders, renderPage } from './page.ts'

const host = '127.0.0.1'

export interface LoopbackOptions {
  /** The state that the provider must send back. */
  readonly state: string
  /** The path that the browser returns to; a random one if absent. */
  readonly path?: string | undefined
  /** The port; 0 lets the system choose. */
  readonly port: number
  /** Title for pages that refuse a request. */
  readonly title: string
}

/** The browser's return from the provider. The browser waits for a page. */
export interface BrowserReturn {
  readonly query: URLSearchParams
  readonly respond: (page: Page) => Promise<void>
}

export interface LoopbackServer {
  readonly redirectUri: string
  /** Resolves when the browser first returns with the state. */
  readonly browserReturn: Promise<BrowserReturn>
  readonly close: () => Promise<void>
}

/**
 * Waits on 127.0.0.1 for a browser to return from a provider (https://www.rfc-editor.org/rfc/rfc8252#section-7.3). Accepts one GET request,
 * for one path, with this server's `Host` and the correct `state`. Any other request is refused and changes nothing, because every web page
 * and every program on this machine can send one.
 */
export async function openLoopbackServer({
  state,
  path = `/${randomBytes(24).toString('base64url')}`,
  port,
  title,
}: LoopbackOptions): Promise<LoopbackServer> {
  const { promise: browserReturn, resolve } = Promise.withResolvers<BrowserReturn>()
  let hasReturned = false
  const server = createServer((request, response) => {
    const authority = `${host}:${portOf(server)}`
    const url = URL.parse(request.url ?? '', `http://${authority}`)
    const refuse = (status: number, ...paragraphs: string[]) => void sendPage(response, { status, title, paragraphs })
    if (!isSameOrigin(request, authority)) refuse(403, 'This request does not come from a sign-in.')
    else if (url?.pathname !== path) refuse(404, 'There is nothing here.')
    else if (request.method !== 'GET') refuse(405, 'Only GET is accepted here.')
    else if (!hasState(url.searchParams.getAll('state'), state))
      refuse(400, 'This answer does not belong to the sign-in that is waiting.', 'Use the address that the command printed last.')
    else if (hasReturned) refuse(410, 'This sign-in has already been answered. Return to the command.')
    else {
      hasReturned = true
      resolve({ query: url.searchParams, respond: (page) => sendPage(response, page) })
    }
  })
  const origin = await listen(server, { host, port })
  return { redirectUri: `${origin}${path}`, browserReturn, close: () => close(server) }
}

/** True if a request was sent to this server, and not by a page from a different origin. A returning browser sends no `Origin`. */
function isSameOrigin({ headers }: IncomingMessage, authority: string): boolean {
  return headers.host === authority && (headers.origin === undefined || headers.origin === `http://${authority}`)
}

function hasState(values: readonly string[], state: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return values.length === 1 && timingSafeEqual(digest(values[0] ?? ''), digest(state))
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.close(() => {
    resolve(undefined)
  })
  server.closeAllConnections()
  await promise
}

/** Sends a page. Resolves when it has been sent or the browser is gone. */
async function sendPage(response: ServerResponse, page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  response.once('close', () => {
    resolve(undefined)
  })
  if (response.destroyed) return
  response.writeHead(page.status, { ...pageHeaders(page), connection: 'close' }).end(renderPage(page))
  await promise
}
