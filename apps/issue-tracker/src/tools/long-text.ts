import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'

/** Longest description that a record carries, in code points. */
const longest = 5_000

/** Descriptions are counted in code points: no character is ever cut in two. */
export const Cut = z.object({
  description: z.string().nullable(),
  truncated: z.boolean().describe('Whether the description goes on beyond what stands here.'),
  total_characters: z.number().describe('Characters of the whole description.'),
})

interface LongText {
  readonly content?: string | null | undefined
  readonly description?: string | null | undefined
}

/** A record with its long text, shortened. Linear keeps the long text as `content` and a short one as `description`. */
export function cut<Record extends LongText>(record: Record): Omit<Record, 'content' | 'description'> & z.output<typeof Cut> {
  const { content, description, ...rest } = record
  const text = content ?? description ?? null
  const points = Array.from(text ?? '')
  return {
    ...rest,
    description: text === null ? null : points.slice(0, longest).join(''),
    truncated: points.length > longest,
    total_characters: points.length,
  }
}

export const chunkParameters = {
  offset: z.int().min(0).default(0).describe('Characters to skip.'),
  limit: z.int().min(1).max(20_000).default(5_000).describe('How many characters, 1 to 20,000.'),
}

export const Chunk = z.object({
  text: z.string(),
  offset: z.number(),
  next_offset: z.number().nullable().describe('Where to read on; null at the end.'),
  total_characters: z.number(),
})

/** A piece of a text. Throws `InvalidInput` for an offset beyond its end. */
export function chunkOf(text: string | null | undefined, offset: number, limit: number): z.output<typeof Chunk> {
  const points = Array.from(text ?? '')
  const total = points.length
  if (offset > total) {
    throw new InvalidInput(`offset ${offset} is beyond the end: the description has ${total} characters.`, {
      next: { change: { offset: 0 } },
    })
  }
  const end = Math.min(total, offset + limit)
  return { text: points.slice(offset, end).join(''), offset, next_offset: end < total ? end : null, total_characters: total }
}
