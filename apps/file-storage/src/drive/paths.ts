import type { NamedRecords } from '@mcp-toolkits/core/base'
import { InvalidInput, NotFound, quote, Unavailable } from '@mcp-toolkits/core/errors'
import type { PathItem, PathScope } from '@mcp-toolkits/core/references'
import { type CallScope, withCallScope } from '@mcp-toolkits/core/tool'
import { type DriveClient, fitsInUrl } from './client.ts'
import { driveLabel, myDrive, type NamedDrive, topNames } from './about.ts'
import { unknownDrive } from './errors.ts'
import { getItem, getRootId } from './files.ts'
import { type DriveItem, kindOf, targetFolderId } from './items.ts'
import { listAll } from './listings/listings.ts'
import { type ChangeFilter, RecentChanges, type RecordedChange } from './listings/recent-changes.ts'
import { allOf, anyOf, type Corpus, type FilePage, hasName, inFolder, notTrashed, searchPage } from './listings/search.ts'

/** A Drive item that paths lead to. */
export type DrivePathItem = DriveItem & PathItem

/** Starting points for paths in one account, with what is known about the account. */
export interface PathScopes {
  /** My Drive, or a shared drive. */
  readonly inDrive: (sharedDrive: NamedDrive | undefined, scope: CallScope) => PathScope<DrivePathItem>
  /** A folder, because paths can also begin there. */
  readonly inFolder: (folder: string, scope: CallScope) => PathScope<DrivePathItem>
  /** The id of My Drive's root, cached; undefined if the scope does not allow reading it. */
  readonly rootId: (scope: CallScope) => Promise<string | undefined>
  /** True if the root is known to be unreadable, as with the drive.file scope. */
  readonly isRootHidden: () => boolean
  /** An item that this server put into a folder under a name in the last minute, unless it is known to be gone. */
  readonly recentChild: (folder: string, name: string, scope: CallScope) => Promise<DriveItem | undefined>
  /** Remembers a change made by this server, so that the next path reflects it even if searches do not show it yet. */
  readonly recordChange: (change: RecordedChange, scope: CallScope) => Promise<void>
}

/** Maximum number of names in one search: enough for every name that two ten-segment paths can contain. */
const maxNames = 120
const pageSize = 1000

/** @param changes recent changes shared by replicas; absent for a single server */
export function pathScopes(drive: DriveClient, changes?: NamedRecords): PathScopes {
  const root = new RootId(drive)
  const recent = new RecentChanges(drive.clock, changes)
  const commonNames = new Set<string>()
  const known = { drive, root, recent, commonNames }
  return {
    rootId: (scope) => root.get(scope),
    isRootHidden: () => root.isHidden,
    recentChild: (folder, name, scope) => recent.childOf(folder, name, scope),
    recordChange: (change, scope) => recent.record(change, scope),
    inDrive: (sharedDrive, scope) => pathScope({ ...known, sharedDrive, scope }),
    inFolder: (folder, scope) => ({
      ...pathScope({ ...known, sharedDrive: undefined, scope }),
      name: `the folder ${folder}`,
      aliases: [],
      root: folder,
      rootId: () => Promise.resolve(folder),
      // A search by name covers one drive, and the folder's drive is unknown.
      fitsOneSearch: () => false,
    }),
  }
}

interface ScopeContext {
  readonly drive: DriveClient
  readonly root: RootId
  readonly recent: RecentChanges
  /** Names that are too common for a path search to include them. */
  readonly commonNames: Set<string>
  readonly sharedDrive: NamedDrive | undefined
  readonly scope: CallScope
}

