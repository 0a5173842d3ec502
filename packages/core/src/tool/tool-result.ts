/** A file's content, passed alongside a result instead of inside it. */
export interface FileContent {
  /** Identifies the content; nothing is fetched from it. */
  readonly uri: string
  readonly mimeType: string
  readonly bytes: Uint8Array
  /** True for an image that the model looks at; all other content is for the person. */
  readonly isPicture?: true
}

/** A page for the person to open. The result also contains its address, for clients without elicitation. */
export interface UrlElicitation {
  readonly url: string
  /** Message for the person before they open the page: who is asking, and for what. */
  readonly message: string
}

/**
 * A page of a list that can be cut off at any row. Takes the rows read; `cursorAt` is the cursor after the first `count` of the returned
 * rows.
 */
export type Page = (rows: readonly unknown[]) => {
  /** Rows that no earlier result has shown. */
  readonly rows: readonly unknown[]
  readonly cursorAt: (count: number) => string
}

/** Parts of a result other than its data. */
export interface UserContent {
  readonly content?: FileContent
  readonly urlElicitation?: UrlElicitation
  readonly page?: Page
}

/** A result with user content; made by `withContent` and `withUrlElicitation`. */
export class ToolResult<Data> {
  readonly data: Data
  readonly userContent: UserContent

  constructor(data: Data, userContent: UserContent) {
    this.data = data
    this.userContent = userContent
  }
}

/** A result with a file's content. */
export function withContent<Data>(data: Data, content: FileContent): ToolResult<Data> {
  return new ToolResult(data, { content })
}

/** A result that asks the person to open a page. */
export function withUrlElicitation<Data>(data: Data, urlElicitation: UrlElicitation): ToolResult<Data> {
  return new ToolResult(data, { urlElicitation })
}
