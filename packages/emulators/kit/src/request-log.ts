import { blob, integer, nullable, type Store, text } from '@mcp-toolkits/sqlite'
import { isObject, parseJson } from './json.ts'
import { remoteHeader } from './listen.ts'
import { insertRow, type ListRange, ownTable } from './tables.ts'

/** A request as seen by an emulator. */
export interface ReceivedRequest extends RequestHead {
  /** All bytes of the body; empty if it is streamed. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The body of a streamed request, to be read once; null if the body is not streamed. */
  readonly stream: ReadableStream<Uint8Array> | null
  /** Number of body bytes that have arrived. */
  readonly bytes: () => number
  /** True if the body is longer than the emulator's limit. */
  readonly isTooLarge: boolean
  /** Aborted when the caller is gone or the emulator closes. */
  readonly signal: AbortSignal
  /** True if the request may come from another machine. */
  readonly isRemote: boolean
}

/** The part of a request before its body. */
export interface RequestHead {
  readonly method: string
  readonly url: URL
  readonly path: string
  readonly headers: Headers
}

export interface Reception {
  readonly signal: AbortSignal
  readonly isRemote: boolean
  /** True if a route reads the body piece by piece; other bodies are read whole. */
  readonly streams: (head: RequestHead) => boolean
  /** Maximum number of bytes of a body that is read whole. */
  readonly maxBodyBytes: number
}

/** Receives a request, with the whole body or the start of a stream. */
export async function receiveRequest(request: Request, { signal, isRemote, streams, maxBodyBytes }: Reception): Promise<ReceivedRequest> {
  const url = new URL(request.url)
  const head = { method: request.method, url, path: url.pathname, headers: request.headers }
  const received = { ...head, signal, isRemote, body: new Uint8Array(), stream: null, bytes: () => 0, isTooLarge: false }
  if (!request.body) return received
  if (streams(head)) return { ...received, ...countBytes(request.body) }
  const { length, body = received.body } = await readBody(request.body, maxBodyBytes)
  return { ...received, body, bytes: () => length, isTooLarge: length > maxBodyBytes }
}

function countBytes(body: ReadableStream<Uint8Array>): Pick<ReceivedRequest, 'stream' | 'bytes'> {
  let count = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      count += piece.byteLength
      controller.enqueue(piece)
    },
  })
  return { stream: body.pipeThrough(counter), bytes: () => count }
}

/** Reads to the end even if the body is too long, because a client may not read a response before it has sent everything. */
async function readBody(stream: ReadableStream<Uint8Array>, maxBytes: number) {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of stream) {
    length += piece.byteLength
    if (length > maxBytes) pieces.length = 0
    else pieces.push(piece)
  }
  return length > maxBytes ? { length } : { length, body: new Uint8Array(Buffer.concat(pieces)) }
}

/** Discards the rest of a streamed body. */
export async function discardBody({ stream }: ReceivedRequest): Promise<void> {
  if (stream && !stream.locked) await stream.pipeTo(new WritableStream())
}

/** Rebuilds a Request for a router. A streamed body is read from the received request. */
export function toRequest({ method, url, headers, body, signal, isRemote }: ReceivedRequest): Request {
  if (isRemote) headers.set(remoteHeader, '')
  return new Request(url, { method, headers, signal, ...(mayHaveBody(method) && { body }) })
}

const mayHaveBody = (method: string) => method !== 'GET' && method !== 'HEAD'

/** The header in which an in-process client names the tool and the call that sent a request. Vendors never get it. */
const callHeader = 'mcp-toolkits-call'

const callParts = (headers: Headers) => /^([A-Za-z]\w{0,63})(?: ([\w-]{1,40}))?$/.exec(headers.get(callHeader) ?? '')

/** The tool that sent a request; null if the program names none. */
export const callOf = (headers: Headers): string | null => callParts(headers)?.[1] ?? null

/** The id of the call that sent a request. */
export const callIdOf = (headers: Headers): string | undefined => callParts(headers)?.[2]

