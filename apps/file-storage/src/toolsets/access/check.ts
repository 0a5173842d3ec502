import { Message, sentence, ToolError } from '@mcp-toolkits/core/errors'
import { withUrlElicitation, withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { checkReferences, isPickable, pageForMissing, toCheckedRow } from '../../access/check.ts'
import { defineTool } from '../../context.ts'
import { maxBatch } from '../../drive/batch.ts'
import { lookupOf, pathOrId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

export const checkFileAccess = defineTool({
  name: 'CheckFileAccess',
  title: 'Check access to files',
  description: Message.of(
    'Check which of many files and folders this app can reach, and what it may do with each, in one call. If some are missing, it opens one file picker for all of them. Paths start in My Drive or with the name of a shared drive; a shortcut stands for its target.',
    sentence`To see who else has access, use ${{ tool: 'FileStorage.ListFilePermissions' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    files: withVocabulary(z.array(pathOrId('File or folder')).min(1).max(maxBatch), vocabulary.files).describe(
      'Paths (Work/Reports/May.pdf), ids or links.',
    ),
  }),
  output: z.object({
    files: z.array(
      z.object({
        file: z.string().describe('As passed.'),
        status: z.enum(['accessible', 'missing', 'ambiguous', 'refused']),
        id: z.string().optional(),
        name: z.string().optional(),
        can: z.array(z.string()).optional().describe('download, comment, edit, share.'),
        reason: z.string().optional(),
      }),
    ),
    all_accessible: z.boolean(),
    picker: z
      .object({ url: z.string().nullable(), expires_at: z.string().nullable(), flow: z.string(), how_to_retry: z.string() })
      .optional(),
  }),
  example: { files: ['Team/Working agreement.md', 'Team/Holidays.csv'] },
  async run(args, context, call) {
    const checked = await checkReferences(args.files, lookupOf(context, call))
    const files = checked.map(toCheckedRow)
    const result = { files, all_accessible: checked.every(({ found }) => !(found instanceof ToolError)) }
    if (!checked.some(isPickable)) return result
    const { result: picker, visit } = await pageForMissing(context.picker, call.notice)
    const withPicker = { ...result, ...(picker && { picker }) }
    return visit ? withUrlElicitation(withPicker, visit) : withPicker
  },
})
