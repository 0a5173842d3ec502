import type { AccountRef, GrantRows, PeopleStore } from '@mcp-toolkits/core/base'
import { grantContext, openGrantRow, openPeopleRows, ownerOf, personContext, writePerson } from '../vault/people-rows.ts'
import { plainSealer, type Sealer } from '../vault/sealer.ts'
import { blob, integer, text } from '@mcp-toolkits/sqlite'
import type { Database, Transaction } from './database.ts'

const strings = (value: unknown): value is string[] => Array.isArray(value) && value.every(text)

/** Time limit, in milliseconds, for each statement that forgets a person by reading a whole table. */
const forgetMs = 120_000

/** A time in milliseconds since 1970. */
const millis = (column: string) => `floor(extract(epoch from ${column}) * 1000)::bigint as ${column}`

/** A server's people in PostgreSQL. Their identities and grants are sealed. */
export function postgresPeople(database: Database, sealer: Sealer = plainSealer): PeopleStore {
  const readAll = async () => {
    const columns = { owner: text, person: blob, first_seen: integer, last_seen: integer, profiles: strings }
    const sql = `select owner, person, ${millis('first_seen')}, ${millis('last_seen')},
      array(select profile from schema.grants where grants.owner = people.owner order by profile) as profiles
      from schema.people order by people.first_seen, owner`
    const rows = (await database.reading.rows(columns, sql)).map(
      ({ owner, person: sealed, profiles, first_seen: firstSeen, last_seen: lastSeen }) => ({
        owner,
        sealed,
        profiles,
        firstSeen,
        lastSeen,
      }),
    )
    return openPeopleRows(rows, sealer)
  }
  return {
    ownerOf: (person) => ownerOf(person, sealer),
    async remember(person) {
      const owner = ownerOf(person, sealer)
      const sql = `insert into schema.people values (:owner, :person, now(), now())
        on conflict (owner) do update set person = excluded.person, last_seen = excluded.last_seen`
      await database.run(sql, { owner, person: sealer.seal(writePerson(person), personContext(owner)) })
    },
    list: async () => (await readAll()).known,
    listUnreadable: async () => (await readAll()).unreadable,
    async forget(owner) {
      // A digest never occurs in a different person's data.
      const holdsOwner = (column: string) => `position(:owner in ${column}) > 0`
      const deleteAll = async (transaction: Transaction) => {
        await transaction.run('delete from schema.people where owner = :owner', { owner })
        await transaction.run(`delete from schema.expiring_records where ${holdsOwner('owner')}`, { owner })
        await transaction.run(`delete from schema.operations where ${holdsOwner('account')}`, { owner })
      }
      await database.transaction(deleteAll, { statementMs: forgetMs })
    },
    grants: postgresGrants(database, sealer),
  }
}

function postgresGrants(database: Database, sealer: Sealer): GrantRows {
  const isSame = 'owner = :owner and profile = :profile'
  return {
    async read({ owner, profile }) {
      const sql = `select value from schema.grants where ${isSame}`
      const [row] = await database.reading.rows({ value: blob }, sql, { owner, profile })
      return row && sealer.open(row.value, grantContext({ owner, profile }))
    },
    async write({ owner, profile }: AccountRef, grant) {
      if (grant === undefined) {
        await database.run(`delete from schema.grants where ${isSame}`, { owner, profile })
        return
      }
      const sql = `insert into schema.grants values (:owner, :profile, :value, now())
        on conflict (owner, profile) do update set value = excluded.value`
      await database.run(sql, { owner, profile, value: sealer.seal(grant, grantContext({ owner, profile })) })
    },
    async list(owner) {
      const columns = { profile: text, value: blob, connected_at: integer }
      const sql = `select profile, value, ${millis('connected_at')} from schema.grants where owner = :owner order by profile`
      return (await database.reading.rows(columns, sql, { owner })).map(({ profile, value: sealed, connected_at: connectedAt }) =>
        openGrantRow({ account: { owner, profile }, connectedAt, sealed }, sealer),
      )
    },
  }
}
