import { ConnectionDropped } from './faults.ts'

/** The shape of `globalThis.fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Handles one request. `signal` is aborted when the caller is gone; `isRemote` means that the caller may be on another machine. */
export type RequestHandler = (request: Request, signal: AbortSignal, isRemote?: boolean) => Promise<Response>

const redirectStatuses = [301, 302, 303, 307, 308]
const maxRedirects = 20

/**
 * A fetch that calls `answer` instead of the network and otherwise behaves like the global one: it rejects with the abort reason, fails
 * as if the connection were lost, and follows redirects.
 */
export function localFetch(answer: RequestHandler): Fetch {
  // Keeps requests from being garbage-collected, after which their signals would no longer be forwarded.
  const inFlight = new Set<object>()
  return async (input, init) => {
    const call = { input, request: new Request(input, init), isStream: init?.body instanceof ReadableStream }
    const signal = init?.signal ?? (input instanceof Request ? input.signal : new AbortController().signal)
    inFlight.add(call)
    try {
      return await raceAbort(follow({ ...call, signal }, answer), signal)
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof ConnectionDropped ? networkError('read ECONNRESET', 'ECONNRESET') : error
    } finally {
      inFlight.delete(call)
    }
  }
}

async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => {
    reject(new ConnectionDropped())
  }
  if (signal.aborted) abort()
  // Creates no error unless the call is aborted: in a bundle, the first stack trace takes ten milliseconds.
  signal.addEventListener('abort', abort)
  return Promise.race([aborted, work]).finally(() => {
    signal.removeEventListener('abort', abort)
  })
}

interface OutgoingRequest {
  readonly request: Request
  readonly signal: AbortSignal
}

async function follow(
  { request, signal, isStream }: OutgoingRequest & { readonly isStream: boolean },
  answer: RequestHandler,
): Promise<Response> {
  let current = request
  signal.throwIfAborted()
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    // A redirect may need the body again, and a stream can be read only once: https://fetch.spec.whatwg.org/#http-redirect-fetch.
    const response = await answer(isStream ? current : current.clone(), signal)
    const location = redirectStatuses.includes(response.status) ? response.headers.get('location') : null
    if (location === null || request.redirect === 'manual') return toFetchedResponse(response, { request: current, signal }, redirects > 0)
    if (request.redirect === 'error') throw networkError('unexpected redirect')
    if (isStream && response.status !== 303) throw networkError('request body is a stream')
    current = followRedirect(current, response.status, new URL(location, current.url))
  }
  throw networkError('redirect count exceeded')
}

/** The request after a redirect: often a GET without the body. */
function followRedirect(request: Request, status: number, target: URL): Request {
  if (target.origin !== new URL(request.url).origin) throw networkError(`getaddrinfo ENOTFOUND ${target.hostname}`, 'ENOTFOUND')
  const becomesGet = status === 303 ? !['GET', 'HEAD'].includes(request.method) : status < 303 && request.method === 'POST'
  if (!becomesGet) return new Request(target, request)
  const headers = new Headers([...request.headers].filter(([name]) => !name.startsWith('content-')))
  return new Request(target, { method: 'GET', headers, signal: request.signal })
}

/** Adds `url` and `redirected`, and aborts the body when the caller's signal is aborted. */
function toFetchedResponse(response: Response, { request, signal }: OutgoingRequest, wasRedirected: boolean): Response {
  const { status, statusText, headers } = response
  const body = response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal }) ?? null
  return Object.defineProperties(new Response(body, { status, statusText, headers }), {
    url: { value: request.url },
    type: { value: 'basic' },
    redirected: { value: wasRedirected },
  })
}

/** The error that `fetch` throws if there is no response. */
function networkError(message: string, code?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), code === undefined ? {} : { code }) })
}
