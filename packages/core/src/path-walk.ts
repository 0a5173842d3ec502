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
  /** Items that fit the path, which goes on; and they are no folders, or lead to none that can be seen. */
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
        if (item.leadsInto === undefined && !isEnd) deadEnds.push({ item, trail })
        return item.leadsInto === undefined ? [] : pass({ folder: item.leadsInto, position: end, trail, by: item })
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
  childrenNamed: ChildrenNamed<Item>,
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
