import { plainSealer, type Sealer } from '../sealer.ts'
import { blob, text } from '../store.ts'
import { type SecretRows, secretContext } from '../vault.ts'
import { type VaultKey, vaultSealer } from '../vault-keys.ts'
import type { Database } from './database.ts'

/** The secrets of a vault in PostgreSQL. */
export function postgresSecrets(database: Database): SecretRows {
  return {
    location: database.location,
    async read(name) {
      const [row] = await database.reading.rows({ secret: blob }, 'select secret from schema.vault where name = :name', { name })
      return row?.secret
    },
    async add(name, secret) {
      await database.run('insert into schema.vault values (:name, :secret) on conflict do nothing', { name, secret })
    },
    async replace(name, secret, former) {
      const sql = 'update schema.vault set secret = :secret where name = :name and secret = :former'
      await database.run(sql, { name, secret, former })
    },
  }
}

/** The sealer for what is stored already; it makes no digests. Throws `StoreError` for keys that do not open it. */
export async function readVault(
  database: Database,
  { keys, hasTables }: { readonly keys: readonly VaultKey[] | undefined; readonly hasTables: boolean },
): Promise<Sealer> {
  const sealer = keys ? vaultSealer(keys, database.location) : plainSealer
  const rows = hasTables ? await database.reading.rows({ name: text, secret: blob }, 'select name, secret from schema.vault') : []
  for (const { name, secret } of rows) sealer.open(secret, secretContext(name))
  return sealer
}
