import { count, Message, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { maxPartCharacters, readPart } from '../../drive/content/text-part.ts'
import { Item, toItem } from '../../drive/items.ts'
import { rejectRoot, sayIfTrashed, withTarget } from '../../resolve/resolve.ts'
import { fileQuery, lookupOf, pathOrId, sharedDriveId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

export const readFile = defineTool({
  name: 'ReadFile',
  title: 'Read the text of a file',
  description: Message.of(
    'Read the text of a file: plain text and code as they are, Google Docs as Markdown, sheets as CSV, slides, PDF, Word, Excel, PowerPoint and OpenDocument as text. A long text comes in parts: continue with next_offset. Pictures and scans have no text.',
    sentence`For the file itself, use ${{ tool: 'FileStorage.DownloadFile' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    file_path_or_id: withVocabulary(pathOrId('File'), vocabulary.file),
    offset: z.int().min(0).default(0).describe('First character, counted from 0: next_offset from the previous part.'),
    limit: withVocabulary(z.int().min(1).max(maxPartCharacters), vocabulary.limit)
      .default(20_000)
      .describe(`Characters, at most ${maxPartCharacters}; a part ends with a line.`),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file: Item,
    revision: z.string().optional().describe('The revision that was read, for expected_revision of a change; Google documents have none.'),
    text: z.string(),
    offset: z.int(),
    next_offset: z.int().nullable().describe('Null after the last part.'),
    total_characters: z.int(),
  }),
  example: { file_path_or_id: 'Team/Working agreement.md' },
  async run({ offset, limit, ...args }, context, call) {
    const lookup = lookupOf(context, call)
    const query = await fileQuery(args, lookup)
    return withTarget(query, lookup, async (target) => {
      rejectRoot(target, 'read')
      const part = await readPart({ ...target, offset, limit }, { ...context, scope: call.scope })
      const { item, text, total, next, pagesWithoutText: pages } = part
      sayIfTrashed(item, call.notice)
      if (pages.length > 0) call.notice(`${count(pages.length, 'page')} without text, such as scans: ${pages.slice(0, 20).join(', ')}.`)
      const read = { file: toItem(item), ...(item.headRevisionId !== undefined && { revision: item.headRevisionId }) }
      return { ...read, text, offset, next_offset: next, total_characters: total }
    })
  },
})
