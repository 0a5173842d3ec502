import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type Clock, Mutex, nextTurn, parseJson } from '@mcp-toolkits/core/base'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  ProtocolErrorCode,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Transport,
} from '@modelcontextprotocol/server'
import { type CallKind, CallLimiter, type CallLimits, type LimitedCall, notStarted, waitedTooLong } from '../../mcp/calls/call-limiter.ts'
import { currentContext, Delivery, withDelivery, withoutDelivery } from '../../mcp/calls/current-request.ts'
import { refusalOf, structureProblem } from '../../mcp/rpc-requests.ts'
import { batchIds, Batches, batchProblem, sortBatch } from './batches.ts'
import { type Line, lineChunks, LineReader, scanRequestId } from './lines.ts'
import { answerId, type Id, idIn, messageProblem, type PendingRequest, requestId, toMessage } from './messages.ts'

/** Time, in milliseconds, that a client has to read the last responses of a closing server. */
const flushMs = 1_000

/** Maximum number of bytes in the output's buffer, and of messages waiting for it, before we stop reading input. */
const maxBufferedBytes = 1024 * 1024
const maxBufferedMessages = 1_000

/** Length in characters above which a line is read in one turn of the event loop and its request starts in the next. */
const longLine = 1024 * 1024

/** The error for requests beyond the limit on waiting requests. */
const tooManyWaiting = notStarted('Too many requests are waiting.', 1)

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  /** Maximum length of a line, in bytes; a longer one is answered with an error. */
  readonly maxLineBytes: number
  /** Time, in milliseconds, that calls in flight have to finish once the input has ended. */
  readonly drainMs: number
  readonly clock: Clock
  readonly limits: CallLimits
  /** Approximate bytes that a request and its response take; `bytes` is the length of its line. */
  readonly costOf: (request: JSONRPCRequest, bytes: number) => number
  readonly kindOf: (request: JSONRPCRequest) => CallKind | undefined
  /** Called once the first response to `tools/list` has been written. */
  readonly onListed?: (() => void) | undefined
}

