import { integer, nullable, text, type RowOf, type Store } from '@mcp-toolkits/store'

/** Roles in ascending order: https://developers.google.com/workspace/drive/api/guides/ref-roles. */
export const roles = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner'] as const
export type Role = (typeof roles)[number]

export const isRole = (value: unknown): value is Role => roles.some((role) => role === value)

/** The rank of a role; below all for no role. */
export const roleRank = (role: string | null | undefined): number => (isRole(role) ? roles.indexOf(role) : -1)

/** The higher of two roles, unknown ones counting as none. */
export const higherRole = (one: Role | null, other: string | null | undefined): Role | null =>
  isRole(other) && roleRank(other) > roleRank(one) ? other : one

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

/** A direct grant. Ownership is stored with the item instead. */
export type Grant = RowOf<typeof shape>

const columns = Object.keys(shape).join(', ')

/** Direct grants on an item, oldest first. */
export const grantsOn = (store: Store, fileId: string): Grant[] =>
  store.rows(shape, `select ${columns} from permissions where fileId = :fileId order by n`, { fileId })

/** All grants, for tests. */
export const allGrants = (store: Store): Grant[] => store.rows(shape, `select ${columns} from permissions order by n`)

export type NewGrant = Pick<Grant, 'fileId' | 'permissionId' | 'type' | 'role'> & Partial<Omit<Grant, 'n'>>

export function insertGrant(store: Store, grant: NewGrant): void {
  const names = Object.keys(grant)
  store.run(`insert into permissions (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`, { ...grant })
}

export function updateGrant(store: Store, { n, role, expirationTime }: Pick<Grant, 'n' | 'role' | 'expirationTime'>): void {
  store.run('update permissions set role = :role, expirationTime = :expirationTime where n = :n', { n, role, expirationTime })
}

/** Replaces the direct grants on an item. */
export function replaceGrants(store: Store, fileId: string, grants: readonly Grant[]): void {
  store.run('delete from permissions where fileId = :fileId', { fileId })
  for (const grant of grants) insertGrant(store, grant)
}

export function deleteGrant(store: Store, n: number): void {
  store.run('delete from permissions where n = :n', { n })
}
