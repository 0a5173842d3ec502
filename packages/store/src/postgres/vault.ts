import { randomBytes } from 'node:crypto'
import { plainSealer, type Sealer } from '../sealer.ts'
import { blob, text } from '../store.ts'
import type { Database } from './database.ts'
import { type VaultKey, vaultSealer } from './vault-keys.ts'

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
  const digestSecret = await sharedSecret(database, 'digest', sealer)
  const stateSecret = await sharedSecret(database, 'state', sealer)
  return {
    sealer: keys ? vaultSealer(keys, database.location, digestSecret) : plainSealer,
    stateKey: Buffer.from(stateSecret, 'base64url'),
  }
}

/** The sealer for what is stored already; it makes no digests. Throws `StoreError` for keys that do not open it. */
export async function readVault(
  database: Database,
  { keys, hasTables }: { readonly keys: readonly VaultKey[] | undefined; readonly hasTables: boolean },
): Promise<Sealer> {
  const sealer = keys ? vaultSealer(keys, database.location) : plainSealer
  const rows = hasTables ? await database.reading.rows({ name: text, secret: blob }, 'select name, secret from schema.vault') : []
  for (const { name, secret } of rows) sealer.open(secret, contextOf(name))
  return sealer
}

const contextOf = (name: string) => `vault ${name}`

/** A random secret that the first replica makes. It is sealed again when another key comes first, so that the former one can be removed. */
async function sharedSecret(database: Database, name: string, sealer: Sealer): Promise<string> {
  const context = contextOf(name)
  const read = () => database.reading.rows({ secret: blob }, 'select secret from schema.vault where name = :name', { name })
  let [row] = await read()
  if (!row) {
    const secret = sealer.seal(randomBytes(32).toString('base64url'), context)
    await database.run('insert into schema.vault values (:name, :secret) on conflict do nothing', { name, secret })
    ;[row] = await read()
  }
  if (!row) throw new Error(`The secret ${name} was stored and is gone.`)
  const secret = sealer.resealed(row.secret, context)
  if (secret)
    await database.run('update schema.vault set secret = :secret where name = :name and secret = :former', {
      name,
      secret,
      former: row.secret,
    })
  return sealer.open(row.secret, context)
}
