import { storageFailure, ToolError } from '@mcp-toolkits/core/errors'
import { type Page, pageHeaders, renderPage } from '@mcp-toolkits/server/account'
import { defectPage, foreignFormPage, longFormPage, noFormPage, notFoundPage, storeDownPage, tooManyFormsPage } from './connect-pages.ts'
import type { ConnectLog, PublicUrls, Reply } from './connect-context.ts'

/** Handlers for requests to one path. */
export interface Route {
  /** Answers GET; changes nothing if `isReturn` is absent. */
  readonly get?: (request: Request, query: URLSearchParams) => Promise<Reply>
  /** True if a browser returns here from elsewhere. A return counts once, so HEAD is refused. */
  readonly isReturn?: boolean
  readonly post?: (request: Request, form: URLSearchParams) => Promise<Reply>
}

/** Maximum size of a form, in bytes. */
const maxFormBytes = 8 * 1024

/** Context for answering page requests. */
export interface PageContext {
  readonly urls: Pick<PublicUrls, 'origin'>
  readonly log: Pick<ConnectLog, 'error'>
  /** True if the sender of this request may submit one more form; by default, there is no limit. */
  readonly maySend?: (request: Request) => boolean
  /** The pages' topic in the log. */
  readonly topic: string
}

/** Answers a page request; `route` is undefined if there is no such page. Never rejects. */
export async function answerPage(context: PageContext, route: Route | undefined, request: Request): Promise<Response> {
  try {
    return route ? await answer(context, route, request) : toResponse(request, { page: notFoundPage })
  } catch (error) {
    return toResponse(request, { page: failurePage(context, error) })
  }
}

async function answer({ urls, maySend }: PageContext, { get, post, isReturn = false }: Route, request: Request): Promise<Response> {
  const { method, url } = request
  const query = new URL(url).searchParams
  if (get && (method === 'GET' || (method === 'HEAD' && !isReturn))) return toResponse(request, await get(request, query))
  if (!post || method !== 'POST') return notAllowed([...(get ? ['GET'] : []), ...(post ? ['POST'] : [])])
  if (maySend?.(request) === false) return toResponse(request, { page: tooManyFormsPage })
  if (!isFromHere(request, urls.origin)) return toResponse(request, { page: foreignFormPage })
  const form = await readForm(request)
  return toResponse(request, form instanceof URLSearchParams ? await post(request, form) : { page: form })
}

/** True unless the browser says that the form is from another site's page, which must not act for the person signed in here. */
function isFromHere({ headers }: Request, origin: string): boolean {
  const [from, site] = [headers.get('origin'), headers.get('sec-fetch-site')]
  return (from === null || from === origin) && (site === null || site === 'same-origin' || site === 'none')
}

/** Resolves with an error page if the request is not a form or is too large. */
async function readForm(request: Request): Promise<URLSearchParams | Page> {
  const type = request.headers.get('content-type')
  if (type !== null && !/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return noFormPage
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  const stream: AsyncIterable<Uint8Array> | null = request.body
  for await (const chunk of stream ?? []) {
    bytes += chunk.length
    if (bytes > maxFormBytes) return longFormPage
    text += decoder.decode(chunk, { stream: true })
  }
  return new URLSearchParams(text + decoder.decode())
}

/** Converts a page's reply to a response. */
export function toResponse({ method }: Pick<Request, 'method'>, reply: Reply): Response {
  const headers = new Headers()
  for (const cookie of reply.cookies ?? []) headers.append('set-cookie', cookie)
  if ('location' in reply) {
    headers.set('location', reply.location)
    headers.set('cache-control', 'no-store')
    headers.set('referrer-policy', 'no-referrer')
    return new Response(null, { status: 303, headers })
  }
  if (reply.page.status === 429) headers.set('retry-after', '60')
  for (const [name, value] of Object.entries(pageHeaders(reply.page, reply.formTargets))) headers.set(name, value)
  return new Response(method === 'HEAD' ? null : renderPage(reply.page), { status: reply.page.status, headers })
}

function notAllowed(methods: readonly string[]): Response {
  return new Response(null, { status: 405, headers: { allow: methods.join(', '), 'cache-control': 'no-store' } })
}

/** A page for unexpected errors. Their messages are only for the log. */
function failurePage({ log, topic }: PageContext, error: unknown): Page {
  const known = error instanceof ToolError ? error : storageFailure(error)
  if (known) {
    log.error(topic, { outcome: known.code, problem: known.message })
    return storeDownPage
  }
  log.error(topic, { outcome: 'internal', problem: error instanceof Error ? error.name : typeof error })
  return defectPage
}
