import { Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { confirmNew } from '../../drive/confirmed.ts'
import { copyFile as copyDriveFile, sourceOfCopy } from '../../drive/content/copies.ts'
import { contentsOf, findInTrash, getTrashState, setTrashed } from '../../drive/content/trash.ts'
import { getItem } from '../../drive/files.ts'
import { consentParameters } from '../../drive/sharing/access.ts'
import { accessOfCopy, copyAccess } from '../../drive/sharing/copy-access.ts'
import { type DriveItem, Item, toItem } from '../../drive/items.ts'
import { findNamesakes, namesakeNotice, type NamesakeSearch, toPathItem } from '../../drive/paths.ts'
import { rejectRoot, requireFolder, resolveItem, resolveTwo, type ResolvedItem, withTarget } from '../../resolve/resolve.ts'
import { driveOfPath, resolveDrive } from '../../resolve/shared-drives.ts'
import { checkNewName, folderPathOrId, lookupOf, newName, pathOrId, sharedDriveId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

const earlierCopies = {
  started: 'An earlier call had started to make this copy. This call finished it; there is one copy.',
  created: 'An earlier call had already made this copy, so no second one was made. To make another one, repeat the call.',
  deleted: 'An earlier call had made this copy, but it has been deleted since. It was made again.',
}

export const copyFile = defineTool({
  name: 'CopyFile',
  title: 'Copy a file',
  description: Message.of(
    'Copy or duplicate a file or Google document in Google Drive, under a new name and into another folder if you like. The folder decides who can see the copy; if that is more people, the user must agree. Folders cannot be copied.',
    sentence`To move the file itself, use ${{ tool: 'FileStorage.MoveFile' }}.`,
  ),
  effect: 'create',
  writes: ({ dry_run }) => !dry_run,
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: pathOrId('File to copy'),
    new_filename: withVocabulary(newName('Name of the copy', ' Default: "Copy of" and the name.'), vocabulary.newName).optional(),
    destination_folder_path_or_id: folderPathOrId('Folder of the copy', ' Default: the folder of the file.').optional(),
    shared_drive_id: sharedDriveId,
    ...consentParameters,
  }),
  output: z.object({ file: Item.optional(), copy_of: z.object({ id: z.string(), name: z.string() }), ...copyAccess }),
  example: { file_path_or_id: 'Team/Working agreement.md', new_filename: 'Working agreement 2027.md' },
  async run(args, context, call) {
    const { file_path_or_id: text, destination_folder_path_or_id: folderText, new_filename: name } = args
    checkNewName(name ?? '', 'new_filename')
    const lookup = { ...lookupOf(context, call), isWrite: true }
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    const file = { text, parameter: 'file_path_or_id', sharedDrive, ...(name !== undefined && { newName: name }) }
    const folder = { ...file, text: folderText ?? '', parameter: 'destination_folder_path_or_id', expects: 'folder' } as const
    const [found, target] = folderText === undefined ? [await resolveItem(file, lookup)] : await resolveTwo([file, folder], lookup)
    rejectRoot(found, 'copied')
    const source = await sourceOfCopy(context.drive, found.item ?? (await getItem(context.drive, found.id, call.scope)), call.scope)
    if (source.id !== found.id) call.notice(`${quote(text, 300)} is a shortcut; its target ${quote(source.name, 300)} was copied.`)
    const parent = target && folderOf(target)
    const copyOf = { id: source.id, name: source.name }
    const access = await accessOfCopy(context.drive, { source, folder: parent, ...args }, call.scope)
    if (args.dry_run) return { copy_of: copyOf, ...access }
    const { item, earlierCall } = await copyDriveFile({ source, name, parent }, { drive: context.drive, newId: context.newId, ...call })
    const alsoFound = name === undefined ? undefined : (target ?? found).alsoFound
    const namesakes = earlierCall ? [] : await namesakesOf(item, { alsoFound, ...lookup })
    await context.paths.recordChange({ item, into: item.parents[0] }, call.scope)
    const missing = confirmNew(item, { name, folder: parent }, { name: 'new_filename', folder: 'destination_folder_path_or_id' })
    if (earlierCall) call.notice(earlierCopies[earlierCall])
    else if (missing !== undefined) call.notice(missing)
    if (namesakes.length > 0) call.notice(namesakeNotice(item, namesakes, 'new'))
    return { file: toItem(item), copy_of: copyOf, ...access }
  },
})

async function namesakesOf(item: DriveItem, search: Omit<NamesakeSearch, 'folder'>): Promise<readonly string[]> {
  const [folder] = item.parents
  return folder === undefined ? [] : findNamesakes(item, { ...search, folder })
}

