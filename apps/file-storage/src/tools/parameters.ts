import { Pagination } from '@mcp-toolkits/core/pagination'
import { describe, withJsonSchema } from '@mcp-toolkits/core/json-schema'
import { sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { fileTypes, sortOrders } from '../drive/search.ts'

/** Parameters that several tools share, with their descriptions. */

/** Longest name of an item, in UTF-16 units. */
const maxNameLength = 255

/** Longest path, id or link, in UTF-16 units. */
const maxPathLength = 4_000

/** A text that can be sent: half of a surrogate pair has no form in UTF-8. */
export const wellFormed = z.string().refine((text) => text.isWellFormed(), 'must not contain half of a surrogate pair')

export const newName = (what: string, more = '') =>
  wellFormed
    .regex(/\S/, 'must not be blank')
    .max(maxNameLength)
    .describe(`${what}, at most ${maxNameLength} characters. A slash in it is part of the name.${more}`)

export const pathOrId = (what: string) =>
  wellFormed.min(1).max(maxPathLength).describe(`${what}: a path such as Work/Reports/May.pdf, an id, or a link to it.`)

export const folderPathOrId = (what: string, more = '') =>
  wellFormed.min(1).max(maxPathLength).describe(`${what}: a path such as Work/Reports, an id, or a link to it; "root" is the top.${more}`)

/** The default of a folder parameter. */
export const topWhenAbsent = ' When absent, the top of My Drive, or of the shared drive.'

export const listedByWhoAmI = sentence`${{ tool: 'FileStorage.WhoAmI' }} lists them.`

export const maxIdLength = 2_048

export const sharedDriveId = describe(
  wellFormed.min(1).max(maxIdLength).optional(),
  sentence`Id of the shared drive that a path begins in; ${{ tool: 'FileStorage.WhoAmI' }} lists them.`.and('Not needed with an id.'),
)

export const includeSharedDrives = z.boolean().default(false).describe('Also look in all shared drives.')

export const includeDomain = z
  .boolean()
  .default(false)
  .describe("Look in what is shared with the organization's domain; for administrators of Google Workspace.")

/** More values than any list has; a value may stand there twice. */
const maxListed = 50

/** One value of a list, or several of them. */
function oneOrMore(values: readonly string[], description: string) {
  const isValue = (text: string) => values.includes(text)
  const accepted = z.union([z.string(), z.array(z.string()).min(1).max(maxListed)]).refine((value) => [value].flat().every(isValue), {
    error({ input }) {
      const wrong = [input].flat().filter((each) => typeof each === 'string' && !isValue(each))
      return `must be one of these or a list of them: ${values.join(', ')}; ${JSON.stringify(wrong[0])} is none of them`
    },
  })
  const one = { type: 'string', enum: values }
  return withJsonSchema(accepted, { anyOf: [one, { type: 'array', items: one, minItems: 1, maxItems: maxListed }], description })
}

export const orderBy = (more: string) =>
  oneOrMore(sortOrders, `What to sort by, or a list of it with the first weighing most. ${more}`).optional()

export const typesOf = (description: string) => oneOrMore(fileTypes, description).optional()

/** The members of a parameter that takes one value or a list. */
export function toArray(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat()
}

/** The pagination of a list without a cursor. */
export const restWithoutCursor = Pagination.extend({ end_cursor: z.null().describe('Always null here: raise limit to see more.') })

export const incompleteNotice = 'Google Drive could not search everything; there may be more.'

/** The notices of a result; none for those that are absent or do not apply. */
export function withNotices(...notices: readonly (string | false | undefined)[]): { notices?: string[] } {
  const texts = notices.filter((notice) => typeof notice === 'string')
  return texts.length > 0 ? { notices: texts } : {}
}
