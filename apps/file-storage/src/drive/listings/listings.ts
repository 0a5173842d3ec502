import { Forbidden, InvalidInput } from '@mcp-toolkits/core/errors'
import { readPages } from '@mcp-toolkits/core/references'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { vendor, withNext, type DriveClient } from '../client.ts'
import { folderType, type DriveItem } from '../items.ts'
import { searchPage, type Corpus, type FilePage, type Search } from './search.ts'

/** A list from one or more corpora. */
export interface Listing extends Omit<Search, 'corpus' | 'pageSize' | 'pageToken'> {
  readonly corpora: readonly Corpus[]
  /** Number of items wanted. */
  readonly limit: number
  /** Maximum number of pages to read from each corpus; Drive also sends short and empty ones. */
  readonly maxPages?: number
}

/** A listing's items, with what is known about the rest. */
export interface Batch {
  readonly items: readonly DriveItem[]
  /** True if there are more items than returned so far. */
  readonly hasMore: boolean
  /** True if Drive did not look everywhere. */
  readonly isIncomplete: boolean
  /** The reason the domain's documents are missing, if they are. */
  readonly domainProblem?: string
}

export interface Breadth {
  readonly drive: { readonly id: string; readonly name: string } | undefined
  readonly sharedDrives: boolean
  readonly domain: boolean
}

/** Corpora for a search or tree, and their names. Drive accepts one corpus per request. */
export function corporaFor({ drive, sharedDrives, domain }: Breadth): { readonly corpora: readonly Corpus[]; readonly name: string } {
  const { corpus, name } = ownCorpus(drive, sharedDrives)
  if (!domain) return { corpora: [corpus], name }
  return { corpora: [corpus, { in: 'domain', withDrives: sharedDrives }], name: `${name}; documents of your organization's domain` }
}

function ownCorpus(drive: Breadth['drive'], sharedDrives: boolean): { readonly corpus: Corpus; readonly name: string } {
  if (drive) return { corpus: { in: 'drive', driveId: drive.id }, name: drive.name }
  if (sharedDrives) return { corpus: { in: 'allDrives' }, name: 'My Drive, files shared with you, and all shared drives' }
  return { corpus: { in: 'user' }, name: 'My Drive and files shared with you' }
}

/** Default maximum number of pages: enough for a thousand items on short pages. */
const defaultMaxPages = 50

/**
 * A query's results, each item once, until `limit` items have been found or `maxPages` pages read. The first pages of all corpora are
 * requested in parallel; items are merged by `orderBy`, or taken in turn if Drive sorts by relevance. Throws `Unavailable` for a repeated
 * page.
 */
export async function* listBatches(drive: DriveClient, listing: Listing, scope: CallScope): AsyncGenerator<Batch> {
  const { corpora, ...search } = listing
  const fields =
    corpora.length > 1 && search.fields !== undefined && search.orderBy !== undefined ? { fields: `${search.fields},${sortFields}` } : {}
  const sources = corpora.map((corpus, index) => {
    const pages = pagesOf(drive, { ...search, ...fields, corpus }, scope)
    return new Source(pages, { isOptional: index > 0 && corpus.in === 'domain' })
  })
  const compare = search.orderBy === undefined ? undefined : comparatorFor(search.orderBy)
  const seen = new Set<string>()
  for (let isOpen = true; isOpen && seen.size < search.limit;) {
    await Promise.all(sources.map((source) => source.fill()))
    const live = sources.filter(({ next }) => next !== undefined)
    const items: DriveItem[] = []
    isOpen = live.length > 0
    while (isOpen && live.every(({ next }) => next !== undefined) && seen.size < search.limit) {
      const item = chooseSource(live, compare)?.take()
      if (!item || seen.has(item.id)) continue
      seen.add(item.id)
      items.push(item)
    }
    const [problem] = sources.flatMap((source) => source.problem ?? [])
    yield {
      items,
      hasMore: sources.some(({ hasMore, rest }) => hasMore || rest.some(({ id }) => !seen.has(id))),
      isIncomplete: sources.some(({ isIncomplete }) => isIncomplete),
      ...(problem !== undefined && { domainProblem: problem }),
    }
  }
}

/** The first `limit` items that a query finds. */
export async function listAll(drive: DriveClient, listing: Listing, scope: CallScope): Promise<Batch> {
  const items: DriveItem[] = []
  let last: Omit<Batch, 'items'> = { hasMore: false, isIncomplete: false }
  for await (const { items: found, ...rest } of listBatches(drive, listing, scope)) {
    items.push(...found)
    last = rest
  }
  return { ...last, items, isIncomplete: last.isIncomplete || (last.hasMore && items.length < listing.limit) }
}

