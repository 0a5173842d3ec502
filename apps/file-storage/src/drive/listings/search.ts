import { NotFound, TooLarge } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { fitsInUrl, type DriveClient } from '../client.ts'
import { unknownDrive } from '../errors.ts'
import { DriveItem, googleTypeOf, itemFields } from '../items.ts'
import { looseFlag, looseList, looseText } from '../tolerant-fields.ts'

const FilePage = z
  .object({ nextPageToken: looseText, incompleteSearch: looseFlag, files: z.array(z.unknown()).catch([]).default([]) })
  .transform(({ files: rows, incompleteSearch, ...page }) => {
    const files = looseList(DriveItem).parse(rows)
    return { ...page, files, incompleteSearch: incompleteSearch === true || files.length < rows.length }
  })
export type FilePage = z.output<typeof FilePage>

/** A search's coverage: the `corpora` parameter and related ones. */
export type Corpus =
  | { readonly in: 'user' }
  | { readonly in: 'domain'; readonly withDrives: boolean }
  | { readonly in: 'allDrives' }
  | { readonly in: 'drive'; readonly driveId: string }
  /** The folder in the query, in any drive; also works for a person who can see the folder but not its drive. */
  | { readonly in: 'folder' }

export interface Search {
  readonly query: string
  readonly corpus: Corpus
  readonly pageSize: number
  readonly pageToken?: string | undefined
  readonly orderBy?: string | undefined
  /** Fields for each item; by default, `itemFields`. */
  readonly fields?: string
}

const maxPageSize = 1000

/** One page of a query's results. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
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
  await drive.resourceKeys.addFrom(page.files)
  return page
}

/**
 * Quotes text for Drive's search language. All text in a query must pass through here.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
export function literal(text: string): string {
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

/** Condition for items with a property that only this app sees. https://developers.google.com/workspace/drive/api/guides/properties */
export function hasAppProperty(key: string, value: string): string {
  return `appProperties has { key=${literal(key)} and value=${literal(value)} }`
}

export function hasName(names: readonly string[]): string {
  return anyOf(names.map((name) => `name = ${literal(name)}`))
}

/** Condition for items whose name or content contains the words; words in double quotes are a phrase, and an unpaired quote is dropped. */
export function containsWords(words: string): string {
  const isBalanced = words.split('"').length % 2 === 1
  const term = (isBalanced ? words : words.replaceAll('"', ' ')).trim()
  return anyOf([`name contains ${literal(term.replaceAll('"', ''))}`, `fullText contains ${literal(term)}`])
}

/**
 * The words with accents in the other Unicode form, and with plurals as singulars: Drive distinguishes these forms. Empty if there are no
 * others, or if they do not fit into a request.
 */
export function otherForms(words: string): readonly string[] {
  const singular = words.normalize('NFC').replace(/\p{L}+/gu, singularOf)
  const forms = [words, singular].flatMap((form) => [form.normalize('NFC'), form.normalize('NFD')])
  const others = [...new Set(forms)].filter((form) => form !== words)
  return fitsInUrl(anyOf(others.map(containsWords))) ? others : []
}

const minPluralLength = 4

/** An English plural without its ending; any other word unchanged. */
function singularOf(plural: string): string {
  if (plural.length < minPluralLength || !/[^sui]s$/i.test(plural)) return plural
  if (/[^aeiou]ies$/i.test(plural)) return `${plural.slice(0, -3)}y`
  return plural.slice(0, /(?:s|x|z|ch|sh)es$/i.test(plural) ? -2 : -1)
}

/** Throws `TooLarge` for words that do not fit into any request, whatever the other conditions. */
export function checkWords(words: string): void {
  if (fitsInUrl(containsWords(words))) return
  throw new TooLarge(
    `"query" has ${words.length} characters, more than a search can hold. Shorten it to the few words that identify the file; nothing was searched.`,
  )
}

const hasType = (mimeType: string) => `mimeType = ${literal(mimeType)}`
const inFamily = (family: string) => `mimeType contains ${literal(`${family}/`)}`

/** Office and OpenDocument formats that correspond to Google's own kinds. */
const officeTypes = {
  spreadsheet: ['vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'vnd.ms-excel', 'vnd.oasis.opendocument.spreadsheet'],
  slides: ['vnd.openxmlformats-officedocument.presentationml.presentation', 'vnd.ms-powerpoint', 'vnd.oasis.opendocument.presentation'],
  document: ['vnd.openxmlformats-officedocument.wordprocessingml.document', 'msword', 'vnd.oasis.opendocument.text', 'rtf'],
  ...{ drawing: [], form: [], folder: [], script: [], sites: [] },
} as const

/** Conditions for the kinds of file that a search can be narrowed to; meeting one of a kind's conditions is enough. */
const typeConditions: ReadonlyMap<string, readonly string[]> = new Map([
  ...(['spreadsheet', 'slides', 'document', 'drawing', 'form', 'folder'] as const).map(conditionsOf),
  ...(['image', 'video', 'audio'] as const).map((family) => [family, [inFamily(family)]] as const),
  ...(['script', 'sites'] as const).map(conditionsOf),
  ['pdf', [hasType('application/pdf')]] as const,
])

function conditionsOf(kind: keyof typeof officeTypes) {
  return [kind, [hasType(googleTypeOf(kind)), ...officeTypes[kind].map((type) => hasType(`application/${type}`))]] as const
}

export const fileTypes: readonly string[] = [...typeConditions.keys()]

/** Condition for items of any of these types; undefined for an empty list. */
export function hasAnyType(types: readonly string[]): string | undefined {
  return types.length === 0 ? undefined : anyOf([...new Set(types)].flatMap((type) => typeConditions.get(type) ?? []))
}

/** Drive's sort keys. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
const sortKeys = [
  ...['createdTime', 'folder', 'modifiedByMeTime', 'modifiedTime', 'name', 'name_natural', 'quotaBytesUsed', 'recency'],
  ...['sharedWithMeTime', 'starred', 'viewedByMeTime'],
]

/** Each key, ascending and descending. */
export const sortOrders: readonly string[] = sortKeys.flatMap((key) => [key, `${key} desc`])

export const lastChangedFirst = 'modifiedTime desc'

/** The kind that covers a MIME type or a family of types; undefined if none does. */
export function fileTypeOf(mimeType: string): string | undefined {
  const own = [hasType(mimeType), inFamily(mimeType.replace(/\/\*?$/, ''))]
  return [...typeConditions].find(([, conditions]) => conditions.some((condition) => own.includes(condition)))?.[0]
}
