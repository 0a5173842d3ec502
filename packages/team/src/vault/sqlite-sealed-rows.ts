import type { ExpiringRecords, RecordKey } from '@mcp-toolkits/core/base'
import { type AsyncStore, blob, integer, text } from '@mcp-toolkits/sqlite'
import { recordContext, type SealedColumn, type SealedRowsSource } from './sealed-rows.ts'
import type { Sealer } from './sealer.ts'

/** Converts a sealed value for a text column, and back. */
const toBase64 = (sealed: Uint8Array): string => Buffer.from(sealed).toString('base64')
const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64')

/** Seals expiring records whose table holds text. */
export function sealedRecords(records: ExpiringRecords, sealer: Sealer): ExpiringRecords {
  const open = (key: RecordKey, sealed: string | undefined) =>
    sealed === undefined ? undefined : sealer.open(fromBase64(sealed), recordContext(key))
  return {
    ...records,
    get: async (key) => open(key, await records.get(key)),
    set: (key, text, ms) => records.set(key, toBase64(sealer.seal(text, recordContext(key))), ms),
    take: async (key) => open(key, await records.take(key)),
    async list({ owner, kind }) {
      const sealed = await records.list({ owner, kind })
      return sealed.map(({ name, text }) => ({ name, text: sealer.open(fromBase64(text), recordContext({ owner, kind, name })) }))
    },
    hold: async (key) => open(key, await records.hold(key)),
  }
}

/** Number of rows to read at a time. */
const pageSize = 50

/** The sealed rows in a SQLite file, whose columns may also hold them as Base64. */
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
