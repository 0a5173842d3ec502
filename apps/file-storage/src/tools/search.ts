import { Pagination } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { areaOfSearch } from '../drive/corpora.ts'
import { typeConditions } from '../drive/file-types.ts'
import { searchAll, type Corpus } from '../drive/files.ts'
import { Item, itemFields, shown } from '../drive/items.ts'
import { every, inFolder, matching, notTrashed, some } from '../drive/query.ts'
import { readDriveId } from '../drive/references.ts'
import { folderAt, withTarget, type Target } from '../resolve.ts'
import { folderPathOrId, includeDomain, includeSharedDrives, listed, orderBy, sharedDriveId, typesOf } from './parameters.ts'

export const searchFiles = defineTool({
  name: 'SearchFiles',
  title: 'Search files',
  description:
    'Files and folders whose name or content has the search terms, best match first. Names match by the beginnings of their words. Searches My Drive and what was shared with the user; with a folder, only what lies directly in it. Nothing in the trash is found.',
  effect: 'read',
  scopes: ['drive.file'],
  input: z.strictObject({
    query: z
      .string()
      .regex(/[^\s"]/, 'must hold a word')
      .describe('The words to search for, nothing else: no operators. Double quotes around several words make them a phrase.'),
    folder_path_or_id: folderPathOrId('Search only directly in this folder').optional(),
    shared_drive_id: sharedDriveId.describe(
      'Search only in this shared drive; also where folder_path_or_id is a path in it. FileStorage.WhoAmI lists them.',
    ),
    include_shared_drives: includeSharedDrives,
    include_organization_domain_documents: includeDomain,
    order_by: orderBy('Taken, but not applied: Google Drive gives the results of a full-text search by relevance only.'),
    limit: z.int().min(1).max(1000).default(50).describe('How many to return at most, 1 to 1000.'),
    file_types: typesOf('Only files of this type, or of any in a list.'),
  }),
  output: z.object({
    files: z.array(Item),
    order: z.literal('relevance'),
    searched: z.string().describe('Where was searched.'),
    pagination: Pagination,
    notices: z.array(z.string()).optional(),
  }),
  async run(args, { drive, areas }, { signal }) {
    const { query, limit, order_by: order, folder_path_or_id: text } = args
    const driveId = readDriveId(args.shared_drive_id)
    const area = areaOfSearch({
      driveId,
      sharedDrives: args.include_shared_drives,
      domain: args.include_organization_domain_documents,
    })
    const types = typeConditions(listed(args.file_types))
    const find = async (corpus: Corpus, target?: Target) => {
      const folder = target && folderAt(target, driveId)
      const within = folder && inFolder(folder.id)
      const q = every(notTrashed, matching(query), within, types.length > 0 ? some(types) : undefined)
      const found = await searchAll(drive, { query: q, corpus, limit, fields: `${itemFields},createdTime,owners(emailAddress)` }, signal)
      return { found, searched: folder ? `directly in ${folder.called}` : area.name, notice: target?.notice }
    }
    const { found, searched, notice } =
      text === undefined
        ? await find(area.corpus)
        : await withTarget({ text, parameter: 'folder_path_or_id', driveId }, { drive, areas, signal }, (target) =>
            find({ in: 'folder' }, target),
          )
    const notices = [
      ...(notice === undefined ? [] : [notice]),
      ...(order === undefined ? [] : ['order_by was not applied: a full-text search can only be given by relevance.']),
      ...(text === undefined ? [] : ['Only what lies directly in the folder was searched, not what lies in its subfolders.']),
      ...(found.isIncomplete ? ['Google Drive could not search everything; there may be more.'] : []),
    ]
    return {
      files: found.items.map(shown),
      order: 'relevance' as const,
      searched,
      pagination: { has_more: found.hasMore, end_cursor: null },
      ...(notices.length > 0 && { notices }),
    }
  },
})
