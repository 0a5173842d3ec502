import type { PathScope, PathItem } from '../../src/paths/find.ts'
import type { Row, Tree } from './tree.ts'

export interface SearchOptions {
  /** Most rows that one request gives. */
  readonly pageSize?: number
  /** Whether a search over everything says that it did not look everywhere. */
  readonly isIncomplete?: () => boolean
  /** Whether a search over everything passes over a row without a word. */
  readonly loses?: (row: Row) => boolean
  /** Most names in one search. */
  readonly mostNames?: number
  /** Whether the topmost folder may be read. */
  readonly rootReadable?: boolean
  /** Whether shortcuts lead to folders that are not there too. */
  readonly dangling?: boolean
}

export interface Searches extends PathScope<PathItem> {
  /** Requests so far, without those for the id of the topmost folder. */
  readonly requests: () => number
}

/** A tree as Google Drive lets one search it: names are compared ignoring case, and answers come in pages. */
export function searches({ rootId, rows }: Tree, options: SearchOptions = {}): Searches {
  const {
    pageSize = 1000,
    isIncomplete = () => false,
    loses = () => false,
    mostNames = Infinity,
    rootReadable = true,
    dangling = false,
  } = options
  const folders = new Set([rootId, ...rows.filter(({ kind }) => kind === 'folder').map(({ id }) => id)])
  const standing = rows.filter(({ trashed }) => !trashed)
  let requests = 0

  const item = ({ id, name, parent, kind, target }: Row): PathItem => {
    const leadsInto = kind === 'folder' ? id : target !== undefined && (dangling || folders.has(target)) ? target : undefined
    return {
      id,
      name,
      kind,
      parents: parent === rootId && !rootReadable ? [] : [parent],
      ...(leadsInto !== undefined && { opensFolder: leadsInto }),
    }
  }
  const isOneOf = (names: readonly string[]) => {
    const wanted = new Set(names.map((name) => name.toLowerCase()))
    return ({ name }: Row) => wanted.has(name.toLowerCase())
  }
  const childrenOf = (folder: string) => standing.filter(({ parent }) => parent === (folder === 'root' ? rootId : folder))

  return {
    name: 'My Drive',
    root: 'root',
    rootId: () => Promise.resolve(rootReadable ? rootId : undefined),
    fitsOneSearch: (names) => names.length <= mostNames,
    findByName(names) {
      requests += 1
      const found = standing.filter((row) => isOneOf(names)(row) && !loses(row))
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
