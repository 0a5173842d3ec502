import type { ExpiringRecords } from '@mcp-toolkits/core/base'
import { type Contents, maxKeptBytes, surplus } from '@mcp-toolkits/server/storage'

/**
 * Contents in records shared by replicas. Sizes are stored separately, so they can be listed without reading all bytes. Contents are
 * stored under the person and forgotten with them.
 */
export function sharedContents(records: ExpiringRecords, maxBytes = maxKeptBytes): Contents {
  return {
    async keep({ owner, name }, { content: { bytes, mimeType }, expiresAt }, now) {
      const sizes = (await records.list({ owner, kind: 'content size' })).map(({ name: at, text }) => {
        const [until = 0, size = 0] = text.split(' ').map(Number)
        return { at, bytes: size, expiresAt: until }
      })
      const byAge = sizes.toSorted((one, other) => one.expiresAt - other.expiresAt)
      for (const { at } of surplus([...byAge, { at: name, bytes: bytes.byteLength, expiresAt }], now, maxBytes))
        for (const kind of ['content', 'content size']) await records.delete({ owner, kind, name: at })
      await records.set({ owner, kind: 'content size', name }, `${expiresAt} ${bytes.byteLength}`, expiresAt - now)
      const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
      await records.set({ owner, kind: 'content', name }, `${expiresAt}\n${mimeType}\n${base64}`, expiresAt - now)
    },
    async find({ owner, name }) {
      const text = await records.get({ owner, kind: 'content', name })
      if (text === undefined) return undefined
      const [expiresAt = '', mimeType = '', base64 = ''] = text.split('\n')
      return { content: { bytes: Buffer.from(base64, 'base64'), mimeType }, expiresAt: Number(expiresAt) }
    },
  }
}
