import type { AsyncStore } from './async-store.ts'
import type { SealedColumn } from './sealed-columns.ts'
import { fromBase64, toBase64 } from './sealed-records.ts'
import type { SealedRowsSource } from './sealed-rows.ts'
import { blob, integer, text } from './store.ts'

/** How many rows are read at a time. */
const pageSize = 50

/** The sealed rows in a SQLite file, where a column may also hold them as Base64. */
export function sqliteSealedRows(store: AsyncStore, columns: readonly SealedColumn[]): SealedRowsSource {
  const isSealed = (value: unknown): value is string | Uint8Array => text(value) || blob(value)
  return {
    columns,
    async page({ table, column, keys }, after) {
      const names = Object.keys(keys)
      const isLater = after ? `where (${names.join(', ')}) > (${names.map((name) => `:${name}`).join(', ')})` : ''
      const sql = `select ${names.join(', ')}, ${column} as sealed_value from ${table} ${isLater} order by ${names.join(', ')} limit ${pageSize}`
      const rows = await store.read((tables) => tables.rows({ ...keys, sealed_value: isSealed }, sql, after))
      return rows.map(({ sealed_value: value, ...key }) => ({ key, value: typeof value === 'string' ? fromBase64(value) : value }))
    },
    async replace({ table, column, keys }, { key, value: former }, value) {
      const isSame = Object.keys(keys).map((name) => `${name} = :${name}`)
      const sql = `update ${table} set ${column} = :sealed where ${isSame.join(' and ')} and ${column} = :former`
      return store.write((tables) => {
        const change = (sealed: string | Uint8Array, before: string | Uint8Array) => {
          tables.run(sql, { ...key, sealed, former: before })
          return (tables.rows({ count: integer }, 'select changes() as count')[0]?.count ?? 0) > 0
        }
        return change(value, former) || change(toBase64(value), toBase64(former))
      })
    },
  }
}
