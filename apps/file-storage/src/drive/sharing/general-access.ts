import { InvalidInput } from '@mcp-toolkits/core/errors'
import { confirmChange, type CallScope } from '@mcp-toolkits/core/tool'
import { getAbout } from '../about.ts'
import { vendor, type DriveClient } from '../client.ts'
import {
  createPermission,
  deletePermission,
  type Grantee,
  isHigherRole,
  isInherited,
  listPermissions,
  type Permission,
  type Role,
  roles,
  updatePermission,
  withoutDirectRole,
} from '../permissions.ts'
import { type AccessRow, describeAccess, requireConsent, toAccessRow } from './access.ts'
import { readAgain } from './revoke.ts'

/** Circles of people to whom an item can be open, besides the people it is shared with. */
export const circles = ['restricted', 'domain', 'anyone'] as const
export type Circle = (typeof circles)[number]

export interface GeneralAccess {
  readonly access?: Circle | undefined
  readonly role?: Role | undefined
  readonly findable?: boolean | undefined
}

export interface GeneralAccessChange extends GeneralAccess {
  readonly fileId: string
  readonly name: string
  readonly isDryRun: boolean
  readonly confirm: boolean
}

interface GeneralAccessResult {
  readonly before: AccessRow[]
  readonly after: AccessRow[]
  /** The account's domain, if it was looked up. */
  readonly domain: string | undefined
  readonly notice?: string | undefined
}

interface Plan {
  readonly circle: Circle
  readonly role: Role
  readonly findable: boolean
  /** The permission to change, by id; undefined to grant a new one or to change nothing. */
  readonly own: Permission | undefined
  readonly grants: boolean
  readonly removed: readonly Permission[]
}

/** Sets who can see an item, besides the people it is shared with. Widening access needs the person's consent. */
export async function setGeneralAccess(
  drive: DriveClient,
  { fileId, name, isDryRun, confirm, ...wanted }: GeneralAccessChange,
  scope: CallScope,
): Promise<GeneralAccessResult> {
  const current = await listPermissions(drive, fileId, scope)
  const isDomainNeeded = wanted.access === 'domain' || (wanted.access !== 'restricted' && current.some(({ type }) => type === 'domain'))
  const domain = isDomainNeeded ? await ownDomain(drive, scope) : undefined
  const plan = planFor(current, wanted, domain)
  const before = current.map(toAccessRow)
  const planned = afterwards(current, plan, domain).map(toAccessRow)
  const keepsAll = plan.own?.role === plan.role && !plan.grants && plan.removed.length === 0
  if (isDryRun) return { before, after: planned, domain }
  requireConsent({ change: name, before, after: planned, confirm })
  if (keepsAll || (!plan.own && !plan.grants && plan.removed.length === 0)) return { before, after: before, domain }
  await apply(drive, fileId, { plan, domain }, scope)
  const after = (await readAgain(drive, fileId, scope))?.map(toAccessRow)
  if (!after)
    return { before, after: planned, domain, notice: 'Google Drive accepted the change, but the permissions could not be read again.' }
  return { before, after, domain, notice: confirmPlan(plan, after, domain) }
}

function planFor(current: readonly Permission[], { access, role, findable }: GeneralAccess, domain: string | undefined): Plan {
  if (access === 'domain' && domain === undefined) throw noDomain()
  const open = current.filter(isGeneral)
  const general = open.filter((each) => isOfAccount(toAccessRow(each), domain))
  const present = circles.findLast((each) => each === 'restricted' || general.some(({ type }) => type === each)) ?? 'restricted'
  const circle = access ?? present
  if (circle === 'restricted' && (role !== undefined || findable !== undefined)) throw nothingToSet(access, open)
  if (circle === 'restricted') {
    const removed = access === undefined ? [] : open.filter((each) => !isInherited(each))
    return { circle, role: 'reader', findable: false, own: undefined, grants: false, removed }
  }
  const direct = general.filter((each) => !isInherited(each))
  const known = general.find(({ type }) => type === circle)
  const wanted = { role: role ?? roleOf(known), findable: findable ?? known?.allowFileDiscovery ?? false }
  const isSame = (each: Permission) => each.type === circle && (each.allowFileDiscovery ?? false) === wanted.findable
  const own = direct.find(isSame)
  const isGiven = general.some((each) => isSame(each) && !isHigherRole(wanted.role, each.role))
  return { circle, ...wanted, own, grants: !own && !isGiven, removed: direct.filter((each) => each !== own) }
}

const isGeneral = ({ type }: Permission) => type === 'domain' || type === 'anyone'