function folderOf({ id, item, sharedDrive }: ResolvedItem): string {
  return requireFolder({ id, sharedDrive, ...(item && { item: toPathItem(item) }) }, 'destination_folder_path_or_id').id
}

export const trashFile = defineTool({
  name: 'TrashFile',
  title: 'Move a file or folder to the trash',
  description: Message.of(
    'Trash, remove or delete a file, folder or Google document in Google Drive: it goes into the trash, a folder with all that is in it, and Google deletes it for good after 30 days.',
    sentence`To get it back, use ${{ tool: 'FileStorage.RestoreFile' }}.`,
  ),
  effect: 'delete',
  scopes: ['drive.file'],
  input: z.strictObject({ file_path_or_id: pathOrId('File or folder'), shared_drive_id: sharedDriveId }),
  output: z.object({
    item: Item,
    changed: z.boolean().describe('False if it was in the trash already.'),
    contains: z
      .object({ items: z.int(), names: z.array(z.string()), has_more: z.boolean() })
      .optional()
      .describe('What is directly in the folder, and in the trash with it.'),
  }),
  example: { file_path_or_id: 'Drafts/All-hands talk.md' },
  async run(args, context, call) {
    const { drive, paths } = context
    const lookup = { ...lookupOf(context, call), isWrite: true }
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    return withTarget({ text: args.file_path_or_id, parameter: 'file_path_or_id', sharedDrive }, lookup, async (target) => {
      rejectRoot(target, 'moved to the trash')
      const before = await getTrashState(drive, target, call.scope)
      if (before.trashed === true) {
        const withFolder = before.explicitlyTrashed === true ? '' : ', with its folder'
        call.notice(`${quote(before.name)} was already in the trash${withFolder}. Nothing was changed.`)
        return { item: toItem(before), changed: false }
      }
      const contains = await contentsOf(drive, before, call.scope)
      const { item, doubt } = await setTrashed(drive, { id: before.id, trashed: true }, call.scope)
      await paths.recordChange({ item }, call.scope)
      if (doubt !== undefined) call.notice(doubt)
      if (before.shortcutDetails) call.notice('It is a shortcut; its target stays where it is.')
      return { item: toItem(item), changed: true, ...(contains && { contains }) }
    })
  },
})

export const restoreFile = defineTool({
  name: 'RestoreFile',
  title: 'Restore a file or folder from the trash',
  description: Message.of(
    'Restore, recover or undelete a file or folder from the trash of Google Drive, to where it was. Its name is enough to find it there.',
    sentence`To put one into the trash, use ${{ tool: 'FileStorage.TrashFile' }}.`,
  ),
  effect: 'update',
  scopes: ['drive.file'],
  input: z.strictObject({ file_path_or_id: pathOrId('File or folder in the trash'), shared_drive_id: sharedDriveId }),
  output: z.object({ item: Item, changed: z.boolean().describe('False if it was not in the trash.') }),
  example: { file_path_or_id: 'Old launch dates.txt' },
  async run(args, context, call) {
    const { drive, paths } = context
    const lookup = { ...lookupOf(context, call), isWrite: true }
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    const { file_path_or_id: path } = args
    const findDrive = async () => {
      const start = await driveOfPath(path, { sharedDrive, parameter: 'file_path_or_id' }, lookup)
      return 'drive' in start ? start.drive : undefined
    }
    const inTrash = await findInTrash(drive, { text: path, driveId: sharedDrive?.id, findDrive }, call.scope)
    const text = inTrash?.id ?? path
    return withTarget({ text, parameter: 'file_path_or_id', sharedDrive }, lookup, async (target) => {
      rejectRoot(target, 'restored')
      const before = inTrash ?? (await getTrashState(drive, target, call.scope))
      if (before.trashed !== true) {
        call.notice(`${quote(before.name)} is not in the trash. Nothing was changed.`)
        return { item: toItem(before), changed: false }
      }
      const { item, doubt } = await setTrashed(drive, { id: before.id, trashed: false }, call.scope)
      const namesakes = item.trashed === true ? [] : await namesakesOf(item, { alsoFound: undefined, ...lookup })
      await paths.recordChange({ item }, call.scope)
      if (doubt !== undefined) call.notice(doubt)
      if (namesakes.length > 0) call.notice(namesakeNotice(item, namesakes, 'restored'))
      if (item.trashed === true)
        call.notice(`It is still in the trash with its folder ${item.parents[0] ?? ''}, which has to be restored first.`)
      return { item: toItem(item), changed: item.trashed !== true || before.explicitlyTrashed === true }
    })
  },
})
