import { joinWords, quote } from '@mcp-toolkits/core/errors'
import { needsConsent, type CallScope } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { getOwnerId } from '../about.ts'
import type { DriveClient } from '../client.ts'
import { getItem } from '../files.ts'
import { isHigherRole, isInherited, listPermissions, type Permission } from '../permissions.ts'

/** Someone who can see an item, as shown by tools. */
export const AccessRow = z.object({
  who: z.string().describe('Email address or domain; "anyone" needs no sign-in.'),
  name: z.string().optional(),
  type: z.string().describe('user, group, domain or anyone.'),
  role: z.string(),
  findable: z.boolean().optional().describe('Domain or anyone: true if a search finds it, false if only the link leads to it.'),
  expires_at: z.string().optional(),
  inherited_from: z
    .string()
    .optional()
    .describe('Id of the folder or shared drive that the role comes from, if Google Drive tells; it can only be changed there.'),
})
export type AccessRow = z.output<typeof AccessRow>

/** Result fields that say who could see an item before a change and who can see it now. */
export const accessChange = {
  before: z.array(AccessRow).describe('Who could see it.'),
  after: z.array(AccessRow).describe('Who can see it now; with dry_run, who could then.'),
}

/** Parameters of a tool that may let more people see an item. */
export const consentParameters = {
  dry_run: z.boolean().default(false).describe('Change nothing; only show who could see it.'),
  confirm: z.boolean().default(false).describe('true once the user has agreed that more people see it.'),
}

/** Stands for a role's source in My Drive, where a permission may not name the folder that the role comes from. */
const unnamedSource = 'a folder above'
const maxSources = 5
/** Maximum number of folders above an item to check for a role's source. */
const maxLevels = 10

/** Reads who can see an item. Throws `ForbiddenToUser` if the account may not see that. */
export async function accessTo(drive: DriveClient, fileId: string, scope: CallScope): Promise<AccessRow[]> {
  return (await listPermissions(drive, fileId, scope)).map(toAccessRow)
}

/** Reads who else can see new items in a folder. My Drive's root is private. */
export async function accessInFolder(drive: DriveClient, folderId: string, scope: CallScope): Promise<AccessRow[]> {
  if (folderId === 'root') return []
  const [all, own] = await Promise.all([listPermissions(drive, folderId, scope), getOwnerId(drive)])
  return all
    .filter(({ id }) => id !== own)
    .map((each) => {
      const row = toAccessRow(each)
      // A folder's owner is a writer of items that others put into it.
      return { ...row, role: row.role === 'owner' ? 'writer' : row.role, inherited_from: row.inherited_from ?? folderId }
    })
}

export function toAccessRow(permission: Permission): AccessRow {
  const {
    id,
    type = 'unknown',
    role,
    emailAddress,
    displayName,
    domain,
    allowFileDiscovery,
    expirationTime,
    permissionDetails,
  } = permission
  const who = type === 'anyone' ? type : (emailAddress ?? domain ?? displayName ?? id)
  const source = permissionDetails.find((each) => each.role === role)?.inheritedFrom ?? unnamedSource
  return {
    who,
    ...(displayName !== undefined && displayName !== who && { name: displayName }),
    type,
    role,
    ...((type === 'domain' || type === 'anyone') && { findable: allowFileDiscovery ?? false }),
    ...(expirationTime !== undefined && { expires_at: expirationTime }),
    ...(isInherited(permission) && { inherited_from: source }),
  }
}

/** People who gain access from a change: they can newly see the item or find it by search, or their role is higher or lasts longer. */
export function gainsIn(before: readonly AccessRow[], after: readonly AccessRow[]): AccessRow[] {
  return after.filter((row) => !before.some((known) => covers(known, row)))
}

function covers(known: AccessRow, { who, type, role, findable = false, expires_at: end = never }: AccessRow): boolean {
  const isSame = known.type === type && known.who === who
  const lasts = Date.parse(end) <= Date.parse(known.expires_at ?? never)
  return (isSame || known.type === 'anyone') && !isHigherRole(role, known.role) && (known.findable === true || !findable) && lasts
}

