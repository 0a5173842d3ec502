import type { Database } from '@mcp-toolkits/store/postgres'
import { releaseWaiting } from './order.ts'
import { endHold } from './rows.ts'

/** An entry that the vendor accepted. */
export interface AcceptedEntry {
  readonly id: number
  readonly httpStatus: number
  /** Whether it was sent to find out whether a hold has ended. */
  readonly isProbe: boolean
}

/** Records deliveries, all with one message, and lets go of what waited for them. Deletes the bodies, but not the ids and hashes. */
export async function recordDeliveries(database: Database, accepted: readonly AcceptedEntry[], me: string): Promise<void> {
  for (const { id } of accepted.filter(({ isProbe }) => isProbe)) await database.run(endHold, { id, me })
  const ids = accepted.map(({ id }) => Math.trunc(id)).join(', ')
  const statuses = accepted.map(({ id, httpStatus }) => `(${Math.trunc(id)}, ${Math.trunc(httpStatus)})`).join(', ')
  // One message. Its last statement sees what began to wait while the others waited for the rows.
  const waiting = await database.script(`
    select id from schema.entries where id in (${ids}) order by id for update;
    update schema.entries set state = 'delivered', reason = null, error = null, body = null, http_status = accepted.status, sender = null,
      is_blocked = false, settled_at = now()
      from (values ${statuses}) as accepted (accepted_id, status) where id = accepted_id and sender = '${me}';
    delete from schema.persons where entry_id in (select id from schema.entries where id in (${ids}) and state = 'delivered');
    select 1 from schema.waits where for_id in (${ids}) limit 1`)
  if (waiting === 0) return
  await releaseWaiting(
    { script: (sql) => database.script(sql) },
    accepted.map(({ id }) => id),
  )
}
