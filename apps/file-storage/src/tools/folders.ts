import { Conflict } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool, type Context } from '../context.ts'
import { createFolder as create, getItem, type NewFolder } from '../drive/files.ts'
import { Item, shown, type DriveItem } from '../drive/items.ts'
import { readDriveId } from '../drive/references.ts'
import { folderAt, withTarget } from '../resolve.ts'
import { folderPathOrId, newName, sharedDriveId } from './parameters.ts'

export const createFolder = defineTool({
  name: 'CreateFolder',
  title: 'Create a folder',
  description:
    'Make a new folder. Folders on the way to it must exist: nothing but the one folder is made. Google Drive takes two folders of one name in one place, so look first whether it is there. A call that failed without a known outcome can be repeated: within ten minutes it makes no second folder.',
  effect: 'create',
  scopes: ['drive.file'],
  input: z.strictObject({
    folder_name: newName('Name of the new folder'),
    parent_folder_path_or_id: folderPathOrId(
      'The folder to make it in, without the new folder itself; the top of My Drive (or of the shared drive) when absent',
    ).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({ folder: Item, created_in: z.string().describe('Where it was made.'), notice: z.string().optional() }),
  async run(args, context, { signal }) {
    const { drive, areas } = context
    const { folder_name: name, parent_folder_path_or_id: text = 'root' } = args
    const driveId = readDriveId(args.shared_drive_id)
    return withTarget({ text, parameter: 'parent_folder_path_or_id', driveId }, { drive, areas, signal }, async (target) => {
      const into = folderAt(target, driveId)
      const folder = await createOnce({ name, parent: into.id }, context, signal)
      areas.changed(folder, into.id)
      return {
        folder: shown(folder),
        created_in: into.called,
        ...(target.notice !== undefined && { notice: target.notice }),
      }
    })
  },
})

/** One folder, however often the request for it is sent. */
async function createOnce(folder: Omit<NewFolder, 'id'>, context: Context, signal: AbortSignal): Promise<DriveItem> {
  const { drive, newItems } = context
  const made = await newItems.using(['CreateFolder', folder], (id) =>
    create(drive, { id, ...folder }, signal).catch(async (error: unknown) => {
      if (!(error instanceof Conflict)) throw error
      // The id is ours alone, so whatever has it is what an earlier attempt of ours made.
      return getItem(drive, id, signal).catch(() => Promise.reject(error))
    }),
  )
  // Made by an earlier call, and thrown away since.
  return made.trashed === true ? createOnce(folder, context, signal) : made
}
