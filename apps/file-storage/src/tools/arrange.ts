import { InvalidInput } from '@mcp-toolkits/core'
import type { Operation } from '@mcp-toolkits/core/idempotency'
import { describe } from '@mcp-toolkits/core/json-schema'
import { sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { checkMove, type MoveTarget, getItem, moveItem, updateItem } from '../drive/files.ts'
import { createFolder as createDriveFolder } from '../drive/folders.ts'
import { Item, targetFolderId, toItem } from '../drive/items.ts'
import { parseDriveId, rejectRoot, requireFolder, resolveTwo, withTarget, type LookupContext, type ResolvedItem } from '../resolve.ts'
import { folderPathOrId, newName, pathOrId, sharedDriveId, topWhenAbsent, withNotices } from './parameters.ts'
import { quote } from '@mcp-toolkits/core/text'

export const createFolder = defineTool({
  name: 'CreateFolder',
  title: 'Create a folder',
  description:
    'Make a new folder. Folders on the way to it must exist: nothing but the one folder is made. Google Drive takes two folders of one name in one place, so look first whether it is there. Repeating a call whose answer was lost makes no second folder.',
  effect: 'create',
  scopes: ['drive.file'],
  input: z.strictObject({
    folder_name: newName('Name of the new folder'),
    parent_folder_path_or_id: folderPathOrId('The folder to make it in, without the new folder itself', topWhenAbsent).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({ folder: Item, created_in: z.string().describe('Where it was made.'), notice: z.string().optional() }),
  async run(args, { drive, paths, newId }, { scope, operation }) {
    const { folder_name: name, parent_folder_path_or_id: text = 'root' } = args
    const driveId = parseDriveId(args.shared_drive_id)
    return withTarget({ text, parameter: 'parent_folder_path_or_id', driveId }, { drive, paths, scope }, async (target) => {
      const into = requireFolder(target, driveId)
      const created = await createDriveFolder({ name, parent: into.id }, { drive, operation, newId, scope })
      const { folder, parent, earlierCall } = created
      paths.recordChange(folder, parent.folderId)
      const { notices } = withNotices(target.notice, earlierCall && earlierCallNotices(operation)[earlierCall])
      return {
        folder: toItem(folder),
        created_in: parent.shortcut === undefined ? into.label : `${quote(parent.shortcut, 300)} (${parent.folderId})`,
        ...(notices && { notice: notices.join(' ') }),
      }
    })
  },
})

const earlierCallNotices = ({ isKeyed }: Pick<Operation, 'isKeyed'>) => ({
  'began it': 'An earlier call had begun to create this folder and did not finish. This one did, and there is one folder.',
  'created it': `An earlier call had created this folder already, so no second one was created. To create another one, repeat the call${isKeyed ? ' with another key' : ''}.`,
  'created one that is gone': 'An earlier call had created this folder, and that one has been deleted since, so it was created again.',
})

const previousName = z.string().optional().describe('Absent where the item was given by its id.')

export const renameFile = defineTool({
  name: 'RenameFile',
  title: 'Rename a file or folder',
  description: 'Give a file or folder another name; it stays where it is. A shortcut is renamed itself, not what it points at.',
  effect: 'update',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: pathOrId('The file or folder'),
    new_filename: newName('The new name, with its extension'),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({ item: Item, previous_name: previousName, notice: z.string().optional() }),
  async run(args, { drive, paths }, { scope }) {
    const driveId = parseDriveId(args.shared_drive_id)
    const query = { text: args.file_path_or_id, parameter: 'file_path_or_id', driveId }
    return withTarget(query, { drive, paths, scope }, async ({ id, item, notice }) => {
      rejectRoot({ id }, driveId, 'renamed')
      const renamed = await updateItem(drive, { id, name: args.new_filename }, scope)
      paths.recordChange(renamed)
      return { item: toItem(renamed), ...(item && { previous_name: item.name }), ...(notice !== undefined && { notice }) }
    })
  },
})

export const moveFile = defineTool({
  name: 'MoveFile',
  title: 'Move a file or folder',
  description:
    'Move a file or folder into another folder of the same storage (My Drive, or one shared drive), and rename it in the same step if new_filename is given. What is there already stays. Who may open it follows the new folder.',
  effect: 'update',
  scopes: ['drive.file'],
  input: z.strictObject({
    source_file_path_or_id: pathOrId('The file or folder to move'),
    destination_folder_path_or_id: folderPathOrId('The folder to move it into, without the name of what is moved'),
    new_filename: newName('The name after the move', ' When absent, the name stays.').optional(),
    shared_drive_id: describe(
      sharedDriveId,
      sentence`Id of the shared drive that the paths begin in; ${{ tool: 'FileStorage.WhoAmI' }} lists them.`.and('Not needed with ids.'),
    ),
  }),
  output: z.object({
    item: Item,
    previous_name: z.string(),
    previous_parent_id: z.string().optional(),
    moved: z.boolean().describe('False where it lay there already.'),
    notices: z.array(z.string()).optional(),
  }),
  async run(args, { drive, paths }, { scope }) {
    const driveId = parseDriveId(args.shared_drive_id)
    const context = { drive, paths, scope }
    const queries = [
      { text: args.source_file_path_or_id, parameter: 'source_file_path_or_id', driveId },
      { text: args.destination_folder_path_or_id, parameter: 'destination_folder_path_or_id', driveId },
    ] as const
    const [source, destination] = await resolveTwo(queries, context)
    rejectRoot(source, driveId, 'moved')
    if (!source.item) throw new InvalidInput('The top of a drive cannot be moved.')
    const into = await toDestination(destination, driveId, context)
    checkMove(source.item, into)
    const { item, moved } = await moveItem(
      { item: source.item, into, name: args.new_filename },
      { drive, rootId: () => paths.rootId(scope), scope },
    )
    if (item !== source.item) paths.recordChange(item, into.id)
    return {
      item: toItem(item),
      previous_name: source.item.name,
      ...(source.item.parents[0] !== undefined && { previous_parent_id: source.item.parents[0] }),
      moved,
      ...withNotices(source.notice, destination.notice),
    }
  },
})

/** The folder that a destination means; a shortcut stands for its target. */
async function toDestination(
  { id: destinationId, item: found }: ResolvedItem,
  driveId: string | undefined,
  { drive, paths, scope }: LookupContext,
): Promise<MoveTarget> {
  if (!found) {
    // An item shows the id of its parent, so only the id of the root tells whether it is there already.
    if (destinationId === 'root') return { id: (await paths.rootId(scope)) ?? 'root', name: 'the top', driveId: undefined }
    return { id: destinationId, name: 'the top', driveId }
  }
  const folder = targetFolderId(found)
  if (folder === undefined) throw new InvalidInput(`${quote(found.name)} is a file, and only a folder can be the destination.`)
  const item = folder === found.id ? found : await getItem(drive, folder, scope)
  if (item.trashed === true) throw new InvalidInput(`The folder ${quote(item.name)} is in the trash. Nothing can be moved into it.`)
  return { id: item.id, name: item.name, driveId: item.driveId }
}
