import type { LimitsStorage } from '@mcp-toolkits/core/shared-limits'
import { nullable, text } from '../store.ts'
import type { Database, Statements } from './database.ts'

const columns = { state: nullable(text), now: (value: unknown): value is number => typeof value === 'number' }

/** The limits of accounts in PostgreSQL. The clock is that of the database. */
export function postgresLimits(database: Database): LimitsStorage {
  const read = async (statements: Pick<Statements, 'rows'>, account: string) => {
    const sql = `select (select state from schema.upstream_limits where account = :account) as state, (extract(epoch from now()) * 1000)::float8 as now`
    const [row] = await statements.rows(columns, sql, { account })
    if (!row) throw new Error('The statement returns one row.')
    return { state: row.state ?? undefined, now: row.now }
  }
  return {
    read: (account) => read(database.reading, account),
    change: (account, change) =>
      database.transaction(
        async (transaction) => {
          const { state, result } = change(await read(transaction, account))
          if (state === undefined) await transaction.run('delete from schema.upstream_limits where account = :account', { account })
          else {
            const sql = `insert into schema.upstream_limits values (:account, :state) on conflict (account) do update set state = excluded.state`
            await transaction.run(sql, { account, state })
          }
          return result
        },
        { keys: [`limits ${account}`] },
      ),
  }
}
