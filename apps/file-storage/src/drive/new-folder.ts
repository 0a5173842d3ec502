import { Conflict, Forbidden, InvalidInput } from '@mcp-toolkits/core'
import type { IdempotencyKeys } from '@mcp-toolkits/core/idempotency'
import * as z from 'zod'
import type { DriveClient } from './client.ts'
import { DriveItem, folderType, itemFields } from './items.ts'
import { folderMeant, inTrash, NoFolder } from './parents.ts'

export interface NewFolder {
  readonly name: string
  /** The id of the folder to make it in. */
  readonly parent: string
}

/** What new folders are made with, in one call. */
export interface Making {
  readonly drive: DriveClient
  readonly newItems: IdempotencyKeys
  readonly signal: AbortSignal
}

export interface Made {
  readonly folder: DriveItem
  /** The id of the folder that it was made in. */
  readonly parent: string
  /** The name of the shortcut that stood for that folder, where one did. */
  readonly shortcut?: string
}

/**
 * Makes one folder, however often the request for it is sent. The parent is only looked at when Drive refuses it: a shortcut to a folder
 * stands for the folder. Throws `InvalidInput` for a parent that is no folder or lies in the trash.
 */
export async function makeFolder(wanted: NewFolder, making: Making): Promise<Made> {
  try {
    return { folder: await makeOnce(wanted, making), parent: wanted.parent }
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof Forbidden)) throw error
    const { folder, shortcut } = await folderMeant(making.drive, wanted.parent, making.signal).catch((why: unknown) => {
      throw why instanceof NoFolder ? why : error
    })
    if (shortcut === undefined) throw error
    return { folder: await makeOnce({ ...wanted, parent: folder }, making), parent: folder, shortcut }
  }
}

async function makeOnce(wanted: NewFolder, making: Making): Promise<DriveItem> {
  const made = await make(wanted, making)
  if (made.explicitlyTrashed !== true) return made
  // Made by an earlier call, and thrown away since.
  const anew = await make(wanted, making)
  if (anew.explicitlyTrashed !== true) return anew
  throw new Conflict(`The folder that an earlier call made is in the trash. Repeat the call to make "${wanted.name}" anew.`)
}

async function make(wanted: NewFolder, { drive, newItems, signal }: Making): Promise<MadeFolder> {
  return newItems.run(
    ['CreateFolder', wanted],
    async (id) => {
      const made = await createFolder(drive, { id, ...wanted }, signal).catch(async (error: unknown) => {
        if (!(error instanceof Conflict)) throw error
        // The id is ours alone, so whatever has it is what an earlier attempt of ours made.
        return getFolder(drive, id, signal).catch(() => Promise.reject(error))
      })
      // Thrown while the id is in use, so that it is kept and a repeat makes no second folder.
      if (made.trashed === true && made.explicitlyTrashed !== true) throw inTrash(made)
      return made
    },
    signal,
  )
}

const MadeFolder = DriveItem.extend({ explicitlyTrashed: z.boolean().optional() })
/** A new folder, and whether it was thrown away itself: below a trashed folder everything is in the trash. */
type MadeFolder = z.output<typeof MadeFolder>

const folderFields = `${itemFields},createdTime,explicitlyTrashed`

/** `id` comes from `generateIds`. https://developers.google.com/workspace/drive/api/guides/folder#create */
async function createFolder(
  drive: DriveClient,
  { id, name, parent }: NewFolder & { readonly id: string },
  signal: AbortSignal,
): Promise<MadeFolder> {
  const params = { supportsAllDrives: true, fields: folderFields, requestBody: { id, name, parents: [parent], mimeType: folderType } }
  return drive.call({ method: 'files.create', answer: MadeFolder, send: (api, sending) => api.files.create(params, sending) }, signal)
}

async function getFolder(drive: DriveClient, id: string, signal: AbortSignal): Promise<MadeFolder> {
  const params = { fileId: id, supportsAllDrives: true, fields: folderFields }
  return drive.call({ method: 'files.get', answer: MadeFolder, send: (api, sending) => api.files.get(params, sending) }, signal)
}
