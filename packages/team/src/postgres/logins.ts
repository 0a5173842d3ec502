import { plainSealer, type Sealer } from '../vault/sealer.ts'
import { blob, text } from '@mcp-toolkits/sqlite'
import type { ProfileKey } from '@mcp-toolkits/server/account'
import type { LoginRows } from '../accounts/shared-login-store.ts'
import type { Database } from './database.ts'

/** Context that a sealed login is bound to. */
export const loginContext = ({ server, profile }: ProfileKey): string => JSON.stringify(['login', server, profile])

/**
 * Reseals a former key's values with the current key, so that the former key can be removed. Throws `StoreError` for values that no key
 * decrypts.
 */
export async function resealLogins(database: Database, sealer: Sealer): Promise<void> {
  const columns = { server: text, profile: text, login: blob }
  for (const row of await database.reading.rows(columns, 'select server, profile, login from schema.logins')) {
    const { server, profile, login: former } = row
    const login = sealer.reseal(former, loginContext(row))
    const sql = 'update schema.logins set login = :login where server = :server and profile = :profile and login = :former'
    if (login) await database.run(sql, { server, profile, login, former })
  }
}

export function postgresLogins(database: Database, sealer: Sealer = plainSealer): LoginRows {
  const isSame = 'server = :server and profile = :profile'
  return {
    location: database.location,
    async read(key) {
      const [row] = await database.reading.rows({ login: blob }, `select login from schema.logins where ${isSame}`, { ...key })
      return row && sealer.open(row.login, loginContext(key))
    },
    async write(key, login) {
      const sql =
        login === undefined
          ? `delete from schema.logins where ${isSame}`
          : `insert into schema.logins values (:server, :profile, :login) on conflict (server, profile) do update set login = excluded.login`
      await database.run(sql, { ...key, login: login === undefined ? null : sealer.seal(login, loginContext(key)) })
    },
  }
}