/** Facts that an emulator logs about a request; never secrets. */
export type RequestFacts = Readonly<Record<string, string | number | boolean | null>>

/** A logged request. */
export interface LoggedRequest {
  readonly id: number
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
  readonly method: string
  readonly path: string
  /** Without the question mark; empty if there was none. */
  readonly query: string
  /** Response status; null while pending and for a dropped connection. */
  readonly status: number | null
  /** Kind of the injected fault. */
  readonly fault: string | null
  /** Length of the body as received, without decompression. */
  readonly bytes: number
  readonly facts: RequestFacts
}

/** The request log, oldest first; only the newest entries are kept. A process that dies may lose its latest entries. */
export interface RequestLog {
  readonly recordRequest: (received: ReceivedRequest, details: { fault: string | null; facts: RequestFacts }) => LogEntry
  /** Requests after the one with the id `after`. */
  readonly list: (range?: ListRange) => LoggedRequest[]
  /** The newest requests with ids below `before`, newest first. */
  readonly latest: (count: number, before?: number, filter?: RequestFilter) => LoggedRequest[]
  readonly byIds: (ids: readonly number[]) => LoggedRequest[]
  /** The body as received, if the emulator stores bodies. */
  readonly body: (id: number) => Uint8Array<ArrayBuffer> | null
  /** The response to a request; undefined while it is pending. */
  readonly answer: (id: number) => LoggedAnswer | undefined
}

export interface RequestFilter {
  /** Text to find in the address, the method or the facts. */
  readonly search?: string | undefined
  /** True for requests that ended in an error, false for all other requests. */
  readonly failed?: boolean | undefined
}

export interface LoggedAnswer {
  /** Time until the response, in milliseconds. */
  readonly ms: number
  /** The beginning of the response's text; null if it is not text, or if bodies of this request are not stored. */
  readonly body: string | null
}

/** A request being logged. */
export interface LogEntry {
  /** Its id. Call inside a write to the same store. */
  readonly id: () => number
  readonly recordResponse: (response: Response) => Promise<void>
  /** Records a streamed body's length. */
  readonly recordBytes: (bytes: number) => void
}

/** All bodies that are read whole, or the short bodies of the newest requests for which the function is true. */
export type StoredBodies = 'all' | ((received: ReceivedRequest) => boolean)

export interface RequestLogOptions {
  readonly store: Store
  readonly now: () => number
  readonly storedBodies?: StoredBodies | undefined
  readonly redactUrl: (url: URL) => URL
}

const maxRequests = 10_000
/** Maximum number of requests with stored bodies, and maximum size of such a body, in bytes; neither applies to `all`. */
const maxBodies = 200
const maxBodyBytes = 32 * 1024
const table = `create table if not exists emulator_requests (
  id integer primary key, at text not null, method text not null, path text not null, query text not null,
  status integer, fault text, bytes integer not null, facts text not null, body blob
) strict;
create table if not exists emulator_answers (id integer primary key, ms integer not null, body text) strict`
const shape = {
  id: integer,
  at: text,
  method: text,
  path: text,
  query: text,
  status: nullable(integer),
  fault: nullable(text),
  bytes: integer,
  facts: text,
}

