import * as z from 'zod'
import { defineTool } from '../context.ts'
import { Item, toItem } from '../drive/items.ts'
import { createFolder as createDriveFolder } from '../drive/folders.ts'
import { parseDriveId, requireFolder, withTarget } from '../resolve.ts'
import { folderPathOrId, newName, sharedDriveId, topWhenAbsent } from './parameters.ts'

export const createFolder = defineTool({
  name: 'CreateFolder',
  title: 'Create a folder',
  description:
    'Make a new folder. Folders on the way to it must exist: nothing but the one folder is made. Google Drive takes two folders of one name in one place, so look first whether it is there. A call that failed without a known outcome can be repeated: within ten minutes it makes no second folder.',
  effect: 'create',
  scopes: ['drive.file'],
  input: z.strictObject({
    folder_name: newName('Name of the new folder'),
    parent_folder_path_or_id: folderPathOrId('The folder to make it in, without the new folder itself', topWhenAbsent).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({ folder: Item, created_in: z.string().describe('Where it was made.'), notice: z.string().optional() }),
  async run(args, { drive, paths, newItems }, { signal }) {
    const { folder_name: name, parent_folder_path_or_id: text = 'root' } = args
    const driveId = parseDriveId(args.shared_drive_id)
    return withTarget({ text, parameter: 'parent_folder_path_or_id', driveId }, { drive, paths, signal }, async (target) => {
      const into = requireFolder(target, driveId)
      const { folder, parent } = await createDriveFolder({ name, parent: into.id }, { drive, newItems, signal })
      paths.recordChange(folder, parent.folderId)
      return {
        folder: toItem(folder),
        created_in: parent.shortcut === undefined ? into.label : `"${parent.shortcut}" (${parent.folderId})`,
        ...(target.notice !== undefined && { notice: target.notice }),
      }
    })
  },
})
