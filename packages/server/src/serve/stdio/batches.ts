import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server'
import type { CallKind } from '../../mcp/calls/call-limiter.ts'
import { notInBatch, refusalOf } from '../../mcp/rpc-requests.ts'
import { answerId, type Id, messageProblem, requestId, toMessage } from './messages.ts'

/** The only revision of MCP with batches. */
const revisionWithBatches = '2025-03-26'

/** Maximum number of messages in a batch, the same as the SDK accepts over HTTP. */
const maxMessages = 100

/** One sentence on why a batch is refused as a whole; undefined for a valid batch. */
export function batchProblem(messages: readonly unknown[], revision: unknown): string | undefined {
  if (revision !== revisionWithBatches) return 'This revision of MCP has no batches. Send each message on a separate line.'
  if (messages.length === 0) return 'The batch has no messages.'
  return messages.length > maxMessages ? `The batch has ${messages.length} messages; at most ${maxMessages} are allowed.` : undefined
}

/** The ids of the requests in a batch; only null if there are none, or too many to answer each. */
export function batchIds(messages: readonly unknown[]): readonly (Id | null)[] {
  const ids = messages.length > maxMessages ? [] : messages.map(requestId).filter((id) => id !== null)
  return ids.length > 0 ? [...new Set(ids)] : [null]
}

/** The messages in a batch that can be served, and the responses to the rest. */
export function sortBatch(messages: readonly unknown[], kindOf: (request: JSONRPCRequest) => CallKind | undefined) {
  const [accepted, refused]: [JSONRPCMessage[], object[]] = [[], []]
  for (const json of messages) {
    const message = toMessage(json)
    const isLimited = message && isJSONRPCRequest(message) && kindOf(message) !== undefined
    const problem = message ? (messageProblem(message) ?? (isLimited ? notInBatch : undefined)) : 'This is not a JSON-RPC 2.0 message.'
    if (problem !== undefined) refused.push(refusalOf(json, problem))
    else if (message) accepted.push(message)
  }
  return { accepted, refused }
}

interface Batch {
  /** Requests without a response yet. */
  readonly missing: Set<Id>
  readonly answers: object[]
  readonly written: PromiseWithResolvers<boolean>
}

/** Collects the responses to the requests in each batch, which are written as one list. */
export class Batches {
  readonly #write: (answers: readonly object[]) => Promise<boolean>
  readonly #open = new Set<Batch>()

  constructor(write: (answers: readonly object[]) => Promise<boolean>) {
    this.#write = write
  }

  /** Starts a batch that already has some answers. */
  open(ids: Iterable<Id>, answers: readonly object[]): void {
    const batch = { missing: new Set(ids), answers: [...answers], written: Promise.withResolvers<boolean>() }
    this.#open.add(batch)
    this.#endIfComplete(batch)
  }

  has(id: Id): boolean {
    return this.#find(id) !== undefined
  }

  /** Resolves when the list with the response has been written, or writing has failed; undefined for a message that answers no batch. */
  add(message: object): Promise<boolean> | undefined {
    const id = answerId(message)
    const batch = id === undefined ? undefined : this.#find(id)
    if (id === undefined || !batch) return undefined
    batch.answers.push(message)
    batch.missing.delete(id)
    this.#endIfComplete(batch)
    return batch.written.promise
  }

  /** Removes a request that gets no response. */
  drop(id: Id): void {
    const batch = this.#find(id)
    if (!batch) return
    batch.missing.delete(id)
    this.#endIfComplete(batch)
  }

  #find(id: Id): Batch | undefined {
    return [...this.#open].find(({ missing }) => missing.has(id))
  }

  #endIfComplete(batch: Batch): void {
    if (batch.missing.size > 0) return
    this.#open.delete(batch)
    if (batch.answers.length > 0) batch.written.resolve(this.#write(batch.answers))
  }
}
