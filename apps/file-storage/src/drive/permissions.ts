import { InvalidInput, NotFound, ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { readPages } from '@mcp-toolkits/core/references'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { Attempts, OversizedResponse, withRetry } from '@mcp-toolkits/core/upstream'
import * as z from 'zod'
import { completeResponse, transferRetryPolicy, vendor, withNext, type DriveClient } from './client.ts'
import { notDriveResponse, ReportedFailure, uploadErrorFrom } from './errors.ts'
import { requestSilenceMs } from './files.ts'
import { looseFlag, looseList, looseText, text } from './tolerant-fields.ts'
import { ForbiddenToUser, UnsuitableAddress } from './reasons.ts'

/** The roles that can be granted, weakest first. https://developers.google.com/workspace/drive/api/guides/ref-roles */
export const roles = ['reader', 'commenter', 'writer'] as const
export type Role = (typeof roles)[number]

/** All roles that a person can have, weakest first; the last three cannot be granted here. */
export const allRoles = [...roles, 'fileOrganizer', 'organizer', 'owner'] as const

export function isHigherRole(role: string, than: string): boolean {
  const rank = (each: string) => allRoles.findIndex((known) => known === each)
  return rank(role) > rank(than)
}

const Permission = z.object({
  id: text,
  type: looseText,
  role: text.catch('unknown'),
  emailAddress: looseText,
  displayName: looseText,
  domain: looseText,
  allowFileDiscovery: looseFlag,
  expirationTime: looseText,
  /** The role's origin; `inheritedFrom` is a folder's or shared drive's id. */
  permissionDetails: looseList(z.object({ role: looseText, inherited: looseFlag, inheritedFrom: looseText })),
})
export type Permission = z.output<typeof Permission>

const permissionFields =
  'id,type,role,emailAddress,displayName,domain,allowFileDiscovery,expirationTime,permissionDetails(role,inherited,inheritedFrom)'

/** True if the role is inherited entirely from folders above, so it cannot be changed here. */
export function isInherited({ permissionDetails }: Permission): boolean {
  return permissionDetails.length > 0 && permissionDetails.every(({ inherited }) => inherited === true)
}

/** The inherited part of a permission; empty if there is none. */
export function withoutDirectRole(permission: Permission): Permission[] {
  const permissionDetails = permission.permissionDetails.filter(({ inherited }) => inherited === true)
  const [highest] = permissionDetails.toSorted((one, other) => (isHigherRole(one.role ?? '', other.role ?? '') ? -1 : 1))
  return highest?.role === undefined ? [] : [{ ...permission, role: highest.role, permissionDetails }]
}

/** Maximum number of pages to read: an item has at most a few hundred permissions, a hundred per page. */
const maxPages = 50
const pageSize = 100

/** Operation with a separate rate limit. */
const operation = 'sharing'

const PermissionPage = z.object({ nextPageToken: looseText, permissions: looseList(Permission) })

/** Everyone's roles on an item. https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/list */
export async function listPermissions(drive: DriveClient, fileId: string, scope: CallScope): Promise<Permission[]> {
  const all: Permission[] = []
  const read = async (pageToken: string | undefined) => {
    const params = {
      fileId,
      supportsAllDrives: true,
      pageSize,
      fields: `nextPageToken,permissions(${permissionFields})`,
      ...(pageToken !== undefined && { pageToken }),
    }
    const call = { method: 'permissions.list', response: PermissionPage } as const
    return drive.call({ ...call, send: (api, options) => api.permissions.list(params, options) }, scope)
  }
  let hasMore = false
  for await (const page of readPages({ vendor, maxPages }, async (token) => withNext(await read(token)))) {
    all.push(...page.permissions)
    hasMore = page.next !== undefined
  }
  if (hasMore) throw tooManyPermissions()
  return all
}

/** Error for too many permissions: a person missing from the list would get a second email. */
function tooManyPermissions(): Unavailable {
  const text = 'The item has more permissions than can be read, so it is unknown who already has access. Nothing was changed.'
  return new Unavailable(text, { retryable: false })
}

/** A request to give each grantee a role. */
export interface ShareRequest {
  readonly fileId: string
  readonly role: Role
  /** The notification email's text; undefined to send no email. */
  readonly notification: { readonly message: string | undefined } | undefined
}

/** Recipient of a role: a person or a group, everyone in a domain, or anyone with the link. */
export type Grantee =
  | { readonly type: 'user' | 'group'; readonly emailAddress: string }
  | { readonly type: 'domain' | 'anyone'; readonly domain?: string; readonly allowFileDiscovery: boolean }

/**
 * Grants a role. Not retried if it sends an email, because a retry would send a second one.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/create
 */
export async function createPermission(
  drive: DriveClient,
  { fileId, grantee, role, notification }: ShareRequest & { readonly grantee: Grantee },
  scope: CallScope,
): Promise<Permission> {
  const params = {
    fileId,
    supportsAllDrives: true,
    sendNotificationEmail: notification !== undefined,
    // A URL cannot contain a lone surrogate.
    ...(notification?.message !== undefined && { emailMessage: notification.message.toWellFormed() }),
    fields: permissionFields,
    requestBody: { ...grantee, role },
  }
  const call = { method: 'permissions.create', response: Permission, operation, onlyOnce: notification !== undefined } as const
  return drive.call({ ...call, send: (api, options) => api.permissions.create(params, options) }, scope)
}

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/update */
export async function updatePermission(
  drive: DriveClient,
  { fileId, permissionId, role }: { readonly fileId: string; readonly permissionId: string; readonly role: Role },
  scope: CallScope,
): Promise<Permission> {
  const params = { fileId, permissionId, supportsAllDrives: true, fields: permissionFields, requestBody: { role } }
  const call = { method: 'permissions.update', response: Permission, operation } as const
  return drive.call({ ...call, send: (api, options) => api.permissions.update(params, options) }, scope)
}

/**
 * Revokes a role. A response with content is not from Drive, so the request is retried; by then, the role may be gone.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/delete
 */
export async function deletePermission(
  drive: DriveClient,
  { fileId, permissionId }: { readonly fileId: string; readonly permissionId: string },
  scope: CallScope,
): Promise<void> {
  const to = `drive/v3/files/${fileId}/permissions/${encodeURIComponent(permissionId)}?supportsAllDrives=true`
  const request = { to, method: 'DELETE', silenceMs: requestSilenceMs }
  const read = async (response: Response) => {
    if (response.status === 204) return
    throw response.ok ? notDriveResponse(response.status) : uploadErrorFrom(await completeResponse(response))
  }
  const attempts = new Attempts(transferRetryPolicy, scope)
  await withRetry(attempts, () => drive.transfer({ ...request, isRetry: attempts.hasFailed, read }, scope)).catch((error: unknown) => {
    if (!(error instanceof NotFound && attempts.hasFailed)) throw error
  })
}

/** The outcome of sharing with one address. */
export interface ShareResult {
  readonly emailAddress: string
  readonly outcome: 'added' | 'updated' | 'unchanged' | 'failed' | 'unknown' | 'not_tried'
  /** The person's role now, if known. */
  readonly role?: string
  readonly previousRole?: string
  /** Explains why nothing changed, why the outcome is unknown, or when the role ends. */
  readonly reason?: string
  readonly error?: ToolError
}

/** True if the person now has the requested role or a higher one. */
export function hasRequestedRole({ outcome }: ShareResult): boolean {
  return outcome === 'added' || outcome === 'updated' || outcome === 'unchanged'
}

/**
 * Shares an item with several people, one at a time: Drive keeps only the last of concurrent changes to one item's permissions. An existing
 * permission gets the new role. A failure for one person does not stop the rest, unless everyone would get the same error.
 */
export async function shareWith(
  drive: DriveClient,
  { addresses, onShare, ...request }: ShareRequest & { readonly addresses: readonly string[]; readonly onShare?: (done: number) => void },
  scope: CallScope,
): Promise<ShareResult[]> {
  const known = new Map((await listPermissions(drive, request.fileId, scope)).map((each) => [each.id, each]))
  const results: ShareResult[] = []
  let stoppedBy: ToolError | undefined
  for (const emailAddress of addresses) {
    if (stoppedBy) {
      results.push({ emailAddress, outcome: 'not_tried', reason: `Not tried because: ${stoppedBy.message}` })
      continue
    }
    const result = await new Share({ ...request, emailAddress, known, drive, scope }).run()
    if (result.error && affectsEveryone(result.error) && !isOneFailure(result, results.at(-1))) stoppedBy = result.error
    results.push(result)
    onShare?.(results.length)
  }
  return results
}

/** True if the next person would get the same error. */
export function affectsEveryone(error: ToolError): boolean {
  return error instanceof ForbiddenToUser || ['unauthenticated', 'rate_limited', 'unavailable'].includes(error.code)
}

/** True if Drive failed for this person but not for the previous one, so it may succeed for the next. */
function isOneFailure({ outcome, error }: ShareResult, previous: ShareResult | undefined): boolean {
  return outcome === 'failed' && error instanceof ReportedFailure && previous?.outcome !== 'failed'
}

interface ShareOptions extends ShareRequest {
  readonly drive: DriveClient
  readonly emailAddress: string
  /** The item's known permissions, by id; permissions granted here are added. */
  readonly known: Map<string, Permission>
  readonly scope: CallScope
}

/** Sentence on when a role ends: changing the role keeps its expiration. */
function endOf({ expirationTime }: Permission): Pick<ShareResult, 'reason'> {
  return expirationTime === undefined ? {} : { reason: `It ends at ${expirationTime}.` }
}

const repeatAdvice = 'Repeat the call to be sure: it checks first.'

/** Shares an item with one address. */
class Share {
  readonly #options: ShareOptions

  constructor(options: ShareOptions) {
    this.#options = options
  }

  async run(): Promise<ShareResult> {
    const { emailAddress, known, notification } = this.#options
    try {
      const permission = this.#ownPermission([...known.values()])
      return permission ? await this.#setRole(permission) : await this.#add()
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      const needsNotification = notification === undefined && error instanceof UnsuitableAddress
      const advice = ' Without an email, Google Drive can only share with Google accounts.'
      return { emailAddress, outcome: 'failed', reason: needsNotification ? error.message + advice : error.message, error }
    }
  }

  #ownPermission(permissions: readonly Permission[]): Permission | undefined {
    return permissions.find(({ emailAddress }) => emailAddress?.toLowerCase() === this.#options.emailAddress)
  }

  async #setRole(permission: Permission): Promise<ShareResult> {
    const { emailAddress, role } = this.#options
    if (permission.role === role) return { emailAddress, outcome: 'unchanged', role, ...endOf(permission) }
    if (permission.role === 'owner' || !isInherited(permission)) return this.#change(permission)
    return isHigherRole(role, permission.role) ? this.#add() : this.#keepInherited(permission.role)
  }

  /** Changes a permission's role on the item itself. */
  async #change({ id: permissionId, role: previousRole }: Permission): Promise<ShareResult> {
    const { drive, fileId, emailAddress, role, known, scope } = this.#options
    if (previousRole === 'owner') return { emailAddress, outcome: 'unchanged', role: previousRole, reason: 'Owns the item.' }
    const updated = await updatePermission(drive, { fileId, permissionId, role }, scope)
    known.set(updated.id, updated)
    if (isHigherRole(updated.role, role) && withoutDirectRole(updated)[0]?.role === updated.role) return this.#keepInherited(updated.role)
    if (updated.role !== role) return this.#notTaken(updated.role)
    return { emailAddress, outcome: 'updated', role, previousRole, ...endOf(updated) }
  }

  #notTaken(present: string): ShareResult {
    const { emailAddress, role } = this.#options
    const reason = `Google Drive answered "success", but shows the role "${present}", not "${role}".`
    return { emailAddress, outcome: 'failed', role: present, reason, error: new ReportedFailure(reason, { retryable: false }) }
  }

  #keepInherited(role: string): ShareResult {
    const reason = `Has the role "${role}" from a folder above or the shared drive; it cannot be lowered here.`
    return { emailAddress: this.#options.emailAddress, outcome: 'unchanged', role, reason }
  }

  async #add(): Promise<ShareResult> {
    const { emailAddress, role, known } = this.#options
    const created = await this.#create()
    if (!('id' in created)) return created
    const previous = known.get(created.id)
    known.set(created.id, created)
    // The address belongs to someone who already has access, so Drive returned the permission unchanged.
    if (created.role !== role && isInherited(created))
      return isHigherRole(created.role, role) ? this.#keepInherited(created.role) : this.#notTaken(created.role)
    if (created.role !== role) return this.#change(created)
    if (previous === undefined) return { emailAddress, outcome: 'added', role }
    if (previous.role !== role) return { emailAddress, outcome: 'updated', role, previousRole: previous.role }
    return { emailAddress, outcome: 'unchanged', role, reason: `Already has this role, as ${created.emailAddress ?? 'another address'}.` }
  }

  /**
   * Creates the permission. After a failure, checks whether it was created, because a second request would send a second email. If Drive
   * reported the failure and the check confirms it, retries once.
   */
  async #create(isRetry = false): Promise<Permission | ShareResult> {
    const { emailAddress, notification } = this.#options
    try {
      return await this.#createForAnyType()
    } catch (error) {
      if (
        !(error instanceof Unavailable || error instanceof OversizedResponse) ||
        notification === undefined ||
        error.details.sent === 'no'
      )
        throw error
      const unknown = { emailAddress, outcome: 'unknown' } as const
      const found = await this.#findCreated().catch((checkError: unknown) => {
        if (!(checkError instanceof ToolError)) throw checkError
        return { ...unknown, reason: `${error.message} A check of the outcome failed too. ${repeatAdvice}`, error: checkError }
      })
      if (found) return found
      if (error instanceof ReportedFailure) {
        const { retryable, retryAfterSeconds = 0 } = error.details
        if (isRetry || retryable === false || retryAfterSeconds > 0) throw error
        return this.#create(true)
      }
      return { ...unknown, reason: `${error.message} The person is not listed yet. ${repeatAdvice}` }
    }
  }

  /** Creates a permission for a person or else a group, because an address does not show which it is. */
  async #createForAnyType(): Promise<Permission> {
    const { drive, scope, emailAddress, ...request } = this.#options
    const create = (type: 'user' | 'group') => createPermission(drive, { ...request, grantee: { type, emailAddress } }, scope)
    try {
      return await create('user')
    } catch (error) {
      if (!(error instanceof InvalidInput) || error instanceof UnsuitableAddress) throw error
      return create('group').catch((groupError: unknown) => {
        throw groupError instanceof InvalidInput ? error : groupError
      })
    }
  }

  /** The permission created by a request whose response was lost, if visible. */
  async #findCreated(): Promise<Permission | undefined> {
    const { drive, fileId, known, scope } = this.#options
    const current = await listPermissions(drive, fileId, scope)
    const changed = current.filter(({ id, role }) => known.get(id)?.role !== role)
    const [added, ...others] = changed.filter(({ id, type }) => !known.has(id) && (type === 'user' || type === 'group'))
    // The person may be listed under a different address; then the only new permission is theirs.
    return this.#ownPermission(changed) ?? (others.length === 0 ? added : undefined)
  }
}
