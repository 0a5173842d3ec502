import { isObject } from '@mcp-toolkits/core/base'

/** A raw request, because `fetch` cannot set `Host` and `Origin`. */
export interface HttpRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export const revision = '2026-07-28'
export const legacyRevision = '2025-11-25'
export const trackTool = 'EventPipelineApi_TrackUserEvent'

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number | null
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

export function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0'
}

/** The message in an HTTP response: JSON, or an event stream in the earlier revision. */
export function parseMessageBody(body: string): Message {
  const json = /^data: (\{.*)$/m.exec(body)?.[1] ?? body
  const parsed: unknown = JSON.parse(json)
  if (!isMessage(parsed)) throw new Error(`Not a message: ${body}`)
  return parsed
}

type Params = Readonly<Record<string, unknown>>
type Id = string | number

export function rpc(id: Id, method: string, params: Params = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** The handshake of the earlier revision. */
export function initialize(id: Id): string {
  return rpc(id, 'initialize', { protocolVersion: legacyRevision, capabilities: {}, clientInfo: { name: 'e2e', version: '1' } })
}

/** Parameters for a call that sends one event. */
export function trackCall(userId: string, name = trackTool) {
  return { name, arguments: { mode: 'execute', request_body: JSON.stringify({ userId, event: 'Paid' }) } }
}

/** Parameters for a call that sends nothing. */
export function schemaCall(name = trackTool) {
  return { name, arguments: { mode: 'get_request_schema' } }
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A request of the current revision. */
export function modern(id: Id, method: string, params: Params = {}): HttpRequest & { readonly headers: Record<string, string> } {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
  }
  const { name, _meta: own } = params
  return {
    headers: { ...json, 'mcp-protocol-version': revision, 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) },
    body: rpc(id, method, { ...params, _meta: { ...meta, ...(isObject(own) && own) } }),
  }
}

/** A request of the earlier revision. */
export function legacy(id: Id, method: string, params: Params = {}): HttpRequest & { readonly headers: Record<string, string> } {
  return { headers: { ...json, 'mcp-protocol-version': legacyRevision }, body: rpc(id, method, params) }
}
