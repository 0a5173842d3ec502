import { InvalidInput, NotFound, TooLarge } from '@mcp-toolkits/core'
import type { CallScope } from '@mcp-toolkits/core/call-scope'
import { readPages } from '@mcp-toolkits/core/pages'
import * as z from 'zod'
import { fitsInUrl, vendor, withNext, type DriveClient } from './client.ts'
import { unknownDrive } from './errors.ts'
import { DriveItem, googleTypeOf, itemFields } from './items.ts'

const FilePage = z.object({
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().default(false),
  files: z.array(DriveItem).default([]),
})
export type FilePage = z.output<typeof FilePage>

/** What a search covers: the parameter `corpora`, with what belongs to it. */
export type Corpus =
  | { readonly in: 'user' }
  | { readonly in: 'domain'; readonly withDrives: boolean }
  | { readonly in: 'allDrives' }
  | { readonly in: 'drive'; readonly driveId: string }
  /** The folder in the query, wherever it is; it also works for a person who can see the folder and not its drive. */
  | { readonly in: 'folder' }

export interface Search {
  readonly query: string
  readonly corpus: Corpus
  readonly pageSize: number
  readonly pageToken?: string | undefined
  readonly orderBy?: string | undefined
  /** The fields of each item; `itemFields` when absent. */
  readonly fields?: string
}

interface LimitedSearch extends Omit<Search, 'pageSize' | 'pageToken'> {
  /** How many items are wanted. */
  readonly limit: number
  /** How many pages are read at most; Drive sends short and empty ones too. */
  readonly maxPages?: number
}

export interface SearchResult {
  readonly items: DriveItem[]
  readonly hasMore: boolean
  /** Drive did not look everywhere, or spread what it found over too many pages. */
  readonly isIncomplete: boolean
}

const maxPageSize = 1000

/** One page of the items that a query finds. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
export async function searchPage(drive: DriveClient, search: Search, scope: CallScope): Promise<FilePage> {
  const { query, corpus, pageSize, pageToken, orderBy, fields = itemFields } = search
  const params = {
    q: query,
    ...(corpus.in !== 'folder' && { corpora: corpus.in }),
    ...(corpus.in === 'drive' && { driveId: corpus.driveId }),
    supportsAllDrives: true,
    includeItemsFromAllDrives: corpus.in === 'user' ? false : corpus.in !== 'domain' || corpus.withDrives,
    pageSize: Math.min(pageSize, maxPageSize),
    fields: `nextPageToken,incompleteSearch,files(${fields})`,
    ...(pageToken !== undefined && { pageToken }),
    ...(orderBy !== undefined && { orderBy }),
  }
  const call = { method: 'files.list', response: FilePage } as const
  const page = await drive.call({ ...call, send: (api, options) => api.files.list(params, options) }, scope).catch((error: unknown) => {
    throw error instanceof NotFound && corpus.in === 'drive' ? unknownDrive(corpus.driveId, error.details) : error
  })
  page.files.forEach((item) => {
    drive.resourceKeys.addFrom(item)
  })
  return page
}

/** Enough for a thousand items on short pages. */
const defaultMaxPages = 50

