import { updateItem, type Item } from '../items.ts'
import { domain as organization, viewerId } from '../people.ts'
import { forbidden, notAllowed, Refusal } from '../refusals.ts'
import type { Session } from '../session.ts'
import { refreshStanding } from '../standing.ts'
import type { Fields } from '../values.ts'
import { rightsIn } from '../drives.ts'
import { changeGrant, grantsOn, insertGrant, rank, removeGrant, type Role } from './grants.ts'
import { permissionOn } from './read.ts'
import { checkRolePlace, principalIn, roleIn, type Principal } from './request.ts'
import type { PermissionResource } from './resource.ts'

/** Gives a role: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/create. */
export function createPermission(session: Session, fileId: string, body: Fields): PermissionResource {
  const { params, store } = session
  const item = session.find(fileId)
  const role = roleIn(body)
  const principal = principalIn(session, body)
  checkRolePlace(role, item.driveId, item.id === item.driveId)
  if (!rightsIn(session, item).share) throw notAllowed()
  const isOwner = role === 'owner'
  const mails = params.flag('sendNotificationEmail', params.flag('sendNotificationEmails', true)) && principal.emailAddress !== null
  if (isOwner) checkTransfer(session, item, principal)
  if (!principal.isKnown && !mails) throw unsuitable('This address has no Google account: sharing with it needs a notification.')
  const existing = currentRole(session, item, principal.permissionId)
  if (isOwner) transfer(session, item, principal.permissionId)
  else if (existing === undefined || (isOnlyInherited(existing) && rank(role) > rank(existing.role)))
    give(session, item, { principal, role, body })
  if (mails || isOwner) notify(session, { fileId: item.id, recipient: principal.emailAddress ?? '', role })
  refreshStanding(store, item.id)
  return permissionOn(session, item.ownerId === null || !isOwner ? item : session.find(item.id), principal.permissionId)
}

/** Changes a role: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/update. */
export function updatePermission(session: Session, target: Target, body: Fields): PermissionResource {
  const { store, params } = session
  const item = session.find(target.fileId)
  const existing = permissionOn(session, item, target.permissionId)
  const role = body['role'] === undefined ? null : roleIn(body)
  if (role !== null) checkRolePlace(role, item.driveId, item.id === item.driveId)
  if (!rightsIn(session, item).share) throw notAllowed()
  if (existing.role === 'owner' && target.permissionId === item.ownerId) throw ownerIsFixed()
  const own = grantsOn(store, item.id).find(({ permissionId }) => permissionId === target.permissionId)
  if (role === 'owner') {
    checkTransfer(session, item, { type: existing.type, emailAddress: own?.emailAddress ?? null })
    transfer(session, item, target.permissionId)
  } else if (own === undefined) {
    throw inherited()
  } else {
    const { expirationTime } = body
    const until = params.flag('removeExpiration') ? null : typeof expirationTime === 'string' ? expirationTime : own.expirationTime
    changeGrant(store, { n: own.n, role: role ?? own.role, expirationTime: until })
  }
  refreshStanding(store, item.id)
  return permissionOn(session, session.find(item.id), target.permissionId)
}

/** Takes a role away: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions/delete. */
export function deletePermission(session: Session, { fileId, permissionId }: Target): { readonly id: string } {
  const { store } = session
  const item = session.find(fileId)
  const existing = permissionOn(session, item, permissionId)
  // Everyone may leave.
  if (!rightsIn(session, item).share && permissionId !== viewerId) throw notAllowed()
  if (existing.role === 'owner' && permissionId === item.ownerId) throw ownerIsFixed()
  const own = grantsOn(store, item.id).find((grant) => grant.permissionId === permissionId)
  if (own === undefined) throw inherited()
  removeGrant(store, own.n)
  refreshStanding(store, item.id)
  return { id: item.id }
}

/** A permission of an item. */
export interface Target {
  readonly fileId: string
  readonly permissionId: string
}

const ownerIsFixed = () => forbidden('insufficientFilePermissions', "The owner's permission cannot be changed or removed.")

const inherited = () =>
  forbidden('cannotModifyInheritedPermission', 'Cannot change or remove an inherited permission: change it where it was given.')

const unsuitable = (why: string) =>
  new Refusal({ status: 400, reason: 'invalidSharingRequest', message: `Bad Request. User message: "${why}"` })

function currentRole(session: Session, item: Item, permissionId: string): PermissionResource | undefined {
  try {
    return permissionOn(session, item, permissionId)
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error
  }
}

function isOnlyInherited({ permissionDetails }: PermissionResource): boolean {
  const details: unknown[] = Array.isArray(permissionDetails) ? permissionDetails : []
  return details.every((detail) => typeof detail === 'object' && detail !== null && 'inherited' in detail && detail.inherited === true)
}

function give({ store, at }: Session, item: Item, { principal, role, body }: { principal: Principal; role: Role; body: Fields }): void {
  const { permissionId, type, emailAddress, domain, displayName, allowFileDiscovery } = principal
  const expirationTime = typeof body['expirationTime'] === 'string' ? body['expirationTime'] : null
  insertGrant(store, { fileId: item.id, role, permissionId, type, emailAddress, domain, displayName, allowFileDiscovery, expirationTime })
  if (principal.permissionId === viewerId) updateItem(store, item.id, { sharedWithMeTime: at })
}

/** Only an owner hands an item on, to someone of the same organization. */
function checkTransfer({ params }: Session, item: Item, to: Pick<Principal, 'type' | 'emailAddress'>): void {
  if (!params.flag('transferOwnership')) {
    throw forbidden(
      'forbidden',
      "The transferOwnership parameter must be enabled when the permission role is 'owner'.",
      'transferOwnership',
    )
  }
  if (item.ownerId !== viewerId) throw notAllowed()
  if (!params.flag('sendNotificationEmail', true)) throw unsuitable('The new owner must be notified.')
  if (to.type !== 'user' || to.emailAddress?.endsWith(`@${organization}`) !== true) {
    throw forbidden('consentRequiredForOwnershipTransfer', 'Consent is required to transfer ownership of a file to another user.')
  }
}

function transfer({ store }: Session, item: Item, permissionId: string): void {
  if (permissionId === item.ownerId) return
  const [former] = grantsOn(store, item.id).filter((grant) => grant.permissionId === permissionId)
  if (former !== undefined) removeGrant(store, former.n)
  if (item.ownerId !== null) insertGrant(store, { fileId: item.id, permissionId: item.ownerId, type: 'user', role: 'writer' })
  updateItem(store, item.id, { ownerId: permissionId })
}

function notify({ store, at, params }: Session, mail: { fileId: string; recipient: string; role: string }): void {
  store.run('insert into mails (at, fileId, recipient, role, message) values (:at, :fileId, :recipient, :role, :message)', {
    ...mail,
    at,
    message: params.text('emailMessage') ?? null,
  })
}
