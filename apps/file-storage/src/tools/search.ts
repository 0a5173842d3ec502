import { describe } from '@mcp-toolkits/core/json-schema'
import { Message } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import {
  allOf,
  checkWords,
  containsWords,
  corpusFor,
  hasAnyType,
  inFolder,
  notTrashed,
  searchAll,
  type Corpus,
  type SearchResult,
} from '../drive/search.ts'
import { Item, itemFields, toItem } from '../drive/items.ts'
import { lookUpTarget, parseDriveId, requireFolder, type Target, withTarget } from '../resolve.ts'
import {
  folderPathOrId,
  incompleteNotice,
  includeDomain,
  includeSharedDrives,
  listedByWhoAmI,
  toArray,
  orderBy,
  restWithoutCursor,
  sharedDriveId,
  typesOf,
  withNotices,
  wellFormed,
} from './parameters.ts'

const maxLimit = 1000
/** Longest search that is looked at, in UTF-16 units; what fits into a request is far less. */
const maxQueryLength = 1_000_000

export const searchFiles = defineTool({
  name: 'SearchFiles',
  title: 'Search files',
  description:
    'Files and folders whose name or content has the search terms, best match first. Names match by the beginnings of their words. Searches My Drive and what was shared with the user; with a folder, only what lies directly in it. Nothing in the trash is found.',
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    query: wellFormed
      .max(maxQueryLength)
      .regex(/[^\s"]/, 'must contain a word')
      .describe('The words to search for, nothing else: no operators. Double quotes around several words make them a phrase.'),
    folder_path_or_id: folderPathOrId('Search only directly in this folder').optional(),
    shared_drive_id: describe(
      sharedDriveId,
      Message.of('Search only in this shared drive; also where folder_path_or_id is a path in it.', listedByWhoAmI),
    ),
    include_shared_drives: includeSharedDrives,
    include_organization_domain_documents: includeDomain,
    order_by: orderBy('Has no effect: Google Drive gives the results of a full-text search by relevance only.'),
    limit: z.int().min(1).max(maxLimit).default(50).describe(`How many to return at most, 1 to ${maxLimit}.`),
    file_types: typesOf('Only files of this type, or of any in a list.'),
  }),
  output: z.object({
    files: z.array(Item),
    order: z.literal('relevance'),
    searched: z.string().describe('Where the search looked.'),
    pagination: restWithoutCursor,
    notices: z.array(z.string()).optional(),
  }),
  async run(args, { drive, paths }, { scope }) {
    const { query, limit, order_by: order, folder_path_or_id: text } = args
    checkWords(query)
    const driveId = parseDriveId(args.shared_drive_id)
    const area = corpusFor({
      driveId,
      sharedDrives: args.include_shared_drives,
      domain: args.include_organization_domain_documents,
    })
    const find = async (corpus: Corpus, within?: string) => {
      const q = allOf(
        notTrashed,
        containsWords(query),
        within === undefined ? undefined : inFolder(within),
        hasAnyType(toArray(args.file_types)),
      )
      return searchAll(drive, { query: q, corpus, limit, fields: `${itemFields},createdTime,owners(emailAddress)` }, scope)
    }
    const lookup = { drive, paths, scope }
    const findIn = async (target: Target): Promise<{ found: SearchResult; searched: string; notice: string | undefined }> => {
      const folder = requireFolder(target, driveId)
      const found = await find({ in: 'folder' }, folder.id)
      // For an id that is not a folder, Drive finds nothing instead of refusing.
      const known = found.items.length === 0 ? await lookUpTarget(target, driveId, lookup) : undefined
      if (known && requireFolder(known, driveId).id !== folder.id) return findIn(known)
      return { found, searched: `directly in ${folder.label}`, notice: target.notice }
    }
    const { found, searched, notice } =
      text === undefined
        ? { found: await find(area.corpus), searched: area.name, notice: undefined }
        : await withTarget({ text, parameter: 'folder_path_or_id', driveId }, lookup, findIn)
    const isWide = args.include_shared_drives || args.include_organization_domain_documents
    return {
      files: found.items.map(toItem),
      order: 'relevance' as const,
      searched,
      pagination: { has_more: found.hasMore, end_cursor: null },
      ...withNotices(
        notice,
        order !== undefined && 'order_by was not applied: Google Drive returns a full-text search only by relevance.',
        text !== undefined && 'Only the items directly in the folder were searched, not those in its subfolders.',
        text !== undefined &&
          isWide &&
          'include_shared_drives and include_organization_domain_documents were not applied: the folder says where to look.',
        found.hasMore &&
          found.items.length >= limit &&
          (limit < maxLimit ? `There are more: raise limit (up to ${maxLimit}).` : 'There are more: search for more words.'),
        found.isIncomplete && incompleteNotice,
      ),
    }
  },
})
