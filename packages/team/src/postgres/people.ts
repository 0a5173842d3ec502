import type { PeopleStore } from '@mcp-toolkits/core/base'
import { peopleStore } from '../vault/people-store.ts'
import { plainSealer, type Sealer } from '../vault/sealer.ts'
import { type Database, sharedSql, type Transaction } from './database.ts'

/** Timeout, in milliseconds, for each statement that forgets a person with a full table scan. */
const forgetMs = 120_000

/** A server's people in PostgreSQL. */
export function postgresPeople(database: Database, sealer: Sealer = plainSealer): PeopleStore {
  const forget = async (owner: string) => {
    // A digest never occurs in a different person's data.
    const holdsOwner = (column: string) => `position(:owner in ${column}) > 0`
    const deleteAll = async (transaction: Transaction) => {
      await transaction.run('delete from schema.people where owner = :owner', { owner })
      await transaction.run(`delete from schema.expiring_records where ${holdsOwner('owner')}`, { owner })
      await transaction.run(`delete from schema.operations where ${holdsOwner('account')}`, { owner })
    }
    await database.transaction(deleteAll, { statementMs: forgetMs })
  }
  const millis = (column: string) => `floor(extract(epoch from ${column}) * 1000)::bigint as ${column}`
  return peopleStore({ ...sharedSql(database), now: 'now()', present: () => ({}), millis, forget }, sealer)
}