function pathScope(context: ScopeContext): PathScope<DrivePathItem> {
  const { drive, root, recent, sharedDrive, scope } = context
  const driveId = sharedDrive?.id
  const corpus: Corpus = driveId === undefined ? { in: 'user' } : { in: 'drive', driveId }
  const queryFor = (names: readonly string[]) => allOf(notTrashed, hasName(names))
  const fits = (names: readonly string[]) => names.length <= maxNames && fitsInUrl(queryFor(names))
  const withChanges = async (found: readonly DriveItem[], matches: ChangeFilter['matches'], alsoFind?: string) => {
    const fetch = (id: string) => undefinedIfNotFound(getItem(drive, id, scope))
    const keeps: ChangeFilter['keeps'] = (item, into) => item.name === alsoFind || matches(item, into)
    return (await recent.applyTo(found, { matches, keeps, fetch }, scope)).map(toPathItem)
  }
  const isChildOf = (folder: string, names?: readonly string[]) => (item: DriveItem, into: string | undefined) => {
    const parent = folder === 'root' ? (root.known ?? folder) : folder
    return (into === folder || item.parents.includes(parent)) && (names?.includes(item.name) ?? true)
  }
  /** Treats a missing root as an error, and any other missing folder as empty. */
  const undefinedIfGone = async <Result>(folder: string, request: Promise<Result>) =>
    undefinedIfNotFound(request, (error) => {
      if (folder === driveId) throw unknownDrive(driveId, error.details)
      if (folder === 'root') throw error
    })
  return {
    name: driveLabel(sharedDrive),
    aliases:
      sharedDrive === undefined
        ? [...myDrive.aliases, ...topNames]
        : ['root', ...(sharedDrive.name === undefined ? [] : [sharedDrive.name])],
    root: driveId ?? 'root',
    rootId: () => (driveId === undefined ? root.get(scope) : Promise.resolve(driveId)),
    fitsOneSearch: fits,
    async findByName(names, alsoFind) {
      const also = alsoFind !== undefined && !names.includes(alsoFind) && fits([...names, alsoFind]) ? alsoFind : undefined
      const queryWith = (name?: string) => queryFor(name === undefined ? names : [...names, name])
      const found = await completeResult(searchWith({ queryWith, corpus, also }, context))
      return found && withChanges(found, (item) => item.driveId === driveId && names.includes(item.name), also)
    },
    async findChildren(folder, names, alsoFind) {
      // Unless the query names only the parent, Drive may skip shared drives that the person is not a member of.
      const isDistinct = folder === 'root' && alsoFind !== undefined && names.every((name) => fold(name) !== fold(alsoFind))
      if (isDistinct && fits([...names, alsoFind, folder]) && !context.commonNames.has(alsoFind)) {
        const children = `(${allOf(inFolder(folder), hasName(names))})`
        const queryWith = (name?: string) => allOf(name === undefined ? children : anyOf([children, hasName([name])]), notTrashed)
        const found = await completeResult(searchWith({ queryWith, corpus: { in: 'folder' }, also: alsoFind }, context))
        if (found) root.learnFrom(found.filter(({ name }) => names.includes(name)))
        if (found) return withChanges(found, isChildOf(folder, names), alsoFind)
      }
      const queries = batchNames(names, fits).map((batch) => allOf(inFolder(folder), batch && hasName(batch), notTrashed))
      const searches = queries.map((query) => listAll(drive, { query, corpora: [{ in: 'folder' }], limit: Infinity }, scope))
      const results = await undefinedIfGone(folder, Promise.all(searches))
      if (results?.some(({ isIncomplete }) => isIncomplete)) throw incompleteSearch()
      const items = results?.flatMap((result) => result.items)
      if (folder === 'root' && items) root.learnFrom(items)
      return items && withChanges(items, isChildOf(folder, names))
    },
    async listChildren(folder) {
      const search = { query: allOf(inFolder(folder), notTrashed), corpus: { in: 'folder' }, pageSize } as const
      const page = await undefinedIfGone(folder, searchPage(drive, search, scope))
      return page ? withChanges(page.files, isChildOf(folder)) : []
    },
    describe: ({ modifiedTime }) => `changed ${modifiedTime?.slice(0, 10) ?? 'at an unknown time'}`,
  }
}

interface WiderSearch {
  /** Builds the query, which also covers an additional name if one is given. */
  readonly queryWith: (name?: string) => string
  readonly corpus: Corpus
  readonly also: string | undefined
}

/** A search that also covers an additional name, unless too many items for one page have that name. */
async function searchWith({ queryWith, corpus, also }: WiderSearch, { drive, commonNames, scope }: ScopeContext): Promise<FilePage> {
  const name = also !== undefined && commonNames.has(also) ? undefined : also
  const page = await searchPage(drive, { query: queryWith(name), corpus, pageSize }, scope)
  if (name === undefined || page.nextPageToken === undefined) return page
  commonNames.add(name)
  return searchPage(drive, { query: queryWith(), corpus, pageSize }, scope)
}

