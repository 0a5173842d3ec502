import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@mcp-toolkits/core/clock'
import { member, parseJson } from '@mcp-toolkits/core/json'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { lineChunks } from './line-writer.ts'
import { LineReader, type Line } from './line-reader.ts'

type Id = string | number

/** How long a client may take to read the last answers of a server that shuts down, in milliseconds. */
const flushMs = 1_000

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  /** Longest line in bytes; a longer one is answered with an error. */
  readonly maxLineBytes: number
  /** How long calls in flight may take to finish once input has ended, in milliseconds. */
  readonly drainMs: number
  readonly clock: Clock
  /** Called once, when the first answer to `tools/list` has been written. */
  readonly onListed?: (() => void) | undefined
}

/**
 * Line-delimited JSON-RPC that answers every request it accepted. When the input ends, calls in flight have some time to finish, and the
 * rest is answered with an error before the connection closes. A line that is too long or not JSON-RPC is answered with an error, and the
 * connection stays open. (The SDK's own transport does neither.)
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  readonly #options: StdioOptions
  readonly #lines: LineReader
  /** Requests that were accepted and have no answer yet, with their methods. */
  readonly #pending = new Map<Id, string>()
  /** Requests to the client that have no answer yet. */
  readonly #outgoing = new Set<Id>()
  /** Requests that got an error because their tools took too long; a late result is dropped. */
  readonly #refused = new Set<Id>()
  /** Messages that the output has not taken yet. */
  #writes = 0
  #idle: (() => void) | undefined
  #onListed: (() => void) | undefined
  #draining: Promise<void> | undefined
  #closed = false

  constructor(options: StdioOptions) {
    this.#options = options
    this.#onListed = options.onListed
    this.#lines = new LineReader(options.maxLineBytes)
  }

  async start(): Promise<void> {
    const { input, output } = this.#options
    input.on('data', (chunk: Buffer) => {
      for (const line of this.#lines.read(chunk)) this.#receive(line)
    })
    input.on('end', () => {
      for (const line of this.#lines.end()) this.#receive(line)
      void this.drain()
    })
    input.on('error', () => void this.drain())
    input.on('close', () => void this.drain())
    output.on('error', () => void this.close())
    output.on('close', () => void this.close())
    return Promise.resolve()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const answered = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined
    let lists = false
    if (answered !== undefined) {
      if (this.#refused.has(answered)) return
      lists = isJSONRPCResultResponse(message) && this.#pending.get(answered) === 'tools/list'
      this.#pending.delete(answered)
    }
    if (isJSONRPCRequest(message)) {
      this.#outgoing.add(message.id)
      if (this.#draining) {
        this.#failOutgoing()
        return
      }
    }
    await this.#write(message)
    if (!lists) return
    this.#onListed?.()
    this.#onListed = undefined
  }

  /** Reads no further, waits for the calls in flight, answers what is still open, and closes. */
  drain(): Promise<void> {
    this.#draining ??= this.#finish()
    return this.#draining
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#options.input.pause()
    this.#idle?.()
    this.onclose?.()
    return Promise.resolve()
  }

  async #finish(): Promise<void> {
    this.#options.input.pause()
    this.#failOutgoing()
    await this.#idleWithin(this.#options.drainMs)
    const open = [...this.#pending.keys()]
    for (const id of open) {
      this.#pending.delete(id)
      this.#refused.add(id)
      void this.#refuse(id, ProtocolErrorCode.InternalError, 'The server is shutting down; whether this call took effect is not known.')
    }
    if (open.length > 0) await this.#idleWithin(Math.min(flushMs, this.#options.drainMs))
    await this.close()
  }

  /** No more input is read, so calls that wait for the client would wait for ever. */
  #failOutgoing(): void {
    for (const id of this.#outgoing) {
      this.#outgoing.delete(id)
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message: 'The connection is closing.' } })
    }
  }

  /** Waits until everything is answered and written, or the time is up. */
  async #idleWithin(milliseconds: number): Promise<void> {
    if (this.#closed || this.#isIdle()) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#idle = () => {
      resolve(undefined)
    }
    const timer = this.#options.clock.timer(milliseconds, this.#idle)
    await promise
    timer.cancel()
  }

  #isIdle(): boolean {
    return this.#pending.size === 0 && this.#writes === 0
  }

  #receive(line: Line): void {
    if (line.kind === 'too_long') {
      const text = `The message is longer than ${this.#options.maxLineBytes} bytes.`
      void this.#refuse(line.id ?? null, ProtocolErrorCode.InvalidRequest, text)
      return
    }
    const json = parseJson(line.text)
    if (json === undefined) {
      void this.#refuse(null, ProtocolErrorCode.ParseError, 'The line is not JSON.')
      return
    }
    const message = toMessage(json)
    if (!message) {
      void this.#refuse(requestId(json), ProtocolErrorCode.InvalidRequest, 'The line is not a JSON-RPC 2.0 message.')
      return
    }
    // A subscription stays open for as long as the connection does, so nothing waits for its answer.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') this.#pending.set(message.id, message.method)
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) this.#outgoing.delete(message.id)
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') this.#settle(idIn(message.params, 'requestId'))
    this.onmessage?.(message)
  }

  #settle(id: Id | undefined): void {
    if (id !== undefined) this.#pending.delete(id)
    if (this.#isIdle()) this.#idle?.()
  }

  async #refuse(id: Id | null, code: number, message: string): Promise<void> {
    await this.#write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  async #write(message: object): Promise<void> {
    if (this.#closed) return
    const { output } = this.#options
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#writes += 1
    let last = ''
    for (const piece of lineChunks(message)) {
      if (last !== '') output.write(last)
      last = piece
    }
    output.write(last, () => {
      resolve(undefined)
    })
    await promise
    this.#writes -= 1
    if (this.#isIdle()) this.#idle?.()
  }
}

function toMessage(json: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(json)
  } catch {
    return undefined
  }
}

/** The id of a malformed request, so that its sender does not wait for ever; null for anything else. */
function requestId(json: unknown): Id | null {
  return member(json, 'method') === undefined ? null : (idIn(json, 'id') ?? null)
}

function idIn(value: unknown, name: string): Id | undefined {
  const id = member(value, name)
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
