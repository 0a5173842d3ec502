import type { LimitsStorage } from '@mcp-toolkits/core/shared-limits'
import type { AsyncStore } from './async-store.ts'
import type { Moment } from './moment.ts'
import { type Store, text } from './store.ts'

/** The table of limits; what an earlier boot of the machine has left does not count. */
export const limitsTable = 'create table upstream_limits (account text primary key, state text not null, boot text not null) strict'

/** The limits of accounts in a SQLite file. */
export function sqliteLimits(store: AsyncStore, present: () => Moment): LimitsStorage {
  const read = (tables: Store, account: string) => {
    const { boot, uptime } = present()
    const sql = 'select state from upstream_limits where account = :account and boot = :boot'
    return { state: tables.rows({ state: text }, sql, { account, boot })[0]?.state, now: uptime }
  }
  return {
    read: (account) => store.read((tables) => read(tables, account)),
    change: (account, change) =>
      store.write(
        (tables) => {
          const { state, result } = change(read(tables, account))
          if (state === undefined) tables.run('delete from upstream_limits where account = :account', { account })
          else {
            const sql = 'insert or replace into upstream_limits values (:account, :state, :boot)'
            tables.run(sql, { account, state, boot: present().boot })
          }
          return result
        },
        { isDurable: false },
      ),
  }
}
