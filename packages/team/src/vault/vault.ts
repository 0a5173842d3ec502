import { randomBytes } from 'node:crypto'
import { plainSealer, type Sealer, type VaultKey, vaultSealer } from './sealer.ts'

/** Secrets that all processes of a server must share, and that outlast key rotation. */
export interface Vault {
  readonly sealer: Sealer
  /** Signs state that travels through clients, so that any process can read it. */
  readonly stateKey: Uint8Array
}

/** A vault's secrets in a database. They are sealed. */
export interface SecretRows {
  /** The address or path of the database, for errors. */
  readonly location: string
  readonly read: (name: string) => Promise<Uint8Array | undefined>
  /** Stores a secret, unless there already is one. */
  readonly add: (name: string, secret: Uint8Array) => Promise<void>
  /** Replaces a secret, unless another process has already replaced `former`. */
  readonly replace: (name: string, secret: Uint8Array, former: Uint8Array) => Promise<void>
}

/**
 * Opens a database's secrets and creates missing ones. Without keys, nothing is sealed. Throws `StoreError` for keys that do not decrypt
 * the secrets.
 */
export async function openVault(rows: SecretRows, keys: readonly VaultKey[] | undefined): Promise<Vault> {
  const sealer = keys ? vaultSealer(keys, rows.location) : plainSealer
  const digestSecret = await sharedSecret(rows, 'digest', sealer)
  const stateSecret = await sharedSecret(rows, 'state', sealer)
  return {
    sealer: keys ? vaultSealer(keys, rows.location, digestSecret) : plainSealer,
    stateKey: Buffer.from(stateSecret, 'base64url'),
  }
}

/** Context that a sealed secret is bound to. */
export const secretContext = (name: string) => `vault ${name}`

/** A random secret created by the first process. It is resealed once a different key comes first, so that the former key can be removed. */
async function sharedSecret(rows: SecretRows, name: string, sealer: Sealer): Promise<string> {
  const context = secretContext(name)
  let stored = await rows.read(name)
  if (!stored) {
    await rows.add(name, sealer.seal(randomBytes(32).toString('base64url'), context))
    stored = await rows.read(name)
  }
  if (!stored) throw new Error(`The secret ${name} was stored and is gone.`)
  const resealed = sealer.reseal(stored, context)
  if (resealed) await rows.replace(name, resealed, stored)
  return sealer.open(stored, context)
}
