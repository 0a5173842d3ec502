import { describe, withJsonSchema } from '@mcp-toolkits/core/json-schema'
import { Message, sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'

/** Parameters that several tools have, with the words a model reads. */
export const limit = z.int().min(1).max(50).default(20).describe('How many to return, 1 to 50.')
export const longLimit = z.int().min(1).max(100).default(50).describe('How many to return, 1 to 100.')
export const endCursor = z.string().optional().describe('To read on: the previous end_cursor, other arguments unchanged.')
export const autoAccept = z.boolean().default(false).describe('Take the nearest name when it is over 90% alike and has no rival.')

/** A day, checked against the calendar. */
export const day = (meaning: string) =>
  withJsonSchema(z.iso.date('must be a day that exists, as YYYY-MM-DD'), {
    type: 'string',
    format: 'date',
    description: `${meaning}, YYYY-MM-DD.`,
  })

/** That a text must hold something goes without saying: no pattern for it is published. */
export const filled = () => z.string().refine((text) => /\S/.test(text), 'must not be empty')
export const reference = (meaning: string | Message) => describe(filled(), meaning)
export const issueReference = reference('Identifier (ENG-12), id or URL.')
export const createdAfter = day('Created on this day or later').optional()

const flag = (meaning: string | Message) => describe(z.boolean().default(true), meaning)

export const include = {
  comments: flag(Message.of('The newest 50 comments.', sentence`${{ tool: 'IssueTracker.ListComments' }} reads on.`)),
  attachments: flag('The newest 50 attachments.'),
  flag,
} as const

/** Words to search by; blanks alone would silently search for nothing. */
export const keywords = (meaning: string) => z.string().regex(/\S/, 'must hold a word').optional().describe(meaning)
