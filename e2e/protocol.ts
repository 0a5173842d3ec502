import type { Asked } from './serving.ts'

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

/** The one message in an HTTP answer, which is JSON, or an event stream for clients of the earlier revision. */
export function messageIn(body: string): Message {
  const json = /^data: (\{.*)$/m.exec(body)?.[1] ?? body
  const parsed: unknown = JSON.parse(json)
  if (!isMessage(parsed)) throw new Error(`This is no message: ${body}`)
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

/** The parameters of a call that sends one event. */
export function tracking(userId: string, name = trackTool) {
  return { name, arguments: { mode: 'execute', request_body: JSON.stringify({ userId, event: 'Paid' }) } }
}

/** The parameters of a call that needs no upstream. */
export function asking(name = trackTool) {
  return { name, arguments: { mode: 'get_request_schema' } }
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A request as a client of the current revision sends it. */
export function modern(id: Id, method: string, params: Params = {}): Asked & { readonly headers: Record<string, string> } {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
  }
  const { name } = params
  return {
    headers: { ...json, 'mcp-protocol-version': revision, 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) },
    body: rpc(id, method, { ...params, _meta: meta }),
  }
}

/** A request as a client of the earlier revision sends it. */
export function legacy(id: Id, method: string, params: Params = {}): Asked & { readonly headers: Record<string, string> } {
  return { headers: { ...json, 'mcp-protocol-version': legacyRevision }, body: rpc(id, method, params) }
}
