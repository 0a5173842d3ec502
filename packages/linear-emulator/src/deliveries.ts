import type { ListRange, PageTable } from '@mcp-toolkits/emulator'
import { integer, nullable, type Store, text } from '@mcp-toolkits/store'

const columns = ['id', 'at', 'delivery', 'webhook', 'event', 'attempts', 'status', 'httpStatus', 'error', 'dueAt'] as const

const shape = {
  ...{ id: integer, at: text, delivery: text, webhook: text, event: text, attempts: integer, status: text },
  ...{ httpStatus: nullable(integer), error: nullable(text), dueAt: nullable(text) },
}

const selected = `select rowid as id, createdAt as at, id as delivery, data ->> '$.webhookId' as webhook,
  (data ->> '$.resource') || ' ' || (data ->> '$.action') as event, data ->> '$.attempts' as attempts, data ->> '$.status' as status,
  data ->> '$.httpStatus' as httpStatus, data ->> '$.error' as error, data ->> '$.dueAt' as dueAt from records where type = 'delivery'`

/** The log of the deliveries of webhooks: pending, delivered or failed, with the outcome of the latest attempt. */
export const deliveryTable = (store: Store): PageTable => ({
  name: 'deliveries',
  title: 'Webhook deliveries',
  columns,
  list: ({ after = 0, limit = -1 }: ListRange) =>
    store.rows(shape, `${selected} and rowid > :after order by rowid limit :limit`, { after, limit }),
  latest: (count) => store.rows(shape, `${selected} order by rowid desc limit :count`, { count }),
})
