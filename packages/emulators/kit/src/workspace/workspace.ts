import type { HtmlEscapedString } from 'hono/utils/html'

/** Output of a component; stored text in it is escaped. */
export type Content = HtmlEscapedString | Promise<HtmlEscapedString>

/** View of an emulator's data in a browser; pages update themselves. */
export interface Workspace {
  /** Links at the top of every page. */
  readonly sections: readonly Section[]
  readonly pages: readonly WorkspacePage[]
  /** A text that differs after each change of the pages' data. Read several times a second. */
  readonly revision: () => string
  /** The newest change, for the status line; undefined when there is none. */
  readonly latestChange: () => Change | undefined
}

export interface Section {
  /** Below `/workspace`. */
  readonly path: string
  readonly label: string
}

export interface WorkspacePage {
  /** A route below `/workspace`, such as `/issue/:identifier`. */
  readonly path: string
  /** Content of the page; undefined if it does not exist, and a response if it is not a page. */
  readonly show: (request: PageRequest) => View | Response | undefined | Promise<View | Response | undefined>
}

export interface PageRequest {
  /** A part of the path; empty when absent. */
  readonly part: (name: string) => string
  /** A parameter of the query; undefined when absent or empty. */
  readonly query: (name: string) => string | undefined
}

/** The content of one page. */
export interface View {
  readonly title: string
  /** The path of the section that it belongs to. */
  readonly section?: string
  /** The log that it shows and whose rows it follows; the data by default. */
  readonly follows?: 'requests' | 'calls' | 'tasks'
  /** True if a form on it changes something. Browsers send a form with its origin only if they may name the page. */
  readonly hasForm?: boolean
  readonly content: Content
}

/** Something that a call has changed. */
export interface Change {
  /** ISO 8601. */
  readonly at: string
  /** The operation of the vendor's API, such as `issueUpdate`. */
  readonly operation: string
  /** The tool that called it; null if the program names none. */
  readonly call: string | null
  readonly subject: string
}

/** The most rows that a list shows at a time. */
export const pageSize = 50
