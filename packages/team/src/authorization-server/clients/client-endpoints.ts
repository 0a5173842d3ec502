import type { IncomingMessage, ServerResponse } from 'node:http'
import { storageFailure } from '@mcp-toolkits/core/errors'
import type Provider from 'oidc-provider'
import { type Page, pageHeaders, renderPage } from '@mcp-toolkits/server/account'
import { readBytes, sendResponse } from '@mcp-toolkits/server/http'
import type { AuthorizationParts } from '../authorization-parts.ts'
import { refusedRequestPage, tooManyRequestsPage } from './consent-page.ts'
import { currentSender, limitRequestsByAddress, requestLimits, withSender } from '../../tokens/request-limits.ts'
import { endpoints, serverMetadata } from '../server-metadata.ts'
import { answerMethod, openDocument, openHeaders } from '../../tokens/cors-document.ts'

const paths: readonly string[] = Object.values(endpoints)

const maxRegistrationBytes = 16 * 1024

/** True for the authorization server's client endpoints. */
export function isClientPath(path: string): boolean {
  return paths.includes(path) || path.startsWith(`${endpoints.authorize}/`)
}

/** `onError` receives the OAuth code of an error response, such as `invalid_grant`. */
export type AnswerClient = (request: IncomingMessage, response: ServerResponse, onError?: (error: string) => void) => Promise<void>

/** Answers requests from clients, and from the browsers that clients send. */
export function answerClients(parts: AuthorizationParts, provider: () => Promise<Provider>): AnswerClient {
  const { issuer, resources, registrations, clock, urls, log } = parts
  const mayAuthorize = limitRequestsByAddress(clock, requestLimits.authorizations)
  const metadata = serverMetadata(issuer, resources)
  const scheme = new URL(issuer).protocol.slice(0, -1)
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (pathname === endpoints.metadata) return sendResponse(openDocument(request, metadata), response)
    if (pathname === endpoints.register) return sendResponse(await answerRegistration(request, registrations.register), response)
    if (pathname === endpoints.authorize) {
      if (isComplete(request, searchParams) && !mayAuthorize(currentSender()))
        return sendResponse(pageResponse(tooManyRequestsPage), response)
      // Other response modes would need a script in the browser.
      if (searchParams.getAll('response_mode').some((mode) => mode !== 'query'))
        return sendResponse(pageResponse(refusedRequestPage('invalid_request: response_mode must be query')), response)
    }
    // The public URL is known, so headers sent by a proxy or a client are overwritten.
    request.headers['x-forwarded-proto'] = scheme
    request.headers['x-forwarded-host'] = urls.host
    await (await provider()).callback()(request, response)
  }
  return async (request, response, onError) => {
    if (onError) parts.onErrors.set(response, onError)
    try {
      await withSender([request.headers['x-forwarded-for'] ?? ''].flat().join(','), () => answer(request, response))
    } catch (error) {
      if (!storageFailure(error)) throw error
      log.error('authorization', { outcome: 'storage' })
      await sendResponse(unavailableResponse(), response)
    }
  }
}

/** True if an authorization may begin: if any of these parameters is missing, the provider refuses it and stores nothing. */
function isComplete({ method }: Pick<IncomingMessage, 'method'>, query: URLSearchParams): boolean {
  return method === 'POST' || ['client_id', 'response_type', 'code_challenge'].every((name) => query.get(name))
}

async function answerRegistration(request: IncomingMessage, register: AuthorizationParts['registrations']['register']): Promise<Response> {
  const refusal = answerMethod(request, ['POST'])
  if (refusal) return refusal
  const body = await readBytes(request.iterator({ destroyOnReturn: false }), maxRegistrationBytes)
  return register(body?.toString())
}

function unavailableResponse(): Response {
  const body = { error: 'temporarily_unavailable', error_description: 'The server cannot answer at the moment. Try again later.' }
  return Response.json(body, { status: 503, headers: { ...openHeaders, 'retry-after': '5', 'cache-control': 'no-store' } })
}

function pageResponse(page: Page): Response {
  return new Response(renderPage(page), { status: page.status, headers: pageHeaders(page) })
}
