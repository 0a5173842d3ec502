import { folderType, kindOf, type DriveItem, type Kind } from './items.ts'

/** An item in a tree; with as little as possible, because there may be 100,000. */
export interface Node {
  readonly id: string
  readonly name: string
  /** Absent for an ordinary file. */
  readonly kind?: Exclude<Kind, 'file'>
  /** What a shortcut points at. */
  readonly target_id?: string
  /** What lies in a folder. */
  readonly children?: Node[]
}

/** Fields that a tree needs. */
export const treeFields = 'id,name,mimeType,parents,driveId,shortcutDetails(targetId)'

/** What lies at the top of My Drive or of a shared drive. */
export interface Top {
  readonly id: string | undefined
  readonly items: readonly Node[]
}

/** Items of which is not known where they lie. */
export interface Unplaced {
  /** Null where Drive does not say in which folder they are. */
  readonly parentId: string | null
  readonly items: readonly Node[]
}

/** Everything that was listed, put together by parents. */
export interface Placement {
  /** Shared drives by their id; what lies in My Drive under the id of its top. */
  readonly tops: ReadonlyMap<string, readonly Node[]>
  readonly unplaced: readonly Unplaced[]
}

/** What one group of items that could not be placed adds to the result, in bytes. */
const groupBytes = 110

/** Items as they are listed, counted and weighed. */
export class ItemTree {
  readonly #nodes = new Map<string, Node>()
  readonly #places: { readonly node: Node; readonly parent: string | undefined; readonly driveId: string | undefined }[] = []
  readonly #parents = new Set<string | undefined>()
  readonly #largest: number
  #bytes = 0
  #fitting = 0

  /** `largest` is how many bytes a result may have. */
  constructor(largest: number) {
    this.#largest = largest
  }

  /** How many items were listed. */
  get count(): number {
    return this.#places.length
  }

  /** How many of the first items fit into a result, however they lie; all of them if `count`. */
  get fitting(): number {
    return this.#fitting
  }

  /** Takes an item once: one that is changed while pages are read can be on two of them. */
  add(item: DriveItem): void {
    if (this.#nodes.has(item.id)) return
    const node = nodeOf(item)
    const [parent] = item.parents
    this.#bytes += Buffer.byteLength(JSON.stringify(node)) + 1
    this.#parents.add(parent)
    this.#nodes.set(item.id, node)
    this.#places.push({ node, parent, driveId: item.driveId })
    if (this.#bytes + this.#parents.size * groupBytes <= this.#largest) this.#fitting = this.count
  }

  /** Puts the items together; `rootId` is the top of My Drive, where it is known. Keeps the order in which they came. */
  placed(rootId: string | undefined): Placement {
    const tops = new Map<string, Node[]>()
    const unplaced = new Map<string | null, Node[]>()
    for (const { node, parent, driveId } of this.#places) {
      const folder = parent === undefined ? undefined : this.#nodes.get(parent)
      if (folder?.children) folder.children.push(node)
      else if (parent !== undefined && (parent === rootId || parent === driveId)) push(tops, parent, node)
      else push(unplaced, parent ?? null, node)
    }
    return { tops, unplaced: [...unplaced].map(([parentId, items]) => ({ parentId, items })) }
  }
}

function nodeOf({ id, name, mimeType, shortcutDetails }: DriveItem): Node {
  const kind = kindOf(mimeType)
  return {
    id,
    name,
    ...(kind !== 'file' && { kind }),
    ...(shortcutDetails && { target_id: shortcutDetails.targetId }),
    ...(mimeType === folderType && { children: [] }),
  }
}

function push<Key>(groups: Map<Key, Node[]>, key: Key, node: Node): void {
  const group = groups.get(key)
  if (group) group.push(node)
  else groups.set(key, [node])
}
