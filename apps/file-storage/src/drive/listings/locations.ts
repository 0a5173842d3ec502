import { ToolError } from '@mcp-toolkits/core/errors'
import { type CallScope, withCallScope } from '@mcp-toolkits/core/tool'
import { listSharedDrives } from '../about.ts'
import { getItems, maxBatch } from '../batch.ts'
import type { DriveClient } from '../client.ts'
import { DriveItem, folderType } from '../items.ts'
import type { PathScopes } from '../paths.ts'
import { listAll } from './listings.ts'
import { allOf, hasAnyType, notTrashed, type Corpus } from './search.ts'

type Located = Pick<DriveItem, 'id' | 'name' | 'mimeType' | 'parents' | 'driveId' | 'ownedByMe'>

/** Fields that locate an item. */
export const placeFields = 'id,name,mimeType,parents,driveId,ownedByMe'

/** A folder with its path, which is empty for a root. */
export interface KnownFolder {
  readonly id: string
  readonly path: string
}

interface Lookup {
  readonly drive: DriveClient
  readonly paths: Pick<PathScopes, 'rootId'>
  /** Folders whose paths are known. */
  readonly known: readonly KnownFolder[]
  readonly scope: CallScope
}

/** Timeout, in milliseconds, for looking up the optional parts of a result. */
const lookupMs = 3_000
/** Maximum number of folders to list at once; beyond that, missing folders are read by id. */
const maxListed = 1_000
/** Maximum number of levels of folders to read by id. */
const maxLevels = 3
/** Maximum depth to follow, greater than that of any path: folders might contain each other. */
const maxDepth = 100

/** Prefix for the names of items that are in no folder visible to the person. */
export const sharedWithMe = 'Shared with me'
const noFolder = ''

/**
 * Each item's path, by id, as tools accept it: from My Drive's root, or after a shared drive's name. Takes no request if the folders are
 * known, otherwise a few for all items together. Omits an item whose folders could not be read.
 */
export async function pathsOf(items: readonly Located[], lookup: Lookup): Promise<ReadonlyMap<string, string>> {
  const places = new Places(items, lookup)
  const ms = Math.min(lookupMs, lookup.scope.remainingMs())
  await withCallScope({ ...lookup.scope, ms }, (scope) => places.look(scope)).catch((error: unknown) => {
    lookup.scope.signal.throwIfAborted()
    if (!(error instanceof ToolError)) throw error
  })
  return new Map(items.flatMap((item) => places.pathOf(item)))
}

/** Each folder's path, by id; see `pathsOf`. */
export async function pathsOfFolders(
  folders: readonly Pick<Located, 'id' | 'driveId'>[],
  lookup: Lookup,
): Promise<ReadonlyMap<string, string>> {
  const children = folders.map(({ id, driveId }) => ({ id, name: '', mimeType: '', parents: [id], driveId }))
  return new Map([...(await pathsOf(children, lookup))].map(([id, path]) => [id, path.slice(0, -1)]))
}

interface Gap {
  /** Undefined if Drive shows no parent. */
  readonly folder: string | undefined
  readonly driveId: string | undefined
}

/** The known folders between items and roots. */
class Places {
  readonly #items: readonly Located[]
  readonly #lookup: Lookup
  /** Folders by id; undefined for an invisible one. */
  readonly #folders: Map<string, Located | undefined>
  /** Path prefixes, by the id of the folder at their end. */
  readonly #starts: Map<string, string>

  constructor(items: readonly Located[], lookup: Lookup) {
    this.#items = items
    this.#lookup = lookup
    this.#folders = new Map(items.filter(({ mimeType }) => mimeType === folderType).map((item) => [item.id, item]))
    this.#starts = new Map(lookup.known.map(({ id, path }) => [id, path === '' ? '' : `${path}/`]))
  }

  pathOf(item: Located): [id: string, path: string][] {
    const way = this.#climb(item)
    return typeof way === 'string' ? [[item.id, way]] : []
  }

  async look(scope: CallScope): Promise<void> {
    if (this.#gaps().some(({ driveId }) => driveId === undefined)) {
      const root = await this.#lookup.paths.rootId(scope)
      if (root !== undefined) this.#starts.set(root, '').set(noFolder, `${sharedWithMe}/`)
    }
    await Promise.all([this.#nameDrives(scope), this.#listFolders(scope)])
    for (let level = 0; level < maxLevels; level += 1) await this.#readFolders(scope)
  }

  async #nameDrives(scope: CallScope): Promise<void> {
    if (!this.#gaps().some(({ driveId }) => driveId !== undefined && !this.#starts.has(driveId))) return
    const shared = await listSharedDrives(this.#lookup.drive, scope)
    for (const { id, name } of 'drives' in shared ? shared.drives : []) this.#starts.set(id, `${name}/`)
  }

  async #listFolders(scope: CallScope): Promise<void> {
    const gaps = this.#gaps().filter(isReadable)
    if (gaps.length === 0) return
    const [driveId, ...others] = new Set(gaps.map((gap) => gap.driveId))
    const own: Corpus = driveId === undefined ? { in: 'user' } : { in: 'drive', driveId }
    const corpora = [others.length === 0 ? own : ({ in: 'allDrives' } as const)]
    const query = allOf(notTrashed, hasAnyType(['folder']))
    const { items } = await listAll(this.#lookup.drive, { query, corpora, limit: maxListed, fields: placeFields, maxPages: 1 }, scope)
    for (const folder of items) this.#folders.set(folder.id, folder)
  }

  async #readFolders(scope: CallScope): Promise<void> {
    const ids = [...new Set(this.#gaps().flatMap((gap) => (isReadable(gap) ? (gap.folder ?? []) : [])))].slice(0, maxBatch)
    const folders = await getItems(this.#lookup.drive, { ids, item: DriveItem, fields: placeFields }, scope)
    for (const [index, id] of ids.entries()) {
      const folder = folders[index]
      this.#folders.set(id, folder instanceof ToolError ? undefined : folder)
    }
  }

  #gaps(): readonly Gap[] {
    return this.#items.map((item) => this.#climb(item)).filter((way) => typeof way !== 'string')
  }

  /** An item's path, or the first unknown folder above it. */
  #climb(item: Located): string | Gap {
    const names: string[] = []
    let current = item
    while (names.length < maxDepth) {
      names.unshift(current.name)
      const { driveId, ownedByMe } = current
      const folder = current.parents[0] ?? (driveId === undefined && ownedByMe !== true ? noFolder : undefined)
      const start = folder === undefined ? undefined : this.#starts.get(folder)
      if (start !== undefined) return start + names.join('/')
      const next = folder === undefined ? undefined : this.#folders.get(folder)
      if (!next) return { folder: folder === undefined || this.#folders.has(folder) ? undefined : folder, driveId }
      current = next
    }
    return { folder: undefined, driveId: undefined }
  }
}

/** True if reading the folder can fill a gap. The root of a shared drive gets its name from the list of drives. */
function isReadable({ folder, driveId }: Gap): boolean {
  return folder !== undefined && folder !== noFolder && folder !== driveId
}
