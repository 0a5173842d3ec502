import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { type CallContext, withVocabulary, words } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { type Context, defineTool } from '../../context.ts'
import { authorOf } from '../../drive/content/revisions.ts'
import type { TextEdit } from '../../drive/content/text-edits.ts'
import { Item, toItem } from '../../drive/items.ts'
import { rejectRoot, withTarget } from '../../resolve/resolve.ts'
import { resolveDrive } from '../../resolve/shared-drives.ts'
import { plainUrl, uploadNewFile, uploadProgress } from '../../tools/new-file.ts'
import { folderPathOrId, lookupOf, newName, pathOrId, rootByDefault, sharedDriveId, sourceUrl, wellFormed } from '../../tools/parameters.ts'
import { type ContentChange, type WrittenInPlace, writeInPlace } from '../../upload/in-place.ts'
import { requireTextFile, textSource, textTypeOf } from '../../upload/text-source.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

/** Maximum length, in UTF-16 code units, of text in a call. */
const maxTextLength = 1_000_000
const maxRevisionLength = 200
const textOf = (description: string) => wellFormed.max(maxTextLength).describe(description)

export const writeFile = defineTool({
  name: 'WriteFile',
  title: 'Write a file',
  description: Message.of(
    'Write a text or the content of a URL into a file of Google Drive: create a new file (file_name), or edit, update, append to or overwrite one that exists (file_path_or_id). If someone else changes it meanwhile, that is a conflict. The previous content stays available as a revision. Not for Google documents.',
    sentence`For the revision that you have read, see ${{ tool: 'FileStorage.ListRevisions' }}.`,
  ),
  effect: 'create',
  destructive: true,
  scopes: ['drive.file'],
  input: z.strictObject({
    file_name: withVocabulary(newName('Name of a new file, with its extension'), vocabulary.newFile).optional(),
    destination_folder_path_or_id: folderPathOrId('Folder of a new file', rootByDefault).optional(),
    file_path_or_id: pathOrId('File to change instead').optional(),
    content: withVocabulary(textOf('The whole text.'), {
      names: words('text body data contents file_content new_content'),
      verbatimUnless: words('source_url append replace'),
    }).optional(),
    source_url: sourceUrl.optional().describe('Public http(s) address of the whole content.'),
    append: withVocabulary(textOf('Text to add at the end, exactly as given.'), {
      verbatimUnless: words('content source_url replace'),
    }).optional(),
    replace: z
      .strictObject({ passage: wellFormed.min(1).max(maxTextLength), with: wellFormed.max(maxTextLength) })
      .optional()
      .describe('A passage that occurs exactly once in the file, and the text in its place.'),
    expected_revision: z.string().max(maxRevisionLength).optional().describe('Revision that you have read; refuses to change any other.'),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file: Item,
    created: z.boolean(),
    changed: z.boolean().describe('False if the file had this content already.'),
    revision: z.string().optional().describe('The revision that was written, for an existing file.'),
    previous_revision: z.string().optional(),
  }),
  example: { file_name: 'Minutes.md', content: '# Minutes\n', destination_folder_path_or_id: 'Team' },
  async run(args, context, call) {
    const choice = choose(args)
    if ('fileName' in choice) return createNew({ ...args, file_name: choice.fileName }, choice.source, context, call)
    return changeFile({ ...choice, expected: args.expected_revision, sharedDriveId: args.shared_drive_id }, context, call)
  },
})

type WholeContent = Exclude<ContentChange, TextEdit>

type Choice = { readonly fileName: string; readonly source: WholeContent } | { readonly file: string; readonly change: ContentChange }

interface WriteArguments {
  readonly file_name?: string | undefined
  readonly destination_folder_path_or_id?: string | undefined
  readonly file_path_or_id?: string | undefined
  readonly content?: string | undefined
  readonly source_url?: string | undefined
  readonly append?: string | undefined
  readonly replace?: { readonly passage: string; readonly with: string } | undefined
  readonly expected_revision?: string | undefined
  readonly shared_drive_id?: string | undefined
}

/** The file and content that the arguments mean. Throws `InvalidInput` for contradictory arguments. */
function choose(args: WriteArguments): Choice {
  const { file_name: fileName, file_path_or_id: file, content, source_url: url, append, replace } = args
  const changes: readonly (ContentChange | undefined)[] = [
    content === undefined ? undefined : { content },
    url === undefined ? undefined : { sourceUrl: plainUrl(url) },
    // Hosts send an empty `append` with a new file; with an existing file, it could hide that content was omitted too.
    append === undefined || (append === '' && file === undefined) ? undefined : { append },
    replace && { replace },
  ]
  const [change, ...others] = changes.filter((each) => each !== undefined)
  if (change === undefined || others.length > 0)
    throw refusal('Pass exactly one of content, source_url, append and replace. The last two need file_path_or_id.')
  if (file !== undefined && fileName === undefined && args.destination_folder_path_or_id === undefined) return { file, change }
  if (fileName === undefined || file !== undefined)
    throw refusal(
      'Pass either file_name, with destination_folder_path_or_id, for a new file, or file_path_or_id for an existing one. To rename or move a file, use other tools.',
    )
  if (args.expected_revision !== undefined || 'append' in change || 'replace' in change)
    throw refusal('append, replace and expected_revision are for an existing file: pass it as file_path_or_id.')
  return { fileName, source: change }
}

const refusal = (text: string) => new InvalidInput(`${text} Nothing was written.`, { sent: 'no' })

async function createNew(args: WriteArguments & { readonly file_name: string }, whole: WholeContent, context: Context, call: CallContext) {
  const isText = 'content' in whole
  if (isText) requireTextFile({ name: args.file_name }, whole.content)
  const source = isText ? textSource(Buffer.from(whole.content)) : whole
  const type = isText ? { mime_type: textTypeOf(args.file_name) } : {}
  const { file, namesakes } = await uploadNewFile({ ...args, ...type }, { ...source, looksForNamesakes: true }, context, call)
  if (namesakes.length > 0) call.notice(`To change an existing file instead, pass its id as file_path_or_id: ${namesakes.join(', ')}.`)
  return { file: toItem(file), created: true, changed: true }
}

interface FileChange {
  readonly file: string
  readonly change: ContentChange
  readonly expected: string | undefined
  readonly sharedDriveId: string | undefined
}

async function changeFile({ file: text, change, expected, ...args }: FileChange, context: Context, call: CallContext) {
  const lookup = { ...lookupOf(context, call), isWrite: true }
  const sharedDrive = await resolveDrive(args.sharedDriveId, lookup)
  return withTarget({ text, parameter: 'file_path_or_id', sharedDrive }, lookup, async (target) => {
    rejectRoot(target, 'written')
    const fileId = target.item?.shortcutDetails?.targetId ?? target.id
    const options = { ...call, ...uploadProgress(call.progress, context.drive.clock) }
    const written = await writeInPlace({ fileId, change, expected, found: target.item }, context, options)
    const { file, changed, revision, previous } = written
    await context.paths.recordChange({ item: file }, call.scope)
    for (const notice of noticesOf(written)) call.notice(notice)
    return { file: toItem(file), created: false, changed, revision, ...(changed && { previous_revision: previous }) }
  })
}

function noticesOf({ changed, isEarlier, later, revision }: WrittenInPlace): string[] {
  return [
    ...(changed ? [] : ['The file already had exactly this content. Nothing was written.']),
    ...(isEarlier === true ? ['An earlier call had already written this, so it was not written again.'] : []),
    ...(later ? [`The file has changed since: ${revision} is followed by ${later.id} (${authorOf(later)}).`] : []),
  ]
}
