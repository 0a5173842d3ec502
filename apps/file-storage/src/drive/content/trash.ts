import { Ambiguous, NotFound, quote, Unavailable } from '@mcp-toolkits/core/errors'
import { type CallScope, confirmDone } from '@mcp-toolkits/core/tool'
import type { NamedDrive } from '../about.ts'
import { vendor, type DriveClient } from '../client.ts'
import { createdItemFields, getCreatedItem, getItem } from '../files.ts'
import { idAlone, isLikelyId, linkedId } from '../ids.ts'
import { DriveItem, folderType } from '../items.ts'
import { listAll } from '../listings/listings.ts'
import { allOf, hasName, inFolder, notTrashed } from '../listings/search.ts'

/** Moves an item to the trash, or restores it. Throws `Unavailable` if the record returned by Drive shows otherwise. */
export async function setTrashed(
  drive: DriveClient,
  { id, trashed }: { readonly id: string; readonly trashed: boolean },
  scope: CallScope,
): Promise<{ readonly item: DriveItem; readonly doubt: string | undefined }> {
  const params = { fileId: id, supportsAllDrives: true, fields: createdItemFields, requestBody: { trashed } }
  const call = { method: 'files.update', response: DriveItem } as const
  const item = await drive.call({ ...call, send: (api, options) => api.files.update(params, options) }, scope)
  // A trashed folder's content stays in the trash with the folder.
  const shown = trashed ? item.trashed : item.explicitlyTrashed === undefined ? undefined : !item.explicitlyTrashed
  return { item, doubt: confirmDone(vendor, shown ?? 'unread', `${quote(item.name)} is ${trashed ? 'not' : 'still'} in the trash`) }
}

/** An item, with the fields that show how it got into the trash. */
export async function getTrashState(
  drive: DriveClient,
  { id, item }: { readonly id: string; readonly item?: DriveItem },
  scope: CallScope,
) {
  // A path finds only items that are not in the trash.
  return item === undefined || item.trashed === true ? getCreatedItem(drive, id, scope) : item
}

/** Maximum number of a folder's items that a result names. */
const maxNames = 10
const maxCounted = 1_000

/** A folder's immediate children, which go to the trash with the folder. */
export async function contentsOf(drive: DriveClient, { id, mimeType }: DriveItem, scope: CallScope) {
  if (mimeType !== folderType) return undefined
  const listing = {
    query: allOf(inFolder(id), notTrashed),
    corpora: [{ in: 'folder' }],
    limit: maxCounted,
    fields: 'id,name,mimeType',
  } as const
  const { items, hasMore, isIncomplete } = await listAll(drive, listing, scope)
  return { items: items.length, names: items.slice(0, maxNames).map(({ name }) => name), has_more: hasMore || isIncomplete }
}

interface TrashQuery {
  readonly text: string
  readonly driveId: string | undefined
  /** Finds the shared drive whose name the text begins with. */
  readonly findDrive: () => Promise<NamedDrive | undefined>
}

/**
 * Finds an item by id, or else the item in the trash that is named like the path's last segment; undefined for a link. Throws `Ambiguous`
 * for several, and `NotFound` if the item was in a different folder than the path says.
 */
export async function findInTrash(
  drive: DriveClient,
  { text, driveId, findDrive }: TrashQuery,
  scope: CallScope,
): Promise<DriveItem | undefined> {
  const name = namesOf(text).at(-1) ?? ''
  if (name === '' || linkedId(text)) return undefined
  const id = idAlone(text) ?? ''
  const known = isLikelyId(id) ? await getCreatedItem(drive, id, scope).catch(undefinedIfMissing) : undefined
  if (known) return known
  const inDriveOf = async (items: readonly DriveItem[]) => {
    const start = driveId === undefined && text.includes('/') ? await findDrive() : undefined
    return start ? items.filter((item) => item.driveId === start.id) : items
  }
  const corpus = driveId === undefined ? ({ in: 'allDrives' } as const) : ({ in: 'drive', driveId } as const)
  const query = allOf(hasName([name]), 'trashed = true')
  const { items, isIncomplete } = await listAll(drive, { query, corpora: [corpus], limit: maxCounted, fields: createdItemFields }, scope)
  if (isIncomplete) throw new Unavailable('Google Drive could not search all of the trash just now. Try again, or pass an id.')
  const named = items.filter((item) => item.name === name)
  const [found, ...others] = named.length > 1 ? await inDriveOf(named) : named
  if (found === undefined) return undefined
  if (others.length === 0) {
    await requireFolderNames(drive, { found, text, findDrive }, scope)
    return found
  }
  const several = [found, ...others].slice(0, maxNames)
  const listed = several.map((item) => `${item.id} (changed ${item.modifiedTime ?? 'at an unknown time'})`)
  const rest = others.length + 1 - several.length
  throw new Ambiguous(
    `${others.length + 1} items in the trash are called ${quote(name)}: ${listed.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}. Pass the id of the one you mean.`,
    { suggestions: several.map(({ id }) => ({ value: name, id, parameter: 'file_path_or_id', confidence: 1 })) },
  )
}

/** Tolerates a missing item, because a name can look like an id. */
function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}

/** Checks a path's folders against the visible folders above an item. */
async function requireFolderNames(
  drive: DriveClient,
  { found, text, findDrive }: Pick<TrashQuery, 'text' | 'findDrive'> & { readonly found: DriveItem },
  scope: CallScope,
): Promise<void> {
  const wanted = namesOf(text).slice(0, -1).toReversed()
  const above: string[] = []
  let place = found
  for (const name of wanted) {
    const [parent] = place.parents
    if (parent === undefined) return
    // The record of a shared drive's root does not contain the drive's name.
    const isTop = parent === found.driveId
    if (isTop && (await findDrive())?.id === parent) return
    place = await getItem(drive, parent, scope)
    above.unshift(isTop ? parent : place.name)
    if (!isTop && place.name === name) continue
    throw new NotFound(
      `${quote(text, 300)} is not in the trash. The trash has one called ${quote(found.name)} from ${isTop ? 'the shared drive' : 'the folder'} ${quote(above.join('/'), 300)}: to restore it, pass its id, ${found.id}.`,
      { suggestions: [{ value: found.id, parameter: 'file_path_or_id', confidence: 0.5 }] },
    )
  }
}

const namesOf = (path: string) => path.split('/').filter((name) => name !== '')
