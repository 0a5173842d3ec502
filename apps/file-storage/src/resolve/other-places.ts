import { Message, type NotFound, quote, sentence, type ToolError, withDetails } from '@mcp-toolkits/core/errors'
import { isMisspelling, PathNotFound, type PathQuery, rank, readingsOf } from '@mcp-toolkits/core/references'
import { withCallScope, type CallScope } from '@mcp-toolkits/core/tool'
import type { NamedDrive } from '../drive/about.ts'
import { type DriveClient, fitsInUrl } from '../drive/client.ts'
import { isLikelyId } from '../drive/ids.ts'
import { type DriveItem, targetFolderId } from '../drive/items.ts'
import { pathsOf } from '../drive/listings/locations.ts'
import { allOf, anyOf, hasName, literal, notTrashed, searchPage } from '../drive/listings/search.ts'
import { fold, type PathScopes } from '../drive/paths.ts'
import { NotOffered } from '../drive/reasons.ts'
import { namesIn, type OtherDrives } from './shared-drives.ts'

interface NameQuery extends PathQuery {
  readonly sharedDrive: NamedDrive | undefined
}

interface NameLookup {
  readonly drive: DriveClient
  readonly paths: PathScopes
  readonly scope: CallScope
  readonly isWrite?: boolean
}

/** Timeout, in milliseconds, for a search after a path led nowhere. */
const searchMs = 3_000
const maxListed = 5
const pageSize = 20
/** Minimum confidence for a name to be a likely match; names that differ in a number ("Report 2", "Report 3") score lower. */
const minLikeness = 0.81
/** Maximum confidence when further items may have the same name. */
const possible = 0.6
const sharedWithMe = /^shared(?: with me)?\//i

/**
 * The error for a missing path, listing items elsewhere whose name is the path's last segment; undefined if no such item is visible. An
 * item in no visible folder, like most items shared by others, has only its name as a path. A failed search is ignored.
 */
export async function foundElsewhere(query: NameQuery, missing: NotFound, lookup: NameLookup): Promise<NotFound | undefined> {
  const { text, parameter } = query
  if (missing.details.next?.change || isLikelyId(text)) return undefined
  const paths = [text, ...readingsOf(text)].map(namesIn)
  const wholeNames = paths.map((path) => path.replace(sharedWithMe, '')).filter((name) => name !== '')
  const names = [...new Set(wholeNames.flatMap((name) => [name, lastOf(name)]))]
  const minConfidence = missing.details.suggestions?.length ? 1 : minLikeness
  const found = await itemsNamed(names, query, { ...lookup, minConfidence }).catch(() => undefined)
  if (!found || found.items.length === 0) return undefined
  const shared = found.items.filter(isShared)
  const isInShared = paths.some((path) => sharedWithMe.test(path)) && shared.length > 0
  const items = isInShared ? shared : found.items
  const [first] = items
  const isSure = items.length === 1 && !found.hasMore && first !== undefined && wholeNames.some((name) => isSameName(name, first.name))
  // A rename reports the old name and leaves the item where it is, so if only one item has exactly that name, it is safe to propose.
  const isRename = query.newName !== undefined && query.expects !== 'folder' && text.trim() === first?.name
  const places = await pathsOf(items.slice(0, maxListed), { ...lookup, known: [] })
  const isOther = first !== undefined && !isShared(first) && contradicts(query, missing, places.get(first.id) ?? '')
  const proposed = isSure && !isOther && (lookup.isWrite !== true || isShared(first) || isRename) ? first : undefined
  const listed = items
    .slice(0, maxListed)
    .map((item) => `${quote(item.name, 300)} (id ${item.id}, ${locationOf(item, places.get(item.id))})`)
  const more = items.length > listed.length || found.hasMore ? '; and more' : ''
  const most = found.hasMore || isOther ? possible : 1
  const suggestions = items.map(({ id, name }) => ({ value: name, id, parameter, confidence: Math.min(most, likenessOf(name, names)) }))
  const how = items.every(({ name }) => likenessOf(name, names) === 1) ? 'this name' : 'similar names'
  return new PathNotFound(
    missing.text.and(`Found elsewhere under ${how}: ${listed.join('; ')}${more}. Pass the id of the one you mean.`),
    {
      ...missing.details,
      suggestions: [...suggestions, ...(missing.details.suggestions ?? [])],
      ...(proposed && { next: { change: { [parameter]: proposed.id } } }),
    },
    missing instanceof PathNotFound ? missing.end : undefined,
  )
}

/**
 * Suggests shared drives whose names resemble the path's first name, which is missing; proposes the only suggestion if the name is
 * misspelt.
 */
