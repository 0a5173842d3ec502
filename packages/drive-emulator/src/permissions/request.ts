import { permissionIdOf } from '../ids.ts'
import { personByAddress } from '../people.ts'
import { forbidden, invalidField, parseError, required } from '../refusals.ts'
import type { Session } from '../session.ts'
import { isFields, parseJson, type Fields } from '../values.ts'
import { isRole, type Role } from './grants.ts'

/** Who is to get a role: one person, one group, an organization, or whoever has the link. */
export interface Principal {
  readonly permissionId: string
  readonly type: string
  readonly emailAddress: string | null
  readonly domain: string | null
  readonly displayName: string | null
  readonly allowFileDiscovery: number | null
  /** Whether there is an account or a group behind the address. */
  readonly isKnown: boolean
}

/** Reads a JSON body. */
export function bodyOf(json: string): Fields {
  const sent = json.trim() === '' ? {} : parseJson(json)
  if (!isFields(sent)) throw parseError()
  return sent
}

/** The role that a body asks for. */
export function roleIn(body: Fields): Role {
  const { role } = body
  if (role === undefined) throw required('permission.role', 'The permission role field is required.')
  if (!isRole(role)) throw invalidField('permission.role', 'The specified role is invalid or not applicable for the given permission type.')
  return role
}

/** The principal that a body names. */
export function principalIn({ store }: Session, body: Fields): Principal {
  const { type, emailAddress, domain } = body
  if (type === undefined) throw required('permission.type', 'The permission type field is required.')
  const nobody = { emailAddress: null, domain: null, displayName: null, allowFileDiscovery: null, isKnown: true }
  const discovery = Number(body['allowFileDiscovery'] === true)
  if (type === 'anyone') {
    return { ...nobody, type, permissionId: discovery === 1 ? 'anyone' : 'anyoneWithLink', allowFileDiscovery: discovery }
  }
  if (type === 'domain') {
    if (typeof domain !== 'string' || !isDomain(domain))
      throw invalidField('permission.domain', 'The domain field is required for this type.')
    return { ...nobody, type, domain, displayName: domain, permissionId: `${permissionIdOf(domain)}k`, allowFileDiscovery: discovery }
  }
  if (type !== 'user' && type !== 'group') throw invalidField('permission.type', 'The specified permission type is invalid.')
  if (typeof emailAddress !== 'string' || !isAddress(emailAddress)) throw badAddress()
  const person = personByAddress(store, emailAddress)
  if ((person?.kind ?? 'user') !== type) throw badAddress()
  const address = person?.email ?? emailAddress.toLowerCase()
  const displayName = person?.displayName ?? null
  return { ...nobody, type, permissionId: permissionIdOf(address), emailAddress: address, displayName, isKnown: person !== undefined }
}

const badAddress = () =>
  invalidField('permission.emailAddress', 'The specified emailAddress is invalid or not applicable for the given permission type.')

const isDomain = (text: string) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
const isAddress = (text: string) => /^[^\s@,;<>()]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)

/** Refuses roles that do not exist where the item lies: https://developers.google.com/workspace/drive/api/guides/ref-roles. */
export function checkRolePlace(role: Role, driveId: string | null, isDriveRoot: boolean): void {
  if (driveId !== null && role === 'owner') throw forbidden('ownerOnTeamDriveItemNotSupported', 'Items in shared drives have no owner.')
  if (driveId === null && (role === 'organizer' || role === 'fileOrganizer')) {
    throw forbidden(`${role}OnNonTeamDriveNotSupported`, `The role ${role} exists in shared drives only.`)
  }
  if (driveId !== null && role === 'organizer' && !isDriveRoot) {
    throw forbidden('organizerOnNonTeamDriveItemNotSupported', 'The role organizer can be given for a whole shared drive only.')
  }
}
