import { plainSealer, type Sealer } from '../sealer.ts'
import { blob } from '../store.ts'
import type { Database } from './database.ts'

/** Whose login it is. */
interface LoginKey {
  readonly server: string
  readonly profile: string
}

/** Logins in PostgreSQL, as sealed texts. */
export interface PostgresLogins {
  /** The address of the database, for messages. */
  readonly location: string
  readonly read: (key: LoginKey) => Promise<string | undefined>
  /** Stores a text, or removes it. */
  readonly write: (key: LoginKey, text: string | undefined) => Promise<void>
}

export function postgresLogins(database: Database, sealer: Sealer = plainSealer): PostgresLogins {
  const isSame = 'server = :server and profile = :profile'
  const contextOf = ({ server, profile }: LoginKey) => JSON.stringify(['login', server, profile])
  return {
    location: database.location,
    async read(key) {
      const [row] = await database.reading.rows({ login: blob }, `select login from schema.logins where ${isSame}`, { ...key })
      return row && sealer.open(row.login, contextOf(key))
    },
    async write(key, text) {
      const sql =
        text === undefined
          ? `delete from schema.logins where ${isSame}`
          : `insert into schema.logins values (:server, :profile, :login) on conflict (server, profile) do update set login = excluded.login`
      await database.run(sql, { ...key, login: text === undefined ? null : sealer.seal(text, contextOf(key)) })
    },
  }
}
