/** What a file holds, for the person and not for the model: it goes beside a result, not into it. */
export interface Content {
  /** Names it; nothing is fetched from there. */
  readonly uri: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** A result together with content; what `withContent` makes. */
export class WithContent<Data> {
  readonly data: Data
  readonly content: Content

  constructor(data: Data, content: Content) {
    this.data = data
    this.content = content
  }
}

/** What a tool returns that hands out content: its data, and the content beside it. */
export function withContent<Data>(data: Data, content: Content): WithContent<Data> {
  return new WithContent(data, content)
}
