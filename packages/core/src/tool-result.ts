/** What a file holds, for the person and not for the model: it goes beside a result, not into it. */
export interface FileContent {
  /** Names it; nothing is fetched from there. */
  readonly uri: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** A page that the person is to open. Its address stands in the result too, for clients that cannot ask their person. */
export interface UrlElicitation {
  readonly url: string
  /** What the person is told before they open it: who asks, and what for. */
  readonly message: string
}

/** What a result may bring for the person. */
export interface UserContent {
  readonly content?: FileContent
  readonly urlElicitation?: UrlElicitation
}

/** A result together with something for the person; what `withContent` and `withVisit` make. */
export class ToolResult<Data> {
  readonly data: Data
  readonly userContent: UserContent

  constructor(data: Data, forPerson: UserContent) {
    this.data = data
    this.userContent = forPerson
  }
}

/** What a tool returns that hands out content: its data, and the content beside it. */
export function withContent<Data>(data: Data, content: FileContent): ToolResult<Data> {
  return new ToolResult(data, { content })
}

/** What a tool returns that needs the person to open a page: its data, and the page that a client can offer to open. */
export function withUrlElicitation<Data>(data: Data, visit: UrlElicitation): ToolResult<Data> {
  return new ToolResult(data, { urlElicitation: visit })
}
