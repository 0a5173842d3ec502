import { publishAs } from '@mcp-toolkits/core/publish'
import * as z from 'zod'

/** Parameters that several tools have, with the words a model reads. */
export const limit = z.int().min(1).max(50).default(20).describe('How many to return, 1 to 50.')
export const longLimit = z.int().min(1).max(100).default(50).describe('How many to return, 1 to 100.')
export const endCursor = z
  .string()
  .optional()
  .describe('Where to read on: the end_cursor of the previous answer, with the same other arguments.')
export const autoAccept = z
  .boolean()
  .default(false)
  .describe('Take a name that is more than 90% alike and has no rival, in place of refusing and suggesting it.')

/** A day, checked against the calendar. */
export const day = (meaning: string) =>
  publishAs(z.iso.date('must be a day that exists, as YYYY-MM-DD'), {
    type: 'string',
    format: 'date',
    description: `${meaning}, YYYY-MM-DD.`,
  })

export const issueReference = z.string().min(1).describe('The issue: an identifier such as ENG-12, or its id.')
export const createdAfter = day('Only what was created on this day or later').optional()

const flag = (meaning: string) => z.boolean().default(true).describe(meaning)

export const include = {
  comments: flag('Include the first 50 comments.'),
  attachments: flag('Include the first 50 attachments.'),
  flag,
} as const

/** Words to search by; blanks alone would silently search for nothing. */
export const keywords = (meaning: string) => z.string().regex(/\S/, 'must hold a word').optional().describe(meaning)
