/** A page that a host shows instead of a tool's result, which is complete without it. */
export interface App {
  /** The last part of its address: `ui://issue-tracker/board`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** The tools whose results it shows, without their prefix. */
  readonly shows: readonly string[]
  /** The tools that it calls, likewise. It does without those that the server lacks. */
  readonly calls: readonly string[]
  /** One page of HTML that loads nothing. */
  readonly load: () => Promise<{ readonly html: string }>
}
