import { InvalidInput } from '@mcp-toolkits/core'
import type { Operation } from '@mcp-toolkits/core/idempotency'
import { Attempts } from '@mcp-toolkits/core/retry'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { transferRetryPolicy } from '../drive/client.ts'
import { Item, toItem } from '../drive/items.ts'
import { isRoot, parseDriveId, requireFolder, withTarget } from '../resolve.ts'
import { uploadTypes } from '../upload/media-type.ts'
import { uploadProgress } from '../upload/progress.ts'
import { upload, type UploadResult } from '../upload/upload-job.ts'
import { folderPathOrId, newName, sharedDriveId, topWhenAbsent, withNotices } from './parameters.ts'
import { quote } from '@mcp-toolkits/core/text'

/** Longest URL of a source, in UTF-16 units: signed ones carry tokens. */
const maxUrlLength = 8_192

export const uploadFile = defineTool({
  name: 'UploadFile',
  title: 'Upload a file from a URL',
  description:
    'Fetch a file of any size from a public URL and store it as a new file. Google Drive takes two files of one name in one place, so look first whether it is there. Repeating a call whose answer was lost makes no second file, and for 24 hours a large one goes on where it ended if the source shows that its content is still the same. Google documents cannot be made.',
  effect: 'create',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_name: newName('Name of the new file').describe('Name of the new file, with its extension and without a path.'),
    source_url: z
      .string()
      .min(1)
      .max(maxUrlLength)
      .describe('Where anyone on the internet can download it: http or https, without a sign-in.'),
    mime_type: z
      .enum(uploadTypes, 'Leave it out for any other type: it is detected then')
      .optional()
      .describe('What it is. Leave it out for any other type: then it is what the source says, or else the name, the URL or the content.'),
    destination_folder_path_or_id: folderPathOrId('The folder to put it in', topWhenAbsent).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file: Item,
    uploaded_to: z.string().describe('Where it lies.'),
    md5_checksum: z
      .string()
      .optional()
      .describe('Of the stored content, in hexadecimal; unless a notice says otherwise, it is that of the URL.'),
    notices: z.array(z.string()).optional(),
  }),
  async run(args, context, { scope, progress, operation }) {
    const { drive, paths } = context
    const { file_name: name, source_url: sourceUrl, mime_type: mimeType, destination_folder_path_or_id: text = 'root' } = args
    checkName(name)
    const driveId = parseDriveId(args.shared_drive_id)
    return withTarget({ text, parameter: 'destination_folder_path_or_id', driveId }, { drive, paths, scope }, async (target) => {
      const into = requireFolder(target, driveId)
      const options = {
        ...uploadProgress(progress, drive.clock),
        isFolderKnown: target.item !== undefined || isRoot(into.id, driveId),
        scope,
        operation,
        attempts: new Attempts(transferRetryPolicy, scope),
      }
      const uploaded = await upload({ name, parent: into.id, sourceUrl, mimeType }, context, options)
      const { item, folder } = uploaded
      paths.recordChange(item, folder.folderId)
      return {
        file: toItem(item),
        uploaded_to: folder.shortcut === undefined ? into.label : `${quote(folder.shortcut, 300)} (${folder.folderId})`,
        ...(item.md5Checksum !== undefined && { md5_checksum: item.md5Checksum }),
        ...withNotices(
          target.notice,
          uploaded.earlierCall && earlierCallNotices(operation)[uploaded.earlierCall],
          uploaded.isUnexpectedPage && unexpectedPageNotice,
        ),
      }
    })
  },
})

function checkName(name: string): void {
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    throw new InvalidInput(
      '"file_name" must be a name, not a path: it has a slash or backslash in it. destination_folder_path_or_id says where the file goes.',
    )
  }
  // Such a name looks like another one.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name)) {
    throw new InvalidInput(
      '"file_name" must not hold characters that cannot be seen: line breaks, control characters or marks of direction. Leave them out.',
    )
  }
}

const unexpectedPageNotice =
  'The content is an HTML page. If it should be something else, the URL led to a page to sign in or to begin a download: give the address of the file itself.'

type EarlierCallNotices = Readonly<Record<NonNullable<UploadResult['earlierCall']>, string>>

const earlierCallNotices = ({ isKeyed }: Pick<Operation, 'isKeyed'>): EarlierCallNotices => ({
  'began it': 'An earlier call had begun this upload and did not finish it. This one did, and there is one file.',
  'sent a part': 'An earlier call had begun this upload; it was continued.',
  'created it': `An earlier call had created this file already, so no second one was created. To create another one, repeat the call${isKeyed ? ' with another key' : ''}.`,
  'created it with other content': `An earlier attempt of this call made this file, and its content is not what the URL has now: one of them was changed since. The file was left as it is; to upload what the URL has now, make the call once more${isKeyed ? ', with another key' : ''}.`,
  'created one that is gone': 'An earlier call had created this file, and that one has been deleted since, so it was created again.',
})
