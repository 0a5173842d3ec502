/** A reference, the names that exist, and the expected result. */
export interface EvaluationCase {
  readonly reference: string
  readonly names: readonly string[]
  /** `nothing`: none may be accepted or proposed as the fix. */
  readonly expect: { readonly first: string; readonly autoAccept: boolean } | 'nothing'
}
