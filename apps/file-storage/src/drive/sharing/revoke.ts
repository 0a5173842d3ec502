import { ToolError, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import type { DriveClient } from '../client.ts'
import {
  affectsEveryone,
  deletePermission,
  isInherited,
  listPermissions,
  type Permission,
  type ShareResult,
  withoutDirectRole,
} from '../permissions.ts'
import { type AccessRow, placesOf, toAccessRow } from './access.ts'

/** The outcome of revoking one role. */
export interface Revocation extends Pick<ShareResult, 'previousRole' | 'role' | 'reason' | 'error'> {
  readonly who: string
  readonly outcome: 'removed' | 'kept' | 'no_access' | 'failed' | 'unknown' | 'not_tried'
}

/** A role to revoke, and its holder as the caller wrote it; without a permission, there is nothing to revoke. */
export interface Revoked {
  readonly who: string
  readonly permission: Permission | undefined
}

interface RevokeRequest {
  readonly fileId: string
  /** The item's folder, if visible. */
  readonly parent: string | undefined
  /** Chooses which of the item's permissions to revoke; any error is thrown before anything is changed. */
  readonly choose: (permissions: readonly Permission[]) => Promise<readonly Revoked[]>
  readonly onDone: (done: number, total: number) => void
}

export interface RevokeResult {
  readonly people: readonly Revocation[]
  readonly before: AccessRow[]
  readonly after: AccessRow[]
}

/**
 * Revokes roles one at a time: Drive keeps only the last of concurrent changes to one item's permissions. Owners keep their roles, and
 * inherited roles can only be changed on the folder that they come from. The permissions read afterwards show the outcome.
 */
export async function revokeAccess(
  drive: DriveClient,
  { fileId, parent, choose, onDone }: RevokeRequest,
  scope: CallScope,
): Promise<RevokeResult> {
  const before = await listPermissions(drive, fileId, scope)
  const chosen = await choose(before)
  const removable = chosen.flatMap(({ permission }) => (permission && isRemovable(permission) ? [permission] : []))
  const errors = new Map<string, ToolError>()
  let stoppedBy: ToolError | undefined
  for (const [index, { id: permissionId }] of removable.entries()) {
    if (stoppedBy) break
    await deletePermission(drive, { fileId, permissionId }, scope).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error
      errors.set(permissionId, error)
      if (affectsEveryone(error)) stoppedBy = error
    })
    onDone(index + 1, removable.length)
  }
  const tried = new Set(removable.slice(0, stoppedBy ? removable.findIndex(({ id }) => errors.get(id) === stoppedBy) + 1 : Infinity))
  const after = tried.size === 0 ? before : await readAgain(drive, fileId, scope)
  const rows = chosen.map((each) => outcomeOf(each, { tried, errors, after, stoppedBy }))
  const people = await withSources(drive, { rows, parent }, scope)
  const removed = new Set(people.flatMap(({ outcome }, index) => (outcome === 'removed' ? [chosen[index]?.permission] : [])))
  const left = after ?? before.flatMap((each) => (removed.has(each) ? withoutDirectRole(each) : [each]))
  return { people, before: before.map(toAccessRow), after: left.map(toAccessRow) }
}

const isRemovable = (permission: Permission) => permission.role !== 'owner' && !isInherited(permission)

/** The permissions after a change; undefined if the account may no longer see them, or if they could not be read. */
export async function readAgain(drive: DriveClient, fileId: string, scope: CallScope): Promise<Permission[] | undefined> {
  return listPermissions(drive, fileId, scope).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    return undefined
  })
}

interface Facts {
  readonly tried: ReadonlySet<Permission>
  readonly errors: ReadonlyMap<string, ToolError>
  readonly after: readonly Permission[] | undefined
  readonly stoppedBy: ToolError | undefined
}

/** An outcome, with any remaining inherited permission. */
type Row = Revocation & { readonly source?: AccessRow }

function outcomeOf({ who, permission }: Revoked, { tried, errors, after, stoppedBy }: Facts): Row {
  if (!permission) return { who, outcome: 'no_access' }
  const { id, role: previousRole } = permission
  if (previousRole === 'owner') return { who, outcome: 'kept', role: previousRole, reason: 'Owns the item.' }
  if (isInherited(permission)) return { who, outcome: 'kept', role: previousRole, source: toAccessRow(permission) }
  const error = errors.get(id)
  if (!tried.has(permission))
    return { who, outcome: 'not_tried', role: previousRole, reason: `Not tried because: ${stoppedBy?.message ?? ''}` }
  if (!after) {
    if (!error) return { who, outcome: 'removed', previousRole }
    return { who, outcome: error instanceof Unavailable ? 'unknown' : 'failed', previousRole, reason: error.message, error }
  }
  const now = after.find((each) => each.id === id)
  if (!now) return { who, outcome: 'removed', previousRole }
  if (isInherited(now)) return { who, outcome: 'kept', role: now.role, previousRole, source: toAccessRow(now) }
  const failure = error ?? new Unavailable(`Google Drive answered "success", but still shows the role "${now.role}".`, { retryable: false })
  return { who, outcome: 'failed', role: now.role, reason: failure.message, error: failure }
}

async function withSources(drive: DriveClient, { rows, parent }: RowsBelow, scope: CallScope): Promise<Revocation[]> {
  const inherited = rows.flatMap(({ source }) => source ?? [])
  const placeOf = inherited.length === 0 ? undefined : await placesOf(drive, { rows: inherited, parent }, scope)
  return rows.map(({ source, ...row }) => {
    if (source === undefined || !placeOf) return row
    return { ...row, reason: `Has the role "${row.role ?? ''}" from ${placeOf(source)}; it can only be changed there.` }
  })
}

/** Outcomes for an item in `parent`. */
interface RowsBelow {
  readonly rows: readonly Row[]
  readonly parent: string | undefined
}

/** Throws the first error if errors prevented every revocation. The message says whether the outcome is known. */
export function requireAnyRevoked(people: readonly Revocation[]): void {
  const failed = people.filter(({ error }) => error !== undefined)
  const [first] = failed.flatMap(({ error }) => error ?? [])
  if (!first || people.some(({ outcome, previousRole }) => outcome === 'removed' || (outcome === 'kept' && previousRole !== undefined)))
    return
  const reasons = failed.map(({ who, reason = '' }) => `${who}: ${reason}`).join(' ')
  const isUnknown = failed.some(({ outcome }) => outcome === 'unknown')
  throw withDetails(
    first,
    `${isUnknown ? 'It is unknown whether access was removed.' : 'No access was removed.'} ${reasons}`,
    first.details,
  )
}
