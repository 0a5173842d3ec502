import { readFileSync } from 'node:fs'
import path from 'node:path'
import { member, parseJson, systemClock } from '@mcp-toolkits/core/base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { traceFiles } from '../packages/testing/src/processes/loaded-files.ts'
import { type Database, openDatabase, openSharedStore } from '../packages/team/src/postgres/index.ts'
import { readVaultKeys } from '../packages/team/src/vault/sealer.ts'
import { text } from '../packages/sqlite/src/index.ts'
import { type PostgresServer, runsPostgres, startPostgres } from '../packages/testing/src/postgres/postgres.ts'
import { run } from './command.ts'
import { type HttpProcess, type ServeOptions, startHttp } from './http-process.ts'
import { modern, parseMessageBody, trackCall } from '../packages/testing/src/processes/protocol.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const vaultKey = Buffer.alloc(32, 'canary-vault').toString('base64')
const keys = { MCP_TOOLKITS_VAULT_KEYS: `first:${vaultKey}` }
const twins = path.join(import.meta.dirname, 'fixture', 'ambiguous-main.ts')

describe.runIf(runsPostgres())('replicas on one database', () => {
  let postgres: PostgresServer
  let upstream: Upstream
  beforeAll(async () => {
    ;[postgres, upstream] = await Promise.all([startPostgres(), startUpstream({ key: 'canary-api-key-1' })])
  })
  afterAll(async () => {
    await upstream[Symbol.asyncDispose]()
    await postgres.stop()
  })
  const start = ({ args = [], environment, ...rest }: ServeOptions = {}) =>
    startHttp({
      ...rest,
      args: ['--store', postgres.pooledUrl, ...args],
      environment: { ...upstream.environment, ...keys, ...environment },
    })
  const open = (schema = 'event_pipeline') => openDatabase({ url: postgres.directUrl, schema })

  test('return the result of a key that another has stored', async () => {
    await using first = await start()
    await using second = await start()
    const keyed = { ...trackCall('ada'), _meta: { 'mcp-toolkits/idempotency-key': 'order-1' } }
    const before = upstream.arrived()
    const answers = [await call(first, keyed), await call(second, keyed)]
    expect(answers).toMatchObject([{ structuredContent: { outcome: 'delivered' } }, { structuredContent: { outcome: 'delivered' } }])
    expect(answers.map((answer) => JSON.stringify(answer).includes('mcp-toolkits/replayed'))).toEqual([false, true])
    expect(upstream.arrived()).toBe(before + 1)
  })

  test('take the answer to a question that another has asked', async () => {
    const options = { main: twins, environment: { MCP_TOOLKITS_QUESTION_SECONDS: '60' } }
    await using asking = await start(options)
    await using answering = await start(options)
    const greet = { name: 'Twins_Greet', arguments: { person: 'Anna Berg' } }
    const form = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
    const asked = await call(asking, { ...greet, _meta: form })
    const requestState = member(asked, 'requestState')
    expect(typeof requestState).toBe('string')
    const inputResponses = { choice: { action: 'accept', content: { person: 'anna-2' } } }
    const answered = await call(answering, { ...greet, requestState, inputResponses, _meta: form })
    expect(answered).toMatchObject({ structuredContent: { greeted: 'anna-2' } })
  })

  test('say at /readyz when they end, serve on for a while, and leave what they hold', async () => {
    await using server = await start({ args: ['--drain-wait', '3', '--store', `${postgres.pooledUrl}?schema=ended`] })
    expect(await readiness(server)).toEqual([200, 'ready'])
    const database = open('ended')
    const replicas = () => database.rows({ id: text }, 'select id::text from schema.replicas where alive_until > now()')
    expect(await replicas()).toHaveLength(1)
    server.terminate()
    await expect.poll(() => readiness(server)).toEqual([503, 'draining'])
    expect(await call(server, trackCall('late'))).toMatchObject({ structuredContent: { outcome: 'delivered' } })
    expect(await server.exit()).toBe(0)
    expect(await replicas()).toEqual([])
    await database.close()
  })

  test('leave nothing readable in any table', async () => {
    await using server = await start()
    upstream.emulator.faults.add({ times: Infinity, action: { kind: 'status', status: 503 } })
    const sent = { ...trackCall('canary-person@acme.example'), _meta: { 'mcp-toolkits/idempotency-key': 'canary-key' } }
    const queued = await call(server, sent)
    expect(queued).toMatchObject({ structuredContent: { outcome: 'queued' } })
    expect(JSON.stringify(queued)).toContain('A server with this database will send it, or `outbox retry --store URL` sends it now.')
    const outbox = (...words: readonly string[]) =>
      run(['outbox', ...words, '--store', postgres.pooledUrl], { environment: { ...upstream.environment, ...keys } })
    expect(JSON.parse((await outbox('list', '--json')).output)).toMatchObject({ entries: [{ state: 'open' }] })
    upstream.emulator.faults.clear()
    const dumps = await Promise.all(['event_pipeline', 'twins'].map((schema) => dump(open(schema))))
    const all = dumps.join('\n')
    // Shows that the tables were not empty.
    expect(all).toContain('TrackUserEvent')
    for (const secret of ['canary', 'Paid', 'Anna Berg', vaultKey]) {
      for (const spelling of [secret, Buffer.from(secret).toString('base64url'), Buffer.from(secret).toString('hex')])
        expect(all.toLowerCase()).not.toContain(spelling.toLowerCase())
    }
  })

  test('refuse keys that do not open the database, and log neither keys nor passwords', async () => {
    await using server = await start()
    const other = { MCP_TOOLKITS_VAULT_KEYS: `first:${Buffer.alloc(32, 1).toString('base64')}` }
    const wrong = await run(['status', '--store', postgres.directUrl], { environment: { ...upstream.environment, ...other } })
    expect(wrong.code).toBe(1)
    expect(wrong.errors).toMatch(/does not open with the key first.*Give MCP_TOOLKITS_VAULT_KEYS every key/)
    const url = postgres.directUrl.replace('tests@', 'tests:canary-password@')
    const status = await run(['status', '--store', url], { environment: { ...upstream.environment, ...keys } })
    expect([status.code, status.output]).toEqual([0, expect.stringContaining('schema: event_pipeline')])
    for (const printed of [wrong, status, { output: server.output(), errors: server.errors() }])
      expect(`${printed.output}${printed.errors}`).not.toMatch(/canary|Y2FuYXJ5/)
  })

  test('warn at the start, once, of rows whose key is missing', async () => {
    const other = `other:${Buffer.alloc(32, 2).toString('base64')}`
    const url = `${postgres.directUrl}?schema=mixed`
    const store = await openSharedStore({
      ...{ url: postgres.directUrl, schema: 'mixed', clock: systemClock },
      keys: readVaultKeys(keys.MCP_TOOLKITS_VAULT_KEYS),
    })
    await store.records.set({ owner: 'ada', kind: 'k', name: 'n' }, 'text', 60_000)
    await store.close()
    const startWith = (text: string) => start({ args: ['--store', url], environment: { MCP_TOOLKITS_VAULT_KEYS: text } })
    await using rotating = await startWith(`${other},${keys.MCP_TOOLKITS_VAULT_KEYS}`)
    await using rotated = await startWith(other)
    const warnings = ({ errors }: HttpProcess) =>
      errors()
        .split('\n')
        .filter((line) => line.includes('"missing_keys"'))
    const warning = /"level":"warn".*MCP_TOOLKITS_VAULT_KEYS lacks first\.","missing_keys":\["first"\]/
    await expect.poll(() => warnings(rotated)).toEqual([expect.stringMatching(warning)])
    expect(warnings(rotating)).toEqual([])
  })

  test('load at most 250 KB for it, of which stdio loads nothing', async () => {
    const trace = (args: readonly string[]) =>
      traceFiles(async (environment) => {
        await using server = await startHttp({ args, environment: { ...environment, ...upstream.environment, ...keys } })
        await call(server, trackCall('traced'))
        server.terminate()
        await server.exit()
      })
    const [alone, shared] = [await trace([]), await trace(['--store', postgres.directUrl, '--drain-wait', '0'])]
    const files = shared.filter((file) => !alone.includes(file))
    const texts = files.map((file) => readFileSync(file, 'utf8'))
    expect(texts.join('\n')).toContain('pg_advisory_xact_lock')
    expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(250_000)
  })

  // Last, because it stops the database.
  test('say at /readyz when the database is down, answer what may be repeated, and go on when it is back', async () => {
    await using server = await start()
    await postgres.crash()
    await expect.poll(() => readiness(server)).toEqual([503, 'unavailable'])
    const failed = await call(server, trackCall('away'))
    expect(failed).toMatchObject({ isError: true })
    expect(JSON.stringify(failed)).toMatch(/retryable[^,]*true/)
    const problems = () =>
      server
        .errors()
        .split('\n')
        .filter((line) => line.includes('"message":"outbox"'))
    await expect.poll(problems).not.toEqual([])
    // The next calls have the same problem, which is logged only once.
    await call(server, trackCall('away still'))
    await call(server, trackCall('away still'))
    expect(problems()).toEqual([
      expect.stringMatching(/"problem":"unreachable","reason":"The database postgres:[^"]* cannot be reached\."/),
    ])
    await postgres.restart()
    await expect.poll(() => readiness(server)).toEqual([200, 'ready'])
    expect(await call(server, trackCall('back'))).toMatchObject({ structuredContent: { outcome: 'delivered' } })
  })
})

test('http refuses a database without keys for it', async () => {
  const refused = await run(['http', '--store', 'postgres://db/x'])
  expect([refused.code, refused.errors]).toEqual([2, expect.stringMatching(/needs MCP_TOOLKITS_VAULT_KEYS.*openssl rand -base64 32/)])
})

async function call(server: HttpProcess, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { body } = await server.sendRequest(modern(1, 'tools/call', params))
  const { result, error } = parseMessageBody(body)
  return result ?? error
}

async function readiness(server: HttpProcess): Promise<readonly unknown[]> {
  const { status, body } = await server.sendRequest({ method: 'GET', path: '/readyz' })
  return [status, member(parseJson(body), 'status')]
}

/** Every row of every table, as PostgreSQL prints it. */
async function dump(database: Database): Promise<string> {
  const sql = 'select tablename::text as name from pg_tables where schemaname = :schema'
  const tables = await database.rows({ name: text }, sql, { schema: database.schema })
  const rows = await Promise.all(tables.map(({ name }) => database.rows({ row: text }, `select t::text as row from schema.${name} t`)))
  await database.close()
  return rows.flatMap((each) => each.map(({ row }) => row)).join('\n')
}
