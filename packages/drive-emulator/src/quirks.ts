/** Behaviour that Drive shows occasionally and tests can switch on. */
export interface Quirks {
  /** Drops rows of queries that combine `in parents` with `or`. */
  dropsRowsOfParentQueries: boolean
  /** Returns short pages, the first one empty. */
  shortPages: boolean
  /** Reports incompleteSearch. */
  incompleteSearch: boolean
  /** Delay before lists show a change, in milliseconds. */
  indexLag: number
  /** Number of upcoming chunks that are stored only in part. */
  partialChunks: number
  /** Bytes of such a chunk that are stored. */
  partialBytes: number
  /** Errors carry only ErrorInfo, without the list of errors. */
  newerErrors: boolean
}

export const noQuirks: Quirks = {
  dropsRowsOfParentQueries: false,
  shortPages: false,
  incompleteSearch: false,
  indexLag: 0,
  partialChunks: 0,
  partialBytes: 262_144,
  newerErrors: false,
}
