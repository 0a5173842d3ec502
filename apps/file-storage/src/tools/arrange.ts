import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool, type Context } from '../context.ts'
import { changeItem, getItem } from '../drive/files.ts'
import { folderBehind, Item, shown } from '../drive/items.ts'
import { moveItem, refuseMove, type Destination } from '../drive/moves.ts'
import { readDriveId } from '../drive/references.ts'
import { refuseTop, twoPlaces, withTarget, type Place } from '../resolve.ts'
import { folderPathOrId, newName, pathOrId, sharedDriveId } from './parameters.ts'

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
  async run(args, { drive, areas }, { signal }) {
    const driveId = readDriveId(args.shared_drive_id)
    const wanted = { text: args.file_path_or_id, parameter: 'file_path_or_id', driveId }
    return withTarget(wanted, { drive, areas, signal }, async ({ id, item, notice }) => {
      refuseTop({ id }, driveId, 'renamed')
      const renamed = await changeItem(drive, { id, name: args.new_filename }, signal)
      areas.changed(renamed)
      return { item: shown(renamed), ...(item && { previous_name: item.name }), ...(notice !== undefined && { notice }) }
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
    shared_drive_id: sharedDriveId.describe(
      'Id of the shared drive that the paths begin in; FileStorage.WhoAmI lists them. Not needed with ids.',
    ),
  }),
  output: z.object({
    item: Item,
    previous_name: z.string(),
    previous_parent_id: z.string().optional(),
    moved: z.boolean().describe('False where it lay there already.'),
    notices: z.array(z.string()).optional(),
  }),
  async run(args, context, { signal }) {
    const { drive, areas } = context
    const driveId = readDriveId(args.shared_drive_id)
    const sought = [
      { text: args.source_file_path_or_id, parameter: 'source_file_path_or_id' },
      { text: args.destination_folder_path_or_id, parameter: 'destination_folder_path_or_id' },
    ] as const
    const [source, destination] = await twoPlaces(sought, { drive, areas, signal, driveId })
    refuseTop(source, driveId, 'moved')
    if (!source.item) throw new InvalidInput('The top of a drive cannot be moved.')
    const into = await destinationAt(destination, { context, driveId, signal })
    refuseMove(source.item, into)
    const { item, moved } = await moveItem(source.item, { into, name: args.new_filename }, { drive, areas, signal })
    if (item !== source.item) areas.changed(item, into.id)
    const notices = [source.notice, destination.notice].filter((notice) => notice !== undefined)
    return {
      item: shown(item),
      previous_name: source.item.name,
      ...(source.item.parents[0] !== undefined && { previous_parent_id: source.item.parents[0] }),
      moved,
      ...(notices.length > 0 && { notices }),
    }
  },
})

interface Looking {
  readonly context: Context
  readonly signal: AbortSignal
}

/** The folder that a destination means. A shortcut stands for the folder that it points at. */
async function destinationAt(place: Place, { context, driveId, signal }: Looking & { driveId: string | undefined }): Promise<Destination> {
  if (!place.item) {
    // An item shows the id of its parent, so the top has to be known by its id to tell what lies there already.
    const id = place.id === 'root' ? ((await context.areas.rootId(signal)) ?? 'root') : place.id
    return { id, name: 'the top', driveId: place.id === 'root' ? undefined : driveId }
  }
  const folder = folderBehind(place.item)
  if (folder === undefined) throw new InvalidInput(`"${place.item.name}" is a file, and only a folder can be the destination.`)
  const item = folder === place.item.id ? place.item : await getItem(context.drive, folder, signal)
  if (item.trashed === true) throw new InvalidInput(`The folder "${item.name}" is in the trash. Nothing can be moved into it.`)
  return { id: item.id, name: item.name, driveId: item.driveId }
}
