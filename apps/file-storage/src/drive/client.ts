import { drive_v3 } from '@googleapis/drive'
import { ToolError, Unavailable, type Fetch } from '@mcp-toolkits/core'
import { withTimeout } from '@mcp-toolkits/core/async'
import { systemClock, type Clock } from '@mcp-toolkits/core/clock'
import { createHttpFetch } from '@mcp-toolkits/core/http'
import { parseJson } from '@mcp-toolkits/core/json'
import type { Attempts } from '@mcp-toolkits/core/retry'
import * as z from 'zod'
import { errorFrom, errorReasons, isRateLimit, notDriveResponse, withFilePickerHint } from './errors.ts'
import type { DriveItem } from './items.ts'

export interface DriveClientOptions {
  /** Adds the credential and reaches only the origin of `url`. */
  readonly fetch: Fetch
  /** The root of the API, without a slash at the end. */
  readonly url: string
  readonly clock?: Clock | undefined
}

/** One request to Drive that carries no bytes, and the schema of its response. */
export interface DriveCall<ResponseSchema extends z.ZodType> {
  /** The name of the method, for messages: `files.list`. */
  readonly method: string
  readonly response: ResponseSchema
  /** Whether a second request would take effect twice; then it is repeated only when Drive says that it did not begin. */
  readonly onlyOnce?: boolean
  /** How long all attempts may take together, in milliseconds; 25 seconds when absent. */
  readonly budgetMs?: number
  readonly send: (api: drive_v3.Drive, options: GoogleRequestOptions) => Promise<{ readonly status: number; readonly data: unknown }>
}

/** One request to Drive that carries bytes, and how its response is read. */
export interface Transfer<Result> {
  /** A path below the root, or an address that Drive returned. */
  readonly to: string
  readonly init: RequestInit
  /** How long nothing may arrive, in milliseconds; what the budget allows when absent. */
  readonly silenceMs?: number
  /** Reads the response; calls `onData` whenever a part of it arrives. What it leaves unread is cancelled. */
  readonly read: (response: Response, onData: () => void) => Promise<Result>
}

export interface DriveClient {
  readonly clock: Clock
  readonly resourceKeys: ResourceKeys
  /** Sends a request, repeats it where that is safe, and resolves with the checked response. Throws typed errors. */
  readonly call: <ResponseSchema extends z.ZodType>(
    call: DriveCall<ResponseSchema>,
    signal: AbortSignal,
  ) => Promise<z.output<ResponseSchema>>
  /** Makes one attempt at a request that carries bytes. Throws what `read` throws, `SilenceTimeout`, or `Unavailable`. */
  readonly transfer: <Result>(transfer: Transfer<Result>, budget: Attempts) => Promise<Result>
}

/** Longest text of a caller that goes into a URL, encoded: proxies refuse request lines over 8 KB. */
const maxEncodedLength = 5_500

