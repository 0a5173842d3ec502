import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { text } from '../packages/sqlite/src/index.ts'
import { openDatabase, openSharedStore } from '../packages/team/src/postgres/index.ts'
import { readVaultKeys } from '../packages/team/src/vault/sealer.ts'
import { type PostgresServer, runsPostgres, startPostgres } from '../packages/testing/src/postgres/postgres.ts'
import { shareOf } from '../packages/testing/src/runs.ts'
import { program, run, runNode, temporaryDirectory } from './command.ts'

const account = { EVENT_PIPELINE_API_KEY: 'canary-api-key' }
const vaultKey = Buffer.alloc(32, 7).toString('base64')
const keys = { MCP_TOOLKITS_VAULT_KEYS: `first:${vaultKey}` }
const token = { MCP_TOOLKITS_HTTP_TOKEN: 'canary-token-0123456789abcdefghij' }
const unreachable = 'postgres://canary-user:canary-password@127.0.0.1:1/events'

interface Refusal {
  readonly title: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly says: RegExp
}

function badKeys(title: string, value: string, says: RegExp): Refusal {
  return { title, args: ['--store', unreachable], environment: { MCP_TOOLKITS_VAULT_KEYS: value }, says }
}

/** Settings that cannot be served, whatever the state of the database. */
const refusals: readonly Refusal[] = [
  { title: 'a store without keys', args: ['--store', unreachable], says: /--store needs MCP_TOOLKITS_VAULT_KEYS.*openssl rand -base64 32/ },
  badKeys('a key without an id', vaultKey, /Key 1 is not written as id:base64/),
  badKeys('a key that is too short', 'first:AAAA', /The key first has 3 bytes instead of 32/),
  badKeys('two keys with one id', `first:${vaultKey},first:${vaultKey}`, /Two keys have the id first/),
  badKeys('a placeholder for the keys', '${KEYS}', /MCP_TOOLKITS_VAULT_KEYS still holds a placeholder/),
  {
    title: 'a store that is not PostgreSQL',
    args: ['--store', 'mysql://canary-password@db/x'],
    environment: keys,
    says: /--store must be a URL such as postgres:/,
  },
  {
    title: 'a store that is a path',
    args: ['--store', '/var/lib/canary-password.db'],
    environment: keys,
    says: /--store must be a URL such as postgres:/,
  },
  {
    title: 'such a variable',
    args: [],
    environment: { ...keys, MCP_TOOLKITS_STORE: 'redis://canary-password@db' },
    says: /MCP_TOOLKITS_STORE must be a URL such as postgres:/,
  },
  {
    title: 'a schema that is no name',
    args: ['--store', `${unreachable}?schema=No-Name`],
    environment: keys,
    says: /The schema in --store must be/,
  },
  {
    title: 'a password that is not encoded',
    args: ['--store', 'postgres://canary-user:canary%@db/x'],
    environment: keys,
    says: /The password in --store must be percent-encoded/,
  },
  {
    title: 'a store with the embedded default',
    args: ['--store', unreachable, '--embedded'],
    environment: keys,
    says: /--store cannot be combined with --embedded/,
  },
  {
    title: 'a store with the variable of the embedded default',
    args: ['--store', unreachable],
    environment: { ...keys, MCP_TOOLKITS_EMBEDDED: '1' },
    says: /--store cannot be combined with --embedded/,
  },
  {
    title: 'a store that does not answer',
    args: ['--store', unreachable],
    environment: keys,
    says: /postgres:\/\/127\.0\.0\.1:1\/events cannot be reached\. Check that PostgreSQL is running there, and that this machine may connect to it\.\n$/,
  },
  {
    title: 'a store given twice',
    args: [],
    environment: { ...keys, MCP_TOOLKITS_STORE: unreachable, MCP_TOOLKITS_STORE_FILE: '/x' },
    says: /Set either MCP_TOOLKITS_STORE or MCP_TOOLKITS_STORE_FILE, not both/,
  },
  {
    title: 'a file that is not there',
    args: ['--store', unreachable],
    environment: { MCP_TOOLKITS_VAULT_KEYS_FILE: '/nowhere/keys' },
    says: /The file that MCP_TOOLKITS_VAULT_KEYS_FILE names cannot be read \(ENOENT\)/,
  },
  {
    title: 'a drain wait without a number',
    args: ['--drain-wait', 'long'],
    says: /--drain-wait must be a number of seconds from 0 to 3600, not "long"/,
  },
  { title: 'a drain wait below zero', args: ['--drain-wait=-1'], says: /--drain-wait must be a number of seconds/ },
  { title: 'a drain wait of a day', args: ['--drain-wait', '86400'], says: /--drain-wait must be a number of seconds/ },
  {
    title: 'another host without a token',
    args: ['--host', '0.0.0.0', '--allowed-hosts', 'a.example'],
    says: /Serving on 0\.0\.0\.0 needs MCP_TOOLKITS_HTTP_TOKEN/,
  },
  {
    title: 'a name of other machines without a token, behind a proxy on this one',
    args: ['--allowed-hosts', 'a.example'],
    says: /Serving on a\.example needs MCP_TOOLKITS_HTTP_TOKEN/,
  },
  {
    title: 'another host without names',
    args: ['--host', '0.0.0.0'],
    environment: token,
    says: /Serving on 0\.0\.0\.0 needs --allowed-hosts/,
  },
  {
    title: 'a short token',
    args: [],
    environment: { MCP_TOOLKITS_HTTP_TOKEN: 'short' },
    says: /MCP_TOOLKITS_HTTP_TOKEN needs at least 32 characters/,
  },
  {
    title: 'an option that is close to another',
    args: ['--allowed_hosts', 'a'],
    says: /"--allowed_hosts". Did you mean --allowed-hosts\? Try `node .* --help`\.$/m,
  },
  { title: 'an unknown tool', args: ['--tools', 'Nothing'], says: /--tools/ },
  { title: 'a word too many', args: ['now'], says: /Unexpected: now/ },
]

