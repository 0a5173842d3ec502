import { InvalidInput, ToolError, Unavailable } from '@mcp-toolkits/core'
import type { DriveClient } from './client.ts'
import { ForbiddenToUser, UnsuitableAddress } from './failures.ts'
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

export type Sharing = Omit<NewPermission, 'emailAddress' | 'type'>

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
  const present = byId(await listPermissions(drive, { fileId: sharing.fileId }, signal))
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
function concernsAll(error: ToolError): boolean {
  return error instanceof ForbiddenToUser || ['unauthenticated', 'rate_limited', 'unavailable'].includes(error.code)
}

/** The permissions on the item, as far as they are known: what is given here comes to them. */
type Present = Map<string, Permission>

const byId = (permissions: readonly Permission[]): Present => new Map(permissions.map((each) => [each.id, each]))

type One = Omit<NewPermission, 'type'> & { readonly present: Present }

async function shareWithOne(drive: DriveClient, one: One, signal: AbortSignal): Promise<Share> {
  const { emailAddress, present } = one
  try {
    const permission = permissionOf(emailAddress, [...present.values()])
    return permission ? await setRole(drive, one, { permission, signal }) : await add(drive, one, signal)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const needsMail = one.mail === undefined && error instanceof UnsuitableAddress
    return { emailAddress, outcome: 'failed', reason: needsMail ? `${error.message} ${byMailOnly}` : error.message, error }
  }
}

const byMailOnly =
  'Whoever has no Google account can only be given a role with a mail: set send_notification_email to true if one may be sent.'

function permissionOf(address: string, permissions: readonly Permission[]): Permission | undefined {
  return permissions.find(({ emailAddress }) => emailAddress?.toLowerCase() === address)
}

interface Held {
  readonly permission: Permission
  readonly signal: AbortSignal
}

async function setRole(drive: DriveClient, one: One, { permission, signal }: Held): Promise<Share> {
  const { emailAddress, role } = one
  if (permission.role === role) return { emailAddress, outcome: 'unchanged', role }
  if (permission.role === 'owner' || !isInherited(permission)) return change(drive, one, { permission, signal })
  return isMore(role, permission.role) ? add(drive, one, signal) : fixed(emailAddress, permission.role)
}

/** Gives a permission that stands on the item itself another role. */
async function change(drive: DriveClient, one: One, { permission, signal }: Held): Promise<Share> {
  const { fileId, emailAddress, role, present } = one
  const previousRole = permission.role
  if (previousRole === 'owner') return { emailAddress, outcome: 'unchanged', role: previousRole, reason: 'Owns the item.' }
  const updated = await updatePermission(drive, { fileId, permissionId: permission.id, role }, signal)
  present.set(updated.id, updated)
  return { emailAddress, outcome: 'updated', role: updated.role, previousRole }
}

function fixed(emailAddress: string, role: string): Share {
  const reason = `Has the role "${role}" from a folder above or the shared drive; it cannot be lowered here.`
  return { emailAddress, outcome: 'unchanged', role, reason }
}

async function add(drive: DriveClient, one: One, signal: AbortSignal): Promise<Share> {
  const { emailAddress, role, present } = one
  const made = await create(drive, one, signal)
  if (!('id' in made)) return made
  const before = present.get(made.id)
  present.set(made.id, made)
  // Another address of somebody who is there already: Drive answers with the permission as it was.
  if (made.role !== role) return isInherited(made) ? fixed(emailAddress, made.role) : change(drive, one, { permission: made, signal })
  if (before === undefined) return { emailAddress, outcome: 'added', role }
  if (before.role !== role) return { emailAddress, outcome: 'updated', role, previousRole: before.role }
  return { emailAddress, outcome: 'unchanged', role, reason: `Has this role already, as ${made.emailAddress ?? 'somebody known there'}.` }
}

/** Gives the role. Without an answer it looks whether it happened all the same, because a second request would be a second mail. */
async function create(drive: DriveClient, one: One, signal: AbortSignal): Promise<Permission | Share> {
  try {
    return await createForAny(drive, one, signal)
  } catch (error) {
    if (!(error instanceof Unavailable) || one.mail === undefined) throw error
    const unknown = { emailAddress: one.emailAddress, outcome: 'unknown' } as const
    try {
      const found = await secondLook(drive, one, signal)
      return found ?? { ...unknown, reason: `Google Drive did not answer, and the person is not to be seen there yet. ${again}` }
    } catch (second) {
      if (!(second instanceof ToolError)) throw second
      return { ...unknown, reason: `Google Drive did not answer, nor could it be asked whether it was done. ${again}`, error: second }
    }
  }
}

const again = 'Repeat the call to be sure: it looks first.'

/** An address does not show whether it is a group's, so what is refused for a person is tried for a group. */
async function createForAny(drive: DriveClient, one: One, signal: AbortSignal): Promise<Permission> {
  try {
    return await createPermission(drive, { ...one, type: 'user' }, signal)
  } catch (error) {
    if (!(error instanceof InvalidInput) || error instanceof UnsuitableAddress) throw error
    return createPermission(drive, { ...one, type: 'group' }, signal).catch((second: unknown) => {
      throw second instanceof InvalidInput ? error : second
    })
  }
}

/** How long it may take to look again, in milliseconds: the request before it has used up half of a caller's patience. */
const secondLookMs = 15_000

/** The permission that a request without an answer has made, if it is to be seen. */
async function secondLook(
  drive: DriveClient,
  { fileId, emailAddress, present }: One,
  signal: AbortSignal,
): Promise<Permission | undefined> {
  const now = await listPermissions(drive, { fileId, budgetMs: secondLookMs }, signal)
  const changed = now.filter(({ id, role }) => present.get(id)?.role !== role)
  const [news, ...others] = changed.filter(({ id, type }) => !present.has(id) && (type === 'user' || type === 'group'))
  // The person may stand there under another address; the one who is new is meant.
  return permissionOf(emailAddress, changed) ?? (others.length === 0 ? news : undefined)
}
