import { blob, integer, StoreError, text } from '@mcp-toolkits/sqlite'
import { plainSealer, type Sealer, type VaultKey, vaultSealer } from '../vault/sealer.ts'
import { secretContext } from '../vault/vault.ts'
import { type Database, openDatabase } from './database.ts'
import { postgresLocks } from './locks.ts'
import { postgresLogins } from './logins.ts'
import type { LoginRows } from '../accounts/shared-login-store.ts'
import { storeMigrations, vaultVersion, versionOf } from './migrations.ts'
import { aliveReplicas } from './replica.ts'
import { countSealedRows } from './sealed-rows.ts'
import type { PostgresStore, SharedStoreOptions } from './shared-store.ts'

/** A database's content, found without changing it. */
export interface StoreInspection {
  readonly location: string
  readonly schema: string
  /** Version of the database's tables (0 if there are none), and the version that this release creates. */
  readonly version: number
  readonly ownVersion: number
  /** Number of live replicas. */
  readonly replicas: number
  /** Rows sealed by each key. */
  readonly sealedRows: Readonly<Record<string, number>>
  readonly logins: LoginRows
  readonly locks: PostgresStore['locks']
  readonly close: () => Promise<void>
}

/** Inspects a database that replicas share, or will share. Throws `StoreError` if it is unusable or the keys do not decrypt it. */
export async function inspectSharedStore({ url, schema, keys }: Omit<SharedStoreOptions, 'clock'>): Promise<StoreInspection> {
  const database = openDatabase({ url, schema })
  try {
    const version = await versionOf(database, storeMigrations.part)
    if (version < storeMigrations.scripts.length) await checkMayCreate(database)
    const sealer = await readVault(database, { keys, hasTables: version >= vaultVersion })
    return {
      location: database.location,
      schema,
      version,
      ownVersion: storeMigrations.scripts.length,
      replicas: version === 0 ? 0 : await countAlive(database),
      sealedRows: await countSealedRows(database),
      // Without tables, there are no logins.
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

/** Throws `StoreError` if the role may not create the missing tables. */
async function checkMayCreate(database: Database): Promise<void> {
  const columns = { role: text, found: integer, allowed: integer }
  const sql = `select current_user::text as role, (n.oid is not null)::integer as found,
      (case when n.oid is null then has_database_privilege(current_database(), 'create') else has_schema_privilege(n.oid, 'create') end)::integer as allowed
    from (select 1) as one left join pg_namespace n on n.nspname = :schema`
  const [row] = await database.reading.rows(columns, sql, { schema: database.schema })
  if (!row || row.allowed === 1) return
  const missing =
    row.found === 1 ? `create tables in the schema ${database.schema}` : `create the schema ${database.schema}, which is missing`
  throw new StoreError('denied', database.location, `In the database ${database.location} the role ${row.role} may not ${missing}.`)
}

function refuseWrite(): Promise<void> {
  return Promise.reject(new Error('An inspection writes nothing.'))
}

/** The sealer for values already stored; it makes no digests. Throws `StoreError` for keys that do not decrypt the values. */
async function readVault(
  database: Database,
  { keys, hasTables }: { readonly keys: readonly VaultKey[] | undefined; readonly hasTables: boolean },
): Promise<Sealer> {
  const sealer = keys ? vaultSealer(keys, database.location) : plainSealer
  const rows = hasTables ? await database.reading.rows({ name: text, secret: blob }, 'select name, secret from schema.vault') : []
  for (const { name, secret } of rows) sealer.open(secret, secretContext(name))
  return sealer
}
