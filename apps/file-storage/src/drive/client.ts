import { drive_v3 } from '@googleapis/drive'
import { type Clock, isObject, type NamedRecords, systemClock } from '@mcp-toolkits/core/base'
import { NotFound, ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { sharedWork, type CallScope } from '@mcp-toolkits/core/tool'
import {
  type ClientOptions,
  type CompleteResponse,
  createTransport,
  type Fetch,
  jsonOf,
  memoryLimits,
  OversizedResponse,
  readWhole,
  type TransportRequest,
} from '@mcp-toolkits/core/upstream'
import * as z from 'zod'
import { errorFrom, holdsIn, notDriveResponse } from './errors.ts'
import { ResourceKeys } from './resource-keys.ts'

export interface DriveClientOptions extends ClientOptions {
  /** Storage for resource keys shared by replicas; absent for a single server. */
  readonly keys?: NamedRecords | undefined
}

/** One request to Drive that carries no bytes, and the schema of its response. */
export interface DriveCall<ResponseSchema extends z.ZodType> {
  /** The method's name, for messages: `files.list`. */
  readonly method: string
  readonly response: ResponseSchema
  /** Names a group of requests with a separate quota: `sharing`. */
  readonly operation?: string
  /** True if a repeated request would take effect twice: it is retried only if Drive says that it did not begin the first one. */
  readonly onlyOnce?: boolean
  readonly send: (api: drive_v3.Drive, options: GoogleRequestOptions) => Promise<unknown>
}

/** One request to Drive that carries bytes, and the reader of its response. */
export interface Transfer<Result> {
  /** A path below the root, or a URL that Drive returned. */
  readonly to: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: TransportRequest['body']
  /** True if the request repeats a failed one. */
  readonly isRetry: boolean
  /** Maximum time, in milliseconds, that may pass without a byte. */
  readonly silenceMs: number
  /** Reads the response; calls `onData` whenever part of it arrives. Anything left unread is cancelled. */
  readonly read: (response: Response, onData: () => void) => Promise<Result>
}

/** A Drive client. All its calls share the account's limits. */
export interface DriveClient {
  readonly clock: Clock
  readonly resourceKeys: ResourceKeys
  /**
   * `isComplete` is true if the token is known to see everything its account sees: only such a token may read the root and list shared
   * drives.
   */
  readonly sight: { isComplete: boolean; hasNoSharedDrives?: boolean }
  /** Sends a request, retries it if that is safe, and resolves with the checked response. Throws typed errors. */
  readonly call: <ResponseSchema extends z.ZodType>(call: DriveCall<ResponseSchema>, scope: CallScope) => Promise<z.output<ResponseSchema>>
  /** Makes one attempt at a request that carries bytes. Throws the errors of `read`, `ResponseTimeout`, or `Unavailable`. */
  readonly transfer: <Result>(transfer: Transfer<Result>, scope: CallScope) => Promise<Result>
}

/** Maximum encoded length of a caller's text in a URL: proxies refuse request lines over 8 KB. */
const maxEncodedLength = 5_500

/** True if a request parameter with this text leaves room in the URL for the other parameters. */
export function fitsInUrl(text: string): boolean {
  if (text.length > maxEncodedLength) return false
  // Google's client also encodes the punctuation that encodeURIComponent leaves as it is.
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, '%00').length <= maxEncodedLength
}

/** Maximum number of consecutive attempts of a transfer without progress. */
export const transferRetryPolicy = { maxAttempts: 6 }

/** Timeout, in milliseconds, for an attempt: a list of 1,000 items with all their fields takes Drive several seconds. */
const attemptMs = 12_000

export const vendor = 'Google Drive'

/** Google's own client on our transport, with its retries off: they recognize neither rate limits sent as 403 nor Retry-After. */
export function driveClient({
  fetch,
  url,
  clock = systemClock,
  limits = memoryLimits(clock),
  keys,
  telemetry,
}: DriveClientOptions): DriveClient {
  const api = new drive_v3.Drive({})
  const resourceKeys = new ResourceKeys(keys)
  const transport = createTransport({ fetch, vendor, limits, holdsIn: (_, error) => holdsIn(error, clock.now()), telemetry })
  return {
    clock,
    resourceKeys,
    sight: { isComplete: false },
    async call({ method, response: schema, send, onlyOnce = false, operation }, scope) {
      let received: { readonly data: z.output<typeof schema> } | undefined
      const receive = async (request: GoogleRequest) => {
        const sendWithKeys = async () => {
          const headers = { ...request.headers, ...resourceKeys.headers() }
          const options = { ...request, headers, attemptMs, operation, repeat: onlyOnce ? 'refused' : 'always' } as const
          return transport.send(options, (response) => parsedResponse(response, method, schema), scope)
        }
        received = { data: await sendWithKeys().catch(whenKeysAreFound(resourceKeys, request, sendWithKeys)) }
      }
      await send(api, googleRequestOptions(url, receive)).catch(rethrowUnwrapped(scope.signal))
      if (!received) throw new TypeError(`Google's client did not send ${method}.`)
      return received.data
    },
    async transfer({ to, headers, silenceMs, read, ...request }, scope) {
      const target = URL.canParse(to) ? to : `${url}/${to}`
      if (new URL(target).origin !== new URL(url).origin)
        throw new Unavailable('Google Drive returned an upload URL on a different host, so nothing was sent there.', { retryable: false })
      const send = async () => {
        const withKeys = { ...headers, ...resourceKeys.headers() }
        const ms = Math.max(minSilenceMs, Math.min(silenceMs, scope.remainingMs()))
        return transport.stream({ ...request, url: target, headers: withKeys, silenceMs: ms }, read, scope)
      }
      return send().catch(whenKeysAreFound(resourceKeys, { url: target }, send))
    },
  }
}

