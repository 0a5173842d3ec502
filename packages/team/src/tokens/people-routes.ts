import type { IncomingMessage } from 'node:http'
import type { AuthorizationServer } from '../authorization-server/authorization-server.ts'
import type { Caller } from '@mcp-toolkits/core/base'
import type { Gate } from './gate.ts'
import {
  readBytes,
  fixedLimits,
  type IncomingRequest,
  pathOf,
  type PeopleRoutes,
  type RequestChecks,
  sendResponse,
} from '@mcp-toolkits/server/http'

/** An HTTP server's paths for people and their clients, with handlers. */
export interface PeoplePaths {
  readonly gate: Gate
  /** The origin where people and clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  /** The pages for people; undefined for a path without a page. Absent if people connect no accounts. */
  readonly pages?: ((request: Request) => Promise<Response | undefined>) | undefined
  /** Present if the server issues its own tokens. */
  readonly authorization?: Pick<AuthorizationServer, 'isClientPath' | 'answer' | 'pages'> | undefined
}

const notFound = 'Not found. The server is at /mcp.'
const notFoundBesidePages = 'Not found. The server is at /mcp, and your connected accounts are at /accounts.'

const pageMethods = ['GET', 'HEAD', 'POST']

/** The routes of a multi-user server. */
export function peopleRoutes(paths: PeoplePaths): PeopleRoutes {
  return {
    callerOf: (incoming, checks) => callerOf(paths, incoming, checks),
    refusalOf: paths.gate.refusalOf,
    publicUrl: paths.publicUrl,
    hasPages: paths.pages !== undefined,
  }
}

/**
 * Finds the caller of an MCP request. Resolves with undefined if the request was answered here, because it was refused or was for another
 * path.
 */
async function callerOf(
  { gate, publicUrl, pages, authorization }: PeoplePaths,
  { request, response }: IncomingRequest,
  { allowedHost, allowedOrigin, refusals, anonymous }: RequestChecks,
): Promise<Caller | undefined> {
  const { url = '/', method = 'GET' } = request
  const path = url.split('?')[0] ?? '/'
  if (!allowedHost(request, response)) return undefined
  const metadata = gate.metadata({ method }, path)
  if (metadata) return sendResponse(metadata, response)
  const profile = gate.profileOf(pathOf(request))
  if (profile === undefined && !anonymous.admit(request, response)) {
    refusals.answerBusy(response, 503)
    return undefined
  }
  if (authorization?.isClientPath(path)) {
    await authorization.answer(request, response, (error) => {
      refusals.setReason(response, { problem: `The authorization server has answered with the OAuth error ${error}.` })
    })
    return undefined
  }
  if (!allowedOrigin(request, response)) return undefined
  if (profile === undefined) {
    const all = async (asked: Request) => (await authorization?.pages(asked)) ?? pages?.(asked)
    const page = (authorization ?? pages) && url.startsWith('/') ? await pageFor(all, `${publicUrl}${url}`, request) : undefined
    return sendResponse(page ?? Response.json({ error: pages ? notFoundBesidePages : notFound }, { status: 404 }), response)
  }
  const caller = await gate.authenticate(request.headers.authorization, profile)
  // The token is removed here, so that no later code can pass it on.
  delete request.headers.authorization
  if (!('response' in caller)) return caller
  refusals.setReason(response, caller.reason)
  return sendResponse(caller.response, response)
}

async function pageFor(pages: NonNullable<PeoplePaths['pages']>, url: string, request: IncomingMessage): Promise<Response | undefined> {
  const { method = 'GET' } = request
  // A `Request` does not accept some of the other methods.
  if (!pageMethods.includes(method)) return new Response(null, { status: 405, headers: { allow: pageMethods.join(', ') } })
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, [value].flat().join(', '))
  if (method !== 'POST') return pages(new Request(url, { method, headers }))
  const chunks: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false })
  const body = await readBytes(chunks, fixedLimits.maxFormBytes)
  if (body === undefined) return new Response('The form is too large.', { status: 413, headers: { connection: 'close' } })
  return pages(new Request(url, { method, headers, body }))
}
