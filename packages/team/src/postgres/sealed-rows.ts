import { peopleColumns, type SealedColumn, sealedColumn, type SealedRowsSource, type SealedValue } from '../vault/sealed-rows.ts'
import { blob, integer, text } from '@mcp-toolkits/sqlite'
import type { Database } from './database.ts'
import { operationContext } from './idempotency-records.ts'
import { loginContext } from './logins.ts'

const storeColumns: readonly SealedColumn[] = [
  ...peopleColumns,
  sealedColumn({ table: 'logins', column: 'login', keys: { server: text, profile: text }, context: loginContext }),
  sealedColumn({ table: 'operations', column: 'result', keys: { id: integer }, context: ({ id }) => operationContext(id) }),
]

/** Rows read by one statement. Each row can take half a megabyte. */
const pageSize = 50

/** The sealed rows in PostgreSQL: the store's own, and those of the server using it. */
export function postgresSealedRows(database: Database, ownColumns: readonly SealedColumn[]): SealedRowsSource {
  return {
    columns: [...storeColumns, ...ownColumns],
    async page({ table, column, keys }, after) {
      const names = Object.keys(keys)
      const isLater = after ? `and (${names.join(', ')}) > (${names.map((name) => `:${name}`).join(', ')})` : ''
      const sql = `select ${names.join(', ')}, ${column} as sealed_value from schema.${table}
        where ${column} is not null ${isLater} order by ${names.join(', ')} limit ${pageSize}`
      const rows = await database.reading.rows({ ...keys, sealed_value: blob }, sql, after)
      return rows.map(({ sealed_value: value, ...key }) => ({ key, value }))
    },
    async replace({ table, column, keys }, former: SealedValue, value) {
      const isSame = Object.keys(keys).map((name) => `${name} = :${name}`)
      const sql = `update schema.${table} set ${column} = :sealed where ${isSame.join(' and ')} and ${column} = :former`
      return (await database.run(sql, { ...former.key, sealed: value, former: former.value })) > 0
    },
  }
}

/** Counts the rows sealed with each key, by the key id at the start of each sealed value. */
export async function countSealedRows(database: Database): Promise<Readonly<Record<string, number>>> {
  const sql = `select table_name::text as name, column_name::text as value from information_schema.columns where table_schema = :schema and data_type = 'bytea'`
  const columns = await database.reading.rows({ name: text, value: text }, sql, { schema: database.schema })
  const counts = new Map<string, number>()
  for (const { name, value } of columns) {
    const count = `select encode(substring(${value} from 3 for get_byte(${value}, 1)), 'escape') as key, count(*) as count
      from schema.${name} where length(${value}) > 30 and get_byte(${value}, 0) = 1 group by 1`
    for (const row of await database.reading.rows({ key: text, count: integer }, count))
      counts.set(row.key, (counts.get(row.key) ?? 0) + row.count)
  }
  return Object.fromEntries(counts)
}
