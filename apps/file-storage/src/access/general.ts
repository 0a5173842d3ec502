import { isDeepStrictEqual } from 'node:util'
import { withCallLock } from '@mcp-toolkits/core/base'
import { Message, quote, sentence } from '@mcp-toolkits/core/errors'
import type { CallContext } from '@mcp-toolkits/core/tool'
import type { Context } from '../context.ts'
import { type AccessRow, describeAccess, placesOf } from '../drive/sharing/access.ts'
import { type GeneralAccess, isOfAccount, setGeneralAccess } from '../drive/sharing/general-access.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import { itemOfAccess } from './item.ts'

interface AccessArguments extends Pick<GeneralAccess, 'access' | 'role'> {
  readonly file_path_or_id: string
  readonly shared_drive_id?: string | undefined
  readonly allow_discovery?: boolean | undefined
  readonly dry_run: boolean
  readonly confirm: boolean
}

/** Sets an item's general access, or describes what that would change. */
export async function setAccessOn(
  { file_path_or_id: text, shared_drive_id, access, role, allow_discovery: findable, dry_run: isDryRun, confirm }: AccessArguments,
  { drive, paths, locks }: Pick<Context, 'drive' | 'paths' | 'locks'>,
  { scope, notice }: CallContext,
) {
  const lookup = { drive, paths, scope, notice, isWrite: true }
  const sharedDrive = await resolveDrive(shared_drive_id, lookup)
  const { item, fileId } = await itemOfAccess({ text, parameter: 'file_path_or_id', sharedDrive }, lookup, 'opened or restricted')
  const change = { fileId, name: quote(item.name, 300), access, role, findable, isDryRun, confirm }
  const {
    before,
    after,
    domain,
    notice: missing,
  } = await withCallLock(locks, `permissions ${fileId}`, scope, () => setGeneralAccess(drive, change, scope))
  if (fileId !== item.id) notice(`${quote(item.name)} is a shortcut; this is about its target.`)
  if (isDryRun) notice('Nothing was changed: dry_run was true.')
  if (missing !== undefined) notice(missing)
  const isSet = (row: AccessRow) => row.type === access && isOfAccount(row, domain)
  const kept = access === undefined ? [] : after.filter((row) => isGeneral(row) && !isSet(row))
  const inherited = kept.filter((row) => row.inherited_from !== undefined)
  const placeOf =
    inherited.length === 0
      ? undefined
      : await placesOf(drive, { rows: inherited, parent: fileId === item.id ? item.parents[0] : undefined }, scope)
  for (const row of placeOf ? inherited : [])
    notice(`It stays open to ${describeAccess([row])}. That comes from ${placeOf?.(row) ?? ''} and can only be changed there.`)
  const others = kept.filter((row) => row.inherited_from === undefined)
  if (others.length > 0) notice(staysOpen(others))
  const changed = !isDryRun && !isDeepStrictEqual(new Set(before), new Set(after))
  return { item: { id: fileId, name: item.name }, changed, before, after }
}

const isGeneral = ({ type }: AccessRow) => type === 'domain' || type === 'anyone'

function staysOpen(others: readonly AccessRow[]): Message {
  return Message.of(
    `It stays open to ${describeAccess(others)}, which is not this account's domain.`,
    sentence`To revoke that access, use ${{ tool: 'FileStorage.RevokeFileAccess' }} with people ${JSON.stringify(others.map(({ who }) => who))}.`,
  )
}
