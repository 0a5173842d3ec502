import { NotFound } from '@mcp-toolkits/core'
import * as z from 'zod'
import type { DriveClient } from './client.ts'
import { DriveItem, itemFields } from './items.ts'
import { unknownDrive } from './references.ts'

/** One page of a search. */
const Page = z.object({
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().default(false),
  files: z.array(DriveItem).default([]),
})
export type Page = z.output<typeof Page>

/** Where Drive looks: `corpora` with what belongs to it. `drive` needs the id of one, the others must not have it. */
export type Corpus =
  | { readonly in: 'user' }
  | { readonly in: 'domain'; readonly withDrives: boolean }
  | { readonly in: 'allDrives' }
  | { readonly in: 'drive'; readonly driveId: string }
  /** Wherever a folder in the query lies; also for a person who may see the folder and not its drive. */
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

const largestPage = 1000

/** One page of the items that a query finds. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
export async function search(drive: DriveClient, wanted: Search, signal: AbortSignal): Promise<Page> {
  const { query, corpus, pageSize, pageToken, orderBy, fields = itemFields } = wanted
  const params = {
    q: query,
    ...(corpus.in !== 'folder' && { corpora: corpus.in }),
    ...(corpus.in === 'drive' && { driveId: corpus.driveId }),
    supportsAllDrives: true,
    includeItemsFromAllDrives: corpus.in === 'user' ? false : corpus.in !== 'domain' || corpus.withDrives,
    pageSize: Math.min(pageSize, largestPage),
    fields: `nextPageToken,incompleteSearch,files(${fields})`,
    ...(pageToken !== undefined && { pageToken }),
    ...(orderBy !== undefined && { orderBy }),
  }
  const call = { method: 'files.list', answer: Page } as const
  const page = await drive.call({ ...call, send: (api, sending) => api.files.list(params, sending) }, signal).catch((error: unknown) => {
    throw error instanceof NotFound && corpus.in === 'drive' ? unknownDrive(corpus.driveId, error.details) : error
  })
  page.files.forEach((item) => {
    keepKeys(drive, item)
  })
  return page
}

function keepKeys({ keys }: DriveClient, { id, resourceKey, shortcutDetails }: DriveItem): void {
  keys.remember(id, resourceKey)
  if (shortcutDetails) keys.remember(shortcutDetails.targetId, shortcutDetails.targetResourceKey)
}

/** The pages of what a query finds, until `limit` items are there. */
export async function* searchPages(drive: DriveClient, { limit, ...wanted }: LimitedSearch, signal: AbortSignal): AsyncGenerator<Page> {
  let left = limit
  let pageToken: string | undefined
  do {
    const page: Page = await search(drive, { ...wanted, pageSize: Math.min(largestPage, left), pageToken }, signal)
    left -= page.files.length
    pageToken = page.nextPageToken
    yield page
  } while (pageToken !== undefined && left > 0)
}

type LimitedSearch = Omit<Search, 'pageSize' | 'pageToken'> & { readonly limit: number }

/** What a query finds, as far as it was read. */
export interface Hits {
  readonly items: DriveItem[]
  readonly hasMore: boolean
  /** Drive says that it did not look everywhere. */
  readonly isIncomplete: boolean
}

/** The first `limit` items that a query finds. */
export async function searchAll(drive: DriveClient, wanted: LimitedSearch, signal: AbortSignal): Promise<Hits> {
  const items: DriveItem[] = []
  let hasMore = false
  let isIncomplete = false
  for await (const page of searchPages(drive, wanted, signal)) {
    items.push(...page.files)
    hasMore = page.nextPageToken !== undefined
    isIncomplete ||= page.incompleteSearch
  }
  return { items, hasMore, isIncomplete }
}

/** One item by its id. */
export async function getItem(drive: DriveClient, id: string, signal: AbortSignal): Promise<DriveItem> {
  const params = { fileId: id, supportsAllDrives: true, fields: itemFields }
  const call = { method: 'files.get', answer: DriveItem } as const
  const item = await drive.call({ ...call, send: (api, sending) => api.files.get(params, sending) }, signal)
  keepKeys(drive, item)
  return item
}

/** The id of the topmost folder of My Drive. */
export async function getRootId(drive: DriveClient, signal: AbortSignal): Promise<string> {
  const params = { fileId: 'root', fields: 'id' }
  const answer = z.object({ id: z.string() })
  const { id } = await drive.call({ method: 'files.get', answer, send: (api, sending) => api.files.get(params, sending) }, signal)
  return id
}

export interface ItemChange {
  readonly name?: string | undefined
  /** The folder to move into and those to leave. */
  readonly move?: { readonly into: string; readonly outOf: readonly string[] } | undefined
}

/** Renames, moves, or both in one request. https://developers.google.com/workspace/drive/api/guides/folder#move_files_between_folders */
export async function changeItem(
  drive: DriveClient,
  { id, name, move }: ItemChange & { readonly id: string },
  signal: AbortSignal,
): Promise<DriveItem> {
  const params = {
    fileId: id,
    supportsAllDrives: true,
    fields: itemFields,
    ...(move && { addParents: move.into, ...(move.outOf.length > 0 && { removeParents: move.outOf.join(',') }) }),
    requestBody: name === undefined ? {} : { name },
  }
  return drive.call({ method: 'files.update', answer: DriveItem, send: (api, sending) => api.files.update(params, sending) }, signal)
}
