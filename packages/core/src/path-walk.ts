import { TooLarge } from './errors.ts'
import type { ChildrenNamed, PathItem } from './path-area.ts'
import type { PathText } from './path-text.ts'

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
  /** Items that fit the path and are no folders, though the path goes on. */
  readonly deadEnds: readonly Arrival<Item>[]
}

/** More folders than this fit the beginning of no path that means something. */
const mostWaypoints = 200

/** Follows every cut of a path from a folder downwards, through folders and shortcuts to folders. */
export async function follow<Item extends PathItem>(
  path: PathText,
  from: string,
  childrenNamed: ChildrenNamed<Item>,
): Promise<Journey<Item>> {
  const arrivals = new Map<string, Arrival<Item>>()
  const waypoints = new Map<string, Waypoint>()
  const deadEnds: Arrival<Item>[] = []
  const pass = (waypoint: Waypoint): Waypoint[] => {
    const key = `${waypoint.position} ${waypoint.folder}`
    if (waypoints.has(key) || path.steps(waypoint.position).length === 0) return []
    waypoints.set(key, waypoint)
    return [waypoint]
  }
  let level = pass({ folder: from, position: 0, trail: [] })
  while (level.length > 0) {
    if (waypoints.size > mostWaypoints) throw tooManyWays(path)
    const found = await Promise.all(level.map((waypoint) => stepsFrom(path, waypoint, childrenNamed)))
    level = found.flat().flatMap(({ item, end, trail }) => {
      const isEnd = path.isEnd(end)
      if (isEnd && !arrivals.has(item.id)) arrivals.set(item.id, { item, trail })
      if (item.leadsInto === undefined && !isEnd) deadEnds.push({ item, trail })
      return item.leadsInto === undefined ? [] : pass({ folder: item.leadsInto, position: end, trail })
    })
  }
  return { arrivals: [...arrivals.values()], waypoints: [...waypoints.values()], deadEnds }
}

interface Taken<Item> extends Arrival<Item> {
  readonly end: number
}

async function stepsFrom<Item extends PathItem>(
  path: PathText,
  { folder, position, trail }: Waypoint,
  childrenNamed: ChildrenNamed<Item>,
): Promise<Taken<Item>[]> {
  const steps = path.steps(position)
  const children = await childrenNamed(folder, [...new Set(steps.map(({ name }) => name))])
  return steps.flatMap(({ name, end }) =>
    // Vendors compare names ignoring case; a path means exactly what it says.
    children.filter((child) => child.name === name).map((item) => ({ item, end, trail: [...trail, name] })),
  )
}

function tooManyWays({ text }: PathText): TooLarge {
  return new TooLarge(`More than ${mostWaypoints} folders fit the path ${JSON.stringify(text)}. Pass the id of what is meant.`)
}
