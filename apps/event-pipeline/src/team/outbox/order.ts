import type { Transaction } from '@mcp-toolkits/team/postgres'

/*
 * Entries about one person are sent in order. A row in `waits` is never missing: adding one requires a lock on the older entry, and
 * settling an entry locks its waiters before checking what else they are waiting for.
 */

/** Condition that an entry must still wait; correlated with `entries`. A join would do a full scan of any table never analyzed. */
const hasToWait = `exists (select 1 from schema.waits
  cross join lateral (select 1 from schema.entries as older where older.id = for_id and older.state = 'open' offset 0) as older
  where entry_id = entries.id offset 0)`

/** The nearest open entry about the same person before or after an entry. */
const nearest = (comparison: '<' | '>', order: 'asc' | 'desc') => `select entry.id from schema.persons as theirs
  join schema.entries as entry on entry.id = theirs.entry_id and entry.state = 'open'
  where theirs.person = mine.person and theirs.entry_id ${comparison} mine.entry_id order by theirs.entry_id ${order} limit 1`

const linkToOlder = (condition: string) => `insert into schema.waits
  select mine.entry_id, older.id from schema.persons as mine cross join lateral (${nearest('<', 'desc')} for share of entry) as older
  where ${condition} on conflict do nothing`

const linkParts = (condition: string) => `insert into schema.waits select later.id, earlier.id
  from schema.entries as later join schema.entries as earlier
    on earlier.delivery_id = later.delivery_id and earlier.part < later.part and earlier.state = 'open' and later.state = 'open'
  where ${condition} on conflict do nothing`

/** Releases entries that no longer wait for any other, so that an overlooked one is merely sent a little later. */
export const releaseForgotten = `update schema.entries set is_blocked = false where state = 'open' and is_blocked and not ${hasToWait}`

/**
 * Releases entries waiting for others that are no longer open. An entry that waited for a closed one now waits for the open one before it.
 * Takes one message.
 */
export async function releaseWaiting({ script }: Pick<Transaction, 'script'>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const settled = ids.map((id) => Math.trunc(id)).join(', ')
  const waiting = `any(array(select entry_id from schema.waits where for_id in (${settled})))`
  // Compiling these statements would take a thousand times as long as running them.
  await script(`
    set local jit = off;
    select id from schema.entries where id = ${waiting} order by id for update;
    ${linkToOlder(`mine.entry_id = ${waiting}`)};
    ${linkParts(`later.id = ${waiting}`)};
    update schema.entries set is_blocked = ${hasToWait} where id = ${waiting};
    delete from schema.waits where for_id in (${settled})`)
}

/** Restores reopened entries' place in the order: older open entries about the same people go first, and later ones wait. */
export async function linkAgain(transaction: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await transaction.run(linkToOlder('mine.entry_id = any(:ids::bigint[])'), { ids })
  await transaction.run(
    `insert into schema.waits select newer.id, mine.entry_id from schema.persons as mine cross join lateral (${nearest('>', 'asc')}) as newer
     where mine.entry_id = any(:ids::bigint[]) on conflict do nothing`,
    { ids },
  )
  await transaction.run(linkParts('later.id = any(:ids::bigint[]) or earlier.id = any(:ids::bigint[])'), { ids })
  await transaction.run(
    `update schema.entries set is_blocked = ${hasToWait} where state = 'open'
       and id = any(:ids::bigint[] || array(select entry_id from schema.waits where for_id = any(:ids::bigint[])))`,
    { ids },
  )
}

/** The names that a transaction must lock to change the entries' order. */
export async function personKeys(statements: Pick<Transaction, 'rows'>, ids: readonly number[]): Promise<string[]> {
  const isText = (value: unknown): value is string => typeof value === 'string'
  const sql = 'select distinct person from schema.persons where entry_id = any(:ids::bigint[])'
  return (await statements.rows({ person: isText }, sql, { ids })).map(({ person }) => personKey(person))
}

export const personKey = (digest: string) => `person ${digest}`
