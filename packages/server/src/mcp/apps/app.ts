/** A page that a host shows instead of a tool's result, which is complete without the page. */
export interface App {
  /** The last part of the page's address: `ui://issue-tracker/board`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** Tools whose results the page shows, without their prefix. */
  readonly shows: readonly string[]
  /** Tools that the page calls, also without their prefix. The page also works if the server lacks some of them. */
  readonly calls: readonly string[]
  /** A single HTML page that loads nothing. */
  readonly load: () => Promise<{ readonly html: string }>
}
