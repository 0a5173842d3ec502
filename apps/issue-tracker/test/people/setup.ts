import path from 'node:path'
import { type PeopleState, type Person, systemClock } from '@mcp-toolkits/core/base'
import { encodeGrant } from '@mcp-toolkits/team/accounts'
import { type Login, openTokenStore } from '@mcp-toolkits/server/account'
import { openPeopleFile, readVaultKeys } from '@mcp-toolkits/team/vault'
import { openSharedStore } from '@mcp-toolkits/team/postgres'
import { onTestFinished } from 'vitest'
import type { AccountSetup } from '../accounts/setup.ts'

/** An empty store for people. */
export interface PeoplePlace {
  /** The store's name in messages. */
  readonly location: string
  /** The path of the file, or the address of the database with its schema. */
  readonly address: string
  /** Variables that make commands use it. */
  readonly variables: Readonly<Record<string, string>>
  /** Opens it until the test ends. */
  readonly open: (keys: string) => Promise<PeopleState>
}

/** `team.db` in the data directory. */
export function fileOfPeople({ dataDirectory }: Pick<AccountSetup, 'dataDirectory'>): PeoplePlace {
  const file = path.join(dataDirectory, 'issue-tracker', 'team.db')
  return {
    location: file,
    address: file,
    variables: {},
    async open(keys) {
      const state = await openPeopleFile({ file, keys: readVaultKeys(keys), clock: systemClock })
      onTestFinished(state.close)
      return state
    },
  }
}

let schemas = 0

/** A new schema of a database. */
export function schemaOfPeople(url: string): PeoplePlace {
  const schema = `people_${(schemas += 1)}`
  const address = `${url}?schema=${schema}`
  return {
    location: url.replace('tests@', ''),
    address,
    variables: { MCP_TOOLKITS_STORE: address },
    async open(keys) {
      const state = await openSharedStore({ url, schema, keys: readVaultKeys(keys), clock: systemClock })
      onTestFinished(state.close)
      return state
    },
  }
}

/** Signs a person in at the vendor, and stores the login as their grant. */
export async function connectAccount(
  account: AccountSetup,
  { people }: Pick<PeopleState, 'people'>,
  { person, change = (login) => login }: { readonly person: Person; readonly change?: (login: Login) => Login },
): Promise<void> {
  await account.login()
  const login = await openTokenStore(account.dataDirectory).read({ server: 'issue-tracker', profile: 'default' })
  if (!login) throw new Error('The login was not stored.')
  await people.remember(person)
  await people.grants.write({ owner: people.ownerOf(person), profile: 'default' }, encodeGrant({ kind: 'login', login: change(login) }))
}
