import { InvalidInput, quote } from '@mcp-toolkits/core/errors'
import { readPages } from '@mcp-toolkits/core/references'
import type { CallScope } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { vendor, withNext, type DriveClient } from '../client.ts'
import { CreatedItem, createdItemFields } from '../files.ts'
import { isGoogleType, kindOf } from '../items.ts'
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

/** More revisions than Drive keeps of a file, unless people keep each of them. */
const maxPages = 5

const RevisionPage = z.object({ nextPageToken: looseText, revisions: looseList(DriveRevision) })

/** All revisions of a file that Drive has, the oldest first. */
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
  for await (const { revisions } of readPages({ vendor, maxPages }, read)) all.push(...revisions)
  return all
}

/** Keeps a revision for ever. Drive otherwise removes it after 30 days, or after a hundred others. */
export async function keepRevision(
  drive: DriveClient,
  { fileId, id }: { readonly fileId: string; readonly id: string },
  scope: CallScope,
): Promise<void> {
  const params = { fileId, revisionId: id, fields: revisionFields, requestBody: { keepForever: true } }
  const call = { method: 'revisions.update', response: DriveRevision } as const
  await drive.call({ ...call, send: (api, options) => api.revisions.update(params, options) }, scope)
}

/** A file with the revision that is its content now. */
export const Head = CreatedItem.extend({ lastModifyingUser: Person })
export type Head = z.output<typeof Head>

export const headFields = `${createdItemFields},headRevisionId,lastModifyingUser(displayName,emailAddress)`

/** A file as it is now; a shortcut stands for its target. Throws `InvalidInput` for an item whose content cannot be written. */
export async function getHead(drive: DriveClient, id: string, scope: CallScope): Promise<Head & { readonly headRevisionId: string }> {
  const params = { fileId: id, supportsAllDrives: true, fields: headFields }
  const call = { method: 'files.get', response: Head } as const
  const head = await drive.call({ ...call, send: (api, options) => api.files.get(params, options) }, scope)
  await drive.resourceKeys.addFrom([head])
  if (head.shortcutDetails) return getHead(drive, head.shortcutDetails.targetId, scope)
  const { name, mimeType, trashed, headRevisionId } = head
  if (isGoogleType(mimeType) || headRevisionId === undefined)
    throw new InvalidInput(`${quote(name)} is a ${kindOf(mimeType)}, and only files with bytes can be written. Nothing was changed.`)
  if (trashed === true) throw new InvalidInput(`${quote(name)} is in the trash. Restore it first. Nothing was changed.`)
  return { ...head, headRevisionId }
}

/** The person of a revision, and when: for a sentence. */
export function authorOf({ lastModifyingUser, modifiedTime }: Pick<DriveRevision, 'lastModifyingUser' | 'modifiedTime'>): string {
  const person = lastModifyingUser?.emailAddress ?? lastModifyingUser?.displayName
  return [person === undefined ? undefined : `by ${person}`, modifiedTime].filter((part) => part !== undefined).join(', ')
}
