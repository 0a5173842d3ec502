import { Conflict, Forbidden, InvalidInput } from '@mcp-toolkits/core'
import type { CallScope } from '@mcp-toolkits/core/call-scope'
import type { IdempotencyKeys } from '@mcp-toolkits/core/idempotency-keys'
import { isTransient } from '@mcp-toolkits/core/retry'
import type { DriveClient } from './client.ts'
import { CreatedItem, createdItemFields, getCreatedItem, getItem, isTrashedWithParent } from './files.ts'
import { folderType, kindOf, targetFolderId, type DriveItem } from './items.ts'
import { quote } from '@mcp-toolkits/core/text'

class NotAFolder extends InvalidInput {}

/** The folder that an id or a shortcut stands for. */
export interface ResolvedFolder {
  readonly folderId: string
  /** The name of the shortcut, if it was one. */
  readonly shortcut?: string
}

/** The folder that an id means; a shortcut stands for its target. Throws `InvalidInput` for anything else. */
export async function resolveFolder(
  drive: DriveClient,
  id: string,
  scope: CallScope,
): Promise<ResolvedFolder & { readonly isTrashed: boolean }> {
  const item = await getItem(drive, id, scope)
  const folderId = targetFolderId(item)
  if (folderId === undefined) throw new NotAFolder(`${quote(item.name)} is a ${kindOf(item.mimeType)}, not a folder.`)
  return { folderId, isTrashed: item.trashed === true, ...(folderId !== item.id && { shortcut: item.name }) }
}

/**
 * Creates something in a folder. Only when Drive refuses is the folder looked up: if the id is a shortcut's, it is created in the target.
 * Throws `InvalidInput` for a parent that is not a folder.
 */
export async function createInFolder<Created>(
  drive: DriveClient,
  { parent, scope }: { readonly parent: string; readonly scope: CallScope },
  create: (parent: string) => Promise<Created>,
): Promise<{ readonly created: Created; readonly folder: ResolvedFolder }> {
  try {
    return { created: await create(parent), folder: { folderId: parent } }
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof Forbidden)) throw error
    const folder = await resolveFolder(drive, parent, scope).catch((reason: unknown) => {
      throw reason instanceof NotAFolder ? reason : error
    })
    if (folder.shortcut === undefined) throw error
    return { created: await create(folder.folderId), folder }
  }
}

/** The error for an item that was created in a folder which is in the trash. */
export function createdInTrash({ name, id, parents: [parent], mimeType }: DriveItem): InvalidInput {
  const folder = parent === undefined ? 'The parent folder' : `The parent folder ${parent}`
  return new InvalidInput(
    `${folder} is in the trash, and so is what is created in it: ${quote(name)} (${id}). Take the parent out of the trash and repeat the call, which creates no second ${kindOf(mimeType)}; or pass another parent.`,
  )
}

export interface NewFolder {
  readonly name: string
  /** The id of the folder to create it in. */
  readonly parent: string
}

interface FolderContext {
  readonly drive: DriveClient
  readonly newItems: IdempotencyKeys
  readonly scope: CallScope
}

/** Creates one folder, however often the request for it is sent. Throws `InvalidInput` for a parent that is no folder or is in the trash. */
export async function createFolder(
  { name, parent }: NewFolder,
  context: FolderContext,
): Promise<{ readonly folder: DriveItem; readonly parent: ResolvedFolder }> {
  const { created, folder } = await createInFolder(context.drive, { parent, scope: context.scope }, (folderId) =>
    createUntrashed({ name, parent: folderId }, context),
  )
  return { folder: created, parent: folder }
}

async function createUntrashed(newFolder: NewFolder, context: FolderContext): Promise<DriveItem> {
  // The first result may be a folder of an earlier call that has been trashed since.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const folder = await createWithKey(newFolder, context)
    if (folder.explicitlyTrashed !== true) return folder
  }
  throw new Conflict(`The folder that an earlier call created is in the trash. Repeat the call to create ${quote(newFolder.name)} again.`)
}

async function createWithKey(newFolder: NewFolder, { drive, newItems, scope }: FolderContext): Promise<CreatedItem> {
  const create = async (id: string) => {
    const folder = await requestFolder(drive, { id, ...newFolder }, scope).catch(async (error: unknown) => {
      if (!(error instanceof Conflict)) throw error
      // Only this server knows the id, so an earlier attempt created the item that has it. While that cannot be read, the id stays in use.
      return getCreatedItem(drive, id, scope).catch((failure: unknown) => Promise.reject(isTransient(failure) ? failure : error))
    })
    // Thrown while the id is in use, so that it is remembered and a repeat creates no second folder.
    if (isTrashedWithParent(folder)) throw createdInTrash(folder)
    return folder
  }
  return newItems.run(['CreateFolder', newFolder], create, scope.signal)
}

/** `id` comes from `files.generateIds`. https://developers.google.com/workspace/drive/api/guides/folder#create */
async function requestFolder(
  drive: DriveClient,
  { id, name, parent }: NewFolder & { readonly id: string },
  scope: CallScope,
): Promise<CreatedItem> {
  const params = { supportsAllDrives: true, fields: createdItemFields, requestBody: { id, name, parents: [parent], mimeType: folderType } }
  return drive.call({ method: 'files.create', response: CreatedItem, send: (api, options) => api.files.create(params, options) }, scope)
}
