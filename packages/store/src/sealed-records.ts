import type { ExpiringRecords, RecordKey } from '@mcp-toolkits/core/shared-state'
import type { Sealer } from './sealer.ts'

/** To what a sealed expiring record is bound. */
export const recordContext = ({ owner, kind, name }: RecordKey): string => JSON.stringify(['record', owner, kind, name])

/** A sealed value for a column of texts, and the other way round. */
export const toBase64 = (sealed: Uint8Array): string => Buffer.from(sealed).toString('base64')
export const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64')

/** Seals the texts of expiring records whose table holds texts. */
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
