import { TooLarge } from '../errors.ts'
import type { PathText } from './path.ts'

/** Something that a path can lead to. */
export interface PathItem {
  readonly id: string
  readonly name: string
  /** Ids of the folders that it lies in, as far as they are visible. */
  readonly parents: readonly string[]
  /** What it is, as one word for a message: `file`, `folder`, `shortcut`. */
  readonly kind: string
  /** The folder in which a path goes on behind it: itself for a folder, its target for a shortcut to one. */
  readonly opensFolder?: string | undefined
}

/** The children of a folder that have one of the names; it may give others too. Undefined for a folder that is gone or cannot be seen. */
export type FindChildren<Item> = (folder: string, names: readonly string[]) => Promise<readonly Item[] | undefined>

/** A tree of named items as a vendor lets us search it: everything below one folder. */
export interface PathScope<Item extends PathItem> {
  /** What people call it: `My Drive`. */
  readonly name: string
  /** What the searches below take for its topmost folder. */
  readonly root: string
  /** The id of the topmost folder as the parents of its children show it; undefined when it may not be read. Remembered by the area. */
  readonly rootId: () => Promise<string | undefined>
  /** Whether one search can ask for all these names. */
  readonly fitsOneSearch: (names: readonly string[]) => boolean
  /** All items with one of the names, wherever they lie, from one request; undefined when there may be more than were found. */
  readonly findByName: (names: readonly string[]) => Promise<readonly Item[] | undefined>
  /** All children of a folder that have one of the names. Throws when it cannot know them all. */
  readonly findChildren: FindChildren<Item>
  /** Children of a folder to choose suggestions from; not all of them when there are many. */
  readonly listChildren: (folder: string) => Promise<readonly Item[]>
  /** What tells an item from its twin, for messages: `changed 2026-01-31`. */
  readonly describe?: (item: Item) => string
}

/** A path in the arguments of a call. */
export interface PathQuery {
  readonly text: string
  /** The parameter that holds it. */
  readonly parameter: string
}

/** A folder that a path has reached, and how far the path is read there. */
export interface Waypoint {
  readonly folder: string
  readonly position: number
  /** The names on the way to it. */
  readonly trail: readonly string[]
}

/** An item at the end of a path. */
export interface Arrival<Item> {
  readonly item: Item
  /** The names on the way to it, its own last. */
  readonly trail: readonly string[]
}

/** Everything that following a path came by. */
export interface Journey<Item> {
  readonly arrivals: readonly Arrival<Item>[]
  readonly waypoints: readonly Waypoint[]
  /** Items that fit the path, which goes on; and they are no folders, or lead to none that can be seen. */
  readonly deadEnds: readonly Arrival<Item>[]
}

/** More folders than this fit the beginning of no path that means something. */
const mostWaypoints = 200

/** Follows every cut of a path from a folder downwards, through folders and shortcuts to folders. */
export async function follow<Item extends PathItem>(
  path: PathText,
  from: string,
  childrenNamed: FindChildren<Item>,
): Promise<Journey<Item>> {
  const arrivals = new Map<string, Arrival<Item>>()
  const waypoints = new Map<string, Waypoint>()
  const deadEnds: Arrival<Item>[] = []
  const keyOf = ({ position, folder }: Waypoint) => `${position} ${folder}`
  const pass = (waypoint: Reached<Item>): Reached<Item>[] => {
    const key = keyOf(waypoint)
    if (waypoints.has(key) || path.steps(waypoint.position).length === 0) return []
    waypoints.set(key, waypoint)
    return [waypoint]
  }
  let level = pass({ folder: from, position: 0, trail: [] })
  while (level.length > 0) {
    if (waypoints.size > mostWaypoints) throw tooManyWays(path)
    const found = await Promise.all(level.map(async (waypoint) => ({ waypoint, steps: await stepsFrom(path, waypoint, childrenNamed) })))
    for (const { waypoint, steps } of found) {
      if (steps || !waypoint.by) continue
      waypoints.delete(keyOf(waypoint))
      deadEnds.push({ item: waypoint.by, trail: waypoint.trail })
    }
    level = found
      .flatMap(({ steps }) => steps ?? [])
      .flatMap(({ item, end, trail }) => {
        const isEnd = path.isEnd(end)
        if (isEnd && !arrivals.has(item.id)) arrivals.set(item.id, { item, trail })
        if (item.opensFolder === undefined && !isEnd) deadEnds.push({ item, trail })
        return item.opensFolder === undefined ? [] : pass({ folder: item.opensFolder, position: end, trail, by: item })
      })
  }
  return { arrivals: [...arrivals.values()], waypoints: [...waypoints.values()], deadEnds }
}

/** A folder, and the item that led to it. */
interface Reached<Item> extends Waypoint {
  readonly by?: Item
}

interface Taken<Item> extends Arrival<Item> {
  readonly end: number
}

async function stepsFrom<Item extends PathItem>(
  path: PathText,
  { folder, position, trail }: Waypoint,
  childrenNamed: FindChildren<Item>,
): Promise<Taken<Item>[] | undefined> {
  const steps = path.steps(position)
  const children = await childrenNamed(folder, [...new Set(steps.map(({ name }) => name))])
  return (
    children &&
    steps.flatMap(({ name, end }) =>
      // Vendors compare names ignoring case; a path means exactly what it says.
      children.filter((child) => child.name === name).map((item) => ({ item, end, trail: [...trail, name] })),
    )
  )
}

function tooManyWays({ text }: PathText): TooLarge {
  return new TooLarge(`More than ${mostWaypoints} folders fit the path ${JSON.stringify(text)}. Pass the id of what is meant.`)
}
