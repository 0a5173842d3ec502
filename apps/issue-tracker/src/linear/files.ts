import type { Clock } from '@mcp-toolkits/core/base'
import { InvalidInput, NotFound, quote, TooLarge, Unavailable } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import {
  Attempts,
  type CompleteResponse,
  createTransport,
  type Fetch,
  guardedFetch,
  readWhole,
  transientStatuses,
  type Telemetry,
  type UpstreamLimits,
  withRetry,
} from '@mcp-toolkits/core/upstream'
import { type LinearCall, refusalOf } from './client.ts'
import { reserveFile } from './issues/issue-files.ts'

/** Maximum size, in bytes, of a file to attach or read: the server holds the whole file in memory. Linear documents no limit. */
const maxFileBytes = 25 * 1024 ** 2

export interface FileBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

/** Files that Linear stores, and public files to attach. https://linear.app/developers/file-storage-authentication */
export interface LinearFiles {
  /** True for the URL of a file that Linear stores. */
  readonly isKept: (url: string) => boolean
  /** Stores a file and resolves with its URL. A file from an earlier attempt is never linked to an issue, so nobody sees it. */
  readonly store: (linear: LinearCall, file: FileBytes & { readonly name: string }, scope: CallScope) => Promise<string>
  /** Reads a file that Linear stores. Throws `NotFound` and `TooLarge`. */
  readonly read: (url: string, scope: CallScope) => Promise<FileBytes>
  /** Reads a public file. Throws `InvalidInput` for a URL that is not public or has no file. */
  readonly fetchPublic: (url: string, scope: CallScope) => Promise<FileBytes>
}

interface FileOptions {
  /** Adds the credential. */
  readonly fetch: Fetch
  /** Adds no credential: uploads go to a URL that Linear has signed. */
  readonly plainFetch: Fetch
  /** URL prefixes of files that Linear stores. */
  readonly places: readonly string[]
  readonly limits: UpstreamLimits
  readonly clock: Clock
  readonly telemetry?: Telemetry | undefined
  /** Non-public hosts that may be fetched from. */
  readonly allowPrivate: readonly string[]
}

/** Maximum number of upload URLs per file: each URL accepts one file, so a retry after a lost response needs a new URL. */
const maxPlaces = 3

/** Turns a file's URL on the built-in emulator's workspace pages into the emulator's own URL. Other URLs stay unchanged. */
const inProcess = (url: string) => url.replace(/^http:\/\/127\.0\.0\.1:\d+\/workspace(?=\/uploads\/)/, 'http://localhost')

/** Maximum number of bytes to read from an error response. */
const maxRefusalBytes = 64 * 1024

/** Maximum time, in milliseconds, without a byte from the storage server. */
const silenceMs = 8_000

export function linearFiles({ fetch, plainFetch, places, allowPrivate, clock, ...rest }: FileOptions): LinearFiles {
  const reading = createTransport({ ...rest, fetch, vendor: 'Linear' })
  const storing = createTransport({ ...rest, fetch: plainFetch, vendor: 'Linear' })
  const setting = { variable: 'ISSUE_TRACKER_ALLOW_PRIVATE_URLS' }
  const fetchSource = guardedFetch({ allowPrivate, setting, limits: { maxBytes: maxFileBytes }, clock })
  const isKept = (url: string) => places.some((place) => inProcess(url).startsWith(place))
  return {
    isKept,
    async store(linear, { name, bytes, mediaType }, scope) {
      return withRetry(new Attempts({ maxAttempts: maxPlaces }, scope), async () => {
        const place = { contentType: mediaType, filename: name, size: bytes.byteLength }
        const { upload_url: url, asset_url: address, headers } = (await linear.send(reserveFile, place)).file_upload.upload_file
        const own = { 'content-type': mediaType, 'cache-control': 'public, max-age=31536000' }
        const sent = { ...own, ...Object.fromEntries(headers.map(({ key, value }) => [key, value])) }
        const request = { url, method: 'PUT', headers: sent, body: bytes, maxAttempts: 1, attemptMs: 2 * silenceMs }
        await storing.send(request, requireStored, scope)
        return address
      })
    },
    async read(url, scope) {
      const attempts = new Attempts({}, scope)
      return withRetry(attempts, async () =>
        reading.stream(
          { url: inProcess(url), method: 'GET', isRetry: attempts.hasFailed, silenceMs },
          async (response, onData) => {
            if (response.status === 404) throw new NotFound('Linear no longer has this file.')
            if (!response.ok) throw refusalOf(await readWhole(response, { vendor: 'Linear', maxBytes: maxRefusalBytes }), clock)
            return { bytes: await readBytes(response.body, onData), mediaType: mediaTypeIn(response.headers) }
          },
          scope,
        ),
      )
    },
    async fetchPublic(url, { signal }) {
      const { status, headers, body } = await fetchSource(url, { signal })
      if (status < 200 || status > 299) {
        await body.cancel()
        const text = `${quote(url, 200)} returned ${status} instead of a file.`
        throw transientStatuses.includes(status) ? new Unavailable(text) : new InvalidInput(text)
      }
      return { bytes: await readBytes(body), mediaType: mediaTypeIn(headers) }
    },
  }
}

function requireStored({ ok, status }: CompleteResponse): void {
  if (!ok) throw new Unavailable(`Linear's storage did not accept the file (${status}).`)
}

const mediaTypeIn = (headers: Headers) => headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'application/octet-stream'

async function readBytes(body: AsyncIterable<Uint8Array> | null, onData?: () => void): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    onData?.()
    size += piece.byteLength
    if (size > maxFileBytes) throw new TooLarge(`The file has more than ${maxFileBytes / 1024 ** 2} MiB, the maximum.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
