import { type Store, text } from '@mcp-toolkits/sqlite'
import { refreshAccessOf } from './effective-access.ts'
import { insertRoot, updateItem } from '../store/items.ts'
import { personById, viewerOf } from '../people/people.ts'
import { insertAccount, seenBy, type Viewer } from '../store/viewers.ts'

/** The viewer for a person. The first call for a person adds a My Drive and all items shared so far. Call inside a write. */
export function openAccount(database: Store, personId: string, now: number): Viewer {
  const known = viewerOf(database, personId)
  if (known) return known
  const person = personById(database, personId)
  if (person === undefined) throw new Error(`There is no person ${personId}.`)
  const viewer = insertAccount(database, { id: personId, email: person.email })
  const store = seenBy(database, viewer)
  const at = new Date(now).toISOString()
  insertRoot(store, { createdTime: at, viewedByMeTime: at })
  const ids = (sql: string) => store.rows({ id: text }, sql, { personId }).map(({ id }) => id)
  const direct = ids('select fileId as id from permissions where permissionId = :personId')
  for (const id of direct) updateItem(store, id, { sharedWithMeTime: at })
  const open = ids("select fileId as id from permissions where type in ('domain', 'anyone') and permissionId <> :personId")
  const own = ids('select id from files where ownerId = :personId')
  for (const id of new Set([...own, ...direct, ...open])) refreshAccessOf(store, id)
  return viewer
}
