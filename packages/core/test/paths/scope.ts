import type { PathScope, PathItem } from '../../src/references/paths/find.ts'
import type { TreeItem, Tree } from './tree.ts'

export interface ScopeOptions {
  /** Maximum rows that one request returns. */
  readonly pageSize?: number
  /** True if a search over everything reports that it is incomplete. */
  readonly isIncomplete?: () => boolean
  /** True if a search over everything silently skips the row. */
  readonly skips?: (row: TreeItem) => boolean
  /** Maximum names that one search can ask for. */
  readonly maxNames?: number
  /** True if the root can be read. */
  readonly isRootReadable?: boolean
  /** True if shortcuts also lead to folders that do not exist. */
  readonly dangling?: boolean
}

export interface CountingScope extends PathScope<PathItem> {
  /** Number of requests so far, not counting those for the root's id. */
  readonly requests: () => number
}

/** A tree as Google Drive lets one search it: names are compared ignoring case, and answers come in pages. */
export function createScope({ rootId, rows }: Tree, options: ScopeOptions = {}): CountingScope {
  const {
    pageSize = 1000,
    isIncomplete = () => false,
    skips = () => false,
    maxNames = Infinity,
    isRootReadable = true,
    dangling = false,
  } = options
  const folders = new Set([rootId, ...rows.filter(({ kind }) => kind === 'folder').map(({ id }) => id)])
  const present = rows.filter(({ trashed }) => !trashed)
  let requests = 0

  const item = ({ id, name, parent, kind, target }: TreeItem): PathItem => {
    const leadsInto = kind === 'folder' ? id : target !== undefined && (dangling || folders.has(target)) ? target : undefined
    return {
      id,
      name,
      kind,
      parents: parent === rootId && !isRootReadable ? [] : [parent],
      ...(leadsInto !== undefined && { folderId: leadsInto }),
    }
  }
  const isOneOf = (names: readonly string[]) => {
    const wanted = new Set(names.map((name) => name.toLowerCase()))
    return ({ name }: TreeItem) => wanted.has(name.toLowerCase())
  }
  const childrenOf = (folder: string) => present.filter(({ parent }) => parent === (folder === 'root' ? rootId : folder))

  return {
    name: 'My Drive',
    root: 'root',
    rootId: () => Promise.resolve(isRootReadable ? rootId : undefined),
    fitsOneSearch: (names) => names.length <= maxNames,
    findByName(names, alsoFind) {
      requests += 1
      const all = alsoFind === undefined ? names : [...names, alsoFind]
      const found = present.filter((row) => isOneOf(all)(row) && !skips(row))
      return Promise.resolve(found.length > pageSize || isIncomplete() ? undefined : found.map(item))
    },
    findChildren(folder, names) {
      const found = childrenOf(folder).filter(isOneOf(names))
      if (folder !== 'root' && !folders.has(folder)) return Promise.resolve(undefined)
      requests += Math.max(1, Math.ceil(found.length / pageSize))
      return Promise.resolve(found.map(item))
    },
    listChildren(folder) {
      requests += 1
      return Promise.resolve(childrenOf(folder).slice(0, pageSize).map(item))
    },
    describe: ({ parents }) => `in ${parents.join(' and ')}`,
    requests: () => requests,
  }
}
