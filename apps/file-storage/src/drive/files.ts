import { randomUUID } from 'node:crypto'
import { Forbidden, InvalidInput, NotFound, quote, Unavailable } from '@mcp-toolkits/core/errors'
import { withCallScope, type CallScope } from '@mcp-toolkits/core/tool'
import { Attempts, jsonOf, withRetry } from '@mcp-toolkits/core/upstream'
import * as z from 'zod'
import { completeResponse, transferRetryPolicy, vendor, type DriveClient } from './client.ts'
import { notDriveResponse, UnseenFolder, uploadErrorFrom } from './errors.ts'
import { DriveItem, itemFields, targetFolderId } from './items.ts'
import { ForbiddenToUser, NotOffered } from './reasons.ts'

export async function getItem(drive: DriveClient, id: string, scope: CallScope): Promise<DriveItem> {
  const params = { fileId: id, supportsAllDrives: true, fields: itemFields }
  const call = { method: 'files.get', response: DriveItem } as const
  const item = await drive.call({ ...call, send: (api, options) => api.files.get(params, options) }, scope)
  await drive.resourceKeys.addFrom([item])
  return item
}

/** The id of My Drive's root. */
export async function getRootId(drive: DriveClient, scope: CallScope): Promise<string> {
  const params = { fileId: 'root', fields: 'id' }
  const call = { method: 'files.get', response: z.object({ id: z.string() }) } as const
  const { id } = await drive.call({ ...call, send: (api, options) => api.files.get(params, options) }, scope)
  return id
}

export interface ItemUpdate {
  readonly name?: string | undefined
  /** The folder to move into and the folders to leave. */
  readonly move?: { readonly destinationId: string; readonly parentsToLeave: readonly string[] } | undefined
}

/** Renames, moves, or both in one request. https://developers.google.com/workspace/drive/api/guides/folder#move_files_between_folders */
export async function updateItem(
  drive: DriveClient,
  { id, name, move }: ItemUpdate & { readonly id: string },
  scope: CallScope,
): Promise<DriveItem> {
  const params = {
    fileId: id,
    supportsAllDrives: true,
    fields: itemFields,
    ...(move && {
      addParents: move.destinationId,
      ...(move.parentsToLeave.length > 0 && { removeParents: move.parentsToLeave.join(',') }),
    }),
    requestBody: name === undefined ? {} : { name },
  }
  return drive.call({ method: 'files.update', response: DriveItem, send: (api, options) => api.files.update(params, options) }, scope)
}

/** A folder that something is moved into. */
export interface MoveTarget {
  /** `root` if the id of My Drive's root cannot be read. */
  readonly id: string
  readonly name: string
  readonly driveId: string | undefined
}

/** Throws `InvalidInput` with the reason for a move that Drive would refuse without giving one. */
export function checkMove(item: DriveItem, destination: MoveTarget): void {
  if (item.id === destination.id)
    throw new InvalidInput(`${quote(item.name)} cannot be moved into itself. Pass another destination folder.`)
  if (item.trashed === true) throw new InvalidInput(`${quote(item.name)} is in the trash. Restore it before moving it.`)
}

export interface Move {
  /** The item, just looked up. */
  readonly item: DriveItem
  readonly destination: MoveTarget
  /** The new name; undefined to keep it. */
  readonly name: string | undefined
}

interface MoveContext {
  readonly drive: DriveClient
  /** The id of My Drive's root; undefined if it cannot be read. */
  readonly rootId: () => Promise<string | undefined>
  readonly scope: CallScope
}

/** Moves and renames an item if necessary. `wasThere` is true if it was already in the folder. */
export async function moveItem(
  { item, destination, name: newName }: Move,
  context: MoveContext,
): Promise<{ readonly item: DriveItem; readonly wasThere: boolean }> {
  const { drive, scope } = context
  const { id } = item
  const name = newName === item.name ? undefined : newName
  if (item.parents.includes(destination.id))
    return { item: name === undefined ? item : await updateItem(drive, { id, name }, scope), wasThere: true }
  const move = { destinationId: destination.id, parentsToLeave: await parentsToLeave(item, destination, context) }
  try {
    return { item: await updateItem(drive, { id, name, move }, scope), wasThere: false }
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof Forbidden)) throw error
    const current = await getItem(drive, id, scope)
    if (!isIn(current, destination, error)) throw moveError(error, item)
    // An earlier attempt's response was lost, someone else moved the item, or its parent was not visible.
    const hasName = name === undefined || current.name === name
    return {
      item: hasName ? current : await updateItem(drive, { id, name }, scope),
      wasThere: current.parents.length === 0 && item.parents.length === 0,
    }
  }
}

