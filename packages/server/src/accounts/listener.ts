import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { showPage, type Page } from './page.ts'

const host = '127.0.0.1'

export interface ReturnOptions {
  /** What the provider must send back. */
  readonly state: string
  /** The path that the browser returns to; one that nobody can guess when absent. */
  readonly path?: string
  /** 0 lets the system choose. */
  readonly port: number
  /** What a sign-in is called on a page about another one. */
  readonly title: string
}

/** What a browser brought back from the provider, and waits for. */
export interface Brought {
  readonly query: URLSearchParams
  readonly answer: (page: Page) => Promise<void>
}

/** The way back from a provider to this program, open until it is closed. */
export interface Returning {
  readonly redirectUri: string
  /** The first return that belongs to this sign-in. */
  readonly brought: Promise<Brought>
  readonly close: () => Promise<void>
}

/**
 * Waits on loopback for one browser to come back from a provider: https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 * Answers nothing but a GET of one path, under its own `Host`, with the right `state`, once. Whatever else comes is refused and ends
 * nothing: any page and any program of this machine can send something here.
 */
export async function awaitReturn({
  state,
  path = `/${randomBytes(24).toString('base64url')}`,
  port,
  title,
}: ReturnOptions): Promise<Returning> {
  const { promise: brought, resolve } = Promise.withResolvers<Brought>()
  let isBrought = false
  const server = createServer((request, response) => {
    const authority = `${host}:${portOf(server)}`
    const url = URL.parse(request.url ?? '', `http://${authority}`)
    const refuse = (status: number, ...paragraphs: string[]) => void showPage(response, { status, title, paragraphs })
    if (!isAtHome(request, authority)) refuse(403, 'This request does not come from a sign-in.')
    else if (url?.pathname !== path) refuse(404, 'There is nothing here.')
    else if (request.method !== 'GET') refuse(405, 'Only a browser that returns is answered here.')
    else if (!isSame(url.searchParams.getAll('state'), state))
      refuse(400, 'This answer does not belong to the sign-in that is waiting.', 'Use the address that the command printed last.')
    else if (isBrought) refuse(410, 'This sign-in was answered already. Return to the command.')
    else {
      isBrought = true
      resolve({ query: url.searchParams, answer: (page) => showPage(response, page) })
    }
  })
  await listen(server, port)
  return { redirectUri: `http://${host}:${portOf(server)}${path}`, brought, close: () => close(server) }
}

/** Whether a request was sent to this address, and not by a page from elsewhere. A browser that returns sends no `Origin`. */
function isAtHome({ headers }: IncomingMessage, authority: string): boolean {
  return headers.host === authority && (headers.origin === undefined || headers.origin === `http://${authority}`)
}

function isSame(given: readonly string[], wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given.length === 1 && timingSafeEqual(digest(given[0] ?? ''), digest(wanted))
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  server.once('error', reject)
  server.listen(port, host, () => {
    server.off('error', reject)
    resolve(undefined)
  })
  await promise
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.close(() => {
    resolve(undefined)
  })
  server.closeAllConnections()
  await promise
}
