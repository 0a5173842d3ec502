import { insertRow, type JsonObject } from '@mcp-toolkits/emulator'
import { nullable, text, type RowOf, type Store } from '@mcp-toolkits/sqlite'
import { driveIdFor, permissionIdFor } from '../store/ids.ts'
import { accountOf, type DriveStore, type Viewer } from '../store/viewers.ts'

const shape = { permissionId: text, email: text, displayName: text, photoLink: nullable(text), kind: text, aliases: text }

/** A Google account or group. */
export type GoogleAccount = RowOf<typeof shape>

/** The organization's domain. */
export const domain = 'lodestar.example'

/** The first person: the seed's account, and the account for tokens that name no person. */
export const robin = { displayName: 'Robin Vance', email: `robin.vance@${domain}` } as const

/** The first person as a viewer. */
export const firstViewer: Viewer = { id: permissionIdFor(robin.email), rootId: driveIdFor('My Drive of the viewer'), isFirst: true }

/** The viewer that a grant is for. Null means the first person, as in grants from before there were several people. */
export const viewerOf = (store: Store, personId: string | null): Viewer | undefined =>
  personId === null || personId === firstViewer.id ? firstViewer : accountOf(store, personId)

/** Finds an account or group by address or alias. */
export function personByAddress(store: Store, address: string): GoogleAccount | undefined {
  const email = address.toLowerCase()
  const sql = "select * from people where email = :email or instr(' ' || aliases || ' ', ' ' || :email || ' ') > 0"
  return store.rows(shape, sql, { email })[0]
}

/** Finds an account or group by its permission id. */
export const personById = (store: Store, id: string): GoogleAccount | undefined =>
  store.rows(shape, 'select * from people where permissionId = :id', { id })[0]

/** The people who can consent: the first one, then the others by name. */
export function listUsers(store: Store): GoogleAccount[] {
  const users = "select * from people where kind = 'user' and email not like '%.gserviceaccount.com'"
  return store.rows(shape, `${users} order by permissionId <> :first, displayName, email`, { first: firstViewer.id })
}

/** A person as the API returns one. */
export function userResource(store: DriveStore, id: string): JsonObject | undefined {
  const person = personById(store, id)
  if (person === undefined) return undefined
  const { displayName, email, photoLink } = person
  return {
    kind: 'drive#user',
    displayName,
    ...(photoLink !== null && { photoLink }),
    me: id === store.viewer.id,
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
  const photoLink = kind === 'user' ? `https://lh3.googleusercontent.com/a/${permissionId}=s64` : null
  insertRow(store, 'people', { permissionId, email, displayName: name, photoLink, kind, aliases: aliases.join(' ') })
  return permissionId
}
