import { createHash } from 'node:crypto'
import {
  canonicalJson,
  type Clock,
  dataPath,
  isObject,
  mapTexts,
  member,
  once,
  parseJson,
  raceAbort,
  stringMember,
  withoutNulls,
  withTimeout,
} from '@mcp-toolkits/core/base'
import { Internal, InvalidInput, storageFailure, truncate, withDetails } from '@mcp-toolkits/core/errors'
import { CallOperation, type IdempotencyStore, maxResultBytes } from '@mcp-toolkits/core/tool'
import { type Success, withNotices } from '../answers/answer.ts'
import type { Settings } from '../definition.ts'
import type { Delivery } from './current-request.ts'
import type { ExitFilter } from '../answers/exit-filter.ts'
import { errorFields, type Log } from '../log.ts'
import { options } from '../../cli/options/option-table.ts'

/** Maximum time, in milliseconds, that a failed call waits for its record to be written. */
const maxAbandonMs = 500

/** Without a record, a repeat of the call could create a duplicate. */
const nothingDone = 'The call did nothing: it could not be recorded.'

export interface OperationsOptions {
  /** Called on the first operation or key. */
  readonly openStore: () => Promise<IdempotencyStore>
  readonly settings: Pick<Settings, 'dataDirectory'>
  readonly clock: Clock
  readonly log: Log
  readonly filter: ExitFilter
}

/** A call, as seen by its operation. */
export interface OperationCall {
  /** The tool's canonical name, without the prefix. */
  readonly tool: string
  /** Identifies the call's account. */
  readonly account: () => Promise<string>
  /** Arguments by which calls are compared. */
  readonly args: unknown
  /** The key, as the caller gave it. */
  readonly key: unknown
  /** True if an earlier run of the call may have begun without the key. */
  readonly isLateKey?: boolean | undefined
}

/** A tool's result, ready for its caller. */
export interface WorkResult {
  readonly answer: Success
  readonly isWrite: boolean
}

/** Tracks a toolbox's calls, so that the work of an unanswered call is continued by the next identical call. */
export class Operations {
  readonly #options: OperationsOptions
  readonly #openStore: () => Promise<IdempotencyStore>
  #store: Promise<IdempotencyStore> | undefined
  /** Operations of running calls, and of calls whose answers are still being delivered. */
  readonly #open = new Set<CallOperation>()
  /** Outcomes being written. */
  readonly #writes = new Set<Promise<void>>()

  constructor(openedWith: OperationsOptions) {
    this.#options = openedWith
    this.#openStore = once(async () => refusingStore(await openedWith.openStore().catch(this.#refuse), this.#refuse))
  }