/**
 * Line-delimited JSON-RPC that answers every accepted request. When the input ends, calls in flight have some time to finish, and the rest
 * are answered with an error before the connection closes. A line that is too long or not JSON-RPC is answered with an error, and the
 * connection stays open. (The SDK's own transport does neither.)
 *
 * If a client does not read its responses, the server stops reading its requests: the calls in flight are limited, and no input is taken
 * while the output is full.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  readonly #options: StdioOptions
  readonly #lines: LineReader
  /** Accepted requests that have no response yet. */
  readonly #pending = new Map<Id, PendingRequest>()
  /** Requests whose responses the output has yet to take. */
  readonly #answering = new Set<PendingRequest>()
  readonly #calls: CallLimiter
  /** Requests that need no vendor, such as `tools/list`: they wait only until the client reads, never for calls. */
  readonly #others: CallLimiter
  /** Lock for writing one line at a time: a long line's pieces are written over several turns of the event loop. */
  readonly #lineMutex = new Mutex()
  /** Requests to the client that have no response yet. */
  readonly #outgoing = new Set<Id>()
  /** Requests answered with an error because their tools took too long; a late result is dropped. */
  readonly #refused = new Set<Id>()
  readonly #batches = new Batches((answers) => this.#writeNow(answers))
  /** The negotiated MCP revision. */
  #revision: unknown
  /** Number of messages that the output has yet to take. */
  #writes = 0
  #idle: (() => void) | undefined
  #onListed: (() => void) | undefined
  #draining: Promise<void> | undefined
  #closed = false
  /** True if the client reads too slowly, so its input waits. */
  #isBlocked = false

  constructor(options: StdioOptions) {
    this.#options = options
    this.#onListed = options.onListed
    this.#lines = new LineReader(options.maxLineBytes)
    const canStart = () => !this.#isBlocked
    this.#calls = new CallLimiter(options.limits, options.clock, canStart)
    this.#others = new CallLimiter(options.limits, options.clock, canStart)
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
    let request: PendingRequest | undefined
    if (answered !== undefined) {
      if (this.#refused.has(answered)) return
      request = this.#pending.get(answered)
      this.#pending.delete(answered)
    }
    if (isJSONRPCRequest(message)) {
      this.#outgoing.add(message.id)
      if (this.#draining) {
        this.#failOutgoing()
        return
      }
    }
    if (request) this.#answering.add(request)
    // A response that waits for the rest of its batch makes room for that rest.
    if (request && answered !== undefined && this.#batches.has(answered)) this.#release(request)
    if (request?.method === 'initialize' && isJSONRPCResultResponse(message)) this.#revision = message.result['protocolVersion']
    const wasWritten = await this.#write(message)
    if (request) {
      this.#answering.delete(request)
      request.delivery.end(wasWritten)
      this.#release(request)
    }
    if (request?.method !== 'tools/list' || !isJSONRPCResultResponse(message)) return
    this.#onListed?.()
    this.#onListed = undefined
  }

  /** Runs a request's work in its own async context: the SDK handles requests that arrive together in the context of the first. */
  inRequest<Result>(id: Id, work: () => Result): Result {
    // A request without a context was cancelled before it began.
    const run = this.#pending.get(id)?.run ?? withoutDelivery
    return run(work)
  }

  /** Stops reading, waits for the calls in flight, answers those still open, and closes. */
  drain(): Promise<void> {
    this.#draining ??= this.#finish()
    return this.#draining
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#options.input.pause()
    for (const { delivery } of [...this.#pending.values(), ...this.#answering]) delivery.end(false)
    this.#idle?.()
    this.onclose?.()
    return Promise.resolve()
  }

  async #finish(): Promise<void> {
    this.#options.input.pause()
    this.#failOutgoing()
    await this.#idleWithin(this.#options.drainMs)
    const open = [...this.#pending]
    // Releases from the last, so that no waiting request starts.
    for (const [id, request] of open.toReversed()) {
      this.#release(request)
      request.delivery.end(false)
      this.#pending.delete(id)
      this.#refused.add(id)
      void this.#refuse(
        id,
        ProtocolErrorCode.InternalError,
        'The server is shutting down, and this call may have taken effect. Make the identical call again within ten minutes: nothing is created twice.',
      )
    }
    if (open.length > 0) await this.#idleWithin(Math.min(flushMs, this.#options.drainMs))
    await this.close()
  }

  /** Fails requests to the client whose answers will not come or cannot be read: calls would otherwise wait forever. */
  #failOutgoing(ids: Iterable<Id> = this.#outgoing, message = 'The connection is closing.'): void {
    for (const id of ids) {
      this.#outgoing.delete(id)
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message } })
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
    const structure = structureProblem(line.text)
    if (structure !== undefined) {
      void this.#refuse(scanRequestId(line.text) ?? null, ProtocolErrorCode.InvalidRequest, structure)
      return
    }
    const json = parseJson(line.text)
    if (json === undefined) {
      void this.#refuse(null, ProtocolErrorCode.ParseError, 'The line is not JSON.')
      return
    }
    if (Array.isArray(json)) {
      this.#receiveBatch(json)
      return
    }
    const message = toMessage(json)
    const problem = messageProblem(message)
    const unread = message ? undefined : answerId(json)
    if (unread !== undefined && this.#outgoing.has(unread)) this.#failOutgoing([unread], 'The answer is malformed.')
    else if (!message) void this.#refuse(requestId(json), ProtocolErrorCode.InvalidRequest, 'The line is not a JSON-RPC 2.0 message.')
    else if (problem !== undefined) void this.#write(refusalOf(message, problem))
    else this.#pass(message, line.text)
  }

  #receiveBatch(batch: readonly unknown[]): void {
    const refusal = batchProblem(batch, this.#revision)
    if (refusal !== undefined) {
      for (const id of batchIds(batch)) void this.#refuse(id, ProtocolErrorCode.InvalidRequest, refusal)
      return
    }
    const { accepted, refused } = sortBatch(batch, this.#options.kindOf)
    this.#batches.open(
      accepted.filter(isJSONRPCRequest).map(({ id }) => id),
      refused,
    )
    for (const message of accepted) this.#pass(message, JSON.stringify(message))
  }

  #pass(message: JSONRPCMessage, text: string): void {
    // A subscription stays open as long as the connection, so nothing waits for its response.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') {
      this.#submit(message, text)
      return
    }
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) this.#outgoing.delete(message.id)
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') this.#settle(idIn(message.params, 'requestId'))
    this.onmessage?.(message)
  }

  /** Passes on a request when there is room for it. */
  #submit(request: JSONRPCRequest, text: string): void {
    const { id, method } = request
    // A waiting request is stored as text: parsed, it can be many times as large.
    let parsed: JSONRPCMessage | undefined = request
    const earlier = this.#pending.get(id)
    const delivery = earlier?.delivery ?? new Delivery()
    const pass = (message: JSONRPCMessage | undefined) => {
      const pending = this.#pending.get(id)
      if (!message || !pending) return
      withDelivery(delivery, () => {
        this.#pending.set(id, { ...pending, run: currentContext() })
        this.onmessage?.(message)
      })
    }
    const start = () => {
      const message = parsed ?? toMessage(parseJson(text))
      if (text.length <= longLine) pass(message)
      // Starts in a separate turn of the event loop. By then, the request may have been cancelled.
      else
        void nextTurn().then(() => {
          if (this.#pending.get(id)?.calls.includes(call) === true) pass(message)
        })
    }
    const refuse = () => {
      this.#refuseWaiting(id, call)
    }
    const { costOf, kindOf } = this.#options
    const call: LimitedCall = { kind: kindOf(request), cost: costOf(request, text.length), size: text.length, start, refuse }
    // A ping checks that the server is alive, so it must not wait behind slow calls.
    if (method === 'ping') {
      this.#pending.set(id, { ...earlier, method, calls: earlier?.calls ?? [], delivery })
      start()
      return
    }
    // An id used twice gets one answer that counts for both.
    this.#pending.set(id, { ...earlier, method, calls: [...(earlier?.calls ?? []), call], delivery })
    const isAccepted = (method === 'tools/call' ? this.#calls : this.#others).submit(call)
    parsed = undefined
    if (isAccepted) return
    if (earlier) this.#pending.set(id, earlier)
    else this.#pending.delete(id)
    void this.#write({ jsonrpc: '2.0', id, error: tooManyWaiting })
  }

  /** Answers a request that has waited too long, unless an earlier request with the same id still awaits its response. */
  #refuseWaiting(id: Id, call: LimitedCall): void {
    const request = this.#pending.get(id)
    if (!request) return
    const calls = request.calls.filter((each) => each !== call)
    if (calls.length > 0) {
      this.#pending.set(id, { ...request, calls })
      return
    }
    this.#pending.delete(id)
    void this.#write({ jsonrpc: '2.0', id, error: waitedTooLong })
  }

  #release({ calls }: PendingRequest): void {
    for (const call of calls) for (const limiter of [this.#calls, this.#others]) limiter.release(call)
  }

  #settle(id: Id | undefined): void {
    if (id !== undefined) {
      this.#batches.drop(id)
      const request = this.#pending.get(id)
      this.#pending.delete(id)
      if (request) {
        this.#release(request)
        request.delivery.end(false)
      }
    }
    if (this.#isIdle()) this.#idle?.()
  }

  async #refuse(id: Id | null, code: number, message: string): Promise<void> {
    await this.#write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  /** Writes a message; true if it has been written. */
  #write(message: object): Promise<boolean> {
    return this.#batches.add(message) ?? this.#writeNow(message)
  }

  async #writeNow(message: object): Promise<boolean> {
    if (this.#closed) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#writes += 1
    this.#stopReading()
    await this.#lineMutex.runExclusive(async () => this.#writeLine(message, resolve))
    const wasTaken = await promise
    this.#writes -= 1
    this.#readOn()
    if (this.#isIdle()) this.#idle?.()
    return wasTaken
  }

  /** Writes a line. Between the pieces of a long line, other work gets a turn, and the client can read the bytes written so far. */
  async #writeLine(message: object, onEnd: (wasTaken: boolean) => void): Promise<void> {
    const { output } = this.#options
    let last = ''
    for (const piece of lineChunks(message)) {
      if (this.#closed) {
        onEnd(false)
        return
      }
      if (last !== '') {
        output.write(last)
        await (output.writableNeedDrain ? once(output, 'drain').catch(() => undefined) : setImmediate())
      }
      last = piece
    }
    output.write(last, (error) => {
      onEnd(!error)
    })
    this.#stopReading()
  }

  #stopReading(): void {
    const isFull = this.#options.output.writableLength > maxBufferedBytes || this.#writes > maxBufferedMessages
    if (this.#isBlocked || !isFull) return
    this.#isBlocked = true
    this.#options.input.pause()
  }

  #readOn(): void {
    const isFree = this.#options.output.writableLength <= maxBufferedBytes / 2 && this.#writes <= maxBufferedMessages / 2
    if (!this.#isBlocked || !isFree) return
    this.#isBlocked = false
    if (!this.#draining && !this.#closed) this.#options.input.resume()
    for (const limiter of [this.#calls, this.#others]) limiter.startWaiting()
  }
}
