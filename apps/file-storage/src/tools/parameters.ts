import { InvalidInput, Message, type NextStep, quote } from '@mcp-toolkits/core/errors'
import { Pagination } from '@mcp-toolkits/core/references'
import { type CallContext, withJsonSchema, withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import type { Context } from '../context.ts'
import { fileTypes, sortOrders } from '../drive/listings/search.ts'
import type { ItemQuery, LookupContext } from '../resolve/resolve.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import * as vocabulary from '../vocabulary/parameters.ts'
import { fileTypeSynonyms, readFileType, readSortKey, sortSynonyms } from '../vocabulary/values.ts'

/** Parameters shared by several tools, with their descriptions. */

/** Maximum length, in UTF-16 code units, of an item's name. */
const maxNameLength = 255

/** Maximum length, in UTF-16 code units, of a path, id or link. */
const maxPathLength = 4_000

/** Text that can be sent: a lone surrogate cannot be encoded in UTF-8. */
export const wellFormed = z.string().refine((text) => text.isWellFormed(), 'must not contain half of a surrogate pair')

export const newName = (what: string, more = '') =>
  wellFormed.regex(/\S/, 'must not be blank').max(maxNameLength).describe(`${what}: a name, not a path.${more}`)

export const pathOrId = (what: string) =>
  withVocabulary(wellFormed.min(1).max(maxPathLength).describe(`${what}: path (Work/Reports/May.pdf), id or link.`), vocabulary.item)

export const folderPathOrId = (what: string, more = '') =>
  withVocabulary(
    wellFormed.min(1).max(maxPathLength).describe(`${what}: path (Work/Reports), id, link or "root".${more}`),
    vocabulary.targetFolder,
  )

/** Maximum length, in UTF-16 code units, of a source URL: signed URLs carry tokens. */
const maxUrlLength = 8_192

export const sourceUrl = withVocabulary(
  z.string().min(1).max(maxUrlLength).describe('Public http(s) address of the content.'),
  vocabulary.sourceUrl,
)

/** A folder parameter's default. */
export const rootByDefault = ' Default: the root.'

export const maxIdLength = 2_048

export const sharedDriveText = withVocabulary(wellFormed.min(1).max(maxIdLength), vocabulary.sharedDrive)

export const sharedDriveId = sharedDriveText.optional().describe('Shared drive that contains the path: id or name.')

export const includeSharedDrives = (oneDrive: string) =>
  withVocabulary(z.boolean(), vocabulary.sharedDrives(oneDrive)).default(false).describe('Also include all shared drives.')

export const includeDomain = z.boolean().default(false).describe("Also include documents of your organization's domain (Workspace admins).")

/** Maximum length, in UTF-16 code units, of an enumeration value: more than any of them has. */
const maxValueLength = 30
/** Maximum number of values in a list: more than exist, because a value may appear twice. */
const maxListed = 50

/** One value from a list, or several. */
function oneOrMore(values: readonly string[], description: string, advice = '') {
  const isValue = (text: string) => values.includes(text)
  const accepted = z.union([z.string(), z.array(z.string()).min(1).max(maxListed)]).refine((value) => [value].flat().every(isValue), {
    error({ input }) {
      const wrong = [input].flat().filter((each) => typeof each === 'string' && !isValue(each))
      return `must be one of these or a list of them: ${values.join(', ')}; ${JSON.stringify(wrong[0])} is not${advice}`
    },
  })
  const one = { type: 'string', enum: values }
  return withJsonSchema(accepted, {
    anyOf: [one, { type: 'array', items: { type: 'string', maxLength: maxValueLength }, minItems: 1, maxItems: maxListed }],
    description,
  })
}

const sortVocabulary = { ...vocabulary.order, values: sortSynonyms, read: readSortKey }

export const orderBy = withVocabulary(
  oneOrMore(sortOrders, 'Sort key or list of keys. Default: modifiedTime desc.'),
  sortVocabulary,
).optional()

/** The order parameter of a search that Drive sorts by relevance; it is ignored, so the schema does not list its values. */
export const unusedOrderBy = withJsonSchema(
  withVocabulary(oneOrMore(sortOrders, ''), {
    ...vocabulary.order,
    read: (written) => {
      const key = readSortKey(written)
      return key && 'equal' in key ? key : { likely: null }
    },
  }),
  { type: 'string', maxLength: maxValueLength, description: 'Ignored; results are ordered by relevance.' },
).optional()

export const typesOf = (description: string) =>
  withVocabulary(oneOrMore(fileTypes, description, '. For any other format, leave file_types out and add its extension to the query'), {
    ...vocabulary.types,
    values: fileTypeSynonyms,
    read: readFileType,
  }).optional()

/** The members of a parameter that accepts one value or a list. */
export function toArray(value: string | readonly string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat()
}

/** Pagination for a list without a cursor. */
export const restWithoutCursor = Pagination.extend({ end_cursor: z.null().describe('Always null: raise limit to see more.') })

export const incompleteNotice = 'Google Drive could not search everything, so there may be more.'

/** Notice for a list in which the domain's documents are missing. */
export function domainNotice(problem: string): string {
  return `Documents of your organization's domain could not be listed. ${problem}`
}

/** Context for resolving a call's references. */
export function lookupOf({ drive, paths }: Context, { scope, notice }: CallContext): LookupContext {
  return { drive, paths, scope, notice }
}

export interface FileArguments {
  readonly file_path_or_id: string
  readonly shared_drive_id?: string | undefined
}

/** A tool's reference to a file, from its arguments. */
export async function fileQuery(
  { file_path_or_id: text, shared_drive_id: driveId }: FileArguments,
  lookup: LookupContext,
): Promise<ItemQuery> {
  return { text, parameter: 'file_path_or_id', sharedDrive: await resolveDrive(driveId, lookup), expects: 'file' }
}

/** Refuses a path as a new name. `next` returns the step to propose for the path's folder and last name. */
export function checkNewName(
  name: string,
  parameter: string,
  next?: (folder: string, last: string) => NextStep | undefined,
  advice: string | Message = 'Pass the folder, which must exist, separately.',
): void {
  if (!name.includes('/')) return
  const names = name.split('/').filter((each) => each !== '')
  const [folder, last] = [names.slice(0, -1).join('/'), names.at(-1)]
  const step = last === undefined ? undefined : (next?.(folder, last) ?? (folder === '' ? { change: { [parameter]: last } } : undefined))
  throw new InvalidInput(
    Message.of(`"${parameter}" must be a name, not a path: ${quote(name, 300)} contains a slash.`, advice, 'Nothing was changed.'),
    step ? { next: step } : {},
  )
}
