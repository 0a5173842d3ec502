import { Message, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import { defineTool } from '../context.ts'
import { Item, toItem } from '../drive/items.ts'
import { uploadTypes } from '../upload/media-type.ts'
import { plainUrl, uploadNewFile } from './new-file.ts'
import { folderPathOrId, newName, rootByDefault, sharedDriveId, sourceUrl } from './parameters.ts'
import * as vocabulary from '../vocabulary/parameters.ts'
import { readMediaType } from '../vocabulary/values.ts'
import * as z from 'zod'

export const uploadFile = defineTool({
  name: 'UploadFile',
  title: 'Upload a file from a URL',
  description: Message.of(
    'Upload a file to Google Drive from a public URL (web link), of any size: save, put, add or import an image, PDF or document. Always creates a new file; Google documents cannot be created.',
    sentence`From the user's computer, use ${{ tool: 'FileStorage.GenerateFilePickerUrl' }}.`,
  ),
  effect: 'create',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_name: withVocabulary(newName('Name of the new file, with its extension'), vocabulary.newFile),
    source_url: sourceUrl,
    mime_type: withVocabulary(z.enum(uploadTypes, 'Omit it for any other type, which is then detected'), {
      ...vocabulary.mediaType,
      read: readMediaType,
    })
      .optional()
      .describe('Omit for other types; it is detected.'),
    destination_folder_path_or_id: folderPathOrId('Folder to upload to', rootByDefault).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file: Item,
    uploaded_to: z.string(),
    md5_checksum: z.string().optional(),
  }),
  example: { file_name: 'Report.pdf', source_url: 'https://example.com/report.pdf', destination_folder_path_or_id: 'Team' },
  async run(args, context, call) {
    const { file, folder } = await uploadNewFile(args, { sourceUrl: plainUrl(args.source_url) }, context, call)
    return {
      file: toItem(file),
      uploaded_to: folder,
      ...(file.md5Checksum !== undefined && { md5_checksum: file.md5Checksum }),
    }
  },
})