export function withNearDrive({ text, parameter, sharedDrive }: NameQuery, missing: NotFound, { others }: OtherDrives): NotFound {
  const [first = '', ...rest] = namesIn(text).split('/')
  if (sharedDrive || !(missing instanceof PathNotFound) || missing.end?.folder !== '') return missing
  const { suggestions = [], next } = missing.details
  const near = rank(
    first,
    others.map(({ name }) => name),
    { minConfidence: minLikeness },
  )
  const drives = near.map(({ value, confidence }) => {
    return { value: [value, ...rest].join('/'), parameter, confidence: Math.round(confidence * 100) / 100 }
  })
  const [only] = near
  const isSure = only !== undefined && near.length + suggestions.length === 1 && isMisspelling(first, only.value)
  const step = isSure ? { change: { [parameter]: [only.value, ...rest].join('/') } } : next
  return new PathNotFound(missing.text, { suggestions: [...drives, ...suggestions], ...(step && { next: step }) }, missing.end)
}

/** Proposes the one item that the path can mean, if the call is read-only. */
export function withOnlyItem(error: ToolError, { parameter }: PathQuery, { isWrite }: NameLookup): ToolError {
  const { suggestions = [], next } = error.details
  const [only] = suggestions
  if (isWrite === true || next || suggestions.length !== 1 || !only || only.confidence < minLikeness) return error
  return withDetails(error, error.text, { suggestions, next: { change: { [parameter]: only.id ?? only.value } } })
}

async function itemsNamed(
  names: readonly string[],
  { text, expects, sharedDrive }: NameQuery,
  { drive, scope: call, minConfidence }: NameLookup & { readonly minConfidence: number },
): Promise<{ readonly items: readonly DriveItem[]; readonly hasMore: boolean } | undefined> {
  const corpus = sharedDrive ? ({ in: 'drive', driveId: sharedDrive.id } as const) : ({ in: 'allDrives' } as const)
  const isExpected = (item: DriveItem) => expects === undefined || (targetFolderId(item) === undefined) === (expects === 'file')
  const find = async (condition: string, isMeant: (item: DriveItem) => boolean) => {
    const query = allOf(condition, notTrashed)
    if (!fitsInUrl(query)) return undefined
    const page = await withCallScope({ ...call, ms: Math.min(searchMs, call.remainingMs()) }, (scope) =>
      searchPage(drive, { query, corpus, pageSize }, scope),
    )
    const items = page.files.filter((item) => item.id !== text && isExpected(item) && isMeant(item))
    return { items, hasMore: page.nextPageToken !== undefined || page.incompleteSearch }
  }
  const found = await find(hasName(names), ({ name }) => likenessOf(name, names) === 1)
  // Drive's search is accent-sensitive, so a search for a name's words finds it only if at least one of them has no accents.
  const words = lastOf(text.replace(/\.\w{1,5}$/, '')).match(/\p{L}{3,}/gu) ?? []
  if (found?.items.length !== 0 || words.length === 0) return found
  // Names match from the beginning of a word: without its last letter, a plural finds the singular.
  const beginnings = words.map((word) => word.slice(0, Math.max(3, word.length - 1)))
  return find(anyOf(beginnings.map((word) => `name contains ${literal(word)}`)), ({ name }) => likenessOf(name, names) >= minConfidence)
}

/** Likelihood that the caller meant this name; 1 if it differs from one of the caller's names only in case and accents. */
function likenessOf(name: string, names: readonly string[]): number {
  if (names.some((each) => isSameName(each, name))) return 1
  return Math.max(...names.map((each) => Math.round((rank(each, [name])[0]?.confidence ?? 0) * 100) / 100))
}

/** Compares names, ignoring case and accents. */
function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** True if an item is in no folder that this account sees, so its path is just its name. */
function isShared({ parents, driveId }: DriveItem): boolean {
  return parents.length === 0 && driveId === undefined
}

/** True if the folder in the path exists, or resembles one that does, but does not contain the found item: a different item was meant. */
function contradicts({ text }: NameQuery, missing: NotFound, found: string): boolean {
  if (!namesIn(text).includes('/') || !(missing instanceof PathNotFound)) return false
  return missing.end === undefined || (missing.end.folder !== '' && !found.startsWith(`${missing.end.folder}/`))
}

function locationOf({ parents: [parent], driveId }: DriveItem, path: string | undefined): string {
  if (path !== undefined && parent !== undefined) return `path ${quote(path, 300)}`
  const folder = parent === undefined ? 'in no visible folder' : `in the folder ${parent}`
  return driveId === undefined ? folder : `${folder} in the shared drive ${driveId}`
}

const trashPattern =
  /^(?:my drive\/)?(?:(?:the )?(?:trash|recycle bin|rubbish bin|bin|deleted items)(?: ?can| folder)?|\.trash(?:es)?)$|^(?:trash|\.trash)\//i

/** Error for a path to the trash, which Drive shows like a folder; undefined for any other path. */
export function trashNotOffered(text: string): NotOffered | undefined {
  if (!trashPattern.test(namesIn(text.trim()))) return undefined
  return new NotOffered(
    Message.of(
      'The trash of Google Drive is not a folder, so nothing can be moved into or out of it.',
      sentence`To trash an item, use ${{ tool: 'FileStorage.TrashFile' }}; to restore one, ${{ tool: 'FileStorage.RestoreFile' }}.`,
      'A person can trash, restore and delete items in Google Drive. To set an item aside, create a folder and move the item into it.',
    ),
  )
}