/** Opens the log, one of the emulator's own tables. A response waits for the data that it confirms, but never for the log. */
export function openRequestLog({ store, now, storedBodies, redactUrl }: RequestLogOptions): RequestLog {
  const storesAll = storedBodies === 'all'
  const makeTable = ownTable(store, table)
  const read = (clause: string, values: Record<string, number | string>) => {
    makeTable()
    store.flush()
    return store
      .rows(shape, `select ${Object.keys(shape).join(', ')} from emulator_requests ${clause}`, values)
      .map(({ facts, ...request }) => ({ ...request, facts: parseFacts(facts) }))
  }
  return {
    recordRequest(received, details) {
      makeTable()
      let id = 0
      const update = (column: 'status' | 'bytes', value: number) => {
        store.defer(() => {
          store.run(`update emulator_requests set ${column} = :value where id = :id`, { id, value })
        })
      }
      const storesTexts = storesAll || storedBodies?.(received) === true
      const hasBody = storesAll || (storesTexts && received.bytes() <= maxBodyBytes)
      const at = now()
      // Only this function refers to the row, so that an entry does not keep a body in memory.
      const insertLater = (row: LogRow) => {
        store.defer(() => {
          id = insert(store, row)
          if (!storesAll) store.run('update emulator_requests set body = null where id = :old', { old: id - maxBodies })
        })
      }
      insertLater({ received, details, at, hasBody, url: redactUrl(received.url) })
      return {
        id: () => id,
        async recordResponse(response) {
          const ms = now() - at
          const body = storesTexts ? await beginningOf(response) : null
          update('status', response.status)
          store.defer(() => {
            store.run('insert or replace into emulator_answers values (:id, :ms, :body)', { id, ms, body })
            store.run('update emulator_answers set body = null where id = :old', { old: id - maxBodies })
            store.run('delete from emulator_answers where id <= :oldest', { oldest: id - maxRequests })
          })
        },
        recordBytes(bytes) {
          update('bytes', bytes)
        },
      }
    },
    list: ({ after = 0, limit = -1 } = {}) => read('where id > :after order by id limit :limit', { after, limit }),
    latest: (count, before = Number.MAX_SAFE_INTEGER, { search = '', failed } = {}) =>
      read(
        `where id < :before and (:search = '' or instr(lower(method || ' ' || path || '?' || query || facts), lower(:search)) > 0)
           and (:failed < 0 or (status is not null and (status >= 400) = :failed)) order by id desc limit :count`,
        { count, before, search, failed: failed === undefined ? -1 : Number(failed) },
      ),
    byIds: (ids) => read('where id in (select value from json_each(:ids)) order by id', { ids: JSON.stringify(ids) }),
    body: (id) => store.rows({ body: nullable(blob) }, 'select body from emulator_requests where id = :id', { id })[0]?.body ?? null,
    answer: (id) => store.rows({ ms: integer, body: nullable(text) }, 'select ms, body from emulator_answers where id = :id', { id })[0],
  }
}

/** The first piece of a response's text: all of it if the response was made in memory. Does not wait for more. */
async function beginningOf(response: Response): Promise<string | null> {
  if (!/^(?:application\/json|text\/)/.test(response.headers.get('content-type') ?? '')) return null
  const body: ReadableStream<Uint8Array> | null = response.clone().body
  const reader = body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  void reader?.cancel()
  if (value === undefined) return null
  const start = new TextDecoder().decode(value.subarray(0, maxBodyBytes))
  return value.byteLength > maxBodyBytes ? `${start}\n… (${value.byteLength} bytes in all)` : start
}

interface LogRow {
  readonly received: ReceivedRequest
  readonly details: { readonly fault: string | null; readonly facts: RequestFacts }
  readonly at: number
  readonly hasBody: boolean
  readonly url: URL
}

function insert(store: Store, { received, details, at, hasBody, url }: LogRow): number {
  const id = insertRow(store, 'emulator_requests', {
    ...{ at: new Date(at).toISOString(), method: received.method, path: url.pathname, query: url.search.slice(1) },
    ...{ fault: details.fault, bytes: received.bytes(), facts: JSON.stringify(details.facts) },
    body: hasBody ? received.body : null,
  })
  store.run('delete from emulator_requests where id <= :oldest', { oldest: id - maxRequests })
  return id
}

function parseFacts(json: string): RequestFacts {
  const facts = parseJson(json)
  return Object.fromEntries(Object.entries(isObject(facts) ? facts : {}).filter(isFact))
}

const isFact = (entry: [string, unknown]): entry is [string, RequestFacts[string]] =>
  entry[1] === null || ['string', 'number', 'boolean'].includes(typeof entry[1])
