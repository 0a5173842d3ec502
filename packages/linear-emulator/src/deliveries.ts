import type { ListRange, PageTable } from '@mcp-toolkits/emulator'
import { integer, nullable, type Store, text } from '@mcp-toolkits/store'

const columns = ['id', 'at', 'delivery', 'webhook', 'event', 'attempts', 'status', 'httpStatus', 'error', 'dueAt'] as const

const shape = {
  ...{ id: integer, at: text, delivery: text, webhook: text, event: text, attempts: integer, status: text },
  ...{ httpStatus: nullable(integer), error: nullable(text), dueAt: nullable(text) },
}

const selected = `select id, at, delivery, webhook, resource || ' ' || action as event, attempts, status, httpStatus, error, dueAt
  from emulator_webhook_deliveries`

/** The log of the deliveries of webhooks: pending, delivered or failed, with the outcome of the latest attempt. */
export const deliveryTable = (store: Store): PageTable => ({
  name: 'deliveries',
  title: 'Webhook deliveries',
  columns,
  list: ({ after = 0, limit = -1 }: ListRange) =>
    store.rows(shape, `${selected} where id > :after order by id limit :limit`, { after, limit }),
  latest: (count) => store.rows(shape, `${selected} order by id desc limit :count`, { count }),
})
