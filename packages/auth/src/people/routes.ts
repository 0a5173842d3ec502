import { ToolError } from '@mcp-toolkits/core'
import { storageFailure } from '@mcp-toolkits/core/system-error'
import { type Page, pageHeaders, renderPage } from '../page.ts'
import { accountPaths, beginSession, endConnection, showAccounts, signInToAccounts, signOut } from './accounts.ts'
import { beginLink, proceed, showLink } from './connect-flow.ts'
import { defectPage, foreignFormPage, notFoundPage, storeAwayPage, unknownLinkPage } from './connect-pages.ts'
import { accountsPath, type ConnectParts, consentPath, keyPath, type Reply, signedInPath } from './connect-parts.ts'
import { finishConsent } from './consent.ts'
import { enterKey, showKeyForm } from './key-entry.ts'
import { finishSignIn } from './sign-in.ts'

/** What answers the requests to one path. */
interface Route {
  /** Changes nothing when `isReturn` is absent. */
  readonly get?: (request: Request, query: URLSearchParams) => Promise<Reply>
  /** Whether a browser comes back there from elsewhere, which counts once: then HEAD is refused. */
  readonly isReturn?: boolean
  readonly post?: (request: Request, form: URLSearchParams) => Promise<Reply>
}

/** The longest form, in bytes. */
const maxFormBytes = 8 * 1024

/** Answers requests to pages. */
export function servePages(parts: ConnectParts): (request: Request) => Promise<Response | undefined> {
  const routes = fixedRoutes(parts)
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (!/^\/(?:connect|accounts)(?:\/|$)/.test(pathname)) return undefined
    const route = routes.get(pathname) ?? linkRoute(parts, pathname)
    try {
      if (!route) return toResponse(request, { page: notFoundPage })
      return await answer(parts, route, { request, query: searchParams })
    } catch (error) {
      return toResponse(request, { page: explain(parts, error) })
    }
  }
}

function fixedRoutes(parts: ConnectParts): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    [signedInPath, { get: (request, query) => signedIn(parts, request, query), isReturn: true }],
    [consentPath, { get: (request, query) => finishConsent(parts, request, query), isReturn: true }],
    [keyPath, { get: (request, query) => showKeyForm(parts, request, query), post: (request, form) => enterKey(parts, request, form) }],
    [accountsPath, { get: (request) => showAccounts(parts, request) }],
    [accountPaths.signIn, { post: () => signInToAccounts(parts) }],
    [accountPaths.signOut, { post: (request, form) => signOut(parts, request, form) }],
    [accountPaths.end, { post: (request, form) => endConnection(parts, request, form) }],
  ])
}

function linkRoute(parts: ConnectParts, pathname: string): Route | undefined {
  const token = /^\/connect\/([^/]+)$/.exec(pathname)?.[1]
  return token === undefined ? undefined : { get: () => showLink(parts, token), post: () => beginLink(parts, token) }
}

/** The return from the identity provider: to a link, or to the person's accounts. */
async function signedIn(parts: ConnectParts, request: Request, query: URLSearchParams): Promise<Reply> {
  const result = await finishSignIn(parts, request, query)
  if (!('person' in result)) return result
  const { attempt, person, cookie } = result
  const link = attempt.link && (await parts.links.get(attempt.link))
  if (attempt.link && !link) return { page: unknownLinkPage, cookies: [cookie] }
  const reply = await (link ? proceed(parts, link, person) : beginSession(parts, person))
  return { ...reply, cookies: [cookie, ...(reply.cookies ?? [])] }
}

async function answer(
  { urls }: ConnectParts,
  { get, post, isReturn = false }: Route,
  { request, query }: { readonly request: Request; readonly query: URLSearchParams },
): Promise<Response> {
  const { method } = request
  if (get && (method === 'GET' || (method === 'HEAD' && !isReturn))) return toResponse(request, await get(request, query))
  if (!post || method !== 'POST') return notAllowed([...(get ? ['GET'] : []), ...(post ? ['POST'] : [])])
  if (!isFromHere(request, urls.origin)) return toResponse(request, { page: foreignFormPage })
  const form = await readForm(request)
  return toResponse(request, form ? await post(request, form) : { page: foreignFormPage })
}

/** Browsers say where a form comes from; a form of another page must not act for a person whom this browser knows. */
function isFromHere({ headers }: Request, origin: string): boolean {
  const [from, site] = [headers.get('origin'), headers.get('sec-fetch-site')]
  return (from === null || from === origin) && (site === null || site === 'same-origin' || site === 'none')
}

/** Undefined for what is no form, or too long. */
async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type')
  if (type !== null && !/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return undefined
  const decoder = new TextDecoder()
  let text = ''
  const stream: AsyncIterable<Uint8Array> | null = request.body
  for await (const chunk of stream ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxFormBytes) return undefined
  }
  return new URLSearchParams(text + decoder.decode())
}

function toResponse({ method }: Pick<Request, 'method'>, reply: Reply): Response {
  const headers = new Headers()
  for (const cookie of reply.cookies ?? []) headers.append('set-cookie', cookie)
  if ('location' in reply) {
    headers.set('location', reply.location)
    headers.set('cache-control', 'no-store')
    headers.set('referrer-policy', 'no-referrer')
    return new Response(null, { status: 303, headers })
  }
  for (const [name, value] of Object.entries(pageHeaders(reply.page, reply.formTargets))) headers.set(name, value)
  return new Response(method === 'HEAD' ? null : renderPage(reply.page), { status: reply.page.status, headers })
}

function notAllowed(methods: readonly string[]): Response {
  return new Response(null, { status: 405, headers: { allow: methods.join(', '), 'cache-control': 'no-store' } })
}

/** A page for what no step expects. The texts of such errors are for the log. */
function explain({ log }: ConnectParts, error: unknown): Page {
  const known = error instanceof ToolError ? error : storageFailure(error)
  if (known) {
    log.error('connect', { outcome: known.code, problem: known.message })
    return storeAwayPage
  }
  log.error('connect', { outcome: 'internal', problem: error instanceof Error ? error.name : typeof error })
  return defectPage
}
