import { isArgumentError, throwCombined } from '../../errors/error-collector.ts'
import { InvalidInput, type ToolError } from '../../errors/errors.ts'
import { spellingsOf } from '../../errors/printable.ts'
import { quote } from '../../errors/text.ts'
import { parsePath, type ParsedPath, readingsOf } from './path.ts'
import { ambiguousPath, pathNotFound, severalPaths } from './report.ts'
import { type FindChildren, type PathItem, type PathQuery, type PathScope, type WalkResult, walkPath } from './walk.ts'

export { readingsOf } from './path.ts'
export type { PathItem, PathQuery, PathScope } from './walk.ts'

/** The item that a path leads to. */
export interface PathMatch<Item> {
  readonly item: Item
  /** The path in the items' own spelling. */
  readonly path: string
  /** False if no item has exactly the written path, so the path was read in a different, lossless way. */
  readonly isAsWritten: boolean
  /** Items with the query's `newName`, in any folder, that the search for the paths also found. */
  readonly alsoFound: readonly Item[]
}

/**
 * Maximum number of parts (between slashes) in a searched name if not all names fit into one search; longer names are looked up folder by
 * folder.
 */
const maxSearchParts = 3

/** The item that a path means; see `findPaths`. */
export async function findPath<Item extends PathItem>(query: PathQuery, scope: PathScope<Item>): Promise<PathMatch<Item>> {
  const [match] = await findPaths([query], scope)
  if (!match) throw new TypeError('One path leads to one item.')
  return match
}

/**
 * Finds the items that paths mean. Once the root's id is known, this takes one request, however deep the paths are: it searches for every
 * name that the paths can be split into, and joins the results by parent. Whatever this search misses is looked up folder by folder before
 * being reported, so an incomplete search costs requests but never an item. Names are compared exactly. A path continues through a shortcut
 * to a folder; a shortcut at its end stands for itself. A path continues through a shortcut that leaves the scope only if nothing in the
 * scope matches. Items that exist exactly as written come first; then a path is read without quotes, `./`, `%20` and the like (see
 * `readingsOf`), and without the scope's name in front.
 *
 * Throws `NotFound` with how far the path goes and the closest paths, `Ambiguous` with everything that a path can mean, and `InvalidInput`
 * for a path without a name; all paths are reported together.
 */
export async function findPaths<Item extends PathItem>(queries: readonly PathQuery[], scope: PathScope<Item>): Promise<PathMatch<Item>[]> {
  const matches = await settlePaths(queries, scope)
  throwCombined(matches.flatMap((match) => ('error' in match ? [match.error] : [])))
  return matches.flatMap((match) => ('error' in match ? [] : [match]))
}

/** Returns the item that each path means, or the path's error; see `findPaths`. */
export async function settlePaths<Item extends PathItem>(
  queries: readonly PathQuery[],
  scope: PathScope<Item>,
): Promise<(PathMatch<Item> | { readonly error: ToolError })[]> {
  const all = queries.map((query) => ({ query, ...readPath(query.text, scope) }))
  const byFolder = cached(scope.findChildren)
  const alsoFind = queries.find(({ newName }) => newName !== undefined)?.newName
  const bySearch = await searchAll(
    all.flatMap((each) => ('paths' in each ? [each.paths] : [])),
    alsoFind,
    { scope, byFolder },
  )
  return Promise.all(
    all.map(async (each) =>
      'error' in each ? { error: each.error } : findOne(each.query, each.paths, { scope, bySearch, byFolder }).catch(toFailure),
    ),
  )
}

/** A path as written, and the other ways to read it, plainest last. */
type Readings = readonly [written: ParsedPath, ...others: readonly ParsedPath[]]

/** A path's readings, or the reason why it is not a path. */
function readPath<Item extends PathItem>(
  text: string,
  scope: PathScope<Item>,
): { readonly paths: Readings } | { readonly error: ToolError } {
  try {
    return { paths: pathsOf(text, scope) }
  } catch (error) {
    return toFailure(error)
  }
}

