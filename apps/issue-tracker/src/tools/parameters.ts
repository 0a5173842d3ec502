import { InvalidInput, type Message } from '@mcp-toolkits/core/errors'
import { describe, withJsonSchema } from '@mcp-toolkits/core/tool'
import * as z from 'zod'

/** Maximum length, in UTF-16 code units, of a title or name; Linear documents no limit. */
const maxName = 1_000
/** Maximum length of a reference: an id, a name or a URL. */
export const maxReference = 2_048
/** Maximum length of Markdown text. */
const maxMarkdown = 1_048_576
/** Maximum length of search words to accept; words that do not fit into one search are refused as `too_large`. */
const maxSearch = 1_000_000

/** Parameters shared by several tools, with their descriptions. */
export const limit = z.int().min(1).max(50).default(20).describe('Page size.')
export const longLimit = z.int().min(1).max(100).default(50).describe('Page size.')
export const endCursor = z.string().max(maxReference).optional().describe('end_cursor from the previous page.')
export const autoAccept = z.boolean().default(false).describe('Accept a close match (over 90% similar).')

/** A day, checked against the calendar. */
export const day = (description = 'YYYY-MM-DD.') =>
  withJsonSchema(z.iso.date('must be an existing date in the format YYYY-MM-DD'), {
    type: 'string',
    format: 'date',
    description,
  })

/** Text that is not blank. No pattern is published, because models know that text must not be empty. */
const nonBlank = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => /\S/.test(text), 'must not be empty')
export const reference = (meaning: string | Message) => describe(nonBlank(maxReference), meaning)
export const issueReference = reference('ENG-12, id or URL.')
export const projectReference = reference('Id, slug, URL or name.')

/** One of the given words, or a name chosen in the workspace, which no schema can know. */
export const wordOrName = (words: readonly string[], description: string) =>
  withJsonSchema(nonBlank(maxReference), { description, type: 'string', enum: [...words] })

interface StateWords<State extends string> {
  readonly active: readonly State[]
  readonly closed: readonly State[]
}

/** The state in a list's filter, or a word for several states. All states that are not closed are open. */
export function stateParameter<const State extends string>(
  states: readonly State[],
  words: StateWords<NoInfer<State>>,
  description: string,
) {
  const all = { ...words, open: states.filter((state) => !words.closed.includes(state)) }
  const isWord = (state: string): state is keyof typeof all => Object.hasOwn(all, state)
  return {
    parameter: z
      .enum([...states, 'open', 'active', 'closed'])
      .optional()
      .describe(description),
    /** The states that a filter names. */
    statesIn: (state: State | keyof typeof all): readonly State[] => (isWord(state) ? all[state] : [state]),
    /** The states that text names; undefined if it names none. */
    statesNamed(text: string): readonly State[] | undefined {
      const only = states.filter((state) => state === text)
      return isWord(text) ? all[text] : only.length > 0 ? only : undefined
    },
  }
}

export const createdAfter = day('On or after this day, YYYY-MM-DD.').optional()

export const includeFlag = (meaning: string | Message) => describe(z.boolean().default(true), meaning)

/** Words to search for. White space alone is rejected, because it would not filter at all. */
export const keywords = (meaning: string) =>
  z
    .string()
    .max(maxSearch)
    .refine((text) => /\S/.test(text), 'must contain a word')
    .optional()
    .describe(meaning)

/** Parameters for tools that write. */
export const title = (meaning: string) => nonBlank(maxName).describe(meaning)
export const markdown = (description = 'In Markdown.') => z.string().max(maxMarkdown).describe(description)
export const body = (description = 'In Markdown.') => nonBlank(maxMarkdown).describe(description)
export const references = (meaning: string) => z.array(nonBlank(maxReference)).max(50).describe(meaning)
export const points = z.int().describe("Points on the team's scale.")
export const dueDate = day()
export const pageUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(maxReference)
  .describe('Any http(s) URL.')
export const pageTitle = nonBlank(maxReference).describe('The URL if omitted.')
export const titleWithoutUrl = () => new InvalidInput('"attachment_title" needs an "attachment_url".')

/** The result field for facts that the caller might otherwise miss. */
export const noticesField = { notices: z.array(z.string()).optional() } as const