test.for(shareOf(refusals, 3, 0))('refuses $title', async ({ args, environment = {}, says }) => {
  const { code, output, errors } = await run(['http', '--check', ...args, '--data-dir', await temporaryDirectory()], {
    environment: { ...account, ...environment },
  })
  expect([code, output, errors]).toEqual([2, '', expect.stringMatching(says)])
  expect(errors).not.toMatch(/canary|BwcH/)
})

test.for(['stdio', 'tools', 'call'])('%s has no store', async (command) => {
  const { code, errors } = await run([...(command === 'stdio' ? [] : [command]), '--store', unreachable])
  expect([code, errors]).toEqual([2, expect.stringContaining('--store is only for: http, login, logout, status')])
})

test('shows a server that works alone, and what it does not use', async () => {
  const args = ['http', '--check', '--port', '4000', '--read-only', '--drain-wait', '7', '--data-dir', await temporaryDirectory()]
  const { code, output, errors } = await run(args, { environment: { ...account, ...keys } })
  expect([code, errors]).toEqual([0, ''])
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(/^server: event-pipeline \d/),
    'upstream: https://cdp.customer.io/v1',
    'address: http://127.0.0.1:4000/mcp',
    'hosts: localhost',
    'token: none',
    'drain wait: 7 s',
    'read-only: yes',
    expect.stringMatching(/^tools: \d of \d$/),
    'store: none; this process works alone',
    'warning: MCP_TOOLKITS_VAULT_KEYS is not used without --store.',
  ])
})

test('shows a server for other machines on its embedded default', async () => {
  const args = ['http', '--check', '--host', '::', '--allowed-hosts', 'events.example', '--embedded']
  const { code, output } = await run(args, { environment: token })
  expect(code).toBe(0)
  for (const line of [
    'upstream: the embedded default',
    'address: http://[::]:3000/mcp',
    'hosts: localhost, events.example',
    'token: required',
  ])
    expect(output).toContain(`${line}\n`)
})