function toFailure(error: unknown): { readonly error: ToolError } {
  if (!isArgumentError(error)) throw error
  return { error }
}

function pathsOf<Item extends PathItem>(text: string, scope: PathScope<Item>): Readings {
  const written = parsePath(text)
  if (!written) throw namelessPath(text, scope)
  const others = readingsOf(text).flatMap((reading) => parsePath(reading) ?? [])
  return [written, ...others, ...[written, ...others].flatMap((path) => withoutScopeName(path, scope) ?? [])]
}

interface Sources<Item extends PathItem> {
  readonly scope: PathScope<Item>
  readonly bySearch: SearchedPaths<Item>
  /** Reads children from the vendor, folder by folder. */
  readonly byFolder: PathScope<Item>['findChildren']
}

async function findOne<Item extends PathItem>(query: PathQuery, paths: Readings, sources: Sources<Item>): Promise<PathMatch<Item>> {
  const { scope } = sources
  let missed: { readonly path: ParsedPath; readonly walk: WalkResult<Item> } | undefined
  for (const path of paths) {
    const walk = await walkAll(path, sources)
    const [first, ...others] = walk.found
    if (first && others.length > 0) throw ambiguousPath(query, walk.found, scope)
    if (first) {
      return { item: first.item, path: first.names.join('/'), isAsWritten: path === paths[0], alsoFound: sources.bySearch.alsoFound }
    }
    missed = { path, walk }
  }
  if (!missed) throw new TypeError('A path has at least one reading.')
  const parts = query.text.split(/[;,\n]/).map((part) => part.trim())
  const several =
    parts.length > 1
      ? await settlePaths(
          parts.map((text) => ({ ...query, text })),
          scope,
        )
      : []
  const found = several.flatMap((match) => ('error' in match ? [] : [match]))
  if (found.length > 0 && found.length === parts.length) throw severalPaths(query, found)
  throw await pathNotFound(query, missed, scope)
}

async function walkAll<Item extends PathItem>(path: ParsedPath, { scope, bySearch, byFolder }: Sources<Item>): Promise<WalkResult<Item>> {
  const searched = bySearch.children && bySearch.paths.includes(path) ? await walkPath(path, scope.root, bySearch.children) : undefined
  if (searched && searched.found.length > 0) return searched
  // Requested in parallel instead of level by level; the walk below gets the results from the cache.
  await Promise.all((searched?.partial ?? []).map(({ folder, position }) => byFolder(folder, nextNames(path, position))))
  return walkPath(path, scope.root, byFolder)
}

interface SearchedItems<Item> {
  /** The children among the found items; undefined if the search was incomplete. */
  readonly children: FindChildren<Item> | undefined
  readonly alsoFound: readonly Item[]
}

interface SearchedPaths<Item> extends SearchedItems<Item> {
  /** The paths whose names were searched for. */
  readonly paths: readonly ParsedPath[]
}

/** Finds, in one search, everything that the paths can lead through. */
async function searchAll<Item extends PathItem>(
  readings: readonly Readings[],
  alsoFind: string | undefined,
  vendor: Omit<Sources<Item>, 'bySearch'>,
): Promise<SearchedPaths<Item>> {
  const every = readings.flat()
  // A path that exists as written must not take more requests just because it has other readings.
  const fits = vendor.scope.fitsOneSearch(unique(every.flatMap((path) => path.names())))
  const paths = fits ? every : readings.map(([written]) => written)
  return { paths, ...(await searchPaths(paths, alsoFind, vendor)) }
}

