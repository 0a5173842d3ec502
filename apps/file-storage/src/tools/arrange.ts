import { InvalidInput, Message, type NextStep, quote, sentence } from '@mcp-toolkits/core/errors'
import { isPlaceholder, type Operation, withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { driveLabel } from '../drive/about.ts'
import { confirmChanged, confirmMove, confirmNew, placeOf } from '../drive/confirmed.ts'
import { checkMove, type MoveTarget, getItem, moveItem, updateItem } from '../drive/files.ts'
import { createFolder as createDriveFolder } from '../drive/folders.ts'
import { type DriveItem, Item, targetFolderId, toItem } from '../drive/items.ts'
import { findNamesakes, namesakeNotice } from '../drive/paths.ts'
import {
  rejectRoot,
  requireFolder,
  resolveTwo,
  sayIfTrashed,
  withTarget,
  type LookupContext,
  type ResolvedItem,
} from '../resolve/resolve.ts'
import { notFolder } from '../resolve/missing-folder.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import { typeByExtension } from '../upload/media-type.ts'
import {
  type FileArguments,
  folderPathOrId,
  lookupOf,
  newName,
  pathOrId,
  sharedDriveId,
  checkNewName,
  rootByDefault,
} from './parameters.ts'
import * as vocabulary from '../vocabulary/parameters.ts'

export const createFolder = defineTool({
  name: 'CreateFolder',
  title: 'Create a folder',
  description: Message.of(
    'Create a new folder in Google Drive: make or add a directory, or a subfolder inside another folder, which must exist. Names need not be unique.',
    sentence`To see what exists, use ${{ tool: 'FileStorage.SearchFiles' }}.`,
  ),
  effect: 'create',
  scopes: ['drive.file'],
  input: z.strictObject({
    folder_name: withVocabulary(newName('Name of the new folder'), vocabulary.newFolder),
    parent_folder_path_or_id: folderPathOrId("Parent folder, without the new folder's name", rootByDefault).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({ folder: Item, created_in: z.string() }),
  example: { folder_name: 'Minutes', parent_folder_path_or_id: 'Team' },
  async run(args, context, call) {
    const { folder_name: name, parent_folder_path_or_id: text = 'root' } = args
    const { drive, paths, newId } = context
    const { scope, operation, notice } = call
    checkNewName(name, 'folder_name', (folder, last) =>
      text === 'root' && folder !== '' ? { change: { folder_name: last, parent_folder_path_or_id: folder } } : undefined,
    )
    const lookup = { ...lookupOf(context, call), isWrite: true }
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    const query = { text, parameter: 'parent_folder_path_or_id', sharedDrive, expects: 'folder', newName: name } as const
    return withTarget(query, lookup, async (target) => {
      const destination = requireFolder(target, 'parent_folder_path_or_id')
      const created = await createDriveFolder({ name, parent: destination.id }, { drive, operation, newId, scope })
      const { folder, parent, earlierCall } = created
      const alsoFound = earlierCall ? [] : target.alsoFound
      const namesakes = await findNamesakes(folder, { folder: parent.folderId, alsoFound, paths, scope })
      await paths.recordChange({ item: folder, into: parent.folderId }, scope)
      if (earlierCall) notice(earlierCallNotices(operation)[earlierCall])
      else if (namesakes.length > 0) notice(namesakeNotice(folder, namesakes, 'new'))
      // A folder that an earlier call created may have changed since.
      const missing =
        earlierCall === 'created'
          ? undefined
          : confirmNew(folder, { name, folder: parent.folderId }, { name: 'folder_name', folder: 'parent_folder_path_or_id' })
      if (missing !== undefined) notice(missing)
      return {
        folder: toItem(folder),
        created_in: placeOf(folder, parent, destination.label),
      }
    })
  },
})

const earlierCallNotices = ({ isKeyed }: Pick<Operation, 'isKeyed'>) => ({
  started: 'An earlier call had started to create this folder. This call finished it; there is one folder.',
  created: `An earlier call had already created this folder, so no second one was created. To create another one, repeat the call${isKeyed ? ' with a different key' : ''}.`,
  deleted: 'An earlier call had created this folder, but it has been deleted since. It was created again.',
})

export const renameFile = defineTool({
  name: 'RenameFile',
  title: 'Rename a file or folder',
  description: Message.of(
    'Rename a file, folder or document in Google Drive: give it a new name, change the filename or title. It stays where it is and keeps its id; names need not be unique.',
    sentence`To move it too, use ${{ tool: 'FileStorage.MoveFile' }}.`,
  ),
  effect: 'update',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: withVocabulary(pathOrId('File or folder'), vocabulary.renamedItem),
    new_filename: withVocabulary(newName('New name, with its extension'), vocabulary.onlyNewName),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({ item: Item, previous_name: z.string().optional() }),
  example: { file_path_or_id: 'Team/Holidays.csv', new_filename: 'Holidays 2027.csv' },
  async run(args, context, call) {
    const lookup = { ...lookupOf(context, call), isWrite: true }
    const { new_filename: name } = args
    checkNewName(
      name,
      'new_filename',
      (folder, last) => stepForPath(args, folder, last),
      sentence`To move it too, use ${{ tool: 'FileStorage.MoveFile' }}.`,
    )
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    return withTarget({ text: args.file_path_or_id, parameter: 'file_path_or_id', sharedDrive, newName: name }, lookup, async (target) => {
      rejectRoot(target, 'renamed')
      const renamed = await updateItem(context.drive, { id: target.id, name }, call.scope)
      confirmChanged(renamed, { name }, { name: 'new_filename' })
      sayIfTrashed(renamed, call.notice)
      const [folder] = renamed.parents
      const namesakes = folder === undefined ? [] : await findNamesakes(renamed, { folder, alsoFound: target.alsoFound, ...lookup })
      sayIfOtherFormat(target.item, renamed, call.notice)
      await context.paths.recordChange({ item: renamed }, call.scope)
      if (namesakes.length > 0) call.notice(namesakeNotice(renamed, namesakes, 'renamed'))
      return { item: toItem(renamed), ...(target.item && { previous_name: target.item.name }) }
    })
  },
})

/**
 * Adds a notice if a new name has no extension, or one for another format: renaming does not convert a file, and programs may not recognize
 * its format.
 */
function sayIfOtherFormat(
  before: { readonly name: string } | undefined,
  { name, mimeType }: DriveItem,
  notice: (text: string) => void,
): void {
  const [extension] = /\.[a-z]\w{0,4}$/i.exec(before?.name ?? '') ?? []
  if (extension === undefined || mimeType.startsWith('application/vnd.google-apps.')) return
  const type = typeByExtension(name)
  if (type !== undefined && ![mimeType, typeByExtension(extension)].includes(type))
    notice(`Only the name has changed: the content is still ${mimeType}.`)
  if (/\.\w{1,5}$/.test(name)) return
  notice(
    `The new name has no extension; the previous one was ${quote(extension)}. To add it, rename the file to ${quote(`${name}${extension}`, 300)}.`,
  )
}

/**
 * The call that was probably meant by a path given as a new name: a rename in the item's folder, or a move if it ends in the same name or
 * kind of file.
 */
function stepForPath(
  { file_path_or_id: item, new_filename: path, shared_drive_id }: FileArguments & { readonly new_filename: string },
  folder: string,
  last: string,
): NextStep | undefined {
  const [name = '', ...above] = item.split('/').filter(Boolean).toReversed()
  // "/name" means the root; "name" alone does not.
  if (folder === '' && (above.length === 0 || !path.startsWith('/'))) return undefined
  if (item.toLowerCase() === `${folder}/${name}`.toLowerCase()) return { change: { new_filename: last } }
  const extension = /\.\w+$/.exec(last)?.[0]
  if (name !== last && (extension === undefined || !name.endsWith(extension))) return undefined
  const changes = { ...(name !== last && { new_filename: last }), ...(shared_drive_id !== undefined && { shared_drive_id }) }
  const args = { source_file_path_or_id: item, destination_folder_path_or_id: folder || 'root', ...changes }
  return { tool: 'FileStorage.MoveFile', arguments: args }
}

export const moveFile = defineTool({
  name: 'MoveFile',
  title: 'Move a file or folder',
  description: Message.of(
    'Move or relocate a file, folder or document: put files into another folder, and rename them if you like. They get the access settings of that folder; folders cannot change drives.',
    sentence`For a new name alone, use ${{ tool: 'FileStorage.RenameFile' }}.`,
  ),
  effect: 'update',
  scopes: ['drive.file'],
  input: z.strictObject({
    source_file_path_or_id: withVocabulary(pathOrId('File or folder to move'), vocabulary.movedItem),
    destination_folder_path_or_id: withVocabulary(
      folderPathOrId('Folder to move it to, without the name of the moved item'),
      vocabulary.destination,
    ),
    new_filename: withVocabulary(newName('Name after the move', ' Default: unchanged.'), vocabulary.nameAfterMove).optional(),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    item: Item,
    previous_name: z.string(),
    previous_parent_id: z.string().optional(),
    moved: z.boolean(),
  }),
  example: { source_file_path_or_id: 'Drafts/All-hands talk.md', destination_folder_path_or_id: 'Archive' },
  async run(args, context, call) {
    const { drive, paths } = context
    const { scope, notice } = call
    checkNewName(args.new_filename ?? '', 'new_filename')
    refuseFiller(args.new_filename)
    const lookup = { ...lookupOf(context, call), isWrite: true }
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    const presentName = args.source_file_path_or_id.split('/').at(-1) ?? ''
    const newName = args.new_filename ?? presentName
    const movedName = { name: presentName, ...(args.new_filename === undefined && { nameParameter: 'new_filename' }) }
    const queries = [
      { text: args.source_file_path_or_id, parameter: 'source_file_path_or_id', sharedDrive },
      {
        text: args.destination_folder_path_or_id,
        parameter: 'destination_folder_path_or_id',
        sharedDrive,
        expects: 'folder',
        newName,
        moved: movedName,
      },
    ] as const
    const [source, target] = await resolveTwo(queries, lookup)
    rejectRoot(source, 'moved')
    if (!source.item) throw new InvalidInput('The root of a drive cannot be moved. Pass a file or folder in it.')
    const destination = await toDestination(target, lookup)
    checkMove(source.item, destination)
    checkReferences(args, { item: source.item, destination, destinationId: target.id })
    const { item, wasThere } = await moveItem(
      { item: source.item, destination, name: args.new_filename },
      { drive, rootId: () => paths.rootId(scope), scope },
    )
    const { moved, notices } = confirmMove(item, { before: source.item, folder: destination.id, wasThere, name: args.new_filename })
    for (const text of notices) notice(text)
    if (args.new_filename !== undefined) sayIfOtherFormat(source.item, item, notice)
    if (!target.item && sharedDrive !== undefined)
      notice(
        `The destination was the root of ${driveLabel(sharedDrive)}: shared_drive_id applies to both paths. For the root of My Drive, leave shared_drive_id out and begin the source path with the name of the drive.`,
      )
    if (item !== source.item) {
      const alsoFound = item.name === newName ? target.alsoFound : undefined
      const namesakes = await findNamesakes(item, { folder: destination.id, alsoFound, paths, scope })
      await paths.recordChange({ item, ...((moved || wasThere) && { into: destination.id }) }, scope)
      if (namesakes.length > 0) notice(namesakeNotice(item, namesakes, 'moved'))
    }
    return {
      item: toItem(item),
      previous_name: source.item.name,
      ...(source.item.parents[0] !== undefined && { previous_parent_id: source.item.parents[0] }),
      moved,
    }
  },
})

/** Refuses a placeholder as the new name in a move: if no name is given, the item keeps its own. */
function refuseFiller(name: string | undefined): void {
  if (name === undefined || !isPlaceholder(name)) return
  throw new InvalidInput(
    Message.of(
      `"new_filename" is ${quote(name, 80)}, which stands for no value. Nothing was moved. Leave it out to keep the name.`,
      sentence`To give the item that name, use ${{ tool: 'FileStorage.RenameFile' }}.`,
    ),
    { next: { change: { new_filename: null } } },
  )
}

interface MoveReferences {
  readonly source_file_path_or_id: string
  readonly destination_folder_path_or_id: string
}

interface FoundMove {
  readonly item: DriveItem
  readonly destination: MoveTarget
  /** The item that the destination led to, which may be a shortcut to the folder. */
  readonly destinationId: string
}

/** Requires ids if a shortcut would move into its own target folder, or if two items with the same name are meant. */
function checkReferences(
  { source_file_path_or_id: from, destination_folder_path_or_id: to }: MoveReferences,
  { item, destination, destinationId }: FoundMove,
): void {
  const areIds = from === item.id && [destination.id, destinationId].includes(to)
  const isShortcut = item.shortcutDetails?.targetId === destination.id
  if (areIds || !(isShortcut || from.trim() === to.trim())) return
  const [source, folder] = [`${quote(item.name, 300)} (${item.id})`, `${quote(destination.name, 300)} (${destination.id})`]
  const reason = isShortcut
    ? `the shortcut ${source} leads to the destination ${folder}`
    : `the same text means both ${source} and ${folder}`
  throw new InvalidInput(`Nothing was moved: ${reason}. Pass the ids of the items that you mean.`, {
    suggestions: [
      { value: item.id, parameter: 'source_file_path_or_id', confidence: 0.6 },
      { value: destination.id, parameter: 'destination_folder_path_or_id', confidence: 0.6 },
    ],
  })
}

/** The folder that a destination means; a shortcut stands for its target. */
async function toDestination(
  { id: destinationId, item: found, sharedDrive }: ResolvedItem,
  { drive, paths, scope }: LookupContext,
): Promise<MoveTarget> {
  if (!found) {
    // Items show their parent's id, so only the root's id can tell that the item is already there.
    if (destinationId === 'root') return { id: (await paths.rootId(scope)) ?? 'root', name: 'the root', driveId: undefined }
    return { id: destinationId, name: 'the root', driveId: sharedDrive?.id }
  }
  const folder = targetFolderId(found)
  if (folder === undefined) throw notFolder(found, { parameter: 'destination_folder_path_or_id' })
  const item = folder === found.id ? found : await getItem(drive, folder, scope)
  if (item.trashed === true) throw new InvalidInput(`The folder ${quote(item.name)} is in the trash. Nothing can be moved into it.`)
  return { id: item.id, name: item.name, driveId: item.driveId }
}