/** Whether a text, as a parameter of a request, leaves room for the others in the URL. */
export function fitsInUrl(text: string): boolean {
  // Google's client also encodes the marks that encodeURIComponent leaves as they are.
  return encodeURIComponent(text).replace(/[!'()*]/g, '%00').length <= maxEncodedLength
}

/** Nothing arrived in time; the request may have been too large for the connection. */
export class SilenceTimeout extends Unavailable {}

/** How often a transfer may fail in a row without progress. */
export const transferRetryPolicy = { maxAttempts: 6 }

/** A list of 1,000 items with all their fields takes Drive some seconds. */
const attemptMs = 12_000

/** Google's own client on our fetch, with its retries off: they know neither the rate limits that come as 403 nor Retry-After. */
export function driveClient({ fetch, url, clock = systemClock }: DriveClientOptions): DriveClient {
  const api = new drive_v3.Drive({})
  const resourceKeys = new ResourceKeys()
  const send: Fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
    for (const [name, value] of Object.entries(resourceKeys.headers())) headers.set(name, value)
    return withRateLimitStatus(await fetch(input, { ...init, headers, redirect: 'manual' }))
  }
  return {
    clock,
    resourceKeys,
    async call({ method, response: schema, send: request, onlyOnce = false, budgetMs }, signal) {
      const retrying = createHttpFetch({
        fetch: send,
        vendor: 'Google Drive',
        attemptMs,
        retryMethods: ['GET', 'PATCH', 'POST'],
        clock,
        ...(onlyOnce && { retryStatuses: [429], retryUnanswered: false }),
        budgetMs,
      })
      const { status, data } = await request(api, googleRequestOptions(retrying, url, signal)).catch(rethrowUnwrapped(signal))
      if (typeof data !== 'object') throw notDriveResponse(status)
      const parsed = schema.safeParse(data)
      if (parsed.success) return parsed.data
      const path = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
      throw new Unavailable(`Google Drive answered ${method} in a form that this version does not know (at ${path}). Update the server.`, {
        retryable: false,
      })
    },
    async transfer({ to, init, silenceMs = Infinity, read }, { signal, attemptMs: remainingMs }) {
      const target = URL.canParse(to) ? to : `${url}/${to}`
      if (new URL(target).origin !== new URL(url).origin) throw foreignAddress()
      const ms = Math.min(silenceMs, remainingMs)
      const reason = () => new SilenceTimeout(`Google Drive sent nothing for ${Math.round(ms / 1000)} seconds.`)
      return withTimeout({ ms, reason, signal, clock }, async ({ signal: until, touch }) => {
        let response: Response | undefined
        try {
          response = await send(target, { ...init, signal: until })
          touch()
          return await read(response, touch)
        } catch (error) {
          until.throwIfAborted()
          throw error instanceof ToolError ? error : new Unavailable('The connection to Google Drive broke off.')
        } finally {
          if (response?.body?.locked === false) void response.body.cancel().catch(() => undefined)
        }
      })
    },
  }
}

/** The options of every call of Google's client, which forgets the root URL that it was created with when it uploads. */
export interface GoogleRequestOptions {
  readonly rootUrl: string
  /** Resolves only with successful responses. */
  readonly fetchImplementation: Fetch
  readonly retry: false
  readonly responseType: 'json'
  /** Keeps Google's client from following settings of the environment that would send requests elsewhere. */
  readonly universeDomain: 'googleapis.com'
  readonly noProxy: RegExp[]
  readonly signal: AbortSignal
}

function googleRequestOptions(fetch: Fetch, url: string, signal: AbortSignal): GoogleRequestOptions {
  return {
    rootUrl: `${url}/`,
    retry: false,
    responseType: 'json',
    universeDomain: 'googleapis.com',
    noProxy: [/./],
    signal,
    // Google's client passes its whole configuration as the request; only these members belong to one.
    async fetchImplementation(input, { method, headers, body, signal: requestSignal } = {}) {
      const init = {
        ...(headers && { headers }),
        ...(method && { method }),
        ...(body && { body }),
        ...(requestSignal && { signal: requestSignal }),
      }
      const response = await fetch(input, init)
      if (response.ok) return response
      throw withFilePickerHint(errorFrom(response, await response.text()))
    },
  }
}

/** Gives a 403 that only asks to slow down the status 429. https://developers.google.com/workspace/drive/api/guides/handle-errors */
async function withRateLimitStatus(response: Response): Promise<Response> {
  if (response.status !== 403) return response
  const body = await response.text()
  const status = errorReasons(parseJson(body)).some(isRateLimit) ? 429 : 403
  const headers = new Headers(response.headers)
  // They describe the body as it was sent, and it has been decoded.
  headers.delete('content-length')
  headers.delete('content-encoding')
  return new Response(body, { status, headers })
}

/** Google's client wraps what its fetch throws in an error that also holds the request. */
function rethrowUnwrapped(signal: AbortSignal) {
  return (error: unknown): never => {
    if (signal.aborted) throw signal.reason
    const cause = error instanceof Error ? error.cause : undefined
    if (cause instanceof ToolError) throw cause
    throw new Unavailable('The request to Google Drive failed before it was answered.')
  }
}

function foreignAddress(): Unavailable {
  return new Unavailable('Google Drive named an address for the upload that is not its own, so nothing was sent there.', {
    retryable: false,
  })
}

/** At most this many keys go with a request; the oldest are forgotten first. */
const maxResourceKeys = 20

/**
 * The keys that old items shared by link need besides their ids. Without its key such an item does not exist for Drive.
 * https://developers.google.com/workspace/drive/api/guides/resource-keys
 */
class ResourceKeys {
  #keys = new Map<string, string>()

  add(id: string, key: string | undefined): void {
    if (key === undefined || !/^[\w-]{1,100}$/.test(key)) return
    this.#keys.delete(id)
    this.#keys = new Map([...this.#keys, [id, key] as const].slice(-maxResourceKeys))
  }

  /** Adds the keys of an item and of what it points to. */
  addFrom({ id, resourceKey, shortcutDetails }: DriveItem): void {
    this.add(id, resourceKey)
    if (shortcutDetails) this.add(shortcutDetails.targetId, shortcutDetails.targetResourceKey)
  }

  headers(): Record<string, string> {
    const keys = [...this.#keys].map(([id, key]) => `${id}/${key}`)
    return keys.length === 0 ? {} : { 'X-Goog-Drive-Resource-Keys': keys.join(',') }
  }
}

const GeneratedIds = z.object({ ids: z.array(z.string()).min(1) })

/**
 * Ids for new items, fetched a thousand at a time. An id creates at most one item, so a request with an id can be repeated.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
export function idGenerator(drive: DriveClient): () => Promise<string> {
  let ids: string[] = []
  let fetching: Promise<void> | undefined
  const params = { count: 1000, space: 'drive', type: 'files', fields: 'ids' }
  const fetchIds = async () => {
    // Several creations wait for the same ids, so none of them may cancel the request.
    const { signal } = new AbortController()
    const call = { method: 'files.generateIds', response: GeneratedIds } as const
    const generated = await drive.call({ ...call, send: (api, options) => api.files.generateIds(params, options) }, signal)
    ids = [...ids, ...generated.ids]
  }
  return async () => {
    for (;;) {
      const id = ids.pop()
      if (id !== undefined) return id
      fetching ??= fetchIds().finally(() => {
        fetching = undefined
      })
      await fetching
    }
  }
}
