import { TooLarge } from '../../errors/errors.ts'
import { spellingsOf } from '../../errors/printable.ts'
import { quote } from '../../errors/text.ts'
import type { ParsedPath } from './path.ts'

export interface PathQuery {
  readonly text: string
  /** The parameter that holds the path. */
  readonly parameter: string
  /** Kind of item that the path must lead to, so that no other kind is suggested; any kind if absent. */
  readonly expects?: 'file' | 'folder'
  /** A new name for an item; items that already have it are also found if that takes no extra request. */
  readonly newName?: string | undefined
}

/** An item that a path can lead to. */
export interface PathItem {
  readonly id: string
  readonly name: string
  /** Ids of the visible folders that contain the item. */
  readonly parents: readonly string[]
  /** Kind of item, in one word for a message: `file`, `folder`, `shortcut`. */
  readonly kind: string
  /** The folder in which a path continues: the folder's own id, or the id of a shortcut's target folder. */
  readonly folderId?: string | undefined
}

/** A folder's children that have one of the names, possibly with other items among them. Undefined for a folder that is gone or hidden. */
export type FindChildren<Item> = (folder: string, names: readonly string[]) => Promise<readonly Item[] | undefined>

/** A vendor's searchable tree of named items: everything below one folder. */
export interface PathScope<Item extends PathItem> {
  /** The name that people use: `My Drive`. */
  readonly name: string
  /** Other names for its root that people put in front of a path: `MyDrive`, `root`. */
  readonly aliases?: readonly string[]
  /** The root folder's id, as the functions below accept it. */
  readonly root: string
  /** The root folder's id as its children name it in `parents`; undefined if it cannot be read. The scope caches it. */
  readonly rootId: () => Promise<string | undefined>
  /** True if all these names fit into one search. */
  readonly fitsOneSearch: (names: readonly string[]) => boolean
  /**
   * All items with one of the names, in any folder, found with one request; undefined if there may be more. Items named
   * `alsoFind` are added only if that takes no extra request.
   */
  readonly findByName: (names: readonly string[], alsoFind?: string) => Promise<readonly Item[] | undefined>
  /**
   * All of a folder's children with one of the names. Throws if it cannot find them all. Items named `alsoFind`, in any folder, are added
   * only if that takes no extra request and none of the names resembles it.
   */
  readonly findChildren: (folder: string, names: readonly string[], alsoFind?: string) => ReturnType<FindChildren<Item>>
  /** A folder's children, as candidates for suggestions; only some of them if there are many. */
  readonly listChildren: (folder: string) => Promise<readonly Item[]>
  /** Distinguishes an item from others with the same path, for messages: `changed 2026-01-31`. */
  readonly describe?: (item: Item) => string
}

/** An item reached by one way of splitting a path. */
export interface FoundItem<Item> {
  readonly item: Item
  /** The names on the way from the root, which is excluded, to the item. */
  readonly names: readonly string[]
}

/** A folder that the beginning of a path leads to. */
export interface PartialMatch {
  readonly folder: string
  /** Position at which the path continues. */
  readonly position: number
  readonly names: readonly string[]
}

export interface WalkResult<Item> {
  readonly found: readonly FoundItem<Item>[]
  readonly partial: readonly PartialMatch[]
  /** Items that match the path so far and lead to no visible folder, although the path continues. */
  readonly deadEnds: readonly FoundItem<Item>[]
}

/** Maximum number of folders that a path may match. */
const maxFolders = 200

/** Follows every way to split a path from a folder downwards, through folders and shortcuts to folders. */
export async function walkPath<Item extends PathItem>(
  path: ParsedPath,
  from: string,
  findChildren: FindChildren<Item>,
): Promise<WalkResult<Item>> {
  const found = new Map<string, FoundItem<Item>>()
  const partial = new Map<string, PartialMatch>()
  const deadEnds: FoundItem<Item>[] = []
  const keyOf = ({ position, folder }: PartialMatch) => `${position} ${folder}`
  /** Enters the folder, unless it has been visited or the path ends there. */
  const enter = (opened: VisitedFolder<Item>): VisitedFolder<Item>[] => {
    const key = keyOf(opened)
    if (partial.has(key) || path.steps(opened.position).length === 0) return []
    partial.set(key, opened)
    return [opened]
  }
  let level = enter({ folder: from, position: 0, names: [] })
  while (level.length > 0) {
    if (partial.size > maxFolders)
      throw new TooLarge(`More than ${maxFolders} folders match the path ${quote(path.text, 200)}. Pass the id of the item.`)
    const visited = await Promise.all(level.map(async (opened) => ({ opened, children: await matchChildren(path, opened, findChildren) })))
    for (const { opened, children } of visited) {
      if (children || !opened.through) continue
      partial.delete(keyOf(opened))
      deadEnds.push({ item: opened.through, names: opened.names })
    }
    level = visited
      .flatMap(({ children }) => children ?? [])
      .flatMap(({ item, end, names }) => {
        const isEnd = path.isEnd(end)
        if (isEnd && !found.has(item.id)) found.set(item.id, { item, names })
        if (item.folderId === undefined && !isEnd) deadEnds.push({ item, names })
        return item.folderId === undefined ? [] : enter({ folder: item.folderId, position: end, names, through: item })
      })
  }
  return { found: [...found.values()], partial: [...partial.values()], deadEnds }
}

interface VisitedFolder<Item> extends PartialMatch {
  /** The folder or shortcut that led to it; undefined for the root. */
  readonly through?: Item
}

interface MatchedChild<Item> extends FoundItem<Item> {
  /** Position at which the path continues after the folder. */
  readonly end: number
}

async function matchChildren<Item extends PathItem>(
  path: ParsedPath,
  { folder, position, names }: PartialMatch,
  findChildren: FindChildren<Item>,
): Promise<MatchedChild<Item>[] | undefined> {
  const steps = path.steps(position)
  const children = await findChildren(folder, [...new Set(steps.flatMap(({ name }) => spellingsOf(name)))])
  return (
    children &&
    steps.flatMap(({ name, end }) => {
      // A vendor's search may ignore case; paths do not.
      const sameNames = spellingsOf(name).map((spelling) => children.filter((child) => child.name === spelling))
      return (sameNames.find(({ length }) => length > 0) ?? []).map((item) => ({ item, end, names: [...names, item.name] }))
    })
  )
}
