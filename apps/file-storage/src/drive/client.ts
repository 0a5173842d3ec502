import { drive_v3 } from '@googleapis/drive'
import { ToolError, Unavailable, type Fetch } from '@mcp-toolkits/core'
import type * as z from 'zod'
import { failureOf, notFromDrive } from './failures.ts'
import { pointingToPicker } from './picker.ts'
import { sender, tellingRateLimits } from './requests.ts'
import { ResourceKeys } from './resource-keys.ts'

export interface DriveClientOptions {
  /** Adds the credential and goes nowhere but to the origin of `url`. */
  readonly fetch: Fetch
  /** The root of the API, without a slash at the end. */
  readonly url: string
}

/** How one request is sent; every call of Google's client gets all of it. */
export interface Sending {
  readonly rootUrl: string
  /** Resolves with answers that are not refusals. */
  readonly fetchImplementation: Fetch
  readonly retry: false
  readonly responseType: 'json'
  /** Settings of the environment by which Google's client would go elsewhere. */
  readonly universeDomain: 'googleapis.com'
  readonly noProxy: RegExp[]
  readonly signal: AbortSignal
}

/** One request to Drive and what its answer looks like. */
export interface DriveCall<Answer extends z.ZodType> {
  /** The name of the method, for messages: `files.list`. */
  readonly method: string
  readonly answer: Answer
  /** Whether a second request would do a second thing, so that only what was not begun may be repeated. */
  readonly onlyOnce?: boolean
  /** How long all attempts may take together, in milliseconds; 25 seconds when absent. */
  readonly budgetMs?: number
  readonly send: (drive: drive_v3.Drive, sending: Sending) => Promise<{ readonly status: number; readonly data: unknown }>
}

export interface DriveClient {
  readonly keys: ResourceKeys
  /** Sends one request, repeated where that is safe, and resolves with its checked answer. Throws typed errors. */
  readonly call: <Answer extends z.ZodType>(call: DriveCall<Answer>, signal: AbortSignal) => Promise<z.output<Answer>>
  /**
   * Sends a request that carries bytes, once, and resolves with whatever is answered, its body unread. `to` is a path below the root, or
   * an address that Drive named. Throws `Unavailable` for an address elsewhere.
   */
  readonly send: (to: string, init: RequestInit) => Promise<Response>
}

/**
 * Google's own client for the requests that carry no bytes, on our fetch: without its retry, which knows neither the 403 rate limits
 * nor Retry-After, and with the root URL on every call, because it forgets the one that it is made with when it uploads.
 */
export function driveClient({ fetch, url }: DriveClientOptions): DriveClient {
  const drive = new drive_v3.Drive({})
  const send = sender(fetch)
  const keys = new ResourceKeys()
  const once = tellingRateLimits(fetch)
  return {
    keys,
    async send(to, init) {
      const target = URL.canParse(to) ? to : `${url}/${to}`
      if (new URL(target).origin !== new URL(url).origin) throw elsewhere()
      const headers = new Headers(init.headers)
      for (const [name, value] of Object.entries(keys.headers())) headers.set(name, value)
      return once(target, { ...init, headers, redirect: 'manual' })
    },
    async call({ method, answer, send: via, ...repeating }, signal) {
      const sending = sendingWith({ fetch: send(repeating), url, keys, signal })
      const { status, data } = await via(drive, sending).catch(unwrapped(signal))
      if (typeof data !== 'object') throw notFromDrive(status)
      const parsed = answer.safeParse(data)
      if (parsed.success) return parsed.data
      const where = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
      throw new Unavailable(`Google Drive answered ${method} in a form that this version does not know (at ${where}). Update the server.`, {
        retryable: false,
      })
    },
  }
}

function sendingWith({
  fetch,
  url,
  keys,
  signal,
}: DriveClientOptions & Pick<DriveClient, 'keys'> & { readonly signal: AbortSignal }): Sending {
  return {
    rootUrl: `${url}/`,
    retry: false,
    responseType: 'json',
    universeDomain: 'googleapis.com',
    noProxy: [/./],
    signal,
    // Google's client hands its whole configuration on as the request; only these parts are one.
    async fetchImplementation(input, { method, headers, body, signal: given } = {}) {
      const all = new Headers(headers)
      for (const [name, value] of Object.entries(keys.headers())) all.set(name, value)
      const request = { headers: all, ...(method && { method }), ...(body && { body }), ...(given && { signal: given }) }
      const response = await fetch(input, request)
      if (response.ok) return response
      throw pointingToPicker(failureOf(response, await response.text()))
    },
  }
}

function elsewhere(): Unavailable {
  return new Unavailable('Google Drive named an address for the upload that is not its own, so nothing was sent there.', {
    retryable: false,
  })
}

/** Google's client puts what its fetch throws into an error of its own, beside the request. */
function unwrapped(signal: AbortSignal) {
  return (error: unknown): never => {
    if (signal.aborted) throw signal.reason
    const cause = error instanceof Error ? error.cause : undefined
    if (cause instanceof ToolError) throw cause
    throw new Unavailable('The request to Google Drive failed before it was answered.')
  }
}
