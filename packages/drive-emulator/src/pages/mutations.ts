import { integer, nullable, type RowOf, text } from '@mcp-toolkits/store'
import type { DriveStore } from '../viewers.ts'

const columns = { id: integer, at: text, method: text, fileId: nullable(text), viewer: nullable(text), call: nullable(text) }

/** A change as it is shown. */
export type MutationRow = RowOf<typeof columns>

/** The changes that a clause selects. */
export const selectMutations = (store: DriveStore, clause: string, values: Readonly<Record<string, string | number>>): MutationRow[] =>
  store.rows(columns, `select id, at, method, fileId, viewer, call from mutations ${clause}`, values)

/** The last change of an item; undefined when it is as it began. */
export const lastMutation = (store: DriveStore, fileId: string): MutationRow | undefined =>
  selectMutations(store, 'where fileId = :fileId order by id desc limit 1', { fileId })[0]
