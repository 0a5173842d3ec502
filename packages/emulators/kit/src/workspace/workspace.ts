import type { HtmlEscapedString } from 'hono/utils/html'

/** A component's output, in which stored text is escaped. */
export type Content = HtmlEscapedString | Promise<HtmlEscapedString>

/** A browser view of an emulator's data; pages update themselves. */
export interface Workspace {
  /** Links at the top of every page. */
  readonly sections: readonly Section[]
  readonly pages: readonly WorkspacePage[]
  /** Text that changes with each change to the pages' data. Read several times a second. */
  readonly revision: () => string
  /** The newest change, for the status line; undefined if there is none. */
  readonly latestChange: () => Change | undefined
}

export interface Section {
  /** Path under `/workspace`. */
  readonly path: string
  readonly label: string
}

export interface WorkspacePage {
  /** A route under `/workspace`, such as `/issue/:identifier`. */
  readonly path: string
  /** Content of the page; undefined if it does not exist, and a response if it is not a page. */
  readonly show: (request: PageRequest) => View | Response | undefined | Promise<View | Response | undefined>
}

export interface PageRequest {
  /** A part of the path; empty if absent. */
  readonly part: (name: string) => string
  /** A query parameter; undefined if absent or empty. */
  readonly query: (name: string) => string | undefined
}

/** The content of one page. */
export interface View {
  readonly title: string
  /** The path of the page's section. */
  readonly section?: string
  /** The log that the page shows and follows; by default, it follows the data. */
  readonly follows?: 'requests' | 'calls' | 'tasks'
  /** True if a form on the page changes something. The referrer policy then lets browsers send the form's origin. */
  readonly hasForm?: boolean
  readonly content: Content
}

/** A change made by a call. */
export interface Change {
  /** ISO 8601. */
  readonly at: string
  /** The vendor API's operation, such as `issueUpdate`. */
  readonly operation: string
  /** The tool that called the operation; null if the program names none. */
  readonly call: string | null
  readonly subject: string
}

/** Maximum number of rows that a list shows at a time. */
export const pageSize = 50
