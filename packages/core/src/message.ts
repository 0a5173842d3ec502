/** A mention that each surface spells in its own way: a client sees advertised tool names, a program sees its own options. */
export type Reference =
  /** The canonical name of a tool, `IssueTracker.ListTeams`. */
  | { readonly tool: string }
  /** A command-line option, `--read-only`. */
  | { readonly option: string }
  /** An environment variable, `ISSUE_TRACKER_API_KEY`. */
  | { readonly variable: string }

/** How one surface spells references. */
export interface Spelling {
  /** Undefined for a tool that this server does not offer. */
  readonly tool: (canonical: string) => string | undefined
  readonly option: (name: string) => string
  readonly variable: (name: string) => string
}

/** References as they are written in code and documentation. */
export const canonicalSpelling: Spelling = { tool: (name) => name, option: (name) => name, variable: (name) => name }

/**
 * A text for a person or a model in which references are data, so that they are spelled when the text is shown and no text of a vendor
 * is ever mistaken for one. It is made of sentences: one that mentions a tool which is not offered is left out.
 */
export class Message {
  readonly #sentences: readonly (readonly (string | Reference)[])[]

  constructor(sentences: readonly (readonly (string | Reference)[])[]) {
    this.#sentences = sentences
  }

  /** The text, spelled for one surface. */
  render(spelling: Spelling = canonicalSpelling): string {
    return this.#sentences
      .map((parts) => parts.map((part) => (typeof part === 'string' ? part : spelled(part, spelling))))
      .filter((parts) => !parts.includes(undefined))
      .map((parts) => parts.join(''))
      .join(' ')
  }

  /** This message with further sentences behind it. */
  and(...more: readonly (string | Message)[]): Message {
    return messageOf(this, ...more)
  }

  toString(): string {
    return this.render()
  }

  /** One message of several. */
  static of(...messages: readonly (string | Message)[]): Message {
    return new Message(
      messages.flatMap((one) => (one instanceof Message ? one.#sentences : [[one]])).filter((parts) => parts.some((part) => part !== '')),
    )
  }
}

/** One message of several; a string counts as one sentence. */
export const messageOf = Message.of.bind(Message)

/** One sentence: `` sentence`Call ${{ tool: 'IssueTracker.ListTeams' }} to see them.` ``. Interpolated texts are never read as references. */
export function sentence(strings: TemplateStringsArray, ...values: readonly (string | number | Reference)[]): Message {
  const parts = strings.flatMap((text, index) => {
    const value = values[index]
    return value === undefined ? [text] : [text, typeof value === 'number' ? String(value) : value]
  })
  return new Message([parts])
}

function spelled(reference: Reference, spelling: Spelling): string | undefined {
  if ('tool' in reference) return spelling.tool(reference.tool)
  return 'option' in reference ? spelling.option(reference.option) : spelling.variable(reference.variable)
}