function roleOf(known: Permission | undefined): Role {
  return known?.role === 'writer' || known?.role === 'commenter' ? known.role : 'reader'
}

function nothingToSet(access: Circle | undefined, open: readonly Permission[]): InvalidInput {
  const others = open.length === 0 ? '' : ` and to ${describeAccess(open.map(toAccessRow))}, which is not this account's domain`
  return new InvalidInput(
    access === undefined
      ? `The item is open only to the people it is shared with${others}. Pass access "domain" or "anyone" along with role and allow_discovery. Nothing was changed.`
      : 'role and allow_discovery have no meaning with access "restricted". Leave them out. Nothing was changed.',
  )
}

/** True for access by anyone or the account's domain. A different domain's access is removed only by "restricted". */
export function isOfAccount({ type, who }: Pick<AccessRow, 'type' | 'who'>, domain: string | undefined): boolean {
  return type === 'anyone' || (type === 'domain' && who.toLowerCase() === domain)
}

/** The account's domain. A personal account has none. */
async function ownDomain(drive: DriveClient, scope: CallScope): Promise<string | undefined> {
  const { emailAddress = '' } = (await getAbout(drive, scope)).user
  const domain = emailAddress.slice(emailAddress.lastIndexOf('@') + 1).toLowerCase()
  return /^(?:gmail\.com|googlemail\.com|)$/.test(domain) ? undefined : domain
}

function noDomain(): InvalidInput {
  return new InvalidInput(
    'This account belongs to no organization, so there is no "domain". Use "restricted" or "anyone". Nothing was changed.',
  )
}

/** The permissions that a plan would lead to. */
function afterwards(current: readonly Permission[], plan: Plan, domain: string | undefined): Permission[] {
  const { circle, role, findable: allowFileDiscovery, own, grants, removed } = plan
  const kept = current.flatMap((each) => (removed.includes(each) ? withoutDirectRole(each) : each === own ? withRole(each, role) : [each]))
  if (!grants) return kept
  const given = { type: circle, role, domain, allowFileDiscovery, permissionDetails: [{ role, inherited: false }] }
  const others = kept.filter(
    (each) => each.type !== circle || !isOfAccount(toAccessRow(each), domain) || (each.allowFileDiscovery ?? false) !== allowFileDiscovery,
  )
  return [...others, { id: circle, ...given }]
}

function withRole(permission: Permission, role: Role): Permission[] {
  const [inherited] = withoutDirectRole(permission)
  return [inherited && isHigherRole(inherited.role, role) ? inherited : { ...permission, role }]
}

/**
 * Carries out a plan. It grants before it revokes, so that a refusal changes nothing. A conflicting permission of the same kind is revoked
 * first, and restored if the new one is refused.
 */
async function apply(
  drive: DriveClient,
  fileId: string,
  { plan: { circle, role, findable, own, grants, removed }, domain }: { readonly plan: Plan; readonly domain: string | undefined },
  scope: CallScope,
): Promise<void> {
  const remove = async (permissions: readonly Permission[]) => {
    for (const { id: permissionId } of permissions) await deletePermission(drive, { fileId, permissionId }, scope)
  }
  const replaced = removed.filter(({ type }) => type === circle)
  await remove(replaced)
  if (own && own.role !== role) await updatePermission(drive, { fileId, permissionId: own.id, role }, scope)
  if (grants && circle !== 'restricted') {
    const grantee: Grantee = { type: circle, ...(domain !== undefined && { domain }), allowFileDiscovery: findable }
    const give = { fileId, grantee, notification: undefined }
    await createPermission(drive, { ...give, role }, scope).catch(async (error: unknown) => {
      for (const { role: former, allowFileDiscovery = false } of replaced)
        await createPermission(
          drive,
          { ...give, role: roles.find((each) => each === former) ?? 'reader', grantee: { ...grantee, allowFileDiscovery } },
          scope,
        )
      throw error
    })
  }
  await remove(removed.filter(({ type }) => type !== circle))
}

/** Checks the plan against Drive's current state; see `confirmChange`. */
function confirmPlan({ circle, role, findable }: Plan, after: readonly AccessRow[], domain: string | undefined): string | undefined {
  const general = after.filter(({ type, inherited_from }) => (type === 'domain' || type === 'anyone') && inherited_from === undefined)
  if (circle === 'restricted') return confirmChange(vendor, { access: general.length === 0 })
  const rows = after.filter((row) => row.type === circle && isOfAccount(row, domain))
  return confirmChange(vendor, {
    access: rows.length > 0,
    role: rows.some((row) => !isHigherRole(role, row.role)),
    allow_discovery: rows.some((row) => row.findable === findable),
  })
}
