import * as z from 'zod'
import type { DriveClient } from './client.ts'

/** The roles that can be given, the least first. https://developers.google.com/workspace/drive/api/guides/ref-roles */
export const roles = ['reader', 'commenter', 'writer'] as const
export type Role = (typeof roles)[number]

/** All roles that somebody can have, the least first; the last three cannot be given here. */
const ranks: readonly string[] = [...roles, 'fileOrganizer', 'organizer', 'owner']

/** Whether one role allows more than another. */
export function isMore(role: string, than: string): boolean {
  return ranks.indexOf(role) > ranks.indexOf(than)
}

const Permission = z.object({
  id: z.string(),
  type: z.string(),
  role: z.string(),
  emailAddress: z.string().optional(),
  /** Where the role comes from, on items of shared drives. */
  permissionDetails: z.array(z.object({ role: z.string().optional(), inherited: z.boolean().optional() })).optional(),
})
export type Permission = z.output<typeof Permission>

/** Whether the role comes from a folder above alone, so that it cannot be changed here. */
export function isInherited({ permissionDetails = [] }: Permission): boolean {
  return permissionDetails.length > 0 && permissionDetails.every(({ inherited }) => inherited === true)
}

const fields = 'id,type,role,emailAddress,permissionDetails(role,inherited)'

const Page = z.object({ nextPageToken: z.string().optional(), permissions: z.array(Permission).default([]) })

export interface PermissionsOf {
  readonly fileId: string
  /** How long it may take, in milliseconds. */
  readonly budgetMs?: number
}

/** Who has what role on an item. https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/list */
export async function listPermissions(
  drive: DriveClient,
  { fileId, ...patience }: PermissionsOf,
  signal: AbortSignal,
): Promise<Permission[]> {
  const all: Permission[] = []
  let pageToken: string | undefined
  do {
    const params = {
      fileId,
      supportsAllDrives: true,
      pageSize: 100,
      fields: `nextPageToken,permissions(${fields})`,
      ...(pageToken !== undefined && { pageToken }),
    }
    const call = { method: 'permissions.list', answer: Page, ...patience } as const
    const page = await drive.call({ ...call, send: (api, sending) => api.permissions.list(params, sending) }, signal)
    all.push(...page.permissions)
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return all
}

export interface NewPermission {
  readonly fileId: string
  readonly type: 'user' | 'group'
  readonly emailAddress: string
  readonly role: Role
  /** The text of the mail that goes out; undefined for none. */
  readonly mail: { readonly message: string | undefined } | undefined
}

/**
 * Gives a person or a group a role. Sent once if it sends a mail, because nothing would tell a repeat from a second mail.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/create
 */
export async function createPermission(
  drive: DriveClient,
  { fileId, type, emailAddress, role, mail }: NewPermission,
  signal: AbortSignal,
): Promise<Permission> {
  const params = {
    fileId,
    supportsAllDrives: true,
    sendNotificationEmail: mail !== undefined,
    ...(mail?.message !== undefined && { emailMessage: mail.message }),
    fields,
    requestBody: { type, role, emailAddress },
  }
  const call = { method: 'permissions.create', answer: Permission, onlyOnce: mail !== undefined } as const
  return drive.call({ ...call, send: (api, sending) => api.permissions.create(params, sending) }, signal)
}

export interface NewRole {
  readonly fileId: string
  readonly permissionId: string
  readonly role: Role
}

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/update */
export async function updatePermission(
  drive: DriveClient,
  { fileId, permissionId, role }: NewRole,
  signal: AbortSignal,
): Promise<Permission> {
  const params = { fileId, permissionId, supportsAllDrives: true, fields, requestBody: { role } }
  const call = { method: 'permissions.update', answer: Permission } as const
  return drive.call({ ...call, send: (api, sending) => api.permissions.update(params, sending) }, signal)
}