/** The folders that a move leaves. If the root's id cannot be read, an item in the root shows no parent. */
async function parentsToLeave(item: DriveItem, destination: MoveTarget, { rootId }: MoveContext): Promise<readonly string[]> {
  if (item.parents.length > 0 || item.driveId !== undefined || destination.id === 'root') return item.parents
  return (await rootId()) === undefined ? ['root'] : []
}

/**
 * True if an item is in a folder. A move into the root cannot create a cycle, so if Drive refuses such a move for an item without visible
 * parents, the item is already there.
 */
function isIn({ parents }: DriveItem, { id }: MoveTarget, error: InvalidInput | Forbidden): boolean {
  return parents.includes(id) || (id === 'root' && parents.length === 0 && error instanceof InvalidInput)
}

function moveError(error: InvalidInput | Forbidden, item: DriveItem): InvalidInput | Forbidden {
  const { message, details } = error
  if (error instanceof InvalidInput) {
    if (targetFolderId(item) !== item.id || error instanceof NotOffered) return error
    return new InvalidInput(
      `The folder ${quote(item.name)} was not moved: a folder cannot be moved into its own subfolder. ${message}`,
      details,
    )
  }
  if (item.parents.length > 0 || error instanceof ForbiddenToUser) return error
  return new UnseenFolder(`${quote(item.name)} was not moved: its current folder is not visible to this app. ${message}`, details)
}

export interface NewFile {
  /** From `files.generateIds`, so that a repeated request does not create a second file. */
  readonly id: string
  readonly name: string
  readonly parent: string
  /** Must not be one of Google's own types: Drive would convert the file to a Google document. */
  readonly mimeType: string
}

export const createdItemFields = `${itemFields},createdTime,explicitlyTrashed`

export function isTrashedWithParent({ trashed, explicitlyTrashed }: DriveItem): boolean {
  return trashed === true && explicitlyTrashed !== true
}

/** Maximum silence, in milliseconds, for a request with a body: Drive sends nothing before the whole body has arrived. */
export const bodySilenceMs = 8_000
/** Maximum silence, in milliseconds, for any other request. */
export const requestSilenceMs = 12_000

export function uploadPath(uploadType: 'multipart' | 'resumable'): string {
  return `upload/drive/v3/files?uploadType=${uploadType}&supportsAllDrives=true&fields=${encodeURIComponent(createdItemFields)}`
}

export function newFileMetadata({ id, name, parent, mimeType }: NewFile): string {
  return JSON.stringify({ id, name, parents: [parent], mimeType })
}

