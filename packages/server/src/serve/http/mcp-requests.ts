import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Caller, type Clock, member } from '@mcp-toolkits/core/base'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterWait } from '../../mcp/calls/call-limiter.ts'
import type { ServerDefinition } from '../../mcp/definition.ts'
import type { ContentRequest } from '../../mcp/extension.ts'
import { callKindOf } from '../../mcp/listing/listing.ts'
import { mcpServerFactory } from '../../mcp/mcp.ts'
import { callsIn, notInBatch, refusalOf, requestProblem, rpcError } from '../../mcp/rpc-requests.ts'
import type { Toolbox } from '../../mcp/calls/toolbox.ts'
import { withAccept } from './accept.ts'
import { withAppSessions } from './app-sessions.ts'
import { bodyError, parseBody, readText } from './body.ts'
import { type ClientRequests, costOf } from './admission/client-requests.ts'
import { fixedLimits } from './admission/limits.ts'
import { type PeopleRoutes, sendResponse } from './people-routes.ts'
import { type Refusals, reply, tooMany } from './refusals.ts'

/** A request, its response, and its sender. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly client: ClientRequests
  /** Absent if all clients share one account. */
  readonly caller?: Caller | undefined
  /** Called when the whole request has arrived. */
  readonly onArrival: () => void
}

export interface McpRequestsOptions {
  /** Key that signs the state of a question to a person (elicitation state). */
  readonly stateKey?: Uint8Array | undefined
  /** Refuses requests that a person may not send; absent if all clients share one account. */
  readonly refusalOf?: PeopleRoutes['refusalOf'] | undefined
  readonly onerror: (error: Error) => void
  readonly refusals: Refusals
  /** Makes links to content, for a request's sender. */
  readonly linkMaker: (request: Request | undefined) => ContentRequest['link']
}

/** Answers requests to /mcp, once admitted. */
export function mcpRequests<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  { stateKey, refusalOf: refusalOfPerson, onerror, refusals, linkMaker }: McpRequestsOptions,
) {
  const handler = createMcpHandler(mcpServerFactory(definition, toolbox, { key: stateKey, linkMaker }), {
    maxRequestBodySize: fixedLimits.maxBodyBytes,
    onerror,
  })
  // With a parsed body, the SDK does not clone the request; a clone loses its abort signal: https://github.com/nodejs/undici/issues/4068
  const answer = toNodeHandler({ fetch: withAccept(withAppSessions((request, options) => handler.fetch(request, options))) }, { onerror })
  const kindOf = (json: unknown) => callKindOf(definition, toolbox.listing, member(member(json, 'params'), 'name'))
  const refuse = (response: ServerResponse, body: { readonly error: { readonly message: string } }) => {
    refusals.setReason(response, { problem: body.error.message })
    reply(response, 400, body)
  }

  /** True if a request may be answered; otherwise its refusal has been sent. */
  const isAllowed = async ({ response, caller }: Exchange, json: unknown) => {
    const calls = callsIn(json)
    const tools = calls.flatMap((name) => toolbox.listing.find(name)?.name ?? [])
    refusals.describe(response, { caller, tools, calls: calls.length })
    const problem = requestProblem(json)
    const refusal = problem === undefined && caller ? await refusalOfPerson?.(caller, json) : undefined
    if (problem !== undefined) refuse(response, refusalOf(json, problem))
    else if (refusal) {
      refusals.setReason(response, refusal.reason)
      await sendResponse(refusal.response, response)
    } else if (Array.isArray(json) && json.some((message) => kindOf(message) !== undefined)) {
      refuse(response, rpcError(-32600, notInBatch))
    } else return true
    return false
  }

  const serveText = async (exchange: Exchange, text: string) => {
    const { request, response, client } = exchange
    const body = await parseBody(text)
    if (body === 'no_json') refuse(response, bodyError(body).json)
    else if ('problem' in body) refuse(response, rpcError(-32600, body.problem))
    else if ((await isAllowed(exchange, body.json)) && hasMethodAndUrl(request)) {
      // A waiting request is stored as text, because it can be many times as large once parsed.
      let json: unknown = body.json
      if (member(json, 'method') === 'subscriptions/listen') {
        if (client.subscribe(response)) await answer(request, response, json)
        else refusals.answerBusy(response, 429, { error: tooMany[429], json })
        return
      }
      const { length } = text
      const entry = client.admit(response, { isCall: callsIn(json).length > 0, kind: kindOf(json), cost: costOf(length), size: length })
      const isWaiting = entry instanceof Promise
      if (isWaiting) json = undefined
      const admission = await entry
      if (isWaiting) json = JSON.parse(text)
      if ('status' in admission) refusals.answerBusy(response, admission.status, { error: admission.error, json })
      else await afterWait(admission.waited, () => answer(request, response, json))
    }
  }

  const serve = async (exchange: Exchange): Promise<void> => {
    const { request, response, client, onArrival } = exchange
    if (request.method !== 'POST') {
      request.resume()
      response.setHeader('allow', 'POST')
      reply(response, 405, rpcError(-32000, 'Method not allowed.'))
      return
    }
    const { admission, release } = await client.admitBody(request, response)
    if ('status' in admission) {
      refusals.answerBusy(response, admission.status, { error: admission.error })
      return
    }
    const read = await readRequest(request).finally(release)
    if (read === 'too_large') answerTooLarge(request, response, toolbox.clock)
    else {
      onArrival()
      await afterWait(admission.waited, () => serveText(exchange, read.text))
    }
  }
  return { serve, close: () => handler.close() }
}

/** True for every request that a server receives; Node's type is shared with responses that a client receives. */
function hasMethodAndUrl(request: IncomingMessage): request is IncomingMessage & { method: string; url: string } {
  return request.method !== undefined && request.url !== undefined
}

/** Reads a request. Rejects if the client disconnects. The connection stays open for the response to an oversized body. */
function readRequest(request: IncomingMessage) {
  const chunks: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false })
  return readText(chunks, request.headers['content-length'])
}

/**
 * Answers at once, then reads and discards more of the body for a while before closing: closing a connection that is still receiving
 * data resets it, and the client would lose the response.
 */
function answerTooLarge(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
  const body = JSON.stringify(bodyError('too_large').json)
  response.writeHead(413, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' })
  response.write(body)
  const end = () => response.end()
  const timer = clock.timer(fixedLimits.lingerMs, end)
  request.resume().once('close', () => {
    timer.cancel()
    end()
  })
}
