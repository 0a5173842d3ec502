import { Forbidden, InvalidInput, quote, Unavailable } from '@mcp-toolkits/core/errors'
import { readPages } from '@mcp-toolkits/core/references'
import type { CallScope } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { completeResponse, vendor, withNext, type DriveClient } from '../client.ts'
import { errorFrom } from '../errors.ts'
import { createdItemFields, getItem, requestSilenceMs } from '../files.ts'
import { DriveItem, isGoogleType, kindOf } from '../items.ts'
import { looseCount, looseFlag, looseList, looseObject, looseText, text } from '../tolerant-fields.ts'

const Person = looseObject({ displayName: looseText, emailAddress: looseText })

/** A version of a file's content. https://developers.google.com/workspace/drive/api/reference/rest/v3/revisions */
const DriveRevision = z.object({
  id: text,
  modifiedTime: looseText,
  size: looseCount,
  md5Checksum: looseText,
  keepForever: looseFlag,
  lastModifyingUser: Person,
})
export type DriveRevision = z.output<typeof DriveRevision>

const revisionFields = 'id,modifiedTime,size,md5Checksum,keepForever,lastModifyingUser(displayName,emailAddress)'

/** Maximum number of pages to read: enough for all of a file's revisions, unless people have Drive keep every one. */
const maxPages = 50

const RevisionPage = z.object({ nextPageToken: looseText, revisions: looseList(DriveRevision) })

/** All of a file's revisions in Drive, oldest first. */
export async function listRevisions(drive: DriveClient, fileId: string, scope: CallScope): Promise<readonly DriveRevision[]> {
  const read = async (pageToken: string | undefined) => {
    const params = {
      fileId,
      pageSize: 1000,
      fields: `nextPageToken,revisions(${revisionFields})`,
      ...(pageToken !== undefined && { pageToken }),
    }
    const call = { method: 'revisions.list', response: RevisionPage } as const
    return withNext(await drive.call({ ...call, send: (api, options) => api.revisions.list(params, options) }, scope))
  }
  const all: DriveRevision[] = []
  let hasMore = false
  for await (const { revisions, next } of readPages({ vendor, maxPages }, read)) {
    all.push(...revisions)
    hasMore = next !== undefined
  }
  // The newest revisions come last.
  if (hasMore) throw new Unavailable('The file has more revisions than can be read, so the newest are unknown.', { retryable: false })
  return all
}

/** All of a file's revisions in Drive, oldest first; for a shortcut, those of its target. */
export async function revisionsBehind(drive: DriveClient, id: string, scope: CallScope) {
  try {
    return { fileId: id, revisions: await listRevisions(drive, id, scope) }
  } catch (error) {
    if (!(error instanceof Forbidden || error instanceof InvalidInput)) throw error
    const target = (await getItem(drive, id, scope)).shortcutDetails?.targetId
    if (target === undefined) throw error
    return { fileId: target, revisions: await listRevisions(drive, target, scope) }
  }
}

/** Keeps a revision forever. Otherwise, Drive removes it after 30 days or a hundred more revisions. */
export async function keepRevision(
  drive: DriveClient,
  { fileId, id }: { readonly fileId: string; readonly id: string },
  scope: CallScope,
): Promise<void> {
  const params = { fileId, revisionId: id, fields: revisionFields, requestBody: { keepForever: true } }
  const call = { method: 'revisions.update', response: DriveRevision } as const
  await drive.call({ ...call, send: (api, options) => api.revisions.update(params, options) }, scope)
}

/** The beginning of a revision as text; undefined if the content is not text. */
export async function startOfRevision(
  drive: DriveClient,
  { fileId, id, bytes }: { readonly fileId: string; readonly id: string; readonly bytes: number },
  scope: CallScope,
): Promise<string | undefined> {
  const headers = { range: `bytes=0-${bytes - 1}`, 'accept-encoding': 'identity' }
  const read = async (response: Response) => {
    const complete = await completeResponse(response)
    if (!complete.ok) throw errorFrom(complete)
    return complete.text
  }
  const to = `drive/v3/files/${fileId}/revisions/${id}?alt=media`
  const text = await drive.transfer({ to, method: 'GET', headers, isRetry: false, silenceMs: requestSilenceMs, read }, scope)
  // The last character may be cut.
  return /[\0\uFFFD]/.test(text.slice(0, -1)) ? undefined : text
}

/** A file with its current revision. */
export const Head = DriveItem.extend({ lastModifyingUser: Person })
export type Head = z.output<typeof Head>

export const headFields = `${createdItemFields},lastModifyingUser(displayName,emailAddress)`

/** The file's current state; a shortcut stands for its target. Throws `InvalidInput` for an item whose content cannot be written. */
export async function getHead(drive: DriveClient, id: string, scope: CallScope): Promise<Head & { readonly headRevisionId: string }> {
  const params = { fileId: id, supportsAllDrives: true, fields: headFields }
  const call = { method: 'files.get', response: Head } as const
  const head = await drive.call({ ...call, send: (api, options) => api.files.get(params, options) }, scope)
  await drive.resourceKeys.addFrom([head])
  if (head.shortcutDetails) return getHead(drive, head.shortcutDetails.targetId, scope)
  const { name, mimeType, trashed, headRevisionId } = head
  if (isGoogleType(mimeType) || headRevisionId === undefined)
    throw new InvalidInput(`${quote(name)} is a ${kindOf(mimeType)}, whose content cannot be written here. Nothing was changed.`)
  if (trashed === true) throw new InvalidInput(`${quote(name)} is in the trash. Restore it first. Nothing was changed.`)
  return { ...head, headRevisionId }
}

/** A revision's author and time, to complete a sentence. */
export function authorOf({ lastModifyingUser, modifiedTime }: Pick<DriveRevision, 'lastModifyingUser' | 'modifiedTime'>): string {
  const person = lastModifyingUser?.emailAddress ?? lastModifyingUser?.displayName
  return [person === undefined ? undefined : `by ${person}`, modifiedTime].filter((part) => part !== undefined).join(', ')
}
