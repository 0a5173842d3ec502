import type { GrantRows, PeopleStore } from '@mcp-toolkits/core/base'
import { blob, integer, nullable, type SharedSql, text } from '@mcp-toolkits/sqlite'
import { grantContext, openGrantRow, openPeopleRows, ownerOf, personContext, writePerson } from './people-rows.ts'
import type { Sealer } from './sealer.ts'
import type { SecretRows } from './vault.ts'

/** A database's statements, and its way of storing times. */
export interface PeopleSql extends SharedSql {
  /** Expression for the present time, and the values that it needs. */
  readonly now: string
  readonly present: () => { readonly now?: number }
  /** Selects a time in milliseconds since 1970. */
  readonly millis: (column: string) => string
  /** Deletes everything about a person. */
  readonly forget: PeopleStore['forget']
}

/** A server's people. Their identities and grants are sealed. */
export function peopleStore(sql: PeopleSql, sealer: Sealer): PeopleStore {
  const readAll = async () => {
    const columns = { owner: text, person: blob, first_seen: integer, last_seen: integer, profile: nullable(text) }
    const select = `select people.owner as owner, person, ${sql.millis('first_seen')}, ${sql.millis('last_seen')}, profile
      from schema.people left join schema.grants on grants.owner = people.owner order by people.first_seen, people.owner, profile`
    const people = Map.groupBy(await sql.rows(columns, select), ({ owner }) => owner)
    const rows = [...people.values()].flatMap((each) => {
      const profiles = each.flatMap(({ profile }) => profile ?? [])
      return each.slice(0, 1).map(({ owner, person: sealed, first_seen: firstSeen, last_seen: lastSeen }) => {
        return { owner, sealed, firstSeen, lastSeen, profiles }
      })
    })
    return openPeopleRows(rows, sealer)
  }
  return {
    ownerOf: (person) => ownerOf(person, sealer),
    async remember(person) {
      const owner = ownerOf(person, sealer)
      const insert = `insert into schema.people values (:owner, :person, ${sql.now}, ${sql.now})
        on conflict (owner) do update set person = excluded.person, last_seen = excluded.last_seen`
      await sql.run(insert, { owner, person: sealer.seal(writePerson(person), personContext(owner)), ...sql.present() })
    },
    list: async () => (await readAll()).known,
    listUnreadable: async () => (await readAll()).unreadable,
    forget: sql.forget,
    grants: grantRows(sql, sealer),
  }
}

function grantRows(sql: PeopleSql, sealer: Sealer): GrantRows {
  const isSame = 'owner = :owner and profile = :profile'
  return {
    async read({ owner, profile }) {
      const [row] = await sql.rows({ value: blob }, `select value from schema.grants where ${isSame}`, { owner, profile })
      return row && sealer.open(row.value, grantContext({ owner, profile }))
    },
    async write({ owner, profile }, grant) {
      if (grant === undefined) {
        await sql.run(`delete from schema.grants where ${isSame}`, { owner, profile })
        return
      }
      const insert = `insert into schema.grants values (:owner, :profile, :value, ${sql.now})
        on conflict (owner, profile) do update set value = excluded.value`
      await sql.run(insert, { owner, profile, value: sealer.seal(grant, grantContext({ owner, profile })), ...sql.present() })
    },
    async list(owner) {
      const columns = { profile: text, value: blob, connected_at: integer }
      const select = `select profile, value, ${sql.millis('connected_at')} from schema.grants where owner = :owner order by profile`
      return (await sql.rows(columns, select, { owner })).map(({ profile, value: sealed, connected_at: connectedAt }) =>
        openGrantRow({ account: { owner, profile }, connectedAt, sealed }, sealer),
      )
    },
  }
}

/** A vault's secrets in a database. */
export function secretRows(sql: SharedSql, location: string): SecretRows {
  return {
    location,
    read: async (name) => (await sql.rows({ secret: blob }, 'select secret from schema.vault where name = :name', { name }))[0]?.secret,
    async add(name, secret) {
      await sql.run('insert into schema.vault values (:name, :secret) on conflict do nothing', { name, secret })
    },
    async replace(name, secret, former) {
      await sql.run('update schema.vault set secret = :secret where name = :name and secret = :former', { name, secret, former })
    },
  }
}
