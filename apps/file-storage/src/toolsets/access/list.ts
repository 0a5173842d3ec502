import { joinWords, Message, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { accessTo, AccessRow } from '../../drive/sharing/access.ts'
import { allRoles, roles as grantedRoles } from '../../drive/permissions.ts'
import { resolveItem } from '../../resolve/resolve.ts'
import { resolveDrive } from '../../resolve/shared-drives.ts'
import { lookupOf, pathOrId, restWithoutCursor, sharedDriveId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

const maxLimit = 1000

export const listFilePermissions = defineTool({
  name: 'ListFilePermissions',
  title: 'List who has access to a file',
  description: Message.of(
    'List who has access to a file or folder, with their roles: people, groups, the domain, anyone with the link, and roles that come from a folder above. Only people who may edit an item can see this.',
    sentence`To take access away, use ${{ tool: 'FileStorage.RevokeFileAccess' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  narrowing: 'To see others, narrow by roles.',
  input: z.strictObject({
    file_path_or_id: pathOrId('File or folder'),
    limit: withVocabulary(z.int().min(1).max(maxLimit), vocabulary.limit).default(100).describe('Maximum number of rows.'),
    roles: withVocabulary(z.array(z.enum(allRoles)).min(1).max(allRoles.length), vocabulary.role)
      .optional()
      .describe('Only these roles.'),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    item: z.object({ id: z.string(), name: z.string().optional() }),
    permissions: z.array(AccessRow),
    pagination: restWithoutCursor,
  }),
  example: { file_path_or_id: 'Drafts/Letter to the beta teams.txt' },
  async run({ file_path_or_id: text, limit, roles, shared_drive_id: drive }, context, call) {
    const lookup = lookupOf(context, call)
    const query = { text, parameter: 'file_path_or_id', sharedDrive: await resolveDrive(drive, lookup) }
    const { id, item } = await resolveItem(query, lookup)
    const fileId = item?.shortcutDetails?.targetId ?? id
    const all = await accessTo(context.drive, fileId, call.scope)
    const permissions = all.filter(({ role }) => roles === undefined || roles.some((each) => each === role))
    const hasMore = permissions.length > limit
    if (fileId !== id) call.notice('The item is a shortcut; these are the permissions of its target.')
    if (hasMore) call.notice(`There are ${permissions.length} permissions: raise limit, or pass roles.`)
    call.notice(
      sentence`To grant or change a role, use ${{ tool: 'FileStorage.ShareFile' }} with the role ${joinWords(grantedRoles, 'or')}.`,
    )
    const shown = { id: fileId, ...(item && { name: item.name }) }
    return { item: shown, permissions: permissions.slice(0, limit), pagination: { has_more: hasMore, end_cursor: null } }
  },
})