/** Creates a file with its content in one request. https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart */
export async function createFile(
  drive: DriveClient,
  { bytes, ...file }: NewFile & { readonly bytes: Uint8Array },
  { isRetry, scope }: { readonly isRetry: boolean; readonly scope: CallScope },
): Promise<DriveItem> {
  const boundary = `part-${randomUUID()}`
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${newFileMetadata(file)}\r\n`),
    Buffer.from(`--${boundary}\r\nContent-Type: ${file.mimeType}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/related; boundary=${boundary}` }
  const request = { to: uploadPath('multipart'), method: 'POST', headers, body, isRetry }
  return drive.transfer({ ...request, silenceMs: bodySilenceMs, read: readCreatedItem }, scope)
}

export async function readCreatedItem(response: Response): Promise<DriveItem> {
  const complete = await completeResponse(response)
  if (!complete.ok) throw uploadErrorFrom(complete)
  const item = DriveItem.safeParse(jsonOf(complete, vendor))
  if (!item.success) throw notDriveResponse(response.status)
  return item.data
}

/** An item by id, in its current state. */
export async function getCreatedItem(drive: DriveClient, id: string, scope: CallScope): Promise<DriveItem> {
  const params = { fileId: id, supportsAllDrives: true, fields: createdItemFields }
  const call = { method: 'files.get', response: DriveItem } as const
  return drive.call({ ...call, send: (api, options) => api.files.get(params, options) }, scope)
}

/** True if an item has the id. */
export async function isCreated(drive: DriveClient, id: string, scope: CallScope): Promise<boolean> {
  return getCreatedItem(drive, id, scope).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFound) return false
      throw error
    },
  )
}

/** Maximum number of requests for a file that Drive says exists: a new file may not be visible at once. */
const maxLookups = 4

/** A file that Drive says exists; undefined if it does not become visible. */
export async function findCreatedItem(
  drive: DriveClient,
  id: string,
  { attempts, scope }: { readonly attempts: Attempts; readonly scope: CallScope },
): Promise<DriveItem | undefined> {
  for (let lookups = 1; ; lookups += 1) {
    try {
      return await getCreatedItem(drive, id, scope)
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
      if (lookups === maxLookups) return undefined
      const notVisible = new Unavailable('Google Drive does not show the file yet. Retry the call.')
      if (!(await attempts.waitForNext(notVisible))) throw notVisible
    }
  }
}

/** Timeout, in milliseconds, for removing a new item. */
const removalMs = 15_000

/**
 * Removes a new file whose content differs from what was sent, even after the caller has given up. Returns the error that reports the
 * outcome.
 */
export async function removeCorruptFile(drive: DriveClient, item: DriveItem): Promise<Unavailable> {
  return withCallScope({ clock: drive.clock, ms: removalMs }, (scope) => removeFile(drive, item, scope))
}

async function removeFile(drive: DriveClient, { id, name }: DriveItem, scope: CallScope): Promise<Unavailable> {
  const mismatch = 'What Google Drive stored did not match the MD5 of what was sent'
  const done = await removeItem(drive, id, scope)
  if (done !== undefined) return new Unavailable(`${mismatch}, so it was ${done}. Retry the call.`)
  return corruptFileRemains({ id, name }, `${mismatch}, and Google Drive refused to delete or trash it`)
}

/** Removes an item that this call created, even after the caller has given up; undefined if Drive allows neither trashing nor deleting. */
export async function removeNewItem(drive: DriveClient, id: string): Promise<string | undefined> {
  return withCallScope({ clock: drive.clock, ms: removalMs }, (scope) => removeItem(drive, id, scope))
}

/** Deletes an item, or else trashes it, which more people may do. Returns the participle for what was done. */
async function removeItem(drive: DriveClient, id: string, scope: CallScope): Promise<string | undefined> {
  if (await isRemoved(changeFile(drive, { id, method: 'DELETE' }, scope))) return 'deleted'
  const isTrashed = await isRemoved(changeFile(drive, { id, method: 'PATCH', body: '{"trashed":true}' }, scope))
  return isTrashed ? 'put into the trash' : undefined
}

export function corruptFileRemains({ name, id }: Pick<DriveItem, 'name' | 'id'>, problem: string): Unavailable {
  return new Unavailable(
    `${problem}. It is still there: ${quote(name)} (${id}). Ask a person to check and delete that file; repeating the call creates a new one.`,
    { retryable: false },
  )
}

async function isRemoved(removal: Promise<void>): Promise<boolean> {
  return removal.then(
    () => true,
    (error: unknown) => error instanceof NotFound,
  )
}

async function changeFile(
  drive: DriveClient,
  { id, ...change }: { readonly id: string; readonly method: string; readonly body?: string },
  scope: CallScope,
): Promise<void> {
  const to = `drive/v3/files/${id}?supportsAllDrives=true&fields=id`
  const request = { ...change, to, headers: { 'content-type': 'application/json; charset=UTF-8' }, silenceMs: requestSilenceMs }
  const read = async (response: Response) => {
    if (!response.ok) throw uploadErrorFrom(await completeResponse(response))
  }
  const attempts = new Attempts(transferRetryPolicy, scope)
  await withRetry(attempts, () => drive.transfer({ ...request, isRetry: attempts.hasFailed, read }, scope))
}
