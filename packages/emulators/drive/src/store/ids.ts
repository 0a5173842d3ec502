import { hash, randomBytes } from 'node:crypto'
import { integer, type Store } from '@mcp-toolkits/sqlite'

const stemLength = 24
const checksumLength = 8

/** A file id in Drive's format: 33 characters that start with 1. The last eight are a checksum. */
const withChecksum = (stem: string) => `1${stem}${hash('sha256', `drive ${stem}`, 'base64url').slice(0, checksumLength)}`

/** The deterministic file id for a name. */
export const fileIdFor = (name: string): string => withChecksum(hash('sha256', name, 'base64url').slice(0, stemLength))

/** Adds to a counter and returns its new value. A reset restarts it, so that runs are reproducible. Call inside a write. */
export function addToCounter(store: Store, name: string, by = 1): number {
  const sql = 'insert into counters (name, value) values (:name, :by) on conflict (name) do update set value = value + excluded.value'
  store.run(sql, { name, by })
  return store.rows({ value: integer }, 'select value from counters where name = :name', { name })[0]?.value ?? by
}

/** New file ids. Call inside a write. */
export function newIds(store: Store, count: number): string[] {
  const last = addToCounter(store, 'ids', count)
  return Array.from({ length: count }, (_, index) => fileIdFor(`new ${last - count + index + 1}`))
}

/** True for an id that `generateIds` could have returned. */
export const isGeneratedId = (id: string): boolean =>
  id.length === 1 + stemLength + checksumLength && withChecksum(id.slice(1, 1 + stemLength)) === id

/** The id of a shared drive or of the root of My Drive: 19 characters. */
export const driveIdFor = (name: string): string => `0A${hash('sha256', name, 'base64url').slice(0, 11)}Uk9PVA`

export const isDriveId = (id: string): boolean => id.startsWith('0A') && id.endsWith('Uk9PVA')

/** A principal's permission id, which is the same on every item. */
export const permissionIdFor = (principal: string): string =>
  BigInt(`0x${hash('sha256', principal.toLowerCase()).slice(0, 15)}`)
    .toString()
    .padStart(20, '1')

/** A new revision id. */
export const newRevision = (): string => `0B${randomBytes(32).toString('base64url')}`
