/** Something that a path can lead to. */
export interface PathItem {
  readonly id: string
  readonly name: string
  /** Ids of the folders that it lies in, as far as they are visible. */
  readonly parents: readonly string[]
  /** What it is, as one word for a message: `file`, `folder`, `shortcut`. */
  readonly kind: string
  /** The folder in which a path goes on behind it: itself for a folder, its target for a shortcut to one. */
  readonly leadsInto?: string | undefined
}

/** The children of a folder that have one of the names; it may give others too. Undefined for a folder that is gone or cannot be seen. */
export type ChildrenNamed<Item> = (folder: string, names: readonly string[]) => Promise<readonly Item[] | undefined>

/** A tree of named items as a vendor lets us search it: everything below one folder. */
export interface PathScope<Item extends PathItem> {
  /** What people call it: `My Drive`. */
  readonly name: string
  /** What the searches below take for its topmost folder. */
  readonly root: string
  /** The id of the topmost folder as the parents of its children show it; undefined when it may not be read. Remembered by the area. */
  readonly rootId: () => Promise<string | undefined>
  /** Whether one search can ask for all these names. */
  readonly fits: (names: readonly string[]) => boolean
  /** All items with one of the names, wherever they lie, from one request; undefined when there may be more than were found. */
  readonly named: (names: readonly string[]) => Promise<readonly Item[] | undefined>
  /** All children of a folder that have one of the names. Throws when it cannot know them all. */
  readonly childrenNamed: ChildrenNamed<Item>
  /** Children of a folder to choose suggestions from; not all of them when there are many. */
  readonly children: (folder: string) => Promise<readonly Item[]>
  /** What tells an item from its twin, for messages: `changed 2026-01-31`. */
  readonly describe?: (item: Item) => string
}

/** A path in the arguments of a call. */
export interface PathQuery {
  readonly text: string
  /** The parameter that holds it. */
  readonly parameter: string
}
