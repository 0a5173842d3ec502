import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { type DriveRevision, revisionsBehind } from '../../drive/content/revisions.ts'
import { rejectRoot, withTarget } from '../../resolve/resolve.ts'
import { resolveDrive } from '../../resolve/shared-drives.ts'
import { lookupOf, pathOrId, sharedDriveId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

const maxLimit = 200
/** Maximum length, in characters, of a cursor: more than any of ours has. */
const maxCursorLength = 4_000

export const listRevisions = defineTool({
  name: 'ListRevisions',
  title: 'List the revisions of a file',
  description: Message.of(
    'List the revisions (versions, history) of a file in Google Drive, newest first: who changed it and when. The first one is the current content. Google removes a revision after 30 days unless it is kept.',
    sentence`Pass an id as expected_revision of ${{ tool: 'FileStorage.WriteFile' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    file_path_or_id: withVocabulary(pathOrId('File'), vocabulary.file),
    limit: withVocabulary(z.int().min(1).max(maxLimit), vocabulary.limit).default(20).describe('Maximum number of revisions.'),
    end_cursor: z.string().max(maxCursorLength).optional().describe('end_cursor of the previous page.'),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file_id: z.string(),
    revisions: z.array(
      z.object({
        id: z.string(),
        modified_at: z.string().optional(),
        modified_by: z.string().optional().describe('Email address or name.'),
        size: z.int().optional().describe('Bytes.'),
        kept: z.boolean().describe('Whether it is kept forever.'),
      }),
    ),
    pagination: Pagination,
  }),
  example: { file_path_or_id: 'Team/Working agreement.md' },
  async run(args, context, call) {
    const lookup = lookupOf(context, call)
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    return withTarget({ text: args.file_path_or_id, parameter: 'file_path_or_id', sharedDrive }, lookup, async (target) => {
      rejectRoot(target, 'listed')
      const { fileId, revisions } = await revisionsBehind(context.drive, target.item?.shortcutDetails?.targetId ?? target.id, call.scope)
      const paging = startPaging(['ListRevisions', fileId], args)
      const all = revisions.toReversed()
      const start = startOf(all, paging.after)
      const shown = all.slice(start, start + paging.first)
      const pagination = paging.pagination(start + shown.length < all.length, shown.at(-1)?.id)
      return paging.result({ file_id: fileId, revisions: shown.map(toRow), pagination })
    })
  },
})

/** Index of a page's first revision. Throws `InvalidInput` if the previous page's last revision is gone. */
function startOf(all: readonly DriveRevision[], after: string | undefined): number {
  if (after === undefined) return 0
  const last = all.findIndex(({ id }) => id === after)
  if (last !== -1) return last + 1
  throw new InvalidInput(`The revision ${quote(after)}, where the page ended, is gone. Leave end_cursor out to read from the start.`)
}

function toRow({ id, modifiedTime, lastModifyingUser, size, keepForever }: DriveRevision) {
  const author = lastModifyingUser?.emailAddress ?? lastModifyingUser?.displayName
  return {
    id,
    ...(modifiedTime !== undefined && { modified_at: modifiedTime.replace(/\.\d+(?=Z$)/, '') }),
    ...(author !== undefined && { modified_by: author }),
    ...(size !== undefined && { size: Number(size) }),
    kept: keepForever === true,
  }
}