  /** Opens a call's operation. Throws `InvalidInput` for an invalid key. */
  open({ tool, account, args, key, isLateKey }: OperationCall): CallOperation {
    const describe = async () => ({ account: await account(), tool, argumentsHash: hash(args) })
    const store = () => (this.#store = this.#openStore())
    const { clock } = this.#options
    const operation = new CallOperation({ key: key === undefined ? undefined : checkedKey(key), isLateKey, describe, store, clock })
    this.#open.add(operation)
    operation.onEnd(() => this.#open.delete(operation))
    return operation
  }

  /**
   * Stores the result of a write with a key. If that fails, the write still happened, and its result is returned. Throws if another call
   * with the key finished first.
   */
  async record(operation: CallOperation, { answer, isWrite }: WorkResult): Promise<void> {
    if (!operation.isKeyed || !(isWrite || operation.hasBegun)) return
    await this.#write(operation.completeWith(storedResult(answer)))
    if (operation.storedResult !== undefined) throw new Error('Another call with the key finished first.')
  }

  /** Completes the operation of an answered call when the answer is delivered; at once if `delivery` is absent. */
  end(operation: CallOperation, delivery: Delivery | undefined): void {
    const end = (wasWritten: boolean) => {
      void this.#write(wasWritten ? operation.complete() : operation.abandon())
    }
    if (delivery) delivery.onEnd(end)
    else end(true)
  }

  /**
   * Hands over the operation of a failed call to a repeated call. The record is ready as soon as the call fails, unless another process
   * locks the store for too long. Returns the stored result of an earlier call with the key, or throws the error.
   */
  async giveUp(operation: CallOperation, error: unknown): Promise<Success> {
    const writing = this.#write(operation.abandon())
    const timeout = { ms: maxAbandonMs, clock: this.#options.clock, reason: () => new DOMException('The time is up.', 'TimeoutError') }
    await withTimeout(timeout, async ({ signal }) => raceAbort(writing, signal)).catch(() => undefined)
    if (operation.storedResult === undefined) throw error
    return readResult(operation.storedResult, this.#options.filter)
  }

  /** Leaves unanswered calls to the next identical calls, and closes the store. */
  async close(): Promise<void> {
    for (const operation of this.#open) void this.#write(operation.abandon())
    while (this.#writes.size > 0) await Promise.all(this.#writes)
    const store = await this.#store?.catch(() => undefined)
    await store?.close()
  }

  /** The error for a call whose record cannot be written or read. */
  readonly #refuse = (error: unknown): never => {
    const failure = storageFailure(error, this.#options.settings.dataDirectory)
    if (failure) this.#options.log.error('records of calls', { problem: failure.message })
    throw failure ? withDetails(failure, failure.text.and(nothingDone), { ...failure.details, sent: 'no' }) : error
  }

  /** A record that cannot be written stays in this process until the process ends. */
  async #write(writing: Promise<void>): Promise<void> {
    const write = writing.catch((error: unknown) => {
      this.#options.log.warn('the record of a call was not written', errorFields(error))
    })
    this.#writes.add(write)
    await write
    this.#writes.delete(write)
  }
}

/** Opens a server's call records, which all its processes share. */
export function callStore(
  server: string,
  { settings: { dataDirectory }, clock }: Pick<OperationsOptions, 'settings' | 'clock'>,
): () => Promise<IdempotencyStore> {
  return async () => {
    const { openIdempotencyStore } = await import('../../storage/idempotency-store.ts')
    return openIdempotencyStore({ file: dataPath(dataDirectory, server, 'calls.db'), clock })
  }
}

/** A store that explains why an operation cannot begin. */
function refusingStore(store: IdempotencyStore, refuse: (error: unknown) => never): IdempotencyStore {
  return {
    complete: async (id, result) => store.complete(id, result),
    touch: async (id) => store.touch(id),
    abandon: async (id) => store.abandon(id),
    close: async () => store.close(),
    begin: async (request) => store.begin(request).catch(refuse),
    claim: async (request, identity) => store.claim(request, identity).catch(refuse),
    renew: async (id, identity) => store.renew(id, identity).catch(refuse),
    assignKey: async (id, key) => store.assignKey(id, key),
    find: async (request) => store.find(request).catch(refuse),
  }
}

function hash(args: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(withoutNulls(args), 'kept'))
    .digest('base64url')
}

function checkedKey(key: unknown): string {
  const { kind } = options.idempotencyKey
  if (kind.isValue(key)) return key
  throw new InvalidInput(`The idempotency key must be ${kind.text}.`)
}

/** Limits on text and list length when a result is too large: the first pair that fits is used. Ids are never cut. */
const shorterForms = [
  { maxLength: 8_000, maxItems: 1_000 },
  { maxLength: 1_000, maxItems: 200 },
  { maxLength: 200, maxItems: 50 },
  { maxLength: 64, maxItems: 10 },
] as const

const shortenedNotice =
  'This is the result of an earlier call with the same idempotency key, shortened to 64 KB: long text and lists are cut. Read each item by its id to see all of it.'

/** A result, as stored for repeated calls with the same key. In an oversized result, long text and lists are cut and content is omitted. */
export function storedResult({ data, content }: Success): string {
  const file = content && { ...content, bytes: Buffer.from(content.bytes).toString('base64') }
  const whole = JSON.stringify({ data, content: file })
  if (fits(whole)) return whole
  const shorter = shorterForms.map((form) => JSON.stringify({ data: shorten(data, form), isShortened: true }))
  return shorter.find(fits) ?? JSON.stringify({ data: {}, isShortened: true })
}

/** The answer to a repeated call, filtered here because the first answer may have gone to a program, and this one may go to a model. */
function readResult(stored: string, filter: ExitFilter): Success {
  const parsed = parseJson(stored)
  const data = member(parsed, 'data')
  if (!isObject(data)) throw new Internal('The stored result of this idempotency key cannot be read.')
  return {
    ok: true,
    data: mapTexts(member(parsed, 'isShortened') === true ? withNotices(data, [shortenedNotice]) : data, filter),
    ...readContent(member(parsed, 'content'), filter),
    isReplay: true,
  }
}

function readContent(content: unknown, filter: ExitFilter): Pick<Success, 'content'> {
  const [uri, mimeType, bytes = ''] = ['uri', 'mimeType', 'bytes'].map((name) => stringMember(content, name))
  if (uri === undefined || mimeType === undefined) return {}
  return { content: { uri: filter(uri), mimeType: filter(mimeType), bytes: Buffer.from(bytes, 'base64') } }
}

function shorten(value: unknown, form: (typeof shorterForms)[number]): unknown {
  if (typeof value === 'string') return truncate(value, form.maxLength)
  if (Array.isArray(value)) return value.slice(0, form.maxItems).map((item) => shorten(item, form))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each, form)]))
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= maxResultBytes
}
