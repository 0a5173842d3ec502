import { insertRow, type JsonObject } from '@mcp-toolkits/emulator'
import { DriveError, forbidden, invalidField, notAllowed, required } from '../http/errors.ts'
import { domain as organization, firstViewer, personByAddress } from '../people/people.ts'
import type { Session } from '../session/session.ts'
import { permissionIdFor } from '../store/ids.ts'
import { type Item, updateItem } from '../store/items.ts'
import { accountOf, type DriveStore, seenBy, type Viewer } from '../store/viewers.ts'
import { capabilitiesIn, refreshAccess } from './effective-access.ts'
import {
  changePermission,
  insertPermission,
  isRole,
  noDetails,
  permissionsOn,
  removePermission,
  replacePermissions,
  type Role,
  roleRank,
} from './grants.ts'
import { permissionOn, type PermissionResource } from './permission-resource.ts'

/** The role requested in a body. */
function parseRole(body: JsonObject): Role {
  const { role } = body
  if (role === undefined) throw required('permission.role', 'The permission role field is required.')
  if (!isRole(role)) throw invalidField('permission.role', 'The specified role is invalid or not applicable for the given permission type.')
  return role
}

/** The principal named in a body, as a permission's columns: a user, a group, a domain or anyone with the link. */
function parsePrincipal({ store }: Session, body: JsonObject) {
  const { type, emailAddress, domain } = body
  if (type === undefined) throw required('permission.type', 'The permission type field is required.')
  const discovery = Number(body['allowFileDiscovery'] === true)
  if (type === 'anyone') {
    return { ...noDetails, type, permissionId: discovery === 1 ? 'anyone' : 'anyoneWithLink', allowFileDiscovery: discovery }
  }
  if (type === 'domain') {
    if (typeof domain !== 'string' || !isDomain(domain))
      throw invalidField('permission.domain', 'The domain field is required for this type.')
    return { ...noDetails, type, domain, displayName: domain, permissionId: `${permissionIdFor(domain)}k`, allowFileDiscovery: discovery }
  }
  if (type !== 'user' && type !== 'group') throw invalidField('permission.type', 'The specified permission type is invalid.')
  if (typeof emailAddress !== 'string' || !isAddress(emailAddress)) throw invalidAddress()
  const person = personByAddress(store, emailAddress)
  if ((person?.kind ?? 'user') !== type) throw invalidAddress()
  const address = person?.email ?? emailAddress.toLowerCase()
  const displayName = person?.displayName ?? null
  return { ...noDetails, type, permissionId: permissionIdFor(address), emailAddress: address, displayName }
}

const invalidAddress = () =>
  invalidField('permission.emailAddress', 'The specified emailAddress is invalid or not applicable for the given permission type.')

const isDomain = (text: string) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
const isAddress = (text: string) => /^[^\s@,;<>()]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)

/** The time at which a person's or a group's permission ends, at most a year ahead; null for none. */
function parseExpiration({ now }: Session, { expirationTime = null }: JsonObject, type: string): string | null {
  if (expirationTime === null) return null
  const time = typeof expirationTime === 'string' ? Date.parse(expirationTime) : Number.NaN
  const isPossible = time > now && time <= new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + 1)
  if (!isPossible || (type !== 'user' && type !== 'group'))
    throw invalidField(
      'permission.expirationTime',
      'The expiration time is invalid: only users and groups can have one, at most a year ahead.',
    )
  return new Date(time).toISOString()
}

/** Throws for a role that does not exist in the item's drive: https://developers.google.com/workspace/drive/api/guides/ref-roles. */
function checkRoleForItem(role: Role, driveId: string | null, isDriveRoot: boolean): void {
  if (driveId !== null && role === 'owner') throw forbidden('ownerOnTeamDriveItemNotSupported', 'Items in shared drives have no owner.')
  if (driveId === null && (role === 'organizer' || role === 'fileOrganizer')) {
    throw forbidden(`${role}OnNonTeamDriveNotSupported`, `The role ${role} exists in shared drives only.`)
  }
  if (driveId !== null && role === 'organizer' && !isDriveRoot) {
    throw forbidden('organizerOnNonTeamDriveItemNotSupported', 'The role organizer can be given only for a whole shared drive.')
  }
}

/** Gives a role: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/create. */
export function createPermission(session: Session, fileId: string, body: JsonObject): PermissionResource {
  const { params, store } = session
  const item = session.find(fileId)
  const role = parseRole(body)
  const principal = parsePrincipal(session, body)
  const expirationTime = parseExpiration(session, body, principal.type)
  checkRoleForItem(role, item.driveId, item.id === item.driveId)
  if (!capabilitiesIn(session, item).share) throw notAllowed()
  const isOwner = role === 'owner'
  const sendsMail = params.flag('sendNotificationEmail', params.flag('sendNotificationEmails', true)) && principal.emailAddress !== null
  if (isOwner) checkTransfer(session, item, principal)
  const { emailAddress } = principal
  if (!sendsMail && emailAddress !== null && personByAddress(store, emailAddress) === undefined)
    throw invalidSharing('This address has no Google account: sharing with it needs a notification.')
  const existing = currentRole(session, item, principal.permissionId)
  if (isOwner) transferOwnership(session, item, principal.permissionId)
  else if (existing === undefined || (isOnlyInherited(existing) && roleRank(role) > roleRank(existing.role)))
    grantRole(session, { ...principal, fileId: item.id, role, expirationTime })
  if (sendsMail || isOwner) sendMail(session, { fileId: item.id, recipient: principal.emailAddress ?? '', role })
  refreshAccess(store, item.id)
  return permissionOn(session, item.ownerId === null || !isOwner ? item : session.find(item.id), principal.permissionId)
}

