import { Ambiguous, NotFound, quote, ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { isScopeName, type PathScope, readingsOf, settlePaths } from '@mcp-toolkits/core/references'
import type { CallContext } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'
import { listSharedDrives, myDrive, type SharedDrive } from '../drive/about.ts'
import { getItems } from '../drive/batch.ts'
import { DriveItem, itemFields } from '../drive/items.ts'
import type { DrivePathItem } from '../drive/paths.ts'
import { looseFlag, looseObject } from '../drive/tolerant-fields.ts'
import type { FilePicker } from '../picker/file-picker.ts'
import { type OfferedPage, offerPage } from '../picker/instructions.ts'
import { type LookupContext, parseReference } from '../resolve/resolve.ts'
import { driveAtStart, namesIn, type PathInDrive } from '../resolve/shared-drives.ts'

const capabilities = { canDownload: looseFlag, canComment: looseFlag, canEdit: looseFlag, canShare: looseFlag }

const CheckedItem = DriveItem.extend({ capabilities: looseObject(capabilities) })
export type CheckedItem = z.output<typeof CheckedItem>

const checkedFields = `${itemFields},capabilities(${Object.keys(capabilities).join(',')})`

/** A reference, and the item that it refers to or the error. */
export interface CheckedReference {
  readonly file: string
  readonly found: CheckedItem | ToolError
}

/** The id of an item, or of the target if a path leads to a shortcut. */
type Meaning = { readonly id: string; readonly resourceKey?: string; readonly orName?: boolean } | { readonly error: ToolError }

/**
 * Looks up many references with few requests: one search for all paths, one request for the root's id if unknown, and one batch for all
 * items. An id that no item has is looked up as a name. If the search does not find some paths, the shared drives are listed, and each
 * drive that such a path begins with is searched. Shortcuts take another batch for their targets.
 */
export async function checkReferences(files: readonly string[], lookup: LookupContext): Promise<CheckedReference[]> {
  const { drive } = lookup
  const references = new Map(files.map((file) => [file, readReference(file)]))
  for (const each of references.values()) if (each && 'id' in each) await drive.resourceKeys.add(each.id, each.resourceKey)
  const byPath = await findAll(
    [...references].flatMap(([file, meaning]) => (meaning ? [] : [file])),
    lookup,
  )
  const meanings = files.map((file): Meaning => references.get(file) ?? byPath.get(file) ?? { error: incompleteSearch() })
  const byId = await readItems(idsOf(meanings), lookup)
  const isName = (meaning: Meaning) => 'id' in meaning && meaning.orName === true && byId.get(meaning.id) instanceof NotFound
  const byName = await findAll(
    files.filter((_, index) => isName(meanings[index] ?? { id: '' })),
    lookup,
  )
  const named = await readItems(idsOf([...byName.values()]), lookup)
  return meanings.map((meaning, index) => {
    const file = files[index] ?? ''
    const name = byName.get(file)
    if (name && 'id' in name) return { file, found: named.get(name.id) ?? incompleteSearch() }
    if ('error' in meaning) return { file, found: meaning.error }
    const found = byId.get(meaning.id) ?? incompleteSearch()
    return { file, found: meaning.id === 'root' && found instanceof NotFound ? hiddenRoot() : found }
  })
}

const idsOf = (meanings: readonly Meaning[]) => [...new Set(meanings.flatMap((each) => ('id' in each ? [each.id] : [])))]

/** Items by id; shortcuts are replaced by their targets. */
async function readItems(ids: readonly string[], { drive, scope }: LookupContext): Promise<ReadonlyMap<string, CheckedItem | ToolError>> {
  const read = async (wanted: readonly string[]) => {
    const items = await getItems(drive, { ids: wanted, item: CheckedItem, fields: checkedFields }, scope)
    await drive.resourceKeys.addFrom(items.flatMap((item) => (item instanceof ToolError ? [] : [item])))
    return new Map(wanted.map((id, index) => [id, items[index] ?? incompleteSearch()]))
  }
  const items = await read(ids)
  const targetOf = (item: CheckedItem | ToolError) => (item instanceof ToolError ? undefined : item.shortcutDetails?.targetId)
  const targets = await read([...new Set([...items.values()].flatMap((item) => targetOf(item) ?? []))])
  return new Map([...items].map(([id, item]) => [id, targets.get(targetOf(item) ?? '') ?? item]))
}

/** The id in a reference, or the error for a link without one; undefined for a path. */
function readReference(text: string): Meaning | undefined {
  try {
    if (namesIn(text) === '') return { id: 'root' }
    const reference = parseReference({ text, sharedDrive: undefined })
    return reference.kind === 'id' ? reference : undefined
  } catch (error) {
    if (error instanceof ToolError) return { error }
    throw error
  }
}

/** Finds the items for all paths with one search, or with a few if the names do not fit into one. */
async function findAll(paths: readonly string[], lookup: LookupContext): Promise<ReadonlyMap<string, Meaning>> {
  if (paths.length === 0) return new Map()
  const found = await findIn(undefined, paths, lookup)
  const missing = paths.filter((path) => isMissing(found.get(path)))
  const roots = missing.filter(isRootName).map((path): [string, Meaning] => [path, { id: 'root' }])
  const elsewhere = missing.filter((path) => !isRootName(path))
  const others = elsewhere.length === 0 ? new Map<string, Meaning>() : await findInDrives(elsewhere, lookup)
  return new Map([...found, ...roots, ...others])
}

/** True for a name that means My Drive itself rather than something in it. */
const isRootName = (path: string) => [path, ...readingsOf(path)].map(namesIn).some((names) => names === '' || isScopeName(names, myDrive))

const isMissing = (meaning: Meaning | undefined) => meaning !== undefined && 'error' in meaning && meaning.error instanceof NotFound

/** Maximum number of shared drives searched by one call. */
const maxDrives = 5

/** Finds paths that begin with a shared drive's name. */
async function findInDrives(paths: readonly string[], lookup: LookupContext): Promise<ReadonlyMap<string, Meaning>> {
  const listed = lookup.drive.sight.hasNoSharedDrives === true ? { drives: [] } : await listSharedDrives(lookup.drive, lookup.scope)
  const starts = paths.map((path) => ({ path, start: startOf(path, 'drives' in listed ? listed.drives : []) }))
  const inDrives = starts.flatMap(({ path, start }) => (start && 'drive' in start ? [{ path, ...start }] : []))
  const drives = [...new Set(inDrives.map(({ drive }) => drive))].slice(0, maxDrives)
  const search = async (drive: SharedDrive) => {
    const rests = new Set(inDrives.flatMap((each) => (each.drive === drive && each.rest !== '' ? [each.rest] : [])))
    const found = await findIn(drive, [...rests], lookup)
    return inDrives
      .filter((each) => each.drive === drive)
      .map(({ path, rest }): [string, Meaning] => [path, found.get(rest) ?? { id: drive.id }])
  }
  const beyond = inDrives
    .filter(({ drive }) => !drives.includes(drive))
    .map(({ path, drive }): [string, Meaning] => [path, { error: notSearched(drive) }])
  const refused = starts.flatMap(({ path, start }): [string, Meaning][] => (start instanceof ToolError ? [[path, { error: start }]] : []))
  return new Map([...refused, ...beyond, ...(await Promise.all(drives.map(search))).flat()])
}

function startOf(path: string, drives: readonly SharedDrive[]): PathInDrive | ToolError | undefined {
  try {
    return driveAtStart(path, drives, 'files')
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
}

async function findIn(
  sharedDrive: SharedDrive | undefined,
  paths: readonly string[],
  { paths: scopes, scope }: LookupContext,
): Promise<ReadonlyMap<string, Meaning>> {
  const top = scopes.inDrive(sharedDrive, scope)
  const found = new Map<string, Meaning>()
  for (const group of groupsOf(paths, top.fitsOneSearch)) {
    const queries = group.map((text) => ({ text, parameter: 'files' }))
    const matches = await settlePaths(queries, searchedOnce(top, group.every(isSingle)))
    for (const [index, match] of matches.entries()) {
      const text = group[index] ?? ''
      const missing = (error: ToolError) => (error instanceof NotFound ? noSuchPath(text, sharedDrive) : error)
      found.set(text, 'item' in match ? { id: match.item.shortcutDetails?.targetId ?? match.item.id } : { error: missing(match.error) })
    }
  }
  return found
}

/** Replaces the search's error, which would say how far a path leads although no folder was read. */
const noSuchPath = (path: string, sharedDrive: SharedDrive | undefined) =>
  sharedDrive
    ? new NotFound(`The shared drive ${quote(sharedDrive.name, 300)} has nothing at the path ${quote(path, 300)}.`)
    : new NotFound(
        `My Drive has nothing at the path ${quote(path, 300)}. For a file in a shared drive, begin the path with the drive's name.`,
      )

const namesOf = (path: string) => path.split('/').filter((name) => name !== '')
const isSingle = (path: string) => namesOf(path).length === 1

/** Groups of paths whose names fit into one search. */
function groupsOf(paths: readonly string[], fits: (names: readonly string[]) => boolean): string[][] {
  const groups: string[][] = []
  for (const path of paths) {
    const last = groups.at(-1)
    if (last && fits([...new Set([...last, path].flatMap(namesOf))])) last.push(path)
    else groups.push([path])
  }
  return groups
}

/** A scope that, after the search for all paths, requests only the root's children. Skips names that contain a slash. */
function searchedOnce(scope: PathScope<DrivePathItem>, isInRoot: boolean): PathScope<DrivePathItem> {
  const plain = (names: readonly string[]) => names.filter((name) => !name.includes('/'))
  let rootChildren: ReturnType<typeof scope.findChildren> | undefined
  return {
    ...scope,
    fitsOneSearch: (names) => scope.fitsOneSearch(plain(names)),
    async findByName(names) {
      const found = await scope.findByName(plain(names))
      if (!found) throw incompleteSearch()
      return found
    },
    /** Reads the root's children only if the search does not cover them: if all paths are in the root, or the root's id cannot be read. */
    async findChildren(folder, names) {
      if (folder !== scope.root) return []
      if (!rootChildren && !isInRoot && (await scope.rootId()) !== undefined) return []
      return (rootChildren ??= scope.findChildren(folder, plain(names)))
    },
    listChildren: () => Promise.resolve([]),
  }
}

function incompleteSearch(): Unavailable {
  return new Unavailable('Google Drive could not search everything, or too many items share these names. Pass ids or links.')
}

function notSearched({ name }: SharedDrive): Unavailable {
  return new Unavailable(
    `The shared drive ${quote(name, 300)} was not searched: one call searches at most ${maxDrives}. Check this file in another call.`,
  )
}

const hiddenRoot = () => new Unavailable('This app can reach files in My Drive, but may not read My Drive itself.', { retryable: false })

/** True if the person may be able to give access to the item with a file picker. */
export const isPickable = ({ found }: CheckedReference) =>
  found instanceof ToolError && !(found instanceof Ambiguous || found instanceof Unavailable)

/** The page where the person can give access to missing items. If there is no page, a notice says why. */
export async function pageForMissing(picker: FilePicker, notice: CallContext['notice']): Promise<Partial<OfferedPage>> {
  return offerPage(picker).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    notice(error.text)
    return {}
  })
}

/** A reference, as shown by a tool. */
export function toCheckedRow({ file, found }: CheckedReference) {
  if (found instanceof ToolError) {
    const status = found instanceof Ambiguous ? 'ambiguous' : found instanceof NotFound ? 'missing' : 'refused'
    return { file, status, reason: found.message } as const
  }
  const can = rights.flatMap(([right, name]) => (found.capabilities?.[right] === true ? [name] : []))
  const where = found.trashed === true ? { reason: 'It is in the trash.' } : {}
  return { file, status: 'accessible', id: found.id, name: found.name, can, ...where } as const
}

const rights = [
  ['canDownload', 'download'],
  ['canComment', 'comment'],
  ['canEdit', 'edit'],
  ['canShare', 'share'],
] as const
