import type { Clock } from '@mcp-toolkits/core/clock'
import { isObject, member, parseJson } from '@mcp-toolkits/core/json'
import type { PeopleState } from '@mcp-toolkits/core/people'
import type { AdapterPayload } from 'oidc-provider'
import type { ConnectLog } from '../people/connect-parts.ts'
import { digest } from '../people/connect-records.ts'
import { lifetimes } from './lifetimes.ts'
import { limitByMinute } from './limits.ts'
import type { FetchDocument } from './metadata-documents.ts'
import { temporarilyUnavailable } from './storage-errors.ts'
import { isPayload, recordKey } from './stored-values.ts'

/** The clients that have a metadata document. */
export interface ClientDocuments {
  /**
   * The metadata of a client; undefined when there is no document that can be used. Throws `temporarily_unavailable` when the document of
   * a client that no person uses cannot be fetched now.
   */
  readonly find: (id: string) => Promise<AdapterPayload | undefined>
  /** Notes that a person uses a client: from then on it works while its document cannot be fetched. */
  readonly use: (id: string) => Promise<void>
}

export interface ClientDocumentsOptions {
  readonly records: PeopleState['records']
  readonly fetchDocument: FetchDocument
  readonly clock: Clock
  readonly log: Pick<ConnectLog, 'warn'>
}

/**
 * How many documents of clients that no person uses are fetched within a minute, on one replica: anyone can name an address. The
 * documents of clients that people use are always fetched, so strangers cannot keep those from working.
 */
const mostFetchesPerMinute = 120

const maxRemembered = 100

/** When a document that could not be fetched is fetched again, and after how long a stored one is stored again, in milliseconds. */
const retryMs = 60_000
const renewalMs = 24 * 60 * 60_000

interface Remembered {
  readonly metadata: AdapterPayload
  /** On the monotonic clock. */
  readonly until: number
}

interface Stored {
  readonly metadata: AdapterPayload
  /** Milliseconds since 1970. */
  readonly fetchedAt: number
}

export function clientDocuments({ records, fetchDocument, clock, log }: ClientDocumentsOptions): ClientDocuments {
  const mayFetch = limitByMinute(clock, mostFetchesPerMinute)
  const remembered = new Map<string, Remembered>()
  const underWay = new Map<string, Promise<AdapterPayload | 'away' | undefined>>()
  const keyOf = (id: string) => recordKey('oauth client document', digest(id))
  const read = async (id: string) => readStored(await records.get(keyOf(id)))
  const write = (id: string, metadata: AdapterPayload) =>
    records.set(keyOf(id), JSON.stringify({ metadata, fetchedAt: clock.now() }), lifetimes.client * 1_000)
  const remember = (id: string, metadata: AdapterPayload, ms: number) => {
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size >= maxRemembered) remembered.delete(oldest)
    remembered.set(id, { metadata, until: clock.monotonic() + ms })
    return metadata
  }
  const look = async (id: string) => {
    const stored = await read(id)
    const fetched = stored || mayFetch() ? await fetchDocument(id) : 'away'
    if (typeof fetched === 'object') {
      const metadata = { ...fetched.metadata }
      if (stored && (clock.now() - stored.fetchedAt >= renewalMs || JSON.stringify(stored.metadata) !== JSON.stringify(metadata)))
        await write(id, metadata)
      return remember(id, metadata, fetched.freshSeconds * 1_000)
    }
    if (fetched === 'refused') return undefined
    if (!stored) return fetched === 'away' ? fetched : undefined
    log.warn('authorization', { outcome: 'metadata document away', client: id })
    return remember(id, stored.metadata, retryMs)
  }
  const findOrUnavailable = (id: string) => {
    const known = remembered.get(id)
    if (known && clock.monotonic() < known.until) return Promise.resolve(known.metadata)
    remembered.delete(id)
    const looking = underWay.get(id) ?? look(id).finally(() => underWay.delete(id))
    underWay.set(id, looking)
    return looking
  }
  return {
    async find(id) {
      const found = await findOrUnavailable(id)
      if (found === 'away') throw temporarilyUnavailable()
      return found
    },
    async use(id) {
      if (await read(id)) return
      const found = await findOrUnavailable(id)
      // Where it is down now, the next use stores it.
      if (found !== undefined && found !== 'away') await write(id, found)
    },
  }
}

function readStored(text: string | undefined): Stored | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  const [metadata, fetchedAt] = [member(value, 'metadata'), member(value, 'fetchedAt')]
  return isObject(value) && isPayload(metadata) && typeof fetchedAt === 'number' ? { metadata, fetchedAt } : undefined
}
