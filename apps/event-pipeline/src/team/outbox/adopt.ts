import { systemClock } from '@mcp-toolkits/core/base'
import type { Database, Transaction } from '@mcp-toolkits/team/postgres'
import type { Sealer } from '@mcp-toolkits/team/vault'
import { readBody } from '../../pipelines/body/body-reader.ts'
import { prepareBody } from '../../pipelines/calls.ts'
import { orderingKeysOf } from '../../outbox/enqueue.ts'
import { columnsOf, type Destination, type Entry } from '../../outbox/outbox-store.ts'
import type { Claims } from './claims.ts'
import { personDigests } from './insertion.ts'
import { linkAgain, personKey, personKeys, releaseWaiting } from './order.ts'
import { idsOf, isOurs, isUnclaimed, selectByIds } from './rows.ts'

/** Maximum number of entries moved in one transaction, which takes a lock for each of their people. */
const maxTogether = 200

interface Adopting {
  readonly database: Database
  readonly sealer: Sealer
  readonly claimant: Claims['claimant']
}

/** Moves one destination's entries to another, oldest first, and resolves with their number. */
export async function adoptEntries(adopting: Adopting, from: Destination, to: Destination): Promise<number> {
  const sql = `select id from schema.entries where ${isOurs} and state <> 'delivered' order by id`
  const ids = await idsOf(adopting.database, sql, columnsOf(from))
  let adopted = 0
  for (let start = 0; start < ids.length; start += maxTogether)
    adopted += await adoptSome(adopting, ids.slice(start, start + maxTogether), to)
  return adopted
}

async function adoptSome({ database, sealer, claimant }: Adopting, ids: readonly number[], to: Destination): Promise<number> {
  // People are stored as digests that differ between destinations, so they are reread from the bodies.
  const about: { readonly id: number; readonly person: string }[] = []
  for (const entry of await selectByIds(database.reading, sealer, ids)) {
    const persons = personDigests({ persons: await personsOf(entry) }, to, sealer)
    about.push(...persons.map((person) => ({ id: entry.id, person })))
  }
  const keys = [...(await personKeys(database.reading, ids)), ...about.map(({ person }) => personKey(person))]
  return database.transaction((transaction) => moveRows(transaction, { ids, about, to, claimant }), { keys: [...new Set(keys)] })
}

/** An entry's people, as determined when it was enqueued. */
async function personsOf({ call, body }: Entry): Promise<readonly string[]> {
  if (body === undefined) return []
  const { calls } = await prepareBody(call, await readBody(body, call), { create: undefined, clock: systemClock })
  return orderingKeysOf(call, calls)
}

interface Move extends Pick<Adopting, 'claimant'> {
  readonly ids: readonly number[]
  readonly about: readonly { readonly id: number; readonly person: string }[]
  readonly to: Destination
}

/** Moves entries, which are parked meanwhile; reopened entries take their place in the order. */
async function moveRows(transaction: Transaction, { ids, about, to, claimant }: Move): Promise<number> {
  const reopened = await idsOf(
    transaction,
    `update schema.entries set state = 'parked', reason = 'adopted', sender = null where id = any(:ids::bigint[])
       and (state = 'open' and ${isUnclaimed} or state = 'parked' and reason = 'unauthenticated') returning id`,
    { ids, ...claimant },
  )
  await releaseWaiting(transaction, reopened)
  const movedIds = await idsOf(
    transaction,
    `update schema.entries set origin = :origin, key_hash = :keyHash where id = any(:ids::bigint[]) and state in ('parked', 'refused') returning id`,
    { ids, ...columnsOf(to) },
  )
  const ofMoved = about.filter(({ id }) => movedIds.includes(id))
  await transaction.run('delete from schema.persons where entry_id = any(:movedIds::bigint[])', { movedIds })
  await transaction.run('insert into schema.persons select * from unnest(:persons::text[], :entries::bigint[]) on conflict do nothing', {
    persons: ofMoved.map(({ person }) => person),
    entries: ofMoved.map(({ id }) => id),
  })
  await transaction.run(
    `update schema.entries set state = 'open', reason = null, http_status = null, error = null, settled_at = null, next_attempt_at = now()
     where id = any(:reopened::bigint[])`,
    { reopened },
  )
  await linkAgain(transaction, reopened)
  return movedIds.length
}
