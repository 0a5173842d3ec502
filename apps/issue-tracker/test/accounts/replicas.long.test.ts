import { existsSync } from 'node:fs'
import { sharedTokenStore } from '@mcp-toolkits/team/accounts'
import { stringMember, systemClock } from '@mcp-toolkits/core/base'
import { openSharedStore } from '@mcp-toolkits/team/postgres'
import { readVaultKeys } from '@mcp-toolkits/team/vault'
import { connect } from '@mcp-toolkits/testing'
import { type PostgresServer, runsPostgres, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { issueTracker } from '../../src/server.ts'
import { containing, setUpAccount, type AccountSetup } from './setup.ts'

const place = { server: 'issue-tracker', profile: 'default' }
const list = 'IssueTracker.ListTeams'
const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const ownKey = keyOf('own', 1)

describe.runIf(runsPostgres())('a login in a database that replicas share', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())
  let schemas = 0

  /** A person whose data has its own schema, and the variables that name the schema. */
  async function setUp() {
    const person = await setUpAccount({ lifetimes: { refreshGrace: 0 } })
    const schema = `people_${(schemas += 1)}`
    const variables = { MCP_TOOLKITS_STORE: `${postgres.pooledUrl}?schema=${schema}`, MCP_TOOLKITS_VAULT_KEYS: ownKey }
    return { ...person, schema, variables, location: postgres.pooledUrl.replace('tests@', '') }
  }

  const open = async (schema: string, keys: string) => {
    const shared = await openSharedStore({ url: postgres.pooledUrl, schema, keys: readVaultKeys(keys), clock: systemClock })
    onTestFinished(() => shared.close())
    return shared
  }

  async function tokenOf({ schema }: { readonly schema: string }): Promise<string> {
    const login: unknown = JSON.parse((await (await open(schema, ownKey)).logins.read(place)) ?? '')
    return stringMember(login, 'access_token') ?? ''
  }

  /** A replica, with a client. */
  async function replica({ schema, environment, dataDirectory }: AccountSetup & { readonly schema: string }, keys = ownKey) {
    const shared = await open(schema, keys)
    const store = sharedTokenStore(shared.logins, shared.locks)
    const sharedLogins = { store, atStart: await store.read(place) }
    const server = await connect(issueTracker, { dataDirectory, environment, shared, isReplica: true, sharedLogins })
    onTestFinished(() => server[Symbol.asyncDispose]())
    return server
  }

  test('is stored, shown and ended by the commands, outside the data directory', async () => {
    const person = await setUp()
    const { code, output } = await person.login([], person.variables)
    expect([code, output]).toEqual([0, containing(`Stored in ${person.location}?schema=${person.schema}.`)])
    expect(existsSync(person.file)).toBe(false)
    const status = await person.command(['status'], person.variables)
    for (const line of [
      'account: Robin Vance',
      `store: ${person.location}`,
      `schema: ${person.schema}`,
      `credential file: ${person.location}?schema=${person.schema}`,
    ])
      expect(status.output).toContain(line)
    await (await replica(person)).call(list)
    expect(await person.command(['logout', '--store', person.variables.MCP_TOOLKITS_STORE], person.variables)).toMatchObject({
      code: 0,
      output: containing('the login is revoked and deleted'),
    })
    const after = await person.command(['status', '--json'], { ...person.variables, ISSUE_TRACKER_API_URL: undefined })
    expect(JSON.parse(after.output)).toMatchObject({ upstream: 'none', problem: containing('give login --store too') })
  })

  test('is refreshed once for all replicas', async () => {
    const person = await setUp()
    await person.login([], person.variables)
    const replicas = await Promise.all(Array.from({ length: 5 }, () => replica(person)))
    // Linear's tokens expire after a day.
    person.pass(86_400_000)
    await Promise.all(replicas.flatMap((server) => [server.call(list), server.call(list)]))
    expect(person.issued()).toEqual([2])
    await (await replica(person)).call(list)
    expect(person.issued()).toEqual([2])
  })

  test('that the provider has ended can be replaced while all replicas run', async () => {
    const person = await setUp()
    await person.login([], person.variables)
    const [first, second] = [await replica(person), await replica(person)]
    await person.emulator.fetch('https://api.linear.app/oauth/revoke', {
      method: 'POST',
      body: new URLSearchParams({ token: await tokenOf(person) }),
    })
    for (const server of [first, second]) {
      expect(await server.fails(list)).toMatchObject({
        code: 'unauthenticated',
        next: { command: `issue-tracker-mcp login --store ${person.location}` },
      })
    }
    await person.login([], person.variables)
    await Promise.all([first.call(list), second.call(list)])
  })

  test('that was sealed with an unknown key is reported as a store problem, not as a missing login', async () => {
    const person = await setUp()
    await person.login([], person.variables)
    const server = await replica(person)
    await replica(person, `${keyOf('new', 2)},${ownKey}`)
    const error = await server.fails(list)
    expect(error).toMatchObject({ code: 'unavailable', message: containing("This server's store cannot be used."), retryable: false })
    expect(server.logLines.join('')).toContain('MCP_TOOLKITS_VAULT_KEYS')
  })

  // This test must be last, because it stops the database.
  test('is not reported as missing while the database is down', async () => {
    const person = await setUp()
    await person.login([], person.variables)
    const server = await replica(person)
    await postgres.crash()
    const error = await server.fails(list)
    expect([error.code, error.retryable]).toEqual(['unavailable', true])
    await postgres.restart()
    await expect.poll(async () => (await server.result(list)).isError).not.toBe(true)
    expect(person.issued()).toEqual([1])
  })
})
