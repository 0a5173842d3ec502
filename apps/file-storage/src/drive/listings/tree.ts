import { kindOf, type DriveItem, type ItemKind } from '../items.ts'

/** An item in a tree, kept as small as possible because there may be 100,000. */
export interface TreeNode {
  readonly id: string
  readonly name: string
  /** Absent for an ordinary file. */
  readonly kind?: Exclude<ItemKind, 'file'>
  /** The target of a shortcut. */
  readonly target_id?: string
  /** The items in a folder; absent if there are none. */
  children?: TreeNode[]
}

/** Fields that a tree needs. */
export const treeFields = 'id,name,mimeType,parents,driveId,shortcutDetails(targetId)'

/** Items of one folder that is not in the tree. */
interface UnplacedItems {
  /** Null if Drive does not show the folder. */
  readonly parentId: string | null
  readonly driveId: string | undefined
  readonly items: readonly TreeNode[]
}

/** The listed items as trees. */
export interface Trees {
  /** The items in each drive's root, by the root's id. */
  readonly roots: ReadonlyMap<string, readonly TreeNode[]>
  /** The items in My Drive's root, if its id cannot be read. */
  readonly top: readonly TreeNode[]
  readonly unplaced: readonly UnplacedItems[]
}

/** My Drive's root. */
export interface TreeRoot {
  /** The root's id; undefined if it cannot be read. */
  readonly id: string | undefined
  /** The ids of the items in the root, if the root's own id cannot be read. */
  readonly children: ReadonlySet<string>
}

/** Bytes that one group of unplaced items adds to the result. */
const groupBytes = 110

/** Collects listed items and counts their bytes in the result. */
export class TreeBuilder {
  readonly #maxBytes: number
  readonly #nodes = new Map<string, TreeNode>()
  readonly #locations: { readonly node: TreeNode; readonly parent: string | undefined; readonly driveId: string | undefined }[] = []
  readonly #parents = new Set<string | undefined>()
  #bytes = 0
  #count = 0
  #fittingCount = 0

  /** `maxBytes` limits the result's size. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Number of items listed. */
  get count(): number {
    return this.#count
  }

  /** Number of items, from the first one added, that fit into a result, wherever they are in the trees. */
  get fittingCount(): number {
    return this.#fittingCount
  }

  /** Adds an item once: an item that changes while pages are read can appear on two of them. */
  add(item: DriveItem): void {
    if (this.#nodes.has(item.id)) return
    this.#count += 1
    // Items that no longer fit are only counted.
    if (this.#fittingCount < this.#count - 1) return
    const node = toNode(item)
    const [parent] = item.parents
    this.#bytes += Buffer.byteLength(JSON.stringify(node)) + 1
    this.#parents.add(parent)
    this.#nodes.set(item.id, node)
    this.#locations.push({ node, parent, driveId: item.driveId })
    if (this.#bytes + this.#parents.size * groupBytes <= this.#maxBytes) this.#fittingCount = this.count
  }

  /** Builds the trees, with the items in order of addition. */
  build({ id: rootId, children }: TreeRoot): Trees {
    const roots = new Map<string, TreeNode[]>()
    const top: TreeNode[] = []
    const unplaced = new Map<string | null, { readonly driveId: string | undefined; readonly items: TreeNode[] }>()
    for (const { node, parent, driveId } of this.#locations) {
      const folder = parent === undefined ? undefined : this.#nodes.get(parent)
      if (folder?.kind === 'folder') (folder.children ??= []).push(node)
      else if (children.has(node.id)) top.push(node)
      else if (parent !== undefined && (parent === rootId || parent === driveId)) addTo(roots, parent, node)
      else {
        const group = unplaced.get(parent ?? null)
        if (group) group.items.push(node)
        else unplaced.set(parent ?? null, { driveId, items: [node] })
      }
    }
    return { roots, top, unplaced: [...unplaced].map(([parentId, group]) => ({ parentId, ...group })) }
  }
}

function toNode({ id, name, mimeType, shortcutDetails }: DriveItem): TreeNode {
  const kind = kindOf(mimeType)
  return {
    id,
    name,
    ...(kind !== 'file' && { kind }),
    ...(shortcutDetails && { target_id: shortcutDetails.targetId }),
  }
}

function addTo<Key>(groups: Map<Key, TreeNode[]>, key: Key, node: TreeNode): void {
  const group = groups.get(key)
  if (group) group.push(node)
  else groups.set(key, [node])
}
