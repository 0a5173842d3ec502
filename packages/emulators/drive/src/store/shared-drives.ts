import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { driveNotFound } from '../http/errors.ts'
import { itemById } from './items.ts'
import type { DriveStore } from './viewers.ts'

export const driveRow = {
  n: integer,
  id: text,
  name: text,
  createdTime: text,
  hidden: integer,
  foldersNeedOrganizer: integer,
  restrictions: nullable(text),
}

/** A shared drive. The item with its id is its root. */
export type SharedDrive = RowOf<typeof driveRow>

/** The shared drive with an id; undefined if there is none. */
export const driveById = (store: Store, id: string): SharedDrive | undefined =>
  store.rows(driveRow, 'select * from drives where id = :id', { id })[0]

/** A shared drive of which the account is a member; throws for any other. */
export function memberDrive({ store }: { readonly store: DriveStore }, id: string): SharedDrive {
  const drive = driveById(store, id)
  const root = itemById(store, id)
  if (drive === undefined || !root?.role) throw driveNotFound(id)
  return drive
}
