import { peopleColumns, type SealedColumn, sealedColumn } from '../vault/sealed-rows.ts'
import { integer, text } from '@mcp-toolkits/sqlite'
import type { Database } from './database.ts'
import { operationContext } from './idempotency-records.ts'
import { loginContext } from './logins.ts'

/** The columns that the store seals. */
export const storeColumns: readonly SealedColumn[] = [
  ...peopleColumns,
  sealedColumn({ table: 'logins', column: 'login', keys: { server: text, profile: text }, context: loginContext }),
  sealedColumn({ table: 'operations', column: 'result', keys: { id: integer }, context: ({ id }) => operationContext(id) }),
]

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
