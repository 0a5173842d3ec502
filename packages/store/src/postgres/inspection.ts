import { integer, text } from '../store.ts'
import { type Database, openDatabase } from './database.ts'
import { postgresLocks } from './locks.ts'
import { type PostgresLogins, postgresLogins } from './logins.ts'
import { versionOf } from './migrate.ts'
import { aliveReplicas } from './replica.ts'
import { storeMigrations } from './schema.ts'
import type { SharedStore, SharedStoreOptions } from './shared-store.ts'
import { readVault } from './vault.ts'

/** What is in a database, found without changing it. */
export interface StoreInspection {
  readonly location: string
  readonly schema: string
  /** The version of its tables, 0 where there are none, and the one that this release makes. */
  readonly version: number
  readonly ownVersion: number
  /** How many replicas are alive. */
  readonly replicas: number
  /** How many rows each key has sealed. */
  readonly sealedRows: Readonly<Record<string, number>>
  readonly logins: PostgresLogins
  readonly locks: SharedStore['locks']
  readonly close: () => Promise<void>
}

/** Looks at a database that replicas share, or will share. Throws `StoreError` when that cannot be used, or keys do not open it. */
export async function inspectSharedStore({ url, schema, keys }: Omit<SharedStoreOptions, 'clock'>): Promise<StoreInspection> {
  const database = openDatabase({ url, schema })
  try {
    const version = await versionOf(database, storeMigrations.part)
    const sealer = await readVault(database, { keys, hasTables: version >= storeMigrations.scripts.length })
    return {
      location: database.location,
      schema,
      version,
      ownVersion: storeMigrations.scripts.length,
      replicas: version === 0 ? 0 : await countAlive(database),
      sealedRows: await countSealedRows(database),
      // Without tables there is no login.
      logins:
        version === 0
          ? { location: database.location, read: () => Promise.resolve(undefined), write: refuseWrite }
          : postgresLogins(database, sealer),
      locks: postgresLocks(database),
      close: () => database.close(),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function countAlive(database: Database): Promise<number> {
  const [row] = await database.reading.rows(
    { count: integer },
    `select count(*) as count from schema.replicas where id in ${aliveReplicas}`,
  )
  return row?.count ?? 0
}

/** Counts by the id at the beginning of each sealed value. */
async function countSealedRows(database: Database): Promise<Readonly<Record<string, number>>> {
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

function refuseWrite(): Promise<void> {
  return Promise.reject(new Error('An inspection writes nothing.'))
}
