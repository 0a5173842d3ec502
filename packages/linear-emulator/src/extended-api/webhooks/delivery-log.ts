import type { ListRange, PageTable } from '@mcp-toolkits/emulator'
import { integer, nullable, type Store, text } from '@mcp-toolkits/store'
import type { EntityModule } from '../../entities/entity-module.ts'

/** The deliveries of webhooks: a log of the emulator's own, which snapshots leave out. */
export const webhookDeliveries: EntityModule = {
  tables: `create table emulator_webhook_deliveries (
  id integer primary key, at text not null, delivery text not null unique, webhook text not null, event text not null,
  resource text not null, action text not null, attempts integer not null, status text not null, httpStatus integer, error text, dueAt text
) strict;
create index emulator_webhook_deliveries_due on emulator_webhook_deliveries (status, dueAt);
insert into emulator_webhook_deliveries (at, delivery, webhook, event, resource, action, attempts, status, httpStatus, error, dueAt)
  select createdAt, id, data ->> '$.webhookId', data ->> '$.event', data ->> '$.resource', data ->> '$.action', data ->> '$.attempts',
    data ->> '$.status', data ->> '$.httpStatus', data ->> '$.error', data ->> '$.dueAt'
  from records where type = 'delivery' order by rowid;
delete from records where type = 'delivery';`,
  sdl: '',
  resolvers: {},
}

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
