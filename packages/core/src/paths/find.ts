import { isArgumentError, throwCombined } from '../error-collector.ts'
import { InvalidInput } from '../errors.ts'
import { spellingsOf } from '../printable.ts'
import { quote } from '../text.ts'
import { parsePath, type ParsedPath } from './path.ts'
import { ambiguousPath, pathNotFound } from './report.ts'
import { type FindChildren, type FoundItem, type PathItem, type PathScope, type WalkResult, walkPath } from './walk.ts'

export type { PathItem, PathScope } from './walk.ts'

/** A path in the arguments of a call. */
export interface PathQuery {
  readonly text: string
  /** The parameter that holds it. */
  readonly parameter: string
}

/** What a path led to. */
export interface PathMatch<Item> {
  readonly item: Item
  /** The path as the names on it spell it. */
  readonly path: string
  /** Whether the path began with the name of the scope, which is no folder in it. */
  readonly hasScopeName: boolean
}

/** When the names do not all fit into one search, longer ones (counted in parts between slashes) are looked up folder by folder. */
const maxSearchParts = 3

/** The one item that a path means; see `findPaths`. */
export async function findPath<Item extends PathItem>(query: PathQuery, scope: PathScope<Item>): Promise<PathMatch<Item>> {
  const [match] = await findPaths([query], scope)
  if (!match) throw new TypeError('One path leads to one item.')
  return match
}

/**
 * The items that paths mean, with one request for all of them once the id of the root is known, however deep they are: a search for
 * every name that the paths can be split into, joined by parents. What that search does not find is looked up folder by folder before
 * it is reported as missing, so an incomplete search costs requests but never an item. Names are compared exactly. A path continues
 * through a shortcut to a folder; a shortcut at its end stands for itself. Through a shortcut that leaves the scope a path continues
 * only when nothing in the scope matches.
 *
 * Throws `NotFound` with how far the path goes and the closest names there, `Ambiguous` with everything that a path can mean, and
 * `InvalidInput` for a path without a name; all paths are reported together.
 */
export async function findPaths<Item extends PathItem>(queries: readonly PathQuery[], scope: PathScope<Item>): Promise<PathMatch<Item>[]> {
  const paths = queries.map(({ text }) => {
    const path = parsePath(text)
    if (!path) throw namelessPath(text, scope)
    return path
  })
  const byFolder = cached(scope.findChildren)
  const bySearch = await searchAll(paths, scope, byFolder)
  const matches = await Promise.all(
    paths.map((path, index) =>
      findOne(path, queries[index]?.parameter ?? '', { scope, bySearch, byFolder }).catch((error: unknown) => {
        if (!isArgumentError(error)) throw error
        return { error }
      }),
    ),
  )
  throwCombined(matches.flatMap((match) => ('error' in match ? [match.error] : [])))
  return matches.flatMap((match) => ('error' in match ? [] : [match]))
}

interface Sources<Item extends PathItem> {
  readonly scope: PathScope<Item>
  /** The children among what one search found; undefined when it could not find everything. */
  readonly bySearch: FindChildren<Item> | undefined
  /** The children as the vendor has them, folder by folder. */
  readonly byFolder: FindChildren<Item>
}

async function findOne<Item extends PathItem>(path: ParsedPath, parameter: string, sources: Sources<Item>): Promise<PathMatch<Item>> {
  const { scope } = sources
  const single = (found: readonly FoundItem<Item>[], hasScopeName: boolean): PathMatch<Item> | undefined => {
    const [first, ...others] = found
    if (first && others.length > 0) throw ambiguousPath({ text: path.text, parameter }, found, scope)
    return first && { item: first.item, path: first.names.join('/'), hasScopeName }
  }
  const walk = await walkAll(path, sources)
  const match = single(walk.found, false)
  if (match) return match
  const inner = withoutScopeName(path, scope)
  if (!inner) throw await pathNotFound(path, walk, scope)
  const innerWalk = await walkAll(inner, sources)
  const innerMatch = single(innerWalk.found, true)
  if (innerMatch) return innerMatch
  throw await pathNotFound(inner, innerWalk, scope)
}

async function walkAll<Item extends PathItem>(path: ParsedPath, { scope, bySearch, byFolder }: Sources<Item>): Promise<WalkResult<Item>> {
  const searched = bySearch && (await walkPath(path, scope.root, bySearch))
  if (searched && searched.found.length > 0) return searched
  // In parallel rather than level by level; the walk below takes the results from the cache.
  await Promise.all((searched?.partial ?? []).map(({ folder, position }) => byFolder(folder, nextNames(path, position))))
  return walkPath(path, scope.root, byFolder)
}

/** Finds everything that the paths can lead through in one search. */
async function searchAll<Item extends PathItem>(
  paths: readonly ParsedPath[],
  scope: PathScope<Item>,
  byFolder: FindChildren<Item>,
): Promise<FindChildren<Item> | undefined> {
  const inRoot = unique(paths.flatMap((path) => nextNames(path, 0)))
  // Paths of one name each are in the root, whose id is not needed then; no other folder is ever asked for.
  if (paths.every(({ isSingle }) => isSingle)) {
    const children = await byFolder(scope.root, inRoot)
    return () => Promise.resolve(children)
  }
  const all = unique(paths.flatMap((path) => path.names()))
  const searched = scope.fitsOneSearch(all) ? all : unique(paths.flatMap((path) => path.names(maxSearchParts)))
  if (!scope.fitsOneSearch(searched)) return undefined
  const [items, rootId] = await Promise.all([scope.findByName(searched), scope.rootId()])
  if (!items) return undefined
  const byParent = Map.groupBy(
    items.flatMap((item) => item.parents.map((parent) => ({ parent, item }))),
    ({ parent }) => parent,
  )
  const childrenOf = (folder: string) => (byParent.get(folder) ?? []).map(({ item }) => item)
  // Where the root cannot be read, other parents may be hidden too: the target of a shortcut may only seem to be empty.
  const targets = rootId === undefined ? items.flatMap(({ id, folderId }) => (folderId === id ? [] : [folderId])) : []
  const mayHideChildren = new Set(targets)
  return (folder, names) => {
    if (folder === scope.root) return rootId === undefined ? byFolder(scope.root, inRoot) : Promise.resolve(childrenOf(rootId))
    const children = childrenOf(folder)
    return children.length === 0 && mayHideChildren.has(folder) ? byFolder(folder, names) : Promise.resolve(children)
  }
}

/** The path behind the name of the scope, which people write although it is no folder. */
function withoutScopeName<Item extends PathItem>(path: ParsedPath, { name }: PathScope<Item>): ParsedPath | undefined {
  const step = path.steps(0).find((first) => first.name === name)
  return step && parsePath(path.rest(step.end))
}

function cached<Item>(findChildren: FindChildren<Item>): FindChildren<Item> {
  const results = new Map<string, ReturnType<FindChildren<Item>>>()
  return (folder, names) => {
    const key = JSON.stringify([folder, ...unique(names).sort()])
    const result = results.get(key) ?? findChildren(folder, unique(names))
    results.set(key, result)
    return result
  }
}

function namelessPath<Item extends PathItem>(text: string, { name, root }: PathScope<Item>): InvalidInput {
  return new InvalidInput(
    `${quote(text, 80)} holds no name: a path has the form folder/subfolder/name. The top of ${name} itself is "${root}".`,
  )
}

function nextNames(path: ParsedPath, position: number): string[] {
  return path.steps(position).flatMap(({ name }) => spellingsOf(name))
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
