import { ToolError, Unavailable } from '@mcp-toolkits/core'
import type { DriveClient } from './client.ts'
import {
  createPermission,
  isInherited,
  isMore,
  listPermissions,
  updatePermission,
  type NewPermission,
  type Permission,
} from './permissions.ts'

/** What became of sharing with one address. */
export interface Share {
  readonly emailAddress: string
  readonly outcome: 'added' | 'updated' | 'unchanged' | 'failed' | 'unknown' | 'not_tried'
  /** The role that the person has now, as far as it is known. */
  readonly role?: string
  readonly previousRole?: string
  /** Why nothing changed, or what is not known. */
  readonly reason?: string
  readonly error?: ToolError
}

export type Sharing = Omit<NewPermission, 'emailAddress'>

/** Whether a share left the person with a role that was asked for, or a better one. */
export function isGood({ outcome }: Share): boolean {
  return outcome === 'added' || outcome === 'updated' || outcome === 'unchanged'
}

/**
 * Shares an item with several people, one after another: of several changes to the permissions of one item at a time Drive keeps only
 * the last. Who is there already keeps the permission and gets the role. What fails for one does not stop the others, unless it would
 * fail for them too.
 */
export async function shareWith(
  drive: DriveClient,
  { addresses, onShare, ...sharing }: Sharing & { readonly addresses: readonly string[]; readonly onShare?: (done: number) => void },
  signal: AbortSignal,
): Promise<Share[]> {
  const present = await listPermissions(drive, { fileId: sharing.fileId }, signal)
  const shares: Share[] = []
  let stopped: ToolError | undefined
  for (const emailAddress of addresses) {
    if (stopped) {
      shares.push({ emailAddress, outcome: 'not_tried', reason: `Not tried after: ${stopped.message}` })
      continue
    }
    const share = await shareWithOne(drive, { ...sharing, emailAddress, present }, signal)
    if (share.error && concernsAll(share.error)) stopped = share.error
    shares.push(share)
    onShare?.(shares.length)
  }
  return shares
}

/** Whether the next address would meet the same error. */
function concernsAll({ code }: ToolError): boolean {
  return code === 'unauthenticated' || code === 'rate_limited' || code === 'unavailable'
}

type One = NewPermission & { readonly present: readonly Permission[] }

async function shareWithOne(drive: DriveClient, one: One, signal: AbortSignal): Promise<Share> {
  const { emailAddress, present } = one
  try {
    const permission = permissionOf(emailAddress, present)
    return permission ? await setRole(drive, one, { permission, signal }) : await add(drive, one, signal)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { emailAddress, outcome: 'failed', reason: error.message, error }
  }
}

function permissionOf(address: string, permissions: readonly Permission[]): Permission | undefined {
  return permissions.find(({ emailAddress }) => emailAddress?.toLowerCase() === address)
}

interface Present {
  readonly permission: Permission
  readonly signal: AbortSignal
}

async function setRole(drive: DriveClient, one: One, { permission, signal }: Present): Promise<Share> {
  const { emailAddress, role } = one
  if (permission.role === role) return { emailAddress, outcome: 'unchanged', role }
  if (permission.role === 'owner' || !isInherited(permission)) return change(drive, one, { permission, signal })
  if (!isMore(role, permission.role)) return fixed(emailAddress, permission.role)
  const share = await add(drive, one, signal)
  return share.outcome === 'added' ? { ...share, outcome: 'updated', previousRole: permission.role } : share
}

/** Gives a permission that stands on the item itself another role. */
async function change(drive: DriveClient, one: One, { permission, signal }: Present): Promise<Share> {
  const { fileId, emailAddress, role } = one
  const previousRole = permission.role
  if (previousRole === 'owner') return { emailAddress, outcome: 'unchanged', role: previousRole, reason: 'Owns the item.' }
  const updated = await updatePermission(drive, { fileId, permissionId: permission.id, role }, signal)
  return { emailAddress, outcome: 'updated', role: updated.role, previousRole }
}

function fixed(emailAddress: string, role: string): Share {
  const reason = `Has the role "${role}" from a folder above or the shared drive; it cannot be lowered here.`
  return { emailAddress, outcome: 'unchanged', role, reason }
}

async function add(drive: DriveClient, one: One, signal: AbortSignal): Promise<Share> {
  const { emailAddress, role } = one
  const made = await create(drive, one, signal)
  if (!('id' in made)) return made
  if (made.role === role) return { emailAddress, outcome: 'added', role }
  // Another address of somebody who is there already: Drive answers with the permission as it was.
  return isInherited(made) ? fixed(emailAddress, made.role) : change(drive, one, { permission: made, signal })
}

/** How long it may take to look again, in milliseconds: the request before it has used up half of a caller's patience. */
const secondLookMs = 15_000

/** Gives the role. Without an answer it looks whether it happened all the same, because a second request would be a second mail. */
async function create(drive: DriveClient, one: One, signal: AbortSignal): Promise<Permission | Share> {
  const { fileId, emailAddress, mail } = one
  try {
    return await createPermission(drive, one, signal)
  } catch (error) {
    if (!(error instanceof Unavailable) || mail === undefined) throw error
    const unknown = { emailAddress, outcome: 'unknown' } as const
    try {
      const present = permissionOf(emailAddress, await listPermissions(drive, { fileId, budgetMs: secondLookMs }, signal))
      return present ?? { ...unknown, reason: `Google Drive did not answer, and the person is not to be seen there yet. ${again}` }
    } catch (second) {
      if (!(second instanceof ToolError)) throw second
      return { ...unknown, reason: `Google Drive did not answer, nor could it be asked whether it was done. ${again}`, error: second }
    }
  }
}

const again = 'Repeat the call to be sure: it looks first.'
