import { Conflict, Forbidden, InvalidInput, quote } from '@mcp-toolkits/core/errors'
import type { CallScope, Operation } from '@mcp-toolkits/core/tool'
import { isTransient } from '@mcp-toolkits/core/upstream'
import type { DriveClient } from './client.ts'
import { createdItemFields, getCreatedItem, getItem, isTrashedWithParent, removeNewItem } from './files.ts'
import { DriveItem, folderType, kindOf, targetFolderId } from './items.ts'

class NotAFolder extends InvalidInput {}

/** The folder that an id or a shortcut stands for. */
export interface ResolvedFolder {
  readonly folderId: string
  /** The shortcut's name, if the id belonged to a shortcut. */
  readonly shortcut?: string
}

/** Resolves an id to a folder; a shortcut stands for its target. Throws `InvalidInput` for anything else. */
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
 * Creates an item in a folder. The folder is looked up only if Drive refuses: if the id belongs to a shortcut, the item is created in its
 * target. Throws `InvalidInput` for a parent that is not a folder.
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

/** Error for an item that was created in a trashed folder. */
export function createdInTrash({ name, id, parents: [parent] }: DriveItem): InvalidInput {
  const folder = parent === undefined ? 'The parent folder' : `The parent folder ${parent}`
  return new InvalidInput(
    `${folder} is in the trash, and so is the item created in it: ${quote(name)} (${id}). Restore the parent and retry the call, which cannot create a duplicate; or pass a different parent.`,
  )
}

/** Removes the item that this call created in a trashed folder. Returns the error that reports the outcome. */
export async function undoInTrash(drive: DriveClient, item: DriveItem): Promise<InvalidInput> {
  const done = await removeNewItem(drive, item.id)
  if (done === undefined) return createdInTrash(item)
  const folder = `The parent folder ${item.parents[0] ?? ''}`.trim()
  return new InvalidInput(`${folder} is in the trash, so the item created in it was ${done}. Restore it, or pass a different parent.`)
}

export interface NewFolder {
  readonly name: string
  /** The id of the folder to create it in. */
  readonly parent: string
}

export interface CreateContext {
  readonly drive: DriveClient
  readonly operation: Operation
  readonly newId: (signal: AbortSignal) => Promise<string>
  readonly scope: CallScope
}

export interface CreatedFolder {
  readonly folder: DriveItem
  readonly parent: ResolvedFolder
  /** The progress that an earlier call made with the item. `deleted`: that call's item has since been deleted. */
  readonly earlierCall?: 'started' | 'created' | 'deleted' | undefined
}

/**
 * Creates one folder, no matter how often the request is sent. Throws `InvalidInput` for a parent that is not a folder or is in the trash.
 */
export async function createFolder({ name, parent }: NewFolder, context: CreateContext): Promise<CreatedFolder> {
  const create = (id: string, folderId = parent) => requestFolder(context.drive, { id, name, parent: folderId }, context.scope)
  const { item, folder = { folderId: parent }, earlierCall } = await createOnce({ parent, create }, context)
  return { folder: item, parent: folder, earlierCall }
}

export interface NewItem {
  /** The id of the folder to create it in; absent if Drive chooses. */
  readonly parent: string | undefined
  readonly create: (id: string, parent: string | undefined) => Promise<DriveItem>
}

export interface CreatedOnce extends Pick<CreatedFolder, 'earlierCall'> {
  readonly item: DriveItem
  /** Absent if Drive chose the folder. */
  readonly folder?: ResolvedFolder | undefined
}

/**
 * Creates one item, no matter how often the request is sent. Throws `InvalidInput` for a parent that is not a folder or is in the trash.
 */
export async function createOnce({ parent, create }: NewItem, context: CreateContext): Promise<CreatedOnce> {
  const { drive, operation, newId, scope } = context
  const { value: id, isRepeat } = (await operation.begin()) ?? (await operation.claim(await newId(scope.signal)))
  const attempt = async (folderId?: string) => {
    const { item, isNew } = await createWithId(id, (each) => create(each, folderId), context)
    if (isTrashedWithParent(item)) {
      if (isRepeat && !isNew) throw createdInTrash(item)
      const error = await undoInTrash(drive, item)
      await operation.renew(await newId(scope.signal))
      throw error
    }
    if (item.explicitlyTrashed !== true) return { item, earlierCall: isNew ? ('started' as const) : ('created' as const) }
    const { value: otherId } = await operation.renew(await newId(scope.signal))
    const other = await createWithId(otherId, (each) => create(each, folderId), context)
    return { item: other.item, earlierCall: 'deleted' as const }
  }
  const { created, folder } =
    parent === undefined ? { created: await attempt(), folder: undefined } : await createInFolder(drive, { parent, scope }, attempt)
  return { item: created.item, folder, earlierCall: isRepeat ? created.earlierCall : undefined }
}

async function createWithId(id: string, create: (id: string) => Promise<DriveItem>, { drive, scope }: CreateContext) {
  let isNew = true
  const item = await create(id).catch(async (error: unknown) => {
    if (!(error instanceof Conflict)) throw error
    isNew = false
    // Only this server knows the id, so an earlier attempt must have created the item.
    return getCreatedItem(drive, id, scope).catch((failure: unknown) => Promise.reject(isTransient(failure) ? failure : error))
  })
  return { item, isNew }
}

/** `id` comes from `files.generateIds`. https://developers.google.com/workspace/drive/api/guides/folder#create */
async function requestFolder(
  drive: DriveClient,
  { id, name, parent }: NewFolder & { readonly id: string },
  scope: CallScope,
): Promise<DriveItem> {
  const params = { supportsAllDrives: true, fields: createdItemFields, requestBody: { id, name, parents: [parent], mimeType: folderType } }
  return drive.call({ method: 'files.create', response: DriveItem, send: (api, options) => api.files.create(params, options) }, scope)
}
