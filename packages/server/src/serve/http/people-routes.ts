import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '@mcp-toolkits/core/base'
import type { AnonymousRequests } from './admission/anonymous-requests.ts'
import type { HeaderCheck, RefusalReason, Refusals } from './refusals.ts'

/** Answers requests from people and their clients; each call acts as the person its token identifies. */
export interface PeopleRoutes {
  /**
   * Identifies the sender of an MCP request. Resolves with undefined if the request was answered here, because it was refused or was for
   * another path.
   */
  readonly callerOf: (incoming: IncomingRequest, checks: RequestChecks) => Promise<Caller | undefined>
  /** Refusal of a request that is over a limit, or that the caller's token does not permit; undefined if it may be answered. */
  readonly refusalOf: (caller: Caller, json: unknown) => Promise<Refusal | undefined>
  /** The origin where people and clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  /** True if people find their connected accounts at /accounts. */
  readonly hasPages: boolean
}

export interface IncomingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** An HTTP server's checks, and a place to record reasons for refusals. */
export interface RequestChecks {
  readonly allowedHost: HeaderCheck
  readonly allowedOrigin: HeaderCheck
  readonly refusals: Pick<Refusals, 'setReason' | 'answerBusy'>
  readonly anonymous: AnonymousRequests
}

/** The response that refuses a request, and the reason for both logs; the reason quotes nothing from the token. */
export interface Refusal {
  readonly response: Response
  readonly reason: RefusalReason
}

/** A request's path, without redundant slashes. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const [path = '/'] = url.split('?')
  return path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
}

/** Sends a response whose body fits in memory. */
export async function sendResponse(from: Response, response: ServerResponse): Promise<undefined> {
  const body = Buffer.from(await from.arrayBuffer())
  response.setHeaders(from.headers)
  response.writeHead(from.status).end(body)
}
