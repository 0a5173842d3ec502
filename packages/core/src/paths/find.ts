import { isArgumentError, throwCombined } from '../error-collector.ts'
import { InvalidInput, type ToolError } from '../errors.ts'
import { type FindChildren, follow, type Journey, type PathItem, type PathQuery, type PathScope } from './walk.ts'
import { nothingThere, severalItems } from './report.ts'
import { parsePath, type PathText } from './path.ts'

export type { PathScope, PathItem, PathQuery } from './walk.ts'

/** What a path led to. */
export interface PathMatch<Item> {
  readonly item: Item
  /** The path as the names on the way spell it. */
  readonly path: string
  /** Whether the path began with the name of the area, which is no folder in it. */
  readonly hasScopeName: boolean
}

/** Names of three parts have two slashes; where not every cut fits into one search, a longer one is looked for folder by folder only. */
const usualParts = 3

/** The one item that a path means; see `findPaths`. */
export async function findPath<Item extends PathItem>(sought: PathQuery, area: PathScope<Item>): Promise<PathMatch<Item>> {
  const [found] = await findPaths([sought], area)
  if (!found) throw new TypeError('One path leads to one item.')
  return found
}

/**
 * The items that paths mean, with one request for all of them once the id of the topmost folder is known, however deep they lie: a
 * search for every name that the paths can be cut into, put together by parents. What that search does not find is looked for folder
 * by folder before it is reported as missing, so a search that misses something costs requests and never an answer. Names are
 * compared exactly. A shortcut to a folder is passed through; one at the end of a path stands for itself. Through a shortcut that
 * leaves the area a path goes only when nothing in the area fits.
 *
 * Throws `NotFound` with how far the path goes and the nearest names there, `Ambiguous` with everything that a path can mean,
 * `InvalidInput` for a path without a name; all paths are reported together.
 */
export async function findPaths<Item extends PathItem>(sought: readonly PathQuery[], area: PathScope<Item>): Promise<PathMatch<Item>[]> {
  const paths = sought.map(({ text }) => {
    const path = parsePath(text)
    if (!path) throw nameless(text, area)
    return path
  })
  const walk = remembered(area.findChildren)
  const overview = await lookOver(paths, area, walk)
  const outcomes = await Promise.all(
    paths.map((path, index) => attempt(() => findOne(path, { area, overview, walk, parameter: sought[index]?.parameter ?? '' }))),
  )
  throwCombined(outcomes.flatMap(({ failure }) => failure ?? []))
  return outcomes.flatMap(({ found }) => found ?? [])
}

interface Outcome<Item> {
  readonly found?: PathMatch<Item>
  readonly failure?: ToolError
}

async function attempt<Item>(find: () => Promise<PathMatch<Item>>): Promise<Outcome<Item>> {
  try {
    return { found: await find() }
  } catch (error) {
    if (!isArgumentError(error)) throw error
    return { failure: error }
  }
}

interface Sources<Item extends PathItem> {
  readonly area: PathScope<Item>
  readonly parameter: string
  /** The children among what one search found; undefined when it could not find everything. */
  readonly overview: FindChildren<Item> | undefined
  /** The children as the vendor has them, folder by folder. */
  readonly walk: FindChildren<Item>
}

async function findOne<Item extends PathItem>(path: PathText, sources: Sources<Item>): Promise<PathMatch<Item>> {
  const { area, parameter } = sources
  const given = { text: path.text, parameter }
  const journey = await travel(path, sources)
  const [arrival, ...others] = journey.arrivals
  if (arrival && others.length === 0) return { item: arrival.item, path: arrival.trail.join('/'), hasScopeName: false }
  if (arrival) throw severalItems(given, journey.arrivals, area)
  const inner = withoutPrefix(path, area)
  const innerJourney = inner && (await travel(inner, sources))
  const [meant, ...twins] = innerJourney?.arrivals ?? []
  if (inner && meant && twins.length > 0) throw severalItems(given, innerJourney?.arrivals ?? [], area)
  if (meant) return { item: meant.item, path: meant.trail.join('/'), hasScopeName: true }
  throw await (inner && innerJourney ? nothingThere(inner, innerJourney, area) : nothingThere(path, journey, area))
}

async function travel<Item extends PathItem>(path: PathText, { area, overview, walk }: Sources<Item>): Promise<Journey<Item>> {
  const seen = overview && (await follow(path, area.root, overview))
  if (seen && seen.arrivals.length > 0) return seen
  // Side by side what would otherwise be asked one after another; `follow` takes the answers from memory.
  await Promise.all(
    (seen?.waypoints ?? []).map(({ folder, position }) =>
      walk(
        folder,
        path.steps(position).map(({ name }) => name),
      ),
    ),
  )
  return follow(path, area.root, walk)
}

/** Finds everything that the paths could pass in one search. */
async function lookOver<Item extends PathItem>(
  paths: readonly PathText[],
  area: PathScope<Item>,
  walk: FindChildren<Item>,
): Promise<FindChildren<Item> | undefined> {
  const atTop = unique(paths.flatMap((path) => path.steps(0).map(({ name }) => name)))
  // Paths of one name each: their parent is known without knowing its id.
  if (paths.every(({ isSingle }) => isSingle)) {
    const top = await walk(area.root, atTop)
    return (folder) => Promise.resolve(folder === area.root ? top : [])
  }
  const all = unique(paths.flatMap((path) => path.names()))
  const usual = area.fitsOneSearch(all) ? all : unique(paths.flatMap((path) => path.names(usualParts)))
  if (!area.fitsOneSearch(usual)) return undefined
  const [items, rootId] = await Promise.all([area.findByName(usual), area.rootId()])
  if (!items) return undefined
  const byParent = Map.groupBy(
    items.flatMap((item) => item.parents.map((parent) => ({ parent, item }))),
    ({ parent }) => parent,
  )
  const below = (folder: string) => (byParent.get(folder) ?? []).map(({ item }) => item)
  // Where the top may not be read, other parents may be hidden too: what a shortcut points at only seems to be empty.
  const doubtful = new Set(
    rootId === undefined ? items.flatMap(({ id, opensFolder: leadsInto }) => (leadsInto === id ? [] : [leadsInto])) : [],
  )
  return (folder, names) => {
    if (folder === area.root) return rootId === undefined ? walk(area.root, atTop) : Promise.resolve(below(rootId))
    const children = below(folder)
    return children.length === 0 && doubtful.has(folder) ? walk(folder, names) : Promise.resolve(children)
  }
}

/** The path behind the name of the area, which people write although it is no folder. */
function withoutPrefix<Item extends PathItem>(path: PathText, { name }: PathScope<Item>): PathText | undefined {
  const step = path.steps(0).find((first) => first.name === name)
  return step && parsePath(path.rest(step.end))
}

function remembered<Item>(ask: FindChildren<Item>): FindChildren<Item> {
  const asked = new Map<string, ReturnType<FindChildren<Item>>>()
  return (folder, names) => {
    const key = JSON.stringify([folder, ...unique(names).sort()])
    const answer = asked.get(key) ?? ask(folder, unique(names))
    asked.set(key, answer)
    return answer
  }
}

function nameless<Item extends PathItem>(text: string, { name, root }: PathScope<Item>): InvalidInput {
  const shown = JSON.stringify(text.slice(0, 80))
  return new InvalidInput(`${shown} holds no name: a path has the form folder/subfolder/name. The top of ${name} itself is "${root}".`)
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
