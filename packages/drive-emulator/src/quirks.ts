/** What Drive does at times and a test wants to see every time. */
export interface Quirks {
  /** Rows are lost when a query has alternatives of `in parents`. */
  dropsRowsOfParentQueries: boolean
  /** Pages hold fewer rows than they could, the first one none. */
  shortPages: boolean
  /** Lists and searches say that they are incomplete. */
  incompleteSearch: boolean
  /** How long lists and searches do not see a new item or a change, in milliseconds. */
  indexLag: number
  /** How many of the next chunks of an upload are stored only in part. */
  partialChunks: number
  /** How much of such a chunk is stored, in bytes. */
  partialBytes: number
  /** Errors have no list of errors, only the newer ErrorInfo. */
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
