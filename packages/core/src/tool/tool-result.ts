/** The content of a file: it is passed beside a result, not in it. */
export interface FileContent {
  /** Identifies the content; nothing is fetched from it. */
  readonly uri: string
  readonly mimeType: string
  readonly bytes: Uint8Array
  /** True for a picture that the model looks at; all other content is for the person. */
  readonly isPicture?: true
}

/** A page for the person to open. The result contains its address too, for clients without elicitation. */
export interface UrlElicitation {
  readonly url: string
  /** Message for the person before they open it: who asks, and for what. */
  readonly message: string
}

/** A page of a list that can be left at any of its rows. Takes the rows that were read; `cursorAt` continues behind `count` of those that are left. */
export type Page = (rows: readonly unknown[]) => {
  /** Those that no earlier result has shown. */
  readonly rows: readonly unknown[]
  readonly cursorAt: (count: number) => string
}

/** Parts of a result beside its data. */
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

/** The result of a tool that returns the content of a file. */
export function withContent<Data>(data: Data, content: FileContent): ToolResult<Data> {
  return new ToolResult(data, { content })
}

/** The result of a tool that needs the person to open a page. */
export function withUrlElicitation<Data>(data: Data, urlElicitation: UrlElicitation): ToolResult<Data> {
  return new ToolResult(data, { urlElicitation })
}
