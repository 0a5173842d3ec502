import type { JsonObject } from '@mcp-toolkits/emulator'
import { nullable, text, type RowOf, type Store } from '@mcp-toolkits/store'
import { driveIdFor, permissionIdFor } from './ids.ts'

const shape = { permissionId: text, email: text, displayName: text, photoLink: nullable(text), kind: text, aliases: text }

/** A Google account or group. */
export type GoogleAccount = RowOf<typeof shape>

/** The organization's domain. */
export const domain = 'lodestar.example'

/** The account that all tokens belong to. */
export const viewer = { displayName: 'Robin Vance', email: `robin.vance@${domain}` } as const

export const viewerId = permissionIdFor(viewer.email)

/** The root of the account's My Drive. */
export const rootId = driveIdFor('My Drive of the viewer')

/** Finds an account or group by address or alias. */
export function personByAddress(store: Store, address: string): GoogleAccount | undefined {
  const email = address.toLowerCase()
  const sql = "select * from people where email = :email or instr(' ' || aliases || ' ', ' ' || :email || ' ') > 0"
  return store.rows(shape, sql, { email })[0]
}

const personById = (store: Store, id: string): GoogleAccount | undefined =>
  store.rows(shape, 'select * from people where permissionId = :id', { id })[0]

/** A person as the API returns one. */
export function userResource(store: Store, id: string): JsonObject | undefined {
  const person = personById(store, id)
  if (person === undefined) return undefined
  const { displayName, email, photoLink } = person
  return {
    kind: 'drive#user',
    displayName,
    ...(photoLink !== null && { photoLink }),
    me: id === viewerId,
    permissionId: id,
    emailAddress: email,
  }
}

/** Adds an account or a group. */
export function insertPerson(
  store: Store,
  person: { name: string; email: string; kind?: 'user' | 'group'; aliases?: readonly string[] },
): string {
  const { name, email, kind = 'user', aliases = [] } = person
  const permissionId = permissionIdFor(email)
  store.run('insert into people values (:permissionId, :email, :name, :photoLink, :kind, :aliases)', {
    permissionId,
    email,
    name,
    photoLink: kind === 'user' ? `https://lh3.googleusercontent.com/a/${permissionId}=s64` : null,
    kind,
    aliases: aliases.join(' '),
  })
  return permissionId
}