describe.runIf(runsPostgres())('with a database', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())
  const url = (schema: string) => `${postgres.directUrl}?schema=${schema}`
  const check = (schema: string, args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
    run(['http', '--check', '--store', url(schema), ...args], { environment: { ...account, ...keys, ...environment } })
  const open = (schema: string, text = keys.MCP_TOOLKITS_VAULT_KEYS) =>
    openSharedStore({ url: postgres.directUrl, schema, keys: readVaultKeys(text), clock: systemClock })

  test('shows an empty one, and leaves it empty', async () => {
    const { code, output } = await check('fresh')
    expect(code).toBe(0)
    expect(output).toMatch(
      /^store: postgres:\/\/127\.0\.0\.1:\d+\/postgres, schema fresh\ntables: none; the first server creates them\nreplicas alive: 0\nvault keys: first \(0 rows\)$/m,
    )
    const database = openDatabase({ url: postgres.directUrl, schema: 'fresh' })
    expect(await database.run(`select 1 from pg_namespace where nspname = 'fresh'`)).toBe(0)
    await database.close()
  })

  test('shows one that replicas use, with the address in a file', async () => {
    const store = await open('used')
    const file = path.join(await temporaryDirectory(), 'store')
    await writeFile(file, `${url('used')}\n`)
    const { code, output } = await run(['http', '--check'], { environment: { ...account, ...keys, MCP_TOOLKITS_STORE_FILE: file } })
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/schema used\ntables: version 3\nreplicas alive: 1\nvault keys: first \(2 rows\)\n?$/),
    ])
    await store.close()
  })

  test('says of one that a later release has changed that it can be used', async () => {
    const store = await open('later')
    await store.database.run('update schema.versions set version = 4')
    const { code, output } = await check('later')
    expect([code, output]).toEqual([0, expect.stringContaining('tables: version 4, of a later release than this one (3)')])
    await store.close()
  })

  test('refuses keys that do not open it', async () => {
    await (await open('sealed')).close()
    const { code, errors } = await check('sealed', [], { MCP_TOOLKITS_VAULT_KEYS: `first:${Buffer.alloc(32, 8).toString('base64')}` })
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(/does not open with the key first.*Give MCP_TOOLKITS_VAULT_KEYS every key[^.]*\.\n$/),
    ])
  })

  /** A role that may connect and do nothing else. */
  const createRole = async (role: string, statements: readonly string[] = []) => {
    const database = openDatabase({ url: postgres.directUrl })
    for (const statement of [`create role ${role} login password 'canary-password'`, ...statements]) await database.run(statement)
    await database.close()
    return postgres.directUrl.replace('tests@', `${role}@`)
  }

  test('refuses a role that may not create what is missing, and lets it use what is there', async () => {
    const guest = await createRole('guest', ['create schema given', 'create schema closed', 'grant usage, create on schema given to guest'])
    const checkAs = async (schema: string) => {
      const { code, output, errors } = await run(['http', '--check', '--store', `${guest}?schema=${schema}`], {
        environment: { ...account, ...keys },
      })
      return [code, output, errors]
    }
    const noSchema = /the role guest may not create the schema other, which is missing\. Check .* its password and privileges\.\n$/
    expect(await checkAs('other')).toEqual([2, '', expect.stringMatching(noSchema)])
    const noTables = 'the role guest may not create tables in the schema closed.'
    expect(await checkAs('closed')).toEqual([2, '', expect.stringContaining(noTables)])
    expect(await checkAs('given')).toEqual([0, expect.stringContaining('tables: none; the first server creates them'), ''])
  })

  test('names PGPASSWORD where a password is missing, and the role where it is wrong', async () => {
    const rules = `array['host all locked all scram-sha-256', 'host all all all trust']`
    const database = openDatabase({ url: postgres.directUrl })
    const [hba] = await database.rows({ file: text }, `select current_setting('hba_file') as file`)
    await database.script(`copy (select unnest(${rules})) to '${hba?.file ?? ''}'; select pg_reload_conf()`)
    await database.close()
    const locked = await createRole('locked', ['grant create on database postgres to locked'])
    const checkWith = async (environment: Readonly<Record<string, string>>) => {
      const { code, errors } = await run(['http', '--check', '--store', locked], { environment: { ...account, ...keys, ...environment } })
      return [code, errors]
    }
    const missing = /The database of --store asks for a password, and none is given\. Set PGPASSWORD\.\n$/
    await expect.poll(() => checkWith({})).toEqual([2, expect.stringMatching(missing)])
    expect(await checkWith({ PGPASSWORD: 'wrong' })).toEqual([2, expect.stringMatching(/\(28P01\).*its password and privileges\.\n$/)])
    expect(await checkWith({ PGPASSWORD: 'canary-password' })).toEqual([0, ''])
  })

  test('warns of rows whose key is missing', async () => {
    const other = { MCP_TOOLKITS_VAULT_KEYS: `other:${Buffer.alloc(32, 9).toString('base64')}` }
    const store = await open('mixed')
    await store.records.set({ owner: 'ada', kind: 'k', name: 'n' }, 'text', 60_000)
    await store.close()
    await (await open('mixed', `${other.MCP_TOOLKITS_VAULT_KEYS},${keys.MCP_TOOLKITS_VAULT_KEYS}`)).close()
    const { code, output } = await check('mixed', [], other)
    expect([code, output]).toEqual([0, expect.stringContaining('vault keys: other (2 rows)')])
    expect(output).toContain('warning: 1 row cannot be decrypted: MCP_TOOLKITS_VAULT_KEYS lacks the key first.')
  })

  test('refuses a database without an account', async () => {
    const { code, errors } = await check('fresh', [], { EVENT_PIPELINE_API_KEY: '' })
    expect([code, errors]).toEqual([2, expect.stringMatching(/EVENT_PIPELINE_API_KEY/)])
    const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')
    const missing = await runNode([tracker, 'http', '--check', '--store', url('fresh')], { environment: keys })
    expect([missing.code, missing.errors]).toEqual([
      2,
      expect.stringMatching(/replicas cannot share the embedded default.*give login --store too/),
    ])
  })

  test('warns of events and uploads that wait in the data directory', async () => {
    const directory = await temporaryDirectory()
    const environment = { ...account, EVENT_PIPELINE_API_URL: 'http://127.0.0.1:1/v1' }
    const args = JSON.stringify({ mode: 'execute', request_body: '{"userId":"ada","event":"Paid"}' })
    await runNode([program, 'call', 'TrackUserEvent', args, '--data-dir', directory], { environment })
    const events = await check('fresh', ['--data-dir', directory], environment)
    expect([events.code, events.output]).toEqual([
      0,
      expect.stringMatching(/warning: Unsent: 1 body in .*outbox\.db\. A server with --store does not send/),
    ])
    const uploads = path.join(directory, 'file-storage', 'uploads')
    await mkdir(uploads, { recursive: true })
    await writeFile(path.join(uploads, `${'a'.repeat(64)}.new-id.json`), '{}')
    const storage = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
    const options = { environment: { ...keys, FILE_STORAGE_ACCESS_TOKEN: 'canary-access-token' } }
    const found = await runNode([storage, 'http', '--check', '--store', url('fresh'), '--data-dir', directory], options)
    expect([found.code, found.output]).toEqual([0, expect.stringMatching(/warning: 1 unfinished upload in /)])
  })
})