/** The pages of what a query finds, until they hold `limit` items or there are too many. Throws `Unavailable` for a page that repeats. */
export async function* searchPages(
  drive: DriveClient,
  { limit, maxPages = defaultMaxPages, ...search }: LimitedSearch,
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

/** The first `limit` items that a query finds. */
export async function searchAll(drive: DriveClient, search: LimitedSearch, scope: CallScope): Promise<SearchResult> {
  const items: DriveItem[] = []
  let hasMore = false
  let isIncomplete = false
  for await (const page of searchPages(drive, search, scope)) {
    items.push(...page.files)
    hasMore = page.nextPageToken !== undefined
    isIncomplete ||= page.incompleteSearch
  }
  return { items, hasMore, isIncomplete: isIncomplete || (hasMore && items.length < search.limit) }
}

export interface SearchBreadth {
  readonly driveId: string | undefined
  readonly sharedDrives: boolean
  readonly domain: boolean
}

/** The corpus of a search and what to call it. Throws `InvalidInput` for a shared drive together with the domain, which Drive refuses. */
export function corpusFor({ driveId, sharedDrives, domain }: SearchBreadth): { readonly corpus: Corpus; readonly name: string } {
  if (driveId !== undefined && domain) {
    throw new InvalidInput(
      'A shared drive and include_organization_domain_documents cannot be combined: Google Drive searches one or the other.',
      { next: { change: { include_organization_domain_documents: null } } },
    )
  }
  if (driveId !== undefined) return { corpus: { in: 'drive', driveId }, name: `the shared drive ${driveId}` }
  if (domain) {
    const name = "what is shared with the organization's domain"
    return { corpus: { in: 'domain', withDrives: sharedDrives }, name: sharedDrives ? `${name}, shared drives included` : name }
  }
  if (sharedDrives) return { corpus: { in: 'allDrives' }, name: 'My Drive, what was shared with you, and all shared drives' }
  return { corpus: { in: 'user' }, name: 'My Drive and what was shared with you' }
}

/** A literal in Drive's search language; the only way a text enters a query. https://developers.google.com/workspace/drive/api/guides/search-files */
function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

export function allOf(...conditions: readonly (string | undefined)[]): string {
  return conditions.filter((condition) => condition !== undefined).join(' and ')
}

export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? conditions.join('') : `(${conditions.join(' or ')})`
}

export const notTrashed = 'trashed = false'

export function inFolder(folder: string): string {
  return `${literal(folder)} in parents`
}

export function hasName(names: readonly string[]): string {
  return anyOf(names.map((name) => `name = ${literal(name)}`))
}

/** Items whose name or content has the words; words in double quotes are a phrase, and an unpaired quote is dropped. */
export function containsWords(words: string): string {
  const isBalanced = words.split('"').length % 2 === 1
  const term = (isBalanced ? words : words.replaceAll('"', ' ')).trim()
  return anyOf([`name contains ${literal(term.replaceAll('"', ''))}`, `fullText contains ${literal(term)}`])
}

/** Throws `TooLarge` for words that no request can hold, however they are combined with other conditions. */
export function checkWords(words: string): void {
  if (fitsInUrl(containsWords(words))) return
  throw new TooLarge(
    `"query" has ${words.length} characters, more than one search can hold. Shorten it to the few words that identify the file; nothing was searched.`,
  )
}

const hasType = (mimeType: string) => `mimeType = ${literal(mimeType)}`
const inFamily = (family: string) => `mimeType contains ${literal(`${family}/`)}`

/** The kinds of files that a search can be narrowed to, as conditions. */
const typeConditions: ReadonlyMap<string, string> = new Map([
  ...(['spreadsheet', 'slides', 'document', 'drawing', 'form', 'folder'] as const).map(
    (kind) => [kind, hasType(googleTypeOf(kind))] as const,
  ),
  ...(['image', 'video', 'audio'] as const).map((family) => [family, inFamily(family)] as const),
  ...(['script', 'sites'] as const).map((kind) => [kind, hasType(googleTypeOf(kind))] as const),
  ['pdf', hasType('application/pdf')] as const,
])

export const fileTypes: readonly string[] = [...typeConditions.keys()]

/** A condition for items of any of these types; undefined when there are none. */
export function hasAnyType(types: readonly string[]): string | undefined {
  return types.length === 0 ? undefined : anyOf([...new Set(types)].flatMap((type) => typeConditions.get(type) ?? []))
}

/** What Drive sorts by. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
const sortKeys = [
  ...['createdTime', 'folder', 'modifiedByMeTime', 'modifiedTime', 'name', 'name_natural', 'quotaBytesUsed', 'recency'],
  ...['sharedWithMeTime', 'starred', 'viewedByMeTime'],
]

/** Each key, ascending and descending. */
export const sortOrders: readonly string[] = sortKeys.flatMap((key) => [key, `${key} desc`])

export const lastChangedFirst = 'modifiedTime desc'
