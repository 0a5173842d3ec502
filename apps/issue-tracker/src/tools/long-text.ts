import { fittingLength, InvalidInput } from '@mcp-toolkits/core/errors'
import * as z from 'zod'

/** Maximum length, in code points, of a description in a record. */
const maxDescription = 5_000

/** Lengths are counted in code points, so that no character is split. */
export const ShortDescription = z.object({
  description: z.string().optional(),
  truncated: z.boolean().optional().describe('Whether the description is longer than the text here.'),
  total_characters: z.number().optional().describe('Length of the whole description, if truncated.'),
})

interface LongText {
  readonly content?: string | null | undefined
  readonly description?: string | null | undefined
}

/** A record with its long text, shortened. Linear stores the long text as `content` and a short one as `description`. */
export function withShortDescription<Record extends LongText>(
  record: Record,
): Omit<Record, 'content' | 'description'> & z.output<typeof ShortDescription> {
  const { content, description, ...rest } = record
  const text = content ?? description ?? ''
  const points = Array.from(text)
  if (points.length <= maxDescription) return text === '' ? rest : { ...rest, description: text }
  return { ...rest, description: points.slice(0, maxDescription).join(''), truncated: true, total_characters: points.length }
}

export const chunkParameters = {
  offset: z.int().min(0).default(0).describe('next_offset from the previous part.'),
  limit: z.int().min(1).max(20_000).default(5_000).describe('How many characters.'),
}

export const Chunk = z.object({
  text: z.string(),
  offset: z.number(),
  next_offset: z.number().nullable(),
  total_characters: z.number(),
})

/** Maximum length, in bytes, of a piece of text as JSON, so that a result has room for everything else. */
const maxChunkBytes = 70_000

/** A piece of text, cut to what fits in a result. Throws `InvalidInput` for an offset beyond its end. */
export function chunkOf(text: string | null | undefined, offset: number, limit: number): z.output<typeof Chunk> {
  const points = Array.from(text ?? '')
  const total = points.length
  if (offset > total) {
    // Restarting at 0 would make a caller who keeps reading loop endlessly.
    throw new InvalidInput(`offset ${offset} is beyond the end: the description has ${total} characters, so nothing is left to read.`, {
      suggestions: [{ value: String(Math.max(0, total - limit)), parameter: 'offset', confidence: 0.5 }],
    })
  }
  const end = Math.min(total, offset + limit, offset + fittingLength(points.slice(offset, offset + limit), maxChunkBytes))
  return { text: points.slice(offset, end).join(''), offset, next_offset: end < total ? end : null, total_characters: total }
}

/**
 * Maximum length of a summary. Linear stores two texts for a project or an initiative: `description`, a line of at most 255 characters, and
 * `content`, the document. How it counts is undocumented, so we count in the strictest way: in UTF-16 code units.
 */
const maxSummary = 255

/** A new record's texts; a single short line needs no document. */
export function newTextFields(text: string): { readonly description: string; readonly content?: string } {
  return isSummary(text) ? { description: text } : changedTextFields(text)
}

/** The texts of a record that may have a document: the document is always written, because reads look at it first. */
export function changedTextFields(text: string): { readonly description: string; readonly content: string } {
  return { description: isSummary(text) ? text : summaryOf(text), content: text }
}

function isSummary(text: string): boolean {
  return text.length <= maxSummary && !/[\n\r]/.test(text)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The first line with any text, without heading marks; truncated between characters, never within one. */
function summaryOf(text: string): string {
  const [line = ''] = /\S[^\n\r]*/.exec(text) ?? []
  const plain = line.replace(/^#{1,6}\s+/, '').trim()
  if (plain.length <= maxSummary) return plain
  let summary = ''
  for (const { segment } of graphemes.segment(plain.slice(0, 2 * maxSummary))) {
    if (summary.length + segment.length + 1 > maxSummary) break
    summary += segment
  }
  return `${summary.trimEnd()}…`
}

/** Text with real line breaks, and a notice if the line breaks were added. */
export interface MarkdownText {
  readonly text: string
  readonly notice?: string
}

/** Contexts in which a backslash and an n can be literal: inline code, formulas, quoted words and Windows paths. */
const literal = [/(?<!`)`(?!`)[^`]+`(?!`)/, /\$(?!\s)[^$]+?(?<!\s)\$(?!\d)/, /"[^\s"]*"/, /(?<![A-Za-z])[A-Za-z]:\\\S*/, /\\\\\S+/]
const literalOrBreak = new RegExp([...literal.map(({ source }) => source), String.raw`(?:(?:\\r)?\\n)`].join('|'), 'g')

/**
 * Fixes text in which every line break arrived as a backslash and an n, which Linear would show on one line. Inline code, formulas, quoted
 * words and Windows paths stay unchanged.
 */
export function withLineBreaks(text: string): MarkdownText {
  if (/[\n\r]/.test(text)) return { text }
  const fixed = text.replaceAll(literalOrBreak, (part) => (/^(?:\\r)?\\n$/.test(part) ? '\n' : part))
  if (fixed === text) return { text }
  return {
    text: fixed,
    notice: 'Each literal "\\n" in the text was turned into a line break. To keep a backslash and an n, put them in backticks.',
  }
}
