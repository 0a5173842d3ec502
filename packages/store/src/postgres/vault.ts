import { randomBytes } from 'node:crypto'
import { plainSealer, type Sealer } from '../sealer.ts'
import { blob } from '../store.ts'
import type { Database } from './database.ts'
import { type VaultKey, vaultKeyId, vaultSealer } from './vault-keys.ts'

/** What all replicas of a server have to know alike, and what stays the same when its keys change. */
export interface Vault {
  readonly sealer: Sealer
  /** Signs what travels through clients, so that any replica can read it. */
  readonly stateKey: Uint8Array
}

/**
 * Opens the secrets that the database keeps, and makes those that are missing. Without keys nothing is sealed. Throws `StoreError` for keys
 * that do not open them.
 */
export async function openVault(database: Database, keys: readonly VaultKey[] | undefined): Promise<Vault> {
  const sealer = keys ? vaultSealer(keys, database.location) : plainSealer
  const present = keys?.[0]?.id
  const [digestSecret, stateSecret] = [
    await sharedSecret(database, 'digest', { sealer, present }),
    await sharedSecret(database, 'state', { sealer, present }),
  ]
  return {
    sealer: keys ? vaultSealer(keys, database.location, digestSecret) : plainSealer,
    stateKey: Buffer.from(stateSecret, 'base64url'),
  }
}

/** A random secret that the first replica makes. It is sealed again when another key comes first, so that the former one can be removed. */
async function sharedSecret(
  database: Database,
  name: string,
  { sealer, present }: { readonly sealer: Sealer; readonly present: string | undefined },
): Promise<string> {
  const context = `vault ${name}`
  const read = () => database.reading.rows({ secret: blob }, 'select secret from schema.vault where name = :name', { name })
  let [row] = await read()
  if (!row) {
    const secret = sealer.seal(randomBytes(32).toString('base64url'), context)
    await database.run('insert into schema.vault values (:name, :secret) on conflict do nothing', { name, secret })
    ;[row] = await read()
  }
  if (!row) throw new Error(`The secret ${name} was stored and is gone.`)
  const text = sealer.open(row.secret, context)
  if (present !== undefined && vaultKeyId(row.secret) !== present) {
    const values = { name, secret: sealer.seal(text, context), former: row.secret }
    await database.run('update schema.vault set secret = :secret where name = :name and secret = :former', values)
  }
  return text
}
