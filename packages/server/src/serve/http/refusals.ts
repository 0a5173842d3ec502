import type { IncomingMessage, ServerResponse } from 'node:http'
import { member } from '@mcp-toolkits/core/base'
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node'
import type { CallAudit, RefusedCall } from '../../mcp/calls/audited-call.ts'
import { notStarted } from '../../mcp/calls/call-limiter.ts'
import type { Delivery } from '../../mcp/calls/current-request.ts'
import type { Log } from '../../mcp/log.ts'
import { rpcError } from '../../mcp/rpc-requests.ts'

/** The reason for refusing a request; the status is in the response. */
export type RefusalReason = Pick<RefusedCall, 'problem'> & Partial<RefusedCall>

/** Checks a header, and refuses the request if the header is wrong. */
export type HeaderCheck = (request: IncomingMessage, response: ServerResponse) => boolean

/** A request over a limit. */
export interface BusyRequest {
  readonly error: ReturnType<typeof notStarted>
  /** The request, if it has been read. */
  readonly json?: unknown
}

/** A request's content. */
export interface RequestContent extends Pick<RefusedCall, 'caller' | 'tools'> {
  /** Number of its calls. */
  readonly calls: number
}

/**
 * Records each refused request once, no matter what refuses it: with the explanation if there is one, otherwise with the meaning of the
 * status.
 */
export class Refusals {
  readonly #record: (refused: RefusedCall) => void
  readonly #reasons = new WeakMap<ServerResponse, RefusalReason>()
  readonly #contents = new WeakMap<ServerResponse, RequestContent>()

  /** If people have tokens, refused requests are also logged. */
  constructor({ audit, log }: { readonly audit: Pick<CallAudit, 'refused'> | undefined; readonly log: Pick<Log, 'info'> | undefined }) {
    this.#record = (refused) => {
      const { status, problem, caller, tools } = refused
      log?.info('refused', { status, problem, ...(caller && { person: caller.owner }), ...(tools && tools.length > 0 && { tools }) })
      audit?.refused(refused)
    }
  }

  /** Sets the reason for refusing the request that a response answers. */
  setReason(response: ServerResponse, reason: RefusalReason): void {
    this.#reasons.set(response, reason)
  }

  /** Sets the content of a request, so that requests refused by the protocol are also recorded. */
  describe(response: ServerResponse, content: RequestContent): void {
    this.#contents.set(response, content)
  }

  /** Records the request as refused once the response has been sent, unless its calls have started by then. */
  follow(response: ServerResponse, delivery: Delivery): void {
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response
      const { calls = 0, ...about } = this.#contents.get(response) ?? {}
      if (status >= 400) {
        if (delivery.calls === 0)
          this.#record({ ...about, problem: meanings[status] ?? 'The request was refused.', ...this.#reasons.get(response), status })
      } else if (writableFinished) {
        for (let call = delivery.calls; call < calls; call += 1) this.#record({ ...about, ...malformedCall })
      }
    })
  }

  /** Checks that a request is for one of these hosts and, if it comes from a page, that the page is too. */
  headerChecks(names: string[]): { readonly allowedHost: HeaderCheck; readonly allowedOrigin: HeaderCheck } {
    const explained = (check: HeaderCheck, problem: string) => (request: IncomingMessage, response: ServerResponse) => {
      const isAllowed = check(request, response)
      if (!isAllowed) this.setReason(response, { problem })
      return isAllowed
    }
    const knownHost = explained(hostHeaderValidation(names), 'The Host is not one of this server.')
    return {
      allowedHost: (request, response) => {
        if (hasOneHost(request)) return knownHost(request, response)
        const problem = 'The request needs exactly one Host header, with a valid host.'
        this.setReason(response, { problem })
        reply(response, 400, rpcError(-32000, problem))
        return false
      },
      allowedOrigin: explained(originValidation(names), 'The Origin is not one of this server.'),
    }
  }

  /** Answers a request over a limit: 429 if this client has too many requests in flight, 503 if all clients together do. */
  answerBusy(response: ServerResponse, status: 429 | 503, { error, json }: BusyRequest = { error: tooMany[status] }): void {
    this.setReason(response, { problem: error.message })
    response.setHeader('retry-after', String(error.data.retry_after_seconds))
    // Until the request's body is read, the connection cannot carry another one.
    if (json === undefined) response.setHeader('connection', 'close')
    reply(response, status, { jsonrpc: '2.0', error, id: member(json, 'id') ?? null })
  }
}

/**
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2: a name or an address, optionally with a port. A URL parser would accept more as a
 * host.
 */
function hasOneHost({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): boolean {
  const [host, ...others] = headersDistinct['host'] ?? []
  return host !== undefined && others.length === 0 && /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i.test(host)
}

export const tooMany = {
  429: notStarted('This client has too many requests in flight.', 1),
  503: notStarted('The server has too many requests in flight.', 1),
} as const

/** A call that the protocol answers with an error before its tool is looked up. */
const malformedCall = { status: 400, problem: 'The call does not follow the protocol.' } as const

/** Reasons by status, for refusals without a more specific one. */
const meanings: Readonly<Record<number, string>> = {
  400: 'The request does not follow the protocol.',
  403: 'The request comes from the wrong page or the wrong person.',
  404: 'There is nothing at this path.',
  405: 'The path does not accept this method.',
  406: "The client does not accept any of the protocol's content types.",
  408: 'The request body did not arrive in time.',
  409: 'The person has connected as many accounts as they can.',
  410: 'The link has already been used.',
  413: 'The body is too large.',
  415: "The body's content type is not accepted.",
  429: 'There are too many requests of this kind.',
  500: 'The server failed unexpectedly. The details are in its log.',
  503: 'Something that the request needs is down.',
}

/** Answers with JSON. */
export function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}