/** Resends a request if another replica knows an item's key: without the key, Drive says that the item does not exist. */
function whenKeysAreFound<Result>(
  keys: ResourceKeys,
  { url, body }: Pick<GoogleRequest, 'url' | 'body'>,
  sendAgain: () => Promise<Result>,
): (error: unknown) => Promise<Result> {
  return async (error) => {
    const text = `${decodeURIComponent(url)} ${body ?? ''}`
    if (error instanceof NotFound && (await keys.findFor(text))) return sendAgain()
    throw error
  }
}

/** Converts a page from Drive for `readPages`. */
export function withNext<Page extends { readonly nextPageToken?: string | undefined }>(
  page: Page,
): Page & { readonly next: string | undefined } {
  return { ...page, next: page.nextPageToken }
}

/** Minimum time, in milliseconds, that must remain for a request: with less, it would hardly ever succeed. */
const minSilenceMs = 500

/** Checks a response and returns its data. Throws typed errors; a response that may not come from Drive is worth a retry. */
function parsedResponse<ResponseSchema extends z.ZodType>(
  response: CompleteResponse,
  method: string,
  schema: ResponseSchema,
): z.output<ResponseSchema> {
  if (!response.ok) throw errorFrom(response)
  const body = jsonOf(response, vendor)
  if (!isObject(body)) throw notDriveResponse(response.status)
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const path = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
  throw new Unavailable(
    `The response of Google Drive to ${method} has a format that this version does not know (at ${path}). Update the server.`,
    {
      retryable: false,
    },
  )
}

/** Maximum size, in bytes, of a transfer's response that is read as text. */
const maxTextBytes = 1024 ** 2

/** Reads the whole response to a transfer that returns text, such as an upload or a refusal. */
export async function completeResponse(response: Response): Promise<CompleteResponse> {
  try {
    return await readWhole(response, { vendor, maxBytes: maxTextBytes })
  } catch (error) {
    if (error instanceof OversizedResponse) throw new Unavailable(`The HTTP ${response.status} response was too long to be from ${vendor}.`)
    throw error
  }
}

/** A request, as made by Google's client. */
interface GoogleRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Options for every call by Google's client, which ignores its root URL on uploads. */
export interface GoogleRequestOptions {
  readonly rootUrl: string
  readonly fetchImplementation: Fetch
  readonly retry: false
  readonly responseType: 'json'
  /** Keeps Google's client from following environment settings that would send requests elsewhere. */
  readonly universeDomain: 'googleapis.com'
  readonly noProxy: RegExp[]
}

/** Options that give Google's client an empty response, because `receive` reads and checks the real one. */
function googleRequestOptions(url: string, receive: (request: GoogleRequest) => Promise<void>): GoogleRequestOptions {
  return {
    rootUrl: `${url}/`,
    retry: false,
    responseType: 'json',
    universeDomain: 'googleapis.com',
    noProxy: [/./],
    async fetchImplementation(input, { method = 'GET', headers, body } = {}) {
      const target = input instanceof Request ? input.url : String(input)
      if (body !== undefined && body !== null && typeof body !== 'string')
        throw new TypeError("Google's client sent a body that is not text.")
      await receive({ url: target, method, headers: Object.fromEntries(new Headers(headers)), ...(typeof body === 'string' && { body }) })
      return Response.json({})
    },
  }
}

/** Unwraps an error from `fetch`: Google's client wraps it in one that also contains the request. */
function rethrowUnwrapped(signal: AbortSignal) {
  return (error: unknown): never => {
    signal.throwIfAborted()
    const cause = error instanceof Error ? error.cause : undefined
    if (cause instanceof ToolError) throw cause
    throw new Unavailable('The request to Google Drive failed before a response arrived.')
  }
}

const GeneratedIds = z.object({ ids: z.array(z.string()).min(1) })

/**
 * Ids for new items, fetched a thousand at a time. An id creates at most one item, so a request with an id can be retried.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
export function idGenerator(drive: DriveClient): (signal: AbortSignal) => Promise<string> {
  let ids: string[] = []
  const params = { count: 1000, space: 'drive', type: 'files', fields: 'ids' }
  // Several calls may be waiting for the same ids.
  const fetchIds = sharedWork(drive.clock, async (scope) => {
    const call = { method: 'files.generateIds', response: GeneratedIds } as const
    const generated = await drive.call({ ...call, send: (api, options) => api.files.generateIds(params, options) }, scope)
    ids = [...ids, ...generated.ids]
  })
  return async (signal) => {
    for (;;) {
      const id = ids.pop()
      if (id !== undefined) return id
      await fetchIds({ signal })
    }
  }
}
