import * as z from 'zod'
import type { DriveClient } from './client.ts'

/** As many as one request gives. */
const batch = 1000

const Generated = z.object({ ids: z.array(z.string()).min(1) })

/**
 * Ids under which new items can be made, fetched by the thousand. One under which an item was made makes no second one.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
export function newIds(drive: DriveClient): () => Promise<string> {
  let stock: string[] = []
  let fetching: Promise<void> | undefined
  const params = { count: batch, space: 'drive', type: 'files', fields: 'ids' }
  const refill = async () => {
    // Several creates wait for the same ids, so none of them can take the request back.
    const { signal } = new AbortController()
    const call = { method: 'files.generateIds', answer: Generated } as const
    const { ids } = await drive.call({ ...call, send: (api, sending) => api.files.generateIds(params, sending) }, signal)
    stock = [...stock, ...ids]
  }
  return async () => {
    for (;;) {
      const id = stock.pop()
      if (id !== undefined) return id
      fetching ??= refill().finally(() => {
        fetching = undefined
      })
      await fetching
    }
  }
}
