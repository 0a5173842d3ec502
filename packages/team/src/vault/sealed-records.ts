import type { ExpiringRecords, RecordKey } from '@mcp-toolkits/core/base'
import { fromBase64, recordContext, toBase64 } from './sealed-rows.ts'
import type { Sealer } from './sealer.ts'

/** Seals expiring records whose table holds text. */
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