/** Changes a role: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/update. */
export function updatePermission(session: Session, target: PermissionTarget, body: JsonObject): PermissionResource {
  const { store, params } = session
  const item = session.find(target.fileId)
  const existing = permissionOn(session, item, target.permissionId)
  const role = body['role'] === undefined ? null : parseRole(body)
  if (role !== null) checkRoleForItem(role, item.driveId, item.id === item.driveId)
  if (!capabilitiesIn(session, item).share) throw notAllowed()
  if (existing.role === 'owner' && target.permissionId === item.ownerId) throw ownerChangeForbidden()
  const own = permissionsOn(store, item.id).find(({ permissionId }) => permissionId === target.permissionId)
  if (role === 'owner') {
    checkTransfer(session, item, { type: existing.type, emailAddress: own?.emailAddress ?? null })
    transferOwnership(session, item, target.permissionId)
  } else if (own === undefined) {
    throw inheritedChangeForbidden()
  } else {
    const until = params.flag('removeExpiration') ? null : (parseExpiration(session, body, own.type) ?? own.expirationTime)
    changePermission(store, { n: own.n, role: role ?? own.role, expirationTime: until })
  }
  refreshAccess(store, item.id)
  return permissionOn(session, session.find(item.id), target.permissionId)
}

/** Removes a role: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/delete. */
export function deletePermission(session: Session, { fileId, permissionId }: PermissionTarget): { readonly id: string } {
  const { store } = session
  const item = session.find(fileId)
  const existing = permissionOn(session, item, permissionId)
  // Everyone may leave.
  if (!capabilitiesIn(session, item).share && permissionId !== store.viewer.id) throw notAllowed()
  if (existing.role === 'owner' && permissionId === item.ownerId) throw ownerChangeForbidden()
  const own = permissionsOn(store, item.id).find((permission) => permission.permissionId === permissionId)
  if (own === undefined) throw inheritedChangeForbidden()
  removePermission(store, own.n)
  refreshAccess(store, item.id)
  return { id: item.id }
}

/**
 * Changes the permissions as they were when the request arrived, so that only the last of several concurrent changes is applied:
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/create.
 */
export async function changePermissions<T>(session: Session, method: string, fileId: string, change: () => T): Promise<T> {
  const atArrival = permissionsOn(session.store, fileId)
  // Lets requests sent at the same time arrive first.
  await new Promise((resolve) => setImmediate(resolve))
  const { result } = await session.change(method, () => {
    replacePermissions(session.store, fileId, atArrival)
    return { id: fileId, result: change() }
  })
  return result
}

/** A permission on an item. */
interface PermissionTarget {
  readonly fileId: string
  readonly permissionId: string
}

const ownerChangeForbidden = () => forbidden('insufficientFilePermissions', "The owner's permission cannot be changed or removed.")

const inheritedChangeForbidden = () =>
  forbidden('cannotModifyInheritedPermission', 'Cannot change or remove an inherited permission: change it where it was given.')

const invalidSharing = (why: string) => new DriveError(400, 'invalidSharingRequest', `Bad Request. User message: "${why}"`)

function currentRole(session: Session, item: Item, permissionId: string): PermissionResource | undefined {
  try {
    return permissionOn(session, item, permissionId)
  } catch (error) {
    if (error instanceof DriveError && error.status === 404) return undefined
    throw error
  }
}

function isOnlyInherited({ permissionDetails }: PermissionResource): boolean {
  const details: unknown[] = Array.isArray(permissionDetails) ? permissionDetails : []
  return details.every((detail) => typeof detail === 'object' && detail !== null && 'inherited' in detail && detail.inherited === true)
}

function grantRole({ store, at }: Session, permission: Parameters<typeof insertPermission>[1]): void {
  const { permissionId, fileId } = permission
  insertPermission(store, permission)
  const receiver = permissionId === firstViewer.id ? firstViewer : accountOf(store, permissionId)
  if (receiver) updateItem(seenBy(store, receiver), fileId, { sharedWithMeTime: at, ...sharerFor(store, receiver) })
}

/** The sharer's id, as a column; none in the sharer's own view. */
const sharerFor = ({ viewer }: DriveStore, { id }: Viewer) => (id === viewer.id ? {} : { sharingId: viewer.id })

/** Only the owner may transfer an item, and only within the organization. */
function checkTransfer({ params, store }: Session, item: Item, to: { type: string; emailAddress: string | null }): void {
  if (!params.flag('transferOwnership')) {
    throw forbidden(
      'forbidden',
      "The transferOwnership parameter must be enabled when the permission role is 'owner'.",
      'transferOwnership',
    )
  }
  if (item.ownerId !== store.viewer.id) throw notAllowed()
  if (!params.flag('sendNotificationEmail', true)) throw invalidSharing('The new owner must be notified.')
  if (to.type !== 'user' || to.emailAddress?.endsWith(`@${organization}`) !== true) {
    throw forbidden('consentRequiredForOwnershipTransfer', 'Consent is required to transfer ownership of a file to another user.')
  }
}

function transferOwnership({ store }: Session, item: Item, permissionId: string): void {
  if (permissionId === item.ownerId) return
  for (const former of permissionsOn(store, item.id))
    if (former.permissionId === permissionId || former.permissionId === item.ownerId) removePermission(store, former.n)
  if (item.ownerId !== null) insertPermission(store, { fileId: item.id, permissionId: item.ownerId, type: 'user', role: 'writer' })
  updateItem(store, item.id, { ownerId: permissionId })
}

function sendMail({ store, at, params }: Session, mail: { fileId: string; recipient: string; role: string }): void {
  insertRow(store, 'mails', { ...mail, at, message: params.text('emailMessage') ?? null })
}