/** End of a role that does not expire. */
const never = '9999-12-31T23:59:59.999Z'

interface Widening {
  /** The item that more people would see, as the start of a sentence: `"Plan.md"`. */
  readonly change: string
  readonly before: readonly AccessRow[]
  readonly after: readonly AccessRow[]
  /** True if the person has agreed. */
  readonly confirm: boolean
}

/** Throws a question for the person if a change lets more people see an item and the person has not agreed. */
export function requireConsent({ change, before, after, confirm }: Widening): void {
  const gains = gainsIn(before, after)
  if (gains.length === 0 || confirm) return
  const known = before.length === 0 ? 'you alone' : describeAccess(before)
  throw needsConsent(`${change} would be open to ${describeAccess(gains)}. Now it is open to ${known}.`)
}

const maxNamed = 10

/** People and their roles, in words. */
export function describeAccess(rows: readonly AccessRow[]): string {
  const named = rows
    .slice(0, maxNamed)
    .map((row) => `${describeHolder(row)} (${row.role}${row.expires_at === undefined ? '' : ` until ${row.expires_at}`})`)
  const rest = rows.length - named.length
  return joinWords([...named, ...(rest > 0 ? [`${rest} more`] : [])])
}

function describeHolder({ who, type, findable }: AccessRow): string {
  if (type === 'anyone') return findable === true ? 'everyone on the web, also by search' : 'anyone who has the link'
  if (type === 'domain') return `everyone at ${quote(who, 80)}${findable === true ? ', also by search' : ' who has the link'}`
  return quote(who, 80)
}

/** Roles inherited by an item in `parent`. */
interface Inherited {
  readonly rows: readonly Pick<AccessRow, 'who' | 'type' | 'inherited_from'>[]
  readonly parent: string | undefined
}

/** The folder or shared drive that each role comes from, in words. An unreadable one is shown as its id. */
export async function placesOf(
  drive: DriveClient,
  { rows, parent }: Inherited,
  scope: CallScope,
): Promise<(row: Inherited['rows'][number]) => string> {
  const unnamed = rows.filter(({ inherited_from: source }) => source === unnamedSource)
  const found = await sourcesAbove(drive, { rows: unnamed, parent }, scope)
  const sourceOf = (row: Inherited['rows'][number]) => found.get(holderOf(row)) ?? row.inherited_from ?? unnamedSource
  const ids = [...new Set(rows.map(sourceOf))].filter((source) => source !== unnamedSource).slice(0, maxSources)
  const describe = async (id: string) => {
    const item = await getItem(drive, id, scope).catch(() => undefined)
    return item ? `${item.driveId === id ? 'the shared drive' : 'the folder'} ${quote(item.name, 300)} (${id})` : id
  }
  const places = new Map(await Promise.all(ids.map(async (id) => [id, await describe(id)] as const)))
  return (row) => places.get(sourceOf(row)) ?? sourceOf(row)
}

const holderOf = ({ type, who }: Pick<AccessRow, 'type' | 'who'>) => `${type} ${who}`

/** Finds, from the parent up, the folders behind roles whose source is not named, as in My Drive. */
async function sourcesAbove(drive: DriveClient, { rows, parent }: Inherited, scope: CallScope): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  let pending = rows.map(holderOf)
  let folder = parent
  for (let level = 0; folder !== undefined && pending.length > 0 && level < maxLevels; level += 1) {
    const id = folder
    const [permissions, item] = await Promise.all([
      listPermissions(drive, id, scope).catch((): Permission[] => []),
      getItem(drive, id, scope).catch(() => undefined),
    ])
    const given = permissions.filter((each) => !isInherited(each)).map((each) => holderOf(toAccessRow(each)))
    for (const holder of pending.filter((each) => given.includes(each))) found.set(holder, id)
    pending = pending.filter((each) => !found.has(each))
    folder = item?.parents[0]
  }
  return found
}
