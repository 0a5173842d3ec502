import { Forbidden } from '@mcp-toolkits/core'
import * as z from 'zod'
import type { DriveClient } from './client.ts'
import { ScopeMissing } from './failures.ts'

/** Numbers beyond 2^53 come as text; `limit` is absent where storage is pooled or unlimited. */
const About = z.object({
  user: z.object({
    displayName: z.string().optional(),
    emailAddress: z.string().optional(),
    photoLink: z.string().optional(),
    permissionId: z.string().optional(),
  }),
  storageQuota: z
    .object({
      limit: z.string().optional(),
      usage: z.string().optional(),
      usageInDrive: z.string().optional(),
      usageInDriveTrash: z.string().optional(),
    })
    .default({}),
  canCreateDrives: z.boolean().optional(),
})

/** The person, and how much of the storage is used. https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get */
export async function getAbout(drive: DriveClient, signal: AbortSignal): Promise<z.output<typeof About>> {
  const fields =
    'user(displayName,emailAddress,photoLink,permissionId),storageQuota(limit,usage,usageInDrive,usageInDriveTrash),canCreateDrives'
  return drive.call({ method: 'about.get', answer: About, send: (api, sending) => api.about.get({ fields }, sending) }, signal)
}

/** How long is waited for what only makes repeats cheaper, in milliseconds. */
const briefMs = 3_000

/** Whose drive it is, the same for all tokens of that person. */
export async function getPermissionId(drive: DriveClient): Promise<string> {
  const answer = z.object({ user: z.object({ permissionId: z.string() }) })
  const call = { method: 'about.get', answer, budgetMs: briefMs } as const
  const { signal } = new AbortController()
  const about = await drive.call({ ...call, send: (api, sending) => api.about.get({ fields: 'user(permissionId)' }, sending) }, signal)
  return about.user.permissionId
}

const Drives = z.object({
  nextPageToken: z.string().optional(),
  drives: z.array(z.object({ id: z.string(), name: z.string(), hidden: z.boolean().optional() })).default([]),
})
export type SharedDrive = z.output<typeof Drives>['drives'][number]

/** All shared drives that the person can see. https://developers.google.com/workspace/drive/api/reference/rest/v3/drives/list */
async function listDrives(drive: DriveClient, signal: AbortSignal): Promise<SharedDrive[]> {
  const all: SharedDrive[] = []
  let pageToken: string | undefined
  do {
    const params = { pageSize: 100, fields: 'nextPageToken,drives(id,name,hidden)', ...(pageToken !== undefined && { pageToken }) }
    const page = await drive.call(
      { method: 'drives.list', answer: Drives, send: (api, sending) => api.drives.list(params, sending) },
      signal,
    )
    all.push(...page.drives)
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return all
}

/** The shared drives, or why they cannot be told: not every scope, and not every administrator, allows to list them. */
export type Drives = { readonly drives: readonly SharedDrive[] } | { readonly withheld: string }

export async function drivesOrWhyNot(drive: DriveClient, signal: AbortSignal): Promise<Drives> {
  try {
    return { drives: await listDrives(drive, signal) }
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error
    if (!(error instanceof ScopeMissing)) return { withheld: `Shared drives cannot be listed. ${error.message}` }
    return {
      withheld: `Shared drives cannot be listed with this access token; that needs the scope drive.readonly or drive. ${error.message}`,
    }
  }
}
