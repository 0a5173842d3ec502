import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { Item, shown } from '../drive/items.ts'
import { readDriveId } from '../drive/references.ts'
import { folderAt, withTarget, type Target } from '../resolve.ts'
import { uploadTypes } from '../upload/media-type.ts'
import { upload, type Uploaded } from '../upload/upload.ts'
import { folderPathOrId, newName, sharedDriveId, topWhenAbsent } from './parameters.ts'

export const uploadFile = defineTool({
  name: 'UploadFile',
  title: 'Upload a file from a URL',
  description:
    'Fetch a file of any size from a public URL and store it as a new file. Google Drive takes two files of one name in one place, so look first whether it is there. A call that failed or was cancelled can be made again unchanged: within ten minutes it makes no second file, and for 24 hours it goes on where it ended if the source still has the same content. Google documents cannot be made.',
  effect: 'create',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_name: newName('Name of the new file').describe('Name of the new file, with its extension and without a path.'),
    source_url: z.string().min(1).describe('Where anyone on the internet can download it: http or https, without a sign-in.'),
    mime_type: z
      .enum(uploadTypes)
      .optional()
      .describe('What it is. When absent: what the source says, or else the name, the URL or the content.'),
    destination_folder_path_or_id: folderPathOrId('The folder to put it in', topWhenAbsent).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file: Item,
    uploaded_to: z.string().describe('Where it lies.'),
    md5_checksum: z.string().optional().describe('Of the content, as fetched and as stored; in hexadecimal.'),
    notices: z.array(z.string()).optional(),
  }),
  async run(args, context, { signal, progress }) {
    const { drive, areas } = context
    const { file_name: name, source_url: sourceUrl, mime_type: mimeType, destination_folder_path_or_id: text = 'root' } = args
    refusePath(name)
    const driveId = readDriveId(args.shared_drive_id)
    let told = 0
    const onStored = (bytes: number, total: number | undefined) => {
      // An upload that is begun anew has less again, and progress only grows.
      if (bytes > told) progress((told = bytes), total, 'bytes stored')
    }
    return withTarget({ text, parameter: 'destination_folder_path_or_id', driveId }, { drive, areas, signal }, async (target) => {
      const into = folderAt(target, driveId)
      const uploaded = await upload({ name, parent: into.id, sourceUrl, mimeType }, context, { signal, onStored })
      const { item } = uploaded
      areas.changed(item, into.id)
      const notices = noticesOf(uploaded, target)
      return {
        file: shown(item),
        uploaded_to: into.called,
        ...(item.md5Checksum !== undefined && { md5_checksum: item.md5Checksum }),
        ...(notices.length > 0 && { notices }),
      }
    })
  },
})

function refusePath(name: string): void {
  if (!/[/\\]/.test(name) && name !== '.' && name !== '..') return
  throw new InvalidInput(
    '"file_name" must be a name, not a path: it has a slash or backslash in it. destination_folder_path_or_id says where the file goes.',
  )
}

function noticesOf({ earlier }: Uploaded, { notice }: Target): string[] {
  return [
    ...(notice === undefined ? [] : [notice]),
    ...(earlier === 'began it' ? ['An earlier call had begun this upload; it was continued.'] : []),
    ...(earlier === 'made it of another content'
      ? ['An earlier attempt of this call made the file; the content of the URL has changed since, and the file was left as it is.']
      : []),
  ]
}