async function* pagesOf(
  drive: DriveClient,
  { limit, maxPages = defaultMaxPages, ...search }: Omit<Listing, 'corpora'> & Pick<Search, 'corpus'>,
  scope: CallScope,
): AsyncGenerator<FilePage> {
  let missing = limit
  const read = async (pageToken: string | undefined) =>
    withNext(await searchPage(drive, { ...search, pageSize: missing, pageToken }, scope))
  for await (const page of readPages({ vendor, maxPages }, read)) {
    missing -= page.files.length
    yield page
    if (missing <= 0) return
  }
}

/** One corpus being listed. */
class Source {
  readonly #pages: AsyncGenerator<FilePage>
  readonly #isOptional: boolean
  #items: readonly DriveItem[] = []
  #position = 0
  #isDone = false
  /** Number of items taken from the corpus. */
  taken = 0
  hasMore = false
  isIncomplete = false
  /** Drive's reason for refusing to list an optional corpus. */
  problem: string | undefined

  constructor(pages: AsyncGenerator<FilePage>, { isOptional }: { readonly isOptional: boolean }) {
    this.#pages = pages
    this.#isOptional = isOptional
  }

  get next(): DriveItem | undefined {
    return this.#items[this.#position]
  }

  /** Items that were read but not yet taken. */
  get rest(): readonly DriveItem[] {
    return this.#items.slice(this.#position)
  }

  take(): DriveItem | undefined {
    const item = this.next
    this.#position += 1
    this.taken += 1
    return item
  }

  /** Reads pages until there is a next item or nothing is left. */
  async fill(): Promise<void> {
    while (this.next === undefined && !this.#isDone) {
      const page = await this.#pages.next().catch((error: unknown) => this.#giveUp(error))
      this.#isDone = page.done === true
      if (page.done === true) continue
      this.#items = page.value.files
      this.#position = 0
      this.hasMore = page.value.nextPageToken !== undefined
      this.isIncomplete ||= page.value.incompleteSearch
    }
  }

  #giveUp(error: unknown): { readonly done: true } {
    if (!this.#isOptional || !(error instanceof Forbidden || error instanceof InvalidInput)) throw error
    this.problem = error.message
    this.hasMore = false
    return { done: true }
  }
}

type Compare = (a: DriveItem, b: DriveItem) => number

/** The source whose item comes next; without an order, the source with the fewest items taken. */
function chooseSource(sources: readonly Source[], compare: Compare | undefined): Source | undefined {
  return sources.reduce<Source | undefined>((best, source) => {
    if (!best) return source
    const isEarlier = compare && best.next && source.next ? compare(source.next, best.next) < 0 : source.taken < best.taken
    return isEarlier ? source : best
  }, undefined)
}

/** Fields that merging needs, whatever the order. */
const sortFields = 'createdTime,modifiedTime,modifiedByMeTime,viewedByMeTime,sharedWithMeTime,quotaBytesUsed,starred'

const collator = new Intl.Collator('en')
const naturalCollator = new Intl.Collator('en', { numeric: true })

const byText =
  (read: (item: DriveItem) => string | undefined): Compare =>
  (a, b) => {
    const [first, second] = [read(a) ?? '', read(b) ?? '']
    return first === second ? 0 : first < second ? -1 : 1
  }
const byNumber =
  (read: (item: DriveItem) => number): Compare =>
  (a, b) =>
    read(a) - read(b)

/** Comparisons by each of Drive's sort keys; our order of names only approximates Drive's. */
const comparisons: Readonly<Record<string, Compare>> = {
  createdTime: byText(({ createdTime }) => createdTime),
  folder: byNumber(({ mimeType }) => (mimeType === folderType ? 0 : 1)),
  modifiedByMeTime: byText(({ modifiedByMeTime }) => modifiedByMeTime),
  modifiedTime: byText(({ modifiedTime }) => modifiedTime),
  name: (a, b) => collator.compare(a.name, b.name),
  name_natural: (a, b) => naturalCollator.compare(a.name, b.name),
  quotaBytesUsed: byNumber(({ quotaBytesUsed }) => Number(quotaBytesUsed ?? 0)),
  recency: byText(({ modifiedTime = '', viewedByMeTime = '', sharedWithMeTime = '' }) =>
    [modifiedTime, viewedByMeTime, sharedWithMeTime].sort().at(-1),
  ),
  sharedWithMeTime: byText(({ sharedWithMeTime }) => sharedWithMeTime),
  starred: byNumber(({ starred }) => (starred === true ? 0 : 1)),
  viewedByMeTime: byText(({ viewedByMeTime }) => viewedByMeTime),
}

function comparatorFor(orderBy: string): Compare {
  const keys = orderBy.split(',').map((part) => part.split(' '))
  return (a, b) => {
    for (const [key = '', direction] of keys) {
      const result = comparisons[key]?.(a, b) ?? 0
      if (result !== 0) return direction === 'desc' ? -result : result
    }
    return 0
  }
}
