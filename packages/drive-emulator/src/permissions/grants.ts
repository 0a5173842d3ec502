import { integer, optional, text, type RowOf, type Store } from '@mcp-toolkits/store'

/** Roles, each more than the one before: https://developers.google.com/workspace/drive/api/guides/ref-roles. */
export const roles = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner'] as const
export type Role = (typeof roles)[number]

export const isRole = (value: unknown): value is Role => roles.some((role) => role === value)

/** How high a role is; less than any for none. */
export const rank = (role: string | null | undefined): number => (isRole(role) ? roles.indexOf(role) : -1)

/** The higher of two roles, unknown ones counting as none. */
export const higher = (one: Role | null, other: string | null | undefined): Role | null =>
  isRole(other) && rank(other) > rank(one) ? other : one

const shape = {
  n: integer,
  fileId: text,
  permissionId: text,
  type: text,
  role: text,
  emailAddress: optional(text),
  domain: optional(text),
  displayName: optional(text),
  allowFileDiscovery: optional(integer),
  expirationTime: optional(text),
  pendingOwner: integer,
}

/** What one principal was granted on one item itself. An owner's row is not stored: the item says who owns it. */
export type Grant = RowOf<typeof shape>

const columns = Object.keys(shape).join(', ')

/** The grants on an item itself, in the order in which they were made. */
export const grantsOn = (store: Store, fileId: string): Grant[] =>
  store.rows(shape, `select ${columns} from permissions where fileId = :fileId order by n`, { fileId })

/** All grants, for tests. */
export const allGrants = (store: Store): Grant[] => store.rows(shape, `select ${columns} from permissions order by n`)

export type NewGrant = Pick<Grant, 'fileId' | 'permissionId' | 'type' | 'role'> & Partial<Omit<Grant, 'n'>>

export function insertGrant(store: Store, grant: NewGrant): void {
  const names = Object.keys(grant)
  store.run(`insert into permissions (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`, { ...grant })
}

export function changeGrant(store: Store, { n, role, expirationTime }: Pick<Grant, 'n' | 'role' | 'expirationTime'>): void {
  store.run('update permissions set role = :role, expirationTime = :expirationTime where n = :n', { n, role, expirationTime })
}

export function removeGrant(store: Store, n: number): void {
  store.run('delete from permissions where n = :n', { n })
}
