import { logTable, type LogTable } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import type { DriveStore } from '../store/viewers.ts'

const mutation = { id: integer, at: text, method: text, fileId: nullable(text) }

/** One change that took effect. */
export type DriveMutation = RowOf<typeof mutation>

/** The changes, in order. */
export const mutationTable = (store: Store): LogTable<DriveMutation> =>
  logTable(store, { name: 'mutations', title: 'Mutations', columns: mutation, from: 'mutations' })

const shown = { ...mutation, viewer: nullable(text), call: nullable(text) }

/** A change as shown. */
export type MutationRow = RowOf<typeof shown>

/** The changes selected by a clause. */
export const selectMutations = (store: DriveStore, clause: string, values: Readonly<Record<string, string | number>>): MutationRow[] =>
  store.rows(shown, `select * from mutations ${clause}`, values)

/** The last change to an item; undefined if it never changed. */
export const lastMutation = (store: DriveStore, fileId: string): MutationRow | undefined =>
  selectMutations(store, 'where fileId = :fileId order by id desc limit 1', { fileId })[0]
