import { member, type Permission } from '@mcp-toolkits/core/base'
import type { ListedTool, ServerDefinition } from '@mcp-toolkits/server'
import type { Listing } from '@mcp-toolkits/server/mcp'

/** Each permission includes those before it. */
export const allPermissions = ['read', 'write', 'delete'] as const satisfies readonly Permission[]

/** The token scopes that stand for the permissions. */
export type ScopeNames = Readonly<Record<Permission, string>>

/** `files:read` and so on for a server called `files`. */
export function defaultScopeNames(server: string): ScopeNames {
  return { read: `${server}:read`, write: `${server}:write`, delete: `${server}:delete` }
}

/** A permission and those it includes. */
export function withIncluded(permission: Permission): Permission[] {
  return allPermissions.slice(0, allPermissions.indexOf(permission) + 1)
}

/** Permissions that a token's scopes grant. */
export function permissionsIn(scopes: readonly string[], names: ScopeNames): Permission[] {
  const highest = allPermissions.findLast((permission) => scopes.includes(names[permission]))
  return highest === undefined ? [] : withIncluded(highest)
}

/** Permission that a tool needs for everything it can do. */
function permissionOf({ effect, annotations }: Pick<ListedTool, 'effect' | 'annotations'>): Permission {
  if (effect === 'delete' || annotations['destructiveHint'] === true) return 'delete'
  return effect === 'read' ? 'read' : 'write'
}

/** Permissions that a server's tools need. */
export function offeredPermissions({ tools, find, isReadOnly }: Pick<Listing, 'tools' | 'find' | 'isReadOnly'>): Permission[] {
  if (isReadOnly) return ['read']
  const needed = tools.map(({ name }) => find(name)).map((tool) => (tool ? permissionOf(tool) : 'read'))
  return withIncluded(highestOf(needed))
}

/** The permission that includes all the others; `read` if there are none. */
export function highestOf(permissions: readonly Permission[]): Permission {
  return allPermissions.findLast((permission) => permissions.includes(permission)) ?? 'read'
}

/** The permission that a message needs, and the tool that requires it. */
export interface MessageNeed {
  readonly permission: Permission
  /** Absent unless the message calls an offered tool. */
  readonly tool?: ListedTool
}

/** The reason a tool needs its permission, completing a sentence that begins with the tool's name. */
export function reasonOf({ effect }: Pick<ListedTool, 'effect'>, permission: Permission): string {
  if (permission === 'delete') return effect === 'delete' ? 'deletes' : 'can delete or overwrite what is there'
  return permission === 'write' ? 'writes' : 'reads'
}

/**
 * Finds the permission that a protocol message needs: the tool's for a call, `read` for everything else. Reads the arguments only if the
 * given permissions do not cover everything the tool can do.
 */
export function messageNeeds<Context>(
  { load }: Pick<ServerDefinition<Context>, 'load'>,
  { find, isReadOnly }: Pick<Listing, 'find' | 'isReadOnly'>,
): (message: unknown, permissions: readonly Permission[]) => Promise<MessageNeed> {
  const reads = async ({ name, canRead }: ListedTool, args: unknown) => {
    if (!canRead) return false
    const tool = (await load.tools()).find((each) => each.name === name)
    return tool?.isWrite(args) === false
  }
  return async (message, permissions) => {
    const params = member(message, 'params')
    const name = member(message, 'method') === 'tools/call' ? member(params, 'name') : undefined
    const tool = typeof name === 'string' ? find(name) : undefined
    if (!tool) return { permission: 'read' }
    // The tool itself then refuses to write, whatever the token permits.
    const permission = isReadOnly ? 'read' : permissionOf(tool)
    const needsLess = !permissions.includes(permission) && (await reads(tool, member(params, 'arguments')))
    return { permission: needsLess ? 'read' : permission, tool }
  }
}
