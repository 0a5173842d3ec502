import type { Readable, Writable } from 'node:stream'
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
import { LineReader, type Line } from './lines.ts'

type Id = string | number

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  /** Longest line in bytes; a longer one is answered with an error. */
  readonly longestLine: number
  /** How long calls in flight may take to finish once input has ended, in milliseconds. */
  readonly drainMs: number
}

/**
 * Line-delimited JSON-RPC that answers what it accepted: when input ends, calls in flight are finished within a bound and the
 * rest is answered with an error before the connection closes. A line that is too long or is no JSON-RPC gets an error too, and
 * the connection lives on. (The SDK's own transport drops both.)
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  readonly #options: StdioOptions
  readonly #lines: LineReader
  readonly #pending = new Set<Id>()
  #idle: (() => void) | undefined
  #draining: Promise<void> | undefined
  #closed = false

  constructor(options: StdioOptions) {
    this.#options = options
    this.#lines = new LineReader(options.longestLine)
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
    output.on('error', () => void this.close())
    return Promise.resolve()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message)
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return
    if (message.id !== undefined) this.#settle(message.id)
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
    this.onclose?.()
    return Promise.resolve()
  }

  async #finish(): Promise<void> {
    this.#options.input.pause()
    if (this.#pending.size > 0) {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      this.#idle = () => {
        resolve(undefined)
      }
      const bound = setTimeout(this.#idle, this.#options.drainMs)
      await promise
      clearTimeout(bound)
    }
    for (const id of this.#pending) {
      await this.#refuse(id, ProtocolErrorCode.InternalError, 'The server is shutting down; whether this call took effect is not known.')
    }
    await this.close()
  }

  #receive(line: Line): void {
    if (line.kind === 'too_long') {
      const text = `The message is longer than ${this.#options.longestLine} bytes.`
      void this.#refuse(line.id ?? null, ProtocolErrorCode.InvalidRequest, text)
      return
    }
    const json = parse(line.text)
    if (json === undefined) {
      void this.#refuse(null, ProtocolErrorCode.ParseError, 'The line is not JSON.')
      return
    }
    const message = toMessage(json)
    if (!message) {
      void this.#refuse(null, ProtocolErrorCode.InvalidRequest, 'The line is not a JSON-RPC 2.0 message.')
      return
    }
    // A subscription stays open for as long as the connection does, so nothing waits for its answer.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') this.#pending.add(message.id)
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') this.#settle(cancelledId(message.params))
    this.onmessage?.(message)
  }

  #settle(id: Id | undefined): void {
    if (id !== undefined) this.#pending.delete(id)
    if (this.#pending.size === 0) this.#idle?.()
  }

  async #refuse(id: Id | null, code: number, message: string): Promise<void> {
    await this.#write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  async #write(message: object): Promise<void> {
    if (this.#closed) return
    const { output } = this.#options
    const { promise, resolve } = Promise.withResolvers<undefined>()
    output.write(`${JSON.stringify(message)}\n`, () => {
      resolve(undefined)
    })
    await promise
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toMessage(json: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(json)
  } catch {
    return undefined
  }
}

function cancelledId(params: Readonly<Record<string, unknown>> | undefined): Id | undefined {
  const id = params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
