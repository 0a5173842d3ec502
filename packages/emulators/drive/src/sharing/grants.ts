import { isDeepStrictEqual } from 'node:util'
import { integer, nullable, text, type RowOf, type Store } from '@mcp-toolkits/sqlite'
import { insertRow } from '@mcp-toolkits/emulator'
import { notAllowed } from '../http/errors.ts'
import type { Item } from '../store/items.ts'

/** Roles in ascending order: https://developers.google.com/workspace/drive/api/guides/ref-roles. */
export const roles = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner'] as const
export type Role = (typeof roles)[number]

export const isRole = (value: unknown): value is Role => roles.some((role) => role === value)

/** A role's rank; below all others for no role. */
export const roleRank = (role: string | null | undefined): number => (isRole(role) ? roles.indexOf(role) : -1)

/** The higher of two roles, unknown ones counting as none. */
export const higherRole = (one: Role | null, other: string | null | undefined): Role | null =>
  isRole(other) && roleRank(other) > roleRank(one) ? other : one

/** Throws if the caller's role is lower. */
export function requireRole(item: Item, role: string): void {
  if (roleRank(item.role) < roleRank(role)) throw notAllowed()
}

const shape = {
  n: integer,
  fileId: text,
  permissionId: text,
  type: text,
  role: text,
  emailAddress: nullable(text),
  domain: nullable(text),
  displayName: nullable(text),
  allowFileDiscovery: nullable(integer),
  expirationTime: nullable(text),
  pendingOwner: integer,
}

/** A direct permission. Ownership is stored with the item instead. */
export type Permission = RowOf<typeof shape>

/** An item's direct permissions, oldest first. */
export const permissionsOn = (store: Store, fileId: string): Permission[] =>
  store.rows(shape, 'select * from permissions where fileId = :fileId order by n', { fileId })

/** All permissions, for tests. */
export const allPermissions = (store: Store): Permission[] => store.rows(shape, 'select * from permissions order by n')

/** Details that only some permissions have. */
export const noDetails = { emailAddress: null, domain: null, displayName: null, allowFileDiscovery: null, expirationTime: null } as const

type NewPermission = Pick<Permission, 'fileId' | 'permissionId' | 'type' | 'role'> & Partial<Omit<Permission, 'n'>>

export function insertPermission(store: Store, permission: NewPermission): void {
  // A restored permission gets a new number, because another may have taken its former one.
  insertRow(store, 'permissions', Object.fromEntries(Object.entries(permission).filter(([name]) => name !== 'n')))
}

export function changePermission(store: Store, { n, role, expirationTime }: Pick<Permission, 'n' | 'role' | 'expirationTime'>): void {
  store.run('update permissions set role = :role, expirationTime = :expirationTime where n = :n', { n, role, expirationTime })
}

/** Replaces an item's direct permissions, except unchanged ones. */
export function replacePermissions(store: Store, fileId: string, permissions: readonly Permission[]): void {
  const now = permissionsOn(store, fileId)
  const isIn = (rows: readonly Permission[]) => (permission: Permission) => rows.some((row) => isDeepStrictEqual(row, permission))
  for (const { n } of now.filter((row) => !isIn(permissions)(row))) removePermission(store, n)
  for (const permission of permissions.filter((row) => !isIn(now)(row))) insertPermission(store, permission)
}

/** Items with expired permissions. */
export const itemsWithExpired = (store: Store, at: string): readonly string[] =>
  store.rows({ fileId: text }, 'select distinct fileId from permissions where expirationTime <= :at', { at }).map(({ fileId }) => fileId)

export function removeExpired(store: Store, at: string): void {
  store.run('delete from permissions where expirationTime <= :at', { at })
}

export function removePermission(store: Store, n: number): void {
  store.run('delete from permissions where n = :n', { n })
}
