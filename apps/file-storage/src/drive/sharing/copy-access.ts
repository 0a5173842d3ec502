import { quote } from '@mcp-toolkits/core/errors'
import { type CallScope, needsConsent } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import type { DriveClient } from '../client.ts'
import type { DriveItem } from '../items.ts'
import { ForbiddenToUser } from '../reasons.ts'
import { accessInFolder, AccessRow, accessTo, describeAccess, requireConsent } from './access.ts'

/** Result fields that say who can see a copy in a different folder. */
export const copyAccess = {
  before: z.array(AccessRow).optional().describe('Who can see the original, as far as you may know.'),
  after: z.array(AccessRow).optional().describe('Who can see the copy besides you; absent if it is in the folder of the original.'),
}

interface CopyTarget {
  readonly source: DriveItem
  /** The id of the copy's folder; by default, the file's folder. */
  readonly folder: string | undefined
  readonly dry_run: boolean
  /** True if the person has agreed. */
  readonly confirm: boolean
}

/**
 * Reads who can see a file and who can see its copy in a different folder. Throws a question for the person if the copy would be visible to
 * more people.
 */
export async function accessOfCopy(
  drive: DriveClient,
  { source, folder, dry_run: isDryRun, confirm }: CopyTarget,
  scope: CallScope,
): Promise<{ readonly before?: AccessRow[]; readonly after?: AccessRow[] }> {
  // People who see the original also see a copy in the same folder.
  if (folder === undefined) return {}
  const [before, after] = await Promise.all([knownAccess(drive, source.id, scope), accessInFolder(drive, folder, scope)])
  const change = `A copy of ${quote(source.name, 300)} in this folder`
  if (before) requireConsent({ change, before, after, confirm: confirm || isDryRun })
  else if (after.length > 0 && !confirm && !isDryRun)
    throw needsConsent(`${change} would be open to ${describeAccess(after)}. You may not know who can see the original.`)
  return { ...(before && { before }), after }
}

/** People who can see a file; undefined for an account that may only read the file. */
async function knownAccess(drive: DriveClient, id: string, scope: CallScope): Promise<AccessRow[] | undefined> {
  return accessTo(drive, id, scope).catch((error: unknown) => {
    if (error instanceof ForbiddenToUser) return undefined
    throw error
  })
}
