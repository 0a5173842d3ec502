import { TooLarge } from '../../errors/errors.ts'
import { spellingsOf } from '../../errors/printable.ts'
import { quote } from '../../errors/text.ts'
import type { ParsedPath } from './path.ts'

/** A path in the arguments of a call. */
export interface PathQuery {
  readonly text: string
  /** The parameter that holds it. */
  readonly parameter: string
  /** Kind of item that the path must lead to, so that no other is suggested; any kind if absent. */
  readonly expects?: 'file' | 'folder'
  /** A name that something is to get; items that have it already are found too if that takes no further request. */
  readonly newName?: string | undefined
}

/** Something that a path can lead to. */
export interface PathItem {
  readonly id: string
  readonly name: string
  /** Ids of the folders that contain it, as far as they are visible. */
  readonly parents: readonly string[]
  /** Kind of item, in one word for a message: `file`, `folder`, `shortcut`. */
  readonly kind: string
  /** The folder in which a path continues: the id of the folder itself, or of the folder that a shortcut points to. */
  readonly folderId?: string | undefined
}

/** The children of a folder that have one of the names; it may include others. Undefined for a folder that is gone or hidden. */
export type FindChildren<Item> = (folder: string, names: readonly string[]) => Promise<readonly Item[] | undefined>

/** A tree of named items as a vendor lets us search it: everything below one folder. */
export interface PathScope<Item extends PathItem> {
  /** Name that people use: `My Drive`. */
  readonly name: string
  /** Other names that people write for its root in front of a path: `MyDrive`, `root`. */
  readonly aliases?: readonly string[]
  /** Root folder, as the searches below accept it. */
  readonly root: string
  /** The id of the root folder as its children name it in `parents`; undefined when it cannot be read. The scope caches it. */
  readonly rootId: () => Promise<string | undefined>
  /** True if one search can ask for all these names. */
  readonly fitsOneSearch: (names: readonly string[]) => boolean
  /**
   * All items with one of the names, in any folder, from one request; undefined if there may be more than were found. Items named
   * `alsoFind` are added only if that takes no further request.
   */
  readonly findByName: (names: readonly string[], alsoFind?: string) => Promise<readonly Item[] | undefined>
  /**
   * All children of a folder that have one of the names. Throws if it cannot find them all. Items named `alsoFind`, in any folder, are
   * added only if that takes no further request and none of the names is like it.
   */
  readonly findChildren: (folder: string, names: readonly string[], alsoFind?: string) => ReturnType<FindChildren<Item>>
  /** Children of a folder to choose suggestions from; not all of them when there are many. */
  readonly listChildren: (folder: string) => Promise<readonly Item[]>
  /** Distinction of an item from others with its path, for messages: `changed 2026-01-31`. */
  readonly describe?: (item: Item) => string
}

/** An item at the end of some way to split a path. */
export interface FoundItem<Item> {
  readonly item: Item
  /** The names from below the root to the item. */
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
  /** Items that match the path so far, which continues although they open no folder, or none that is visible. */
  readonly deadEnds: readonly FoundItem<Item>[]
}

/** A path that matches more folders than this is refused. */
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
  /** The folder, unless it was visited before or the path ends there. */
  const enter = (opened: VisitedFolder<Item>): VisitedFolder<Item>[] => {
    const key = keyOf(opened)
    if (partial.has(key) || path.steps(opened.position).length === 0) return []
    partial.set(key, opened)
    return [opened]
  }
  let level = enter({ folder: from, position: 0, names: [] })
  while (level.length > 0) {
    if (partial.size > maxFolders) throw tooManyFolders(path)
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
  /** Position at which the path continues after it. */
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
      // Vendors ignore case; paths do not.
      const sameNames = spellingsOf(name).map((spelling) => children.filter((child) => child.name === spelling))
      return (sameNames.find(({ length }) => length > 0) ?? []).map((item) => ({ item, end, names: [...names, item.name] }))
    })
  )
}

function tooManyFolders({ text }: ParsedPath): TooLarge {
  return new TooLarge(`More than ${maxFolders} folders match the path ${quote(text, 200)}. Pass the id of the item.`)
}