/** Folds a name: names that a Drive search may not distinguish become equal. */
export function fold(name: string): string {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** An item with the members that path resolution needs. */
export function toPathItem(item: DriveItem): DrivePathItem {
  return { ...item, kind: kindOf(item.mimeType), folderId: targetFolderId(item) }
}

/** Time, in milliseconds, for which the root counts as unreadable. */
const unreadableMs = 10 * 60_000

/** The id of My Drive's root, if known. */
class RootId {
  readonly #drive: DriveClient
  #cached: { readonly id: string | undefined; readonly expiresAt: number } | undefined
  #request: { readonly id: Promise<string | undefined>; readonly scope: CallScope } | undefined

  constructor(drive: DriveClient) {
    this.#drive = drive
  }

  get known(): string | undefined {
    return this.#cached?.id
  }

  get isHidden(): boolean {
    return this.#cached !== undefined && this.#cached.id === undefined
  }

  async get(scope: CallScope): Promise<string | undefined> {
    if (this.#cached && this.#cached.expiresAt > this.#drive.clock.now()) return this.#cached.id
    const request = (this.#request ??= { id: this.#fetch(scope), scope })
    try {
      return await request.id
    } catch (error) {
      // The call that had sent the request was cancelled; this call was not.
      if (request.scope.signal.aborted && !scope.signal.aborted) return this.get(scope)
      throw error
    }
  }

  /** Learns the root's id from its children: with the drive.file scope, only they reveal it. */
  learnFrom(children: readonly DriveItem[]): void {
    const [parent, ...others] = children[0]?.parents ?? []
    if (this.known === undefined && parent !== undefined && others.length === 0) this.#cached = { id: parent, expiresAt: Infinity }
  }

  async #fetch(scope: CallScope): Promise<string | undefined> {
    try {
      const id = await undefinedIfNotFound(getRootId(this.#drive, scope))
      if (id !== undefined) this.#drive.sight.isComplete = true
      this.#cached = { id, expiresAt: id === undefined ? this.#drive.clock.now() + unreadableMs : Infinity }
      return id
    } finally {
      this.#request = undefined
    }
  }
}

/** The result of one search; undefined if the result may be incomplete. */
async function completeResult(search: Promise<FilePage>): Promise<readonly DriveItem[] | undefined> {
  try {
    const { files, nextPageToken, incompleteSearch: isIncomplete } = await search
    return nextPageToken === undefined && !isIncomplete ? files : undefined
  } catch (error) {
    // Drive found the query too complex; a search of one folder at a time needs only simple queries.
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

/** The result; undefined if the item does not exist or is hidden from this person, unless `onNotFound` throws. */
async function undefinedIfNotFound<Result>(request: Promise<Result>, onNotFound?: (error: NotFound) => void): Promise<Result | undefined> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    onNotFound?.(error)
    return undefined
  }
}

/** Distributes names over as few searches as possible. If a name is too long for any search, the whole folder is listed: `[undefined]`. */
function batchNames(names: readonly string[], fits: (names: readonly string[]) => boolean): readonly (readonly string[] | undefined)[] {
  if (!names.every((name) => fits([name]))) return [undefined]
  return names.reduce<string[][]>((batches, name) => {
    const last = batches.at(-1)
    if (last && fits([...last, name])) last.push(name)
    else batches.push([name])
    return batches
  }, [])
}

function incompleteSearch(): Unavailable {
  return new Unavailable('Google Drive could not search everything just now, so the path may be ambiguous. Try again, or pass an id.')
}

export interface NamesakeSearch {
  readonly folder: string
  /** Items with the name in any folder, from a path search; undefined if there was no path search. */
  readonly alsoFound: readonly DriveItem[] | undefined
  readonly paths: Pick<PathScopes, 'recentChild' | 'inFolder'>
  readonly scope: CallScope
}

/** Timeout, in milliseconds, for a search that follows the actual work. */
const namesakesMs = 3_000

/**
 * Ids of other items in a folder that share a new item's name. If no path search has looked for them, one is sent; its failure is ignored.
 */
export async function findNamesakes(
  { id, name }: DriveItem,
  { folder, alsoFound, paths, scope: call }: NamesakeSearch,
): Promise<readonly string[]> {
  const ms = Math.min(namesakesMs, call.remainingMs())
  const look = () =>
    withCallScope({ ...call, ms }, async (scope) => (await paths.inFolder(folder, scope).findChildren(folder, [name])) ?? [])
  const items = alsoFound ?? (await look().catch(() => []))
  const found = items.filter((each) => each.name === name && (alsoFound === undefined || each.parents.includes(folder)))
  const recent = await paths.recentChild(folder, name, call)
  return [...new Set([...found, ...(recent ? [recent] : [])].map((each) => each.id))].filter((each) => each !== id)
}

const maxNamesakes = 5

const waysBack = {
  new: 'rename or move the new one',
  renamed: 'rename it again',
  moved: 'rename it or move it back',
  restored: 'rename one of them',
}

/** Notice, with a remedy, that several items in a folder have the same name, which makes their path ambiguous. */
export function namesakeNotice({ id, name }: DriveItem, namesakes: readonly string[], change: keyof typeof waysBack): string {
  const count = namesakes.length === 1 ? 'two' : `${namesakes.length + 1}`
  const listed = `${namesakes.slice(0, maxNamesakes).join(', ')}${namesakes.length > maxNamesakes ? ', …' : ''}`
  return `The folder now has ${count} items named ${quote(name, 300)}: ${listed}, and ${id} (${change}). Nothing was overwritten. The path is now ambiguous, so use ids. If you did not want this, ${waysBack[change]}.`
}
