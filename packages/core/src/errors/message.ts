import { isObject, member } from '../base/json.ts'

/** A mention that each surface spells its own way: a client sees advertised tool names, a program sees its own options. */
export type Mention =
  /** The canonical name of a tool, `IssueTracker.ListTeams`. */
  | { readonly tool: string }
  /** A tool's canonical name. Marks a sentence for callers without the tool. */
  | { readonly without: string }
  /** A command-line option, `--read-only`. */
  | { readonly option: string }
  /** An environment variable, `ISSUE_TRACKER_API_KEY`. */
  | { readonly variable: string }
  /** A command of the server, `issue-tracker-mcp login`. */
  | { readonly command: string }
  /** The sentence's only audience. */
  | { readonly audience: Audience }

/** The `others` share the operator's server, and see no paths or environment variables of its machines. */
export type Audience = 'operator' | 'others'

/** One surface's way of spelling mentions. */
export interface Spelling {
  /** Undefined for a tool that this server does not offer. */
  readonly tool: (canonical: string) => string | undefined
  readonly option: (name: string) => string
  readonly variable: (name: string) => string
  /** The message's reader; if absent, the operator, who may be the caller. */
  readonly audience?: Audience
  /** A command as the reader types it, unchanged if absent; undefined for a reader who has no command line. */
  readonly command?: (line: string) => string | undefined
}

/** Mentions as written in code and documentation. */
export const canonicalSpelling: Spelling = { tool: (name) => name, option: (name) => name, variable: (name) => name }

type Part = string | Mention
type Sentence = readonly Part[]

/**
 * Text for a person or a model. Mentions in it are data, so they are spelled when the text is shown, and a vendor's text is never mistaken
 * for a mention. A sentence is omitted if it mentions a tool that is not offered, or if it is meant for callers without a tool that is
 * offered.
 */
export class Message {
  readonly #sentences: readonly Sentence[]

  private constructor(sentences: readonly Sentence[]) {
    this.#sentences = sentences.filter((parts) => parts.some((part) => part !== ''))
  }

  /** Joins texts into one message; a string counts as one sentence without mentions. */
  static of(...texts: readonly (string | Message)[]): Message {
    return new Message(texts.flatMap((text) => (typeof text === 'string' ? [[text]] : text.#sentences)))
  }

  /** One sentence. A message among the parts is inserted in its place. */
  static sentence(parts: readonly (Part | Message)[]): Message {
    return new Message([parts.flatMap((part) => (part instanceof Message ? part.#inline() : [part]))])
  }

  /** Text for the operator, and different text for everyone else. */
  static split(operator: string | Message, others: string | Message): Message {
    const marked = (audience: Audience, text: string | Message) => Message.of(text).#sentences.map((parts) => [{ audience }, ...parts])
    return new Message([...marked('operator', operator), ...marked('others', others)])
  }

  /** True if part of the message is only for the operator. */
  get isSplit(): boolean {
    return this.#sentences.flat().some((part) => typeof part === 'object' && 'audience' in part)
  }

  /** True if the message names an environment variable, which only the operator can change. */
  get isAboutSettings(): boolean {
    return this.#sentences.some(isAboutSettings)
  }

  /** The message that `toJSON` wrote; undefined for anything else. */
  static fromJson(value: unknown): Message | undefined {
    if (!Array.isArray(value)) return undefined
    const sentences: unknown[] = value
    return sentences.every(isSentence) ? new Message(sentences) : undefined
  }

  /** The text, spelled for one surface. */
  render(spelling: Spelling = canonicalSpelling): string {
    // An application that embeds a server spells variables as its own options, which reveal nothing about the machine.
    const hidesVariables = spelling.audience === 'others' && spelling.variable === canonicalSpelling.variable
    const sentences = hidesVariables ? this.#sentences.map(withoutVariables) : this.#sentences
    const texts = sentences
      .map((parts) => parts.map((part) => (typeof part === 'string' ? part : spell(part, spelling))))
      .filter((parts) => !parts.includes(undefined))
      .map((parts) => parts.join(''))
    return texts.filter((text, index) => text !== checkSettings || texts.indexOf(text) === index).join(' ')
  }

  /** This message with more sentences appended. */
  and(...more: readonly (string | Message)[]): Message {
    return Message.of(this, ...more)
  }

  /** The message with each text replaced by `change`; mentions are not changed. */
  map(change: (text: string) => string): Message {
    return new Message(this.#sentences.map((parts) => parts.map((part) => (typeof part === 'string' ? change(part) : part))))
  }

  toString(): string {
    return this.render()
  }

  /** The sentences as data, for storage. */
  toJSON(): readonly Sentence[] {
    return this.#sentences
  }

  #inline(): Part[] {
    return this.#sentences.flatMap((parts, index) => (index === 0 ? parts : [' ', ...parts]))
  }
}

/**
 * One sentence: `` sentence`Call ${{ tool: 'IssueTracker.ListTeams' }} to see them.` ``. Interpolated strings are never read as
 * mentions.
 */
export function sentence(strings: TemplateStringsArray, ...values: readonly (string | number | Mention | Message)[]): Message {
  return Message.sentence(
    strings.flatMap((text, index) => {
      const value = values[index]
      return value === undefined ? [text] : [text, typeof value === 'number' ? String(value) : value]
    }),
  )
}

const checkSettings = 'Ask the operator of this server to check its settings.'

const isAboutSettings = (parts: Sentence) => parts.some((part) => (typeof part === 'string' ? namesVariable(part) : 'variable' in part))

/** True if text names a variable shared by all servers. Quotations do not count, because they are someone else's text. */
const namesVariable = (text: string) => /\bMCP_TOOLKITS_[A-Z]/.test(text.replaceAll(/"[^"]*"/g, ''))

/** A replaced sentence keeps its audience. */
function withoutVariables(parts: Sentence): Sentence {
  return isAboutSettings(parts) ? [...parts.filter((part) => typeof part === 'object' && 'audience' in part), checkSettings] : parts
}

/** A command as one reader types it. */
export const spellCommand = (line: string, { command = (typed) => typed }: Spelling): string | undefined => command(line)

function spell(mention: Mention, spelling: Spelling): string | undefined {
  if ('tool' in mention) return spelling.tool(mention.tool)
  if ('without' in mention) return spelling.tool(mention.without) === undefined ? '' : undefined
  if ('command' in mention) return spellCommand(mention.command, spelling)
  if ('audience' in mention) return mention.audience === (spelling.audience ?? 'operator') ? '' : undefined
  return 'option' in mention ? spelling.option(mention.option) : spelling.variable(mention.variable)
}

function isSentence(value: unknown): value is Sentence {
  return Array.isArray(value) && value.every((part) => typeof part === 'string' || isMention(part))
}

function isMention(value: unknown): value is Mention {
  return (
    isObject(value) &&
    ['tool', 'without', 'option', 'variable', 'command', 'audience'].some((kind) => typeof member(value, kind) === 'string')
  )
}
