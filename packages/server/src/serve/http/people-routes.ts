import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '@mcp-toolkits/core/base'
import type { AnonymousRequests } from './admission/anonymous-requests.ts'
import type { HeaderCheck, RefusalReason, Refusals } from './refusals.ts'

/** Answers requests of people and their clients; each call acts as the person of its token. */
export interface PeopleRoutes {
  /** Finds who sends a request to the protocol's paths. Answers every other request, and those that are refused: then it is undefined. */
  readonly callerOf: (incoming: IncomingRequest, checks: RequestChecks) => Promise<Caller | undefined>
  /** The answer to a request that the caller's token does not permit or that is one too many; undefined when it may be answered. */
  readonly refusalOf: (caller: Caller, json: unknown) => Promise<Refusal | undefined>
  /** The origin at which people and clients reach the server, without a slash at its end. */
  readonly publicUrl: string
  /** True if people find their connected accounts at /accounts. */
  readonly hasPages: boolean
}

export interface IncomingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The checks of an HTTP server, and the place for the reasons of refusals. */
export interface RequestChecks {
  readonly allowedHost: HeaderCheck
  readonly allowedOrigin: HeaderCheck
  readonly refusals: Pick<Refusals, 'setReason' | 'answerBusy'>
  readonly anonymous: AnonymousRequests
}

/** The response that refuses a request, and why it does, for the log and the audit. That repeats nothing of the token. */
export interface Refusal {
  readonly response: Response
  readonly reason: RefusalReason
}

/** The path of a request, as it would be written with no slash too many. */
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
