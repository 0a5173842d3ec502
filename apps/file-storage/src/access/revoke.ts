import { withCallLock } from '@mcp-toolkits/core/base'
import { quote } from '@mcp-toolkits/core/errors'
import { exactMatcher, findMatches } from '@mcp-toolkits/core/references'
import type { CallContext } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import type { Context } from '../context.ts'
import { getOwnerId } from '../drive/about.ts'
import type { Permission } from '../drive/permissions.ts'
import { accessChange, AccessRow, describeAccess, toAccessRow } from '../drive/sharing/access.ts'
import { requireAnyRevoked, revokeAccess, type Revocation, type Revoked } from '../drive/sharing/revoke.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import { itemOfAccess } from './item.ts'

/** The result of a tool that revokes access. */
export const RevokedAccess = z.object({
  item: z.object({ id: z.string(), name: z.string() }),
  people: z.array(
    z.object({
      who: z.string(),
      outcome: z
        .enum(['removed', 'kept', 'no_access', 'failed', 'unknown', 'not_tried'])
        .describe('kept: an owner, or a role from a folder above; unknown: Google Drive did not answer.'),
      previous_role: z.string().optional(),
      role: z.string().optional().describe('The role that is left.'),
      reason: z.string().optional(),
    }),
  ),
  before: accessChange.before,
  after: z.array(AccessRow).describe('Who can see it now.'),
})

/** Chooses the people who lose their role; throws before anything is changed. */
type Choose = (permissions: readonly Permission[]) => Promise<readonly Revoked[]>

/** Revokes people's roles on an item. */
export async function revokeOn(
  { file_path_or_id: text, shared_drive_id }: { readonly file_path_or_id: string; readonly shared_drive_id?: string | undefined },
  choose: Choose,
  { drive, paths, locks }: Pick<Context, 'drive' | 'paths' | 'locks'>,
  { scope, notice, progress, operation }: CallContext,
): Promise<z.input<typeof RevokedAccess>> {
  const lookup = { drive, paths, scope, notice, isWrite: true }
  const sharedDrive = await resolveDrive(shared_drive_id, lookup)
  const { item, fileId } = await itemOfAccess({ text, parameter: 'file_path_or_id', sharedDrive }, lookup, 'closed to people')
  const onDone = (done: number, total: number) => {
    progress(done, total, 'people')
  }
  const { people, before, after } = await withCallLock(locks, `permissions ${fileId}`, scope, () =>
    revokeAccess(drive, { fileId, parent: fileId === item.id ? item.parents[0] : undefined, choose, onDone }, scope),
  )
  if (people.some(({ outcome }) => outcome === 'unknown' || outcome === 'not_tried')) operation.leaveOpen()
  requireAnyRevoked(people)
  if (fileId !== item.id) notice(`${quote(item.name)} is a shortcut; the access to its target was changed.`)
  const open = after.filter(({ type }) => type !== 'user')
  if (open.length > 0) notice(`It stays open to ${describeAccess(open)}, so those who were removed may still see it.`)
  return { item: { id: fileId, name: item.name }, people: people.map(toRow), before, after }
}

function toRow({ who, outcome, previousRole, role, reason }: Revocation) {
  return {
    who,
    outcome,
    ...(previousRole !== undefined && { previous_role: previousRole }),
    ...(role !== undefined && { role }),
    ...(reason !== undefined && { reason }),
  }
}

/** Finds permissions by a person's address, name or text as listed. An address without a permission has no role to lose. */
export function choosePeople(people: readonly string[]): Choose {
  return async (permissions) => {
    const written = [...new Set(people.map(plainAddress))]
    const candidates = permissions.map(toCandidate)
    const isKnown = exactMatcher(candidates)
    const isStranger = (text: string) => text.includes('@') && !isKnown(text)
    const named = written.filter((text) => !isStranger(text))
    const matches = await findMatches(named, candidates, { kind: 'person', parameter: 'people', autoAccept: false })
    const chosen = new Map(
      written.map((who) => {
        const permission = matches[named.indexOf(who)]?.candidate.permission
        return [permission?.id ?? who, { who: permission ? toAccessRow(permission).who : who, permission }]
      }),
    )
    return [...chosen.values()]
  }
}

/** All people except the account itself, the owner and the exceptions, each of which must match someone. */
export function chooseAll(
  { except, withGroups }: { readonly except: readonly string[]; readonly withGroups: boolean },
  { drive }: Pick<Context, 'drive'>,
): Choose {
  return async (permissions) => {
    const options = { kind: 'person', parameter: 'except_people', autoAccept: false }
    const [exceptions, own] = await Promise.all([
      findMatches(except.map(plainAddress), permissions.map(toCandidate), options),
      getOwnerId(drive),
    ])
    const kept = new Set([own, ...exceptions.map(({ candidate: { permission } }) => permission.id)])
    const isChosen = ({ id, type, role }: Permission) =>
      !kept.has(id) && role !== 'owner' && (type === 'user' || (withGroups && type === 'group'))
    return permissions.filter(isChosen).map((permission) => ({ who: toAccessRow(permission).who, permission }))
  }
}

function toCandidate(permission: Permission) {
  const { who, name = who } = toAccessRow(permission)
  return { id: permission.id, name, ...(who !== name && { email: who }), permission }
}

/** `ada@example.com` in `Ada <ada@example.com>` and `mailto:ada@example.com`; any other text stays unchanged. */
function plainAddress(text: string): string {
  const [, named] = /<([^<>]+)>\s*$/.exec(text) ?? []
  return (named ?? text).trim().replace(/^mailto:/i, '')
}
