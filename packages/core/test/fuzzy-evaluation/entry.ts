/** One question to the ranking: what was written, what there is, and what must come of it. */
export interface Entry {
  readonly wanted: string
  readonly among: readonly string[]
  /** `nothing`: none may be accepted, and none is near enough to be proposed as the fix. */
  readonly expect: { readonly first: string; readonly autoAccept: boolean } | 'nothing'
}
