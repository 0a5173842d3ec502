import type { AccountInfo } from '@mcp-toolkits/server/account'
import { Forbidden, quote } from '@mcp-toolkits/core/errors'
import { readPages } from '@mcp-toolkits/core/references'
import { withCallScope, type CallScope } from '@mcp-toolkits/core/tool'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import * as z from 'zod'
import { type DriveClient, driveClient, vendor, withNext } from './client.ts'
import { looseCount, looseFlag, looseList, looseObject, looseText, text } from './tolerant-fields.ts'
import { MissingScope } from './reasons.ts'

/** Numbers above 2^53 arrive as text; `limit` is absent if storage is pooled or unlimited. */
const About = z.object({
  user: looseObject({ displayName: looseText, emailAddress: looseText, photoLink: looseText, permissionId: looseText }).default({}),
  storageQuota: looseObject({
    limit: looseCount,
    usage: looseCount,
    usageInDrive: looseCount,
    usageInDriveTrash: looseCount,
  }).default({}),
  canCreateDrives: looseFlag,
})

/** The signed-in person, and how much storage is used. https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get */
export async function getAbout(drive: DriveClient, scope: CallScope): Promise<z.output<typeof About>> {
  const fields =
    'user(displayName,emailAddress,photoLink,permissionId),storageQuota(limit,usage,usageInDrive,usageInDriveTrash),canCreateDrives'
  return drive.call({ method: 'about.get', response: About, send: (api, options) => api.about.get({ fields }, options) }, scope)
}

/** The account behind the credentials that `fetch` adds. */
export async function whoAmIAt(api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal): Promise<AccountInfo> {
  const { displayName = '', emailAddress } = (await withCallScope({ signal }, (scope) => getAbout(driveClient(api), scope))).user
  return { account: emailAddress === undefined ? displayName : `${displayName} <${emailAddress}>`.trim() }
}

/** Timeout, in milliseconds, for a request that only makes later requests cheaper. */
const optionalMs = 3_000

/** Identifies the drive's owner; the result is the same for all of the owner's tokens. */
export async function getOwnerId(drive: DriveClient): Promise<string> {
  const response = z.object({ user: z.object({ permissionId: z.string() }) })
  const call = { method: 'about.get', response } as const
  const about = await withCallScope({ clock: drive.clock, ms: optionalMs }, (scope) =>
    drive.call({ ...call, send: (api, options) => api.about.get({ fields: 'user(permissionId)' }, options) }, scope),
  )
  return about.user.permissionId
}

const DrivePage = z.object({
  nextPageToken: looseText,
  drives: looseList(z.object({ id: text, name: text, hidden: looseFlag })),
})
export type SharedDrive = z.output<typeof DrivePage>['drives'][number]

/** Maximum number of pages to read: 10,000 drives, a hundred per page. */
const maxPages = 100

/** Places where programs mount Google Drive: Colab, macOS, and Windows under a drive letter. */
const mounts = ['content/drive', 'gdrive', 'drive', 'Google Drive', '~/Google Drive', 'Volumes/GoogleDrive', ...'D E F G H I'.split(' ')]

/** My Drive, and other names for it that people write before a path. */
export const myDrive = { name: 'My Drive', aliases: ['root', 'Google Drive', '~', ...mounts.map((mount) => `${mount}/My Drive`)] }

/** Names for My Drive's top level, valid only where a folder is expected. */
export const topNames = ['0', 'Drive', 'GDrive', 'top', 'top level', 'root folder', 'drive root', 'My Drive root']

/** A call's shared drive; the name is unknown if the caller gave the id. */
export interface NamedDrive {
  readonly id: string
  readonly name?: string
}

/** The drive that a path starts in, as named in messages: the given shared drive, or else My Drive. */
export function driveLabel(drive: NamedDrive | undefined): string {
  return drive === undefined ? myDrive.name : `the shared drive ${drive.name === undefined ? drive.id : quote(drive.name, 300)}`
}

async function listDrives(drive: DriveClient, scope: CallScope): Promise<ListedDrives> {
  const drives: SharedDrive[] = []
  let hasMore = false
  const read = async (pageToken: string | undefined) => {
    const params = { pageSize: 100, fields: 'nextPageToken,drives(id,name,hidden)', ...(pageToken !== undefined && { pageToken }) }
    const call = { method: 'drives.list', response: DrivePage } as const
    return drive.call({ ...call, send: (api, options) => api.drives.list(params, options) }, scope)
  }
  for await (const page of readPages({ vendor, maxPages }, async (token) => withNext(await read(token)))) {
    drives.push(...page.drives)
    hasMore = page.next !== undefined
  }
  drive.sight.isComplete = true
  drive.sight.hasNoSharedDrives = drives.length === 0
  return { drives, ...(hasMore && { notice: `There are more shared drives than these ${drives.length}.` }) }
}

interface ListedDrives {
  readonly drives: readonly SharedDrive[]
  /** Says that there are more drives. */
  readonly notice?: string
}

/** The shared drives, or the reason they cannot be listed: not every scope or administrator allows listing them. */
export type SharedDrives = ListedDrives | { readonly unavailable: string }

/** All shared drives that the person can see. https://developers.google.com/workspace/drive/api/reference/rest/v3/drives/list */
export async function listSharedDrives(drive: DriveClient, scope: CallScope): Promise<SharedDrives> {
  try {
    return await listDrives(drive, scope)
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error
    if (!(error instanceof MissingScope)) return { unavailable: `Shared drives cannot be listed. ${error.message}` }
    return {
      unavailable: `Shared drives cannot be listed with this access token; that needs the drive.readonly or drive scope. ${error.message}`,
    }
  }
}