async function searchPaths<Item extends PathItem>(
  paths: readonly ParsedPath[],
  alsoFind: string | undefined,
  { scope, byFolder }: Omit<Sources<Item>, 'bySearch'>,
): Promise<SearchedItems<Item>> {
  const nothing = { children: undefined, alsoFound: [] }
  if (paths.length === 0) return nothing
  const named = (items: readonly Item[] = []) => items.filter(({ name }) => name === alsoFind)
  const inRoot = unique(paths.flatMap((path) => nextNames(path, 0)))
  // Paths with a single name lead to items in the root, whose id is not needed here; no other folder is requested.
  if (paths.every(({ isSingle }) => isSingle)) {
    const children = await byFolder(scope.root, inRoot, alsoFind)
    return { children: () => Promise.resolve(children), alsoFound: named(children) }
  }
  const all = unique(paths.flatMap((path) => path.names()))
  const searched = scope.fitsOneSearch(all) ? all : unique(paths.flatMap((path) => path.names(maxSearchParts)))
  if (!scope.fitsOneSearch(searched)) return nothing
  const [found, rootId] = await Promise.all([scope.findByName(searched, alsoFind), scope.rootId()])
  if (!found) return nothing
  return { children: childrenAmong(found, { searched, inRoot, rootId, scope, byFolder }), alsoFound: named(found) }
}

interface SearchedNames<Item extends PathItem> extends Omit<Sources<Item>, 'bySearch'> {
  readonly searched: readonly string[]
  /** Names of items that may be in the root. */
  readonly inRoot: readonly string[]
  readonly rootId: string | undefined
}

/** Each folder's children among a search's items. */
function childrenAmong<Item extends PathItem>(
  found: readonly Item[],
  { searched, inRoot, rootId, scope, byFolder }: SearchedNames<Item>,
): FindChildren<Item> {
  const names = new Set(searched)
  const items = found.filter(({ name }) => names.has(name))
  const byParent = Map.groupBy(
    items.flatMap((item) => item.parents.map((parent) => ({ parent, item }))),
    ({ parent }) => parent,
  )
  const childrenOf = (folder: string) => (byParent.get(folder) ?? []).map(({ item }) => item)
  // If the root cannot be read, other parents may be hidden too, so a shortcut's target may only seem empty.
  const targets = rootId === undefined ? items.flatMap(({ id, folderId }) => (folderId === id ? [] : [folderId])) : []
  const mayHideChildren = new Set(targets)
  return (folder, names) => {
    if (folder === scope.root) return rootId === undefined ? byFolder(scope.root, inRoot) : Promise.resolve(childrenOf(rootId))
    const children = childrenOf(folder)
    return children.length === 0 && mayHideChildren.has(folder) ? byFolder(folder, names) : Promise.resolve(children)
  }
}

/** The path after the scope's name, which people write even though it is not a folder. */
function withoutScopeName<Item extends PathItem>(path: ParsedPath, scope: PathScope<Item>): ParsedPath | undefined {
  const step = path.steps(0).findLast((first) => isScopeName(first.name, scope))
  return step && parsePath(path.rest(step.end))
}

/** True for a name that people use for a scope's root. Case, spaces, `-`, `_` and `:` do not matter. */
export function isScopeName(text: string, { name, aliases = [] }: Pick<PathScope<PathItem>, 'name' | 'aliases'>): boolean {
  const fold = (each: string) => each.toLowerCase().replace(/[\s_:-]/g, '')
  return [name, ...aliases].some((each) => fold(each) === fold(text))
}

/** A cached result also serves later calls without `alsoFind`: callers ignore the extra items, because their names differ. */
function cached<Item extends PathItem>(findChildren: PathScope<Item>['findChildren']): PathScope<Item>['findChildren'] {
  const results = new Map<string, ReturnType<FindChildren<Item>>>()
  return (folder, names, alsoFind) => {
    const key = JSON.stringify([folder, ...unique(names).sort()])
    const result = results.get(key) ?? findChildren(folder, unique(names), alsoFind)
    results.set(key, result)
    return result
  }
}

function namelessPath<Item extends PathItem>(text: string, { name, root }: PathScope<Item>): InvalidInput {
  return new InvalidInput(
    `${quote(text, 80)} holds no name: a path has the form folder/subfolder/name. The root of ${name} itself is "${root}".`,
  )
}

function nextNames(path: ParsedPath, position: number): string[] {
  return path.steps(position).flatMap(({ name }) => spellingsOf(name))
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
