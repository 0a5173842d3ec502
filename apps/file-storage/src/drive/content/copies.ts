import { Conflict, InvalidInput, NotFound, quote, ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { Attempts, isTransient } from '@mcp-toolkits/core/upstream'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { type DriveClient, transferRetryPolicy } from '../client.ts'
import { createdItemFields, getItem, isTrashedWithParent } from '../files.ts'
import { type CreateContext, type CreatedOnce, createInFolder, createOnce, undoInTrash } from '../folders.ts'
import { DriveItem, folderType, isGoogleType } from '../items.ts'
import { listAll } from '../listings/listings.ts'
import { allOf, hasAppProperty, notTrashed } from '../listings/search.ts'

export interface Copy {
  /** The file to copy, as just looked up. */
  readonly source: DriveItem
  /** The copy's name; if absent, Drive chooses it. */
  readonly name: string | undefined
  /** The folder's id; by default, the source's folder if Drive allows it. */
  readonly parent: string | undefined
}

/** The file to copy: a shortcut stands for its target. Throws `InvalidInput` for a folder. */
export async function sourceOfCopy(drive: DriveClient, item: DriveItem, scope: CallScope): Promise<DriveItem> {
  const source = item.shortcutDetails ? await getItem(drive, item.shortcutDetails.targetId, scope) : item
  if (source.mimeType !== folderType) return source
  throw new InvalidInput(
    `${quote(source.name)} is a folder, and Google Drive copies only files. Nothing was copied. Copy its files one by one.`,
  )
}

/** Copies a file once, no matter how often the request is sent. Drive issues ids in advance, but not for Google documents. */
export async function copyFile(copy: Copy, context: CreateContext): Promise<CreatedOnce> {
  if (isGoogleType(copy.source.mimeType)) return copyDocument(copy, context)
  const create = (id: string, parent: string | undefined) => requestCopy({ ...copy, parent }, { id }, context)
  return createOnce({ parent: copy.parent, create }, context)
}

interface CopyIdentity {
  readonly id?: string
  readonly appProperties?: Readonly<Record<string, string>>
}

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/files/copy */
function requestCopy({ source, name, parent }: Copy, identity: CopyIdentity, { drive, scope }: CreateContext): Promise<DriveItem> {
  const requestBody = { ...identity, ...(name !== undefined && { name }), ...(parent !== undefined && { parents: [parent] }) }
  const params = { fileId: source.id, supportsAllDrives: true, fields: createdItemFields, requestBody }
  const call = { method: 'files.copy', response: DriveItem, onlyOnce: identity.id === undefined } as const
  return drive.call({ ...call, send: (api, options) => api.files.copy(params, options) }, scope)
}

/** App-private property by which a retry finds the copy that an earlier call made. */
const markOf = 'copiedBy'

/**
 * Copies a Google document. We cannot choose the copy's id, so we mark the copy, and look for the mark before a retry and after a lost
 * response.
 */
async function copyDocument(copy: Copy, context: CreateContext): Promise<CreatedOnce> {
  const { drive, operation, scope } = context
  const { uuid, isRepeat } = await operation.claim()
  const mark = uuid('copy')
  const find = () => findMarked(drive, mark, scope)
  const earlier = isRepeat ? await find() : undefined
  if (earlier) return { item: earlier, earlierCall: 'created' }
  const request = (parent: string | undefined) => requestCopy({ ...copy, parent }, { appProperties: { [markOf]: mark } }, context)
  const attempt = async (parent: string | undefined) => {
    const item = await request(parent).catch(async (error: unknown) => {
      if (!(error instanceof ToolError) || error instanceof NotFound || error instanceof Conflict || !isTransient(error)) throw error
      const made = await find().catch(() => undefined)
      if (made) return made
      throw new Unavailable(`${error.message} No copy has appeared yet.`, { ...error.details, sent: 'maybe' })
    })
    if (isTrashedWithParent(item)) throw await undoInTrash(drive, item)
    return item
  }
  if (copy.parent === undefined) return { item: await attempt(undefined) }
  const { created: item, folder } = await createInFolder(drive, { parent: copy.parent, scope }, attempt)
  return { item, folder }
}

/** Finds the copy with a mark. A search may not find new items at once, so it is repeated for a few seconds. */
async function findMarked(drive: DriveClient, value: string, scope: CallScope): Promise<DriveItem | undefined> {
  const query = allOf(hasAppProperty(markOf, value), notTrashed)
  const attempts = new Attempts(transferRetryPolicy, scope)
  do {
    const { items } = await listAll(drive, { query, corpora: [{ in: 'allDrives' }], limit: 1, fields: createdItemFields }, scope)
    if (items[0]) return items[0]
  } while (await attempts.waitForNext())
  return undefined
}
