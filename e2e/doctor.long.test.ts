import { readdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { servers } from '../servers.ts'
import { shareOf } from '../packages/testing/src/runs.ts'
import { startTokenIssuer } from './people/token-server.ts'
import { startStdio } from './stdio-process.ts'
import { runNode, temporaryDirectory, unwritableDirectory } from './command.ts'
import * as z from 'zod'

const mainOf = (server: string) => path.join(import.meta.dirname, '..', 'apps', server, 'dist', 'main.js')
const directory = temporaryDirectory()
const vendors = new Set<Server>()
afterAll(() => {
  for (const vendor of vendors) vendor.close()
})

const Report = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), state: z.string(), text: z.string(), fix: z.string().optional() })),
})

/** The findings of `doctor --json`, by name of the check, and the exit code. */
async function examine(server: string, variables: Readonly<Record<string, string>>) {
  const environment = { MCP_TOOLKITS_DATA_DIR: await directory, ...variables }
  const { code, output, errors } = await runNode([mainOf(server), 'doctor', '--json'], { environment })
  const { ok, checks } = Report.parse(JSON.parse(output))
  expect(code).toBe(ok ? 0 : 1)
  return { ok, everything: output + errors, check: new Map(checks.map(({ name, ...rest }) => [name, rest])) }
}

/** A vendor that answers everything with an error and this date. */
async function vendorAt(date: Date): Promise<string> {
  const server = createServer((_, response) => {
    response.sendDate = false
    response.writeHead(404, { date: date.toUTCString() }).end()
  })
  vendors.add(server)
  const { promise, resolve } = Promise.withResolvers<string>()
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
  })
  return promise
}

/** A port on which nothing listens. */
async function closedPort(): Promise<string> {
  const url = await vendorAt(new Date())
  const { promise, resolve } = Promise.withResolvers<undefined>()
  for (const server of vendors) {
    vendors.delete(server)
    server.close(() => {
      resolve(undefined)
    })
  }
  await promise
  return new URL(url).port
}

test('without an account nothing is sent, and nothing has to be fixed', async () => {
  const { ok, check } = await examine('issue-tracker', {})
  expect([ok, [...check.keys()]]).toEqual([true, ['Node', 'Data directory', 'Variables', 'Credentials', 'Tools']])
  expect(check.get('Credentials')?.state).toBe('skipped')
  expect(check.get('Credentials')?.text).toContain('ISSUE_TRACKER_API_KEY')
  expect(readdirSync(await directory).filter((name) => name.includes('doctor'))).toEqual([])
})

test('a database whose index has lost rows is a problem', async () => {
  const data = { MCP_TOOLKITS_DATA_DIR: await temporaryDirectory() }
  await runNode(
    [mainOf('event-pipeline'), 'call', 'TrackUserEvent', '{"mode":"execute","request_body":"{\\"userId\\":\\"u\\",\\"event\\":\\"x\\"}"}'],
    {
      environment: data,
    },
  )
  const whole = await examine('event-pipeline', data)
  expect([whole.ok, whole.check.get('Databases')]).toEqual([true, { state: 'ok', text: 'no corruption found' }])
  const file = path.join(data.MCP_TOOLKITS_DATA_DIR, 'event-pipeline', 'outbox.db')
  const database = new DatabaseSync(file, { defensive: false })
  database.exec(
    `pragma writable_schema = on; update sqlite_schema set sql = replace(sql, 'answered = 0', 'answered >= 0') where name = 'unanswered'`,
  )
  database.close()
  const { ok, check } = await examine('event-pipeline', data)
  expect([ok, check.get('Databases')?.text]).toEqual([false, `${file} is damaged: row 1 missing from index unanswered.`])
})

test('a key of Linear is tried, and whose it is is said', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'lin_api_canary' })
  const { url, close } = await emulator.listen()
  const variables = { ISSUE_TRACKER_API_URL: `${url}/graphql` }
  const good = await examine('issue-tracker', { ...variables, ISSUE_TRACKER_API_KEY: 'lin_api_canary' })
  expect(good.check.get('Network')).toHaveProperty('state', 'ok')
  expect(good.check.get('Clock')).toEqual({ state: 'ok', text: `agrees with ${new URL(url).host}` })
  expect(good.check.get('Credentials')?.text).toMatch(/ISSUE_TRACKER_API_KEY: accepted, as /)
  const bad = await examine('issue-tracker', { ...variables, ISSUE_TRACKER_API_KEY: 'lin_api_wrong-canary' })
  expect([good.ok, bad.ok, bad.check.get('Credentials')?.state]).toEqual([true, false, 'problem'])
  expect(bad.check.get('Credentials')?.fix).toContain('login')
  expect(good.everything + bad.everything).not.toContain('canary')
  await close()
  await emulator.close()
})

test('a key of Customer.io is tried without sending an event', async () => {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'canary-key' })
  const { url, close } = await emulator.listen()
  const variables = { EVENT_PIPELINE_API_URL: `${url}/v1` }
  const good = await examine('event-pipeline', { ...variables, EVENT_PIPELINE_API_KEY: 'canary-key' })
  const bad = await examine('event-pipeline', { ...variables, EVENT_PIPELINE_API_KEY: 'wrong-canary' })
  expect([good.check.get('Credentials')?.state, bad.check.get('Credentials')?.state]).toEqual(['ok', 'problem'])
  expect(emulator.store.events().map(({ outcome }) => outcome)).toEqual(['refused', 'refused'])
  expect(
    emulator.store
      .requests()
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => body),
  ).toEqual(['{"batch":[]}', '{"batch":[]}'])
  expect(good.everything + bad.everything).not.toContain('canary')
  await close()
  await emulator.close()
})

test('a clock that is an hour off is a problem', async () => {
  const vendor = await vendorAt(new Date(Date.now() + 3_600_000))
  const { ok, check } = await examine('issue-tracker', { ISSUE_TRACKER_API_URL: `${vendor}/graphql`, ISSUE_TRACKER_API_KEY: 'lin_api_x' })
  expect([ok, check.get('Clock')?.state]).toEqual([false, 'problem'])
  expect(check.get('Clock')?.text).toContain('60 min behind')
})

test('a server on which people connect their accounts needs none of its own', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases' })
  const { url, close } = await emulator.listen()
  await using provider = await startTokenIssuer()
  const { issuer } = provider.tokens
  const hosted = {
    MCP_TOOLKITS_ISSUER: issuer,
    MCP_TOOLKITS_PUBLIC_URL: 'http://127.0.0.1:3000',
    MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'client',
    MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
    ISSUE_TRACKER_CLIENT_ID: 'lodestar-desktop',
    ISSUE_TRACKER_AUTH_URL: url,
    ISSUE_TRACKER_API_URL: `${url}/graphql`,
  }
  const { ok, check } = await examine('issue-tracker', hosted)
  expect(check.get('Credentials')?.text).toContain('each person connects their own')
  expect(['Network', 'Credentials', 'People'].map((name) => check.get(name)?.state)).toEqual(['ok', 'skipped', 'ok'])
  expect(ok).toBe(true)
  const environment = { ...hosted, MCP_TOOLKITS_DATA_DIR: await directory }
  const { code, output } = await runNode([mainOf('issue-tracker'), 'status'], { environment })
  expect([code, output]).toEqual([0, expect.stringContaining(`upstream: ${url}/graphql with each person's own account\n`)])
  const elsewhere = await runNode([mainOf('issue-tracker'), 'status', '--issuer', issuer], {
    environment: { ...environment, MCP_TOOLKITS_ISSUER: '', MCP_TOOLKITS_PUBLIC_URL: '' },
  })
  expect([elsewhere.code, elsewhere.output]).toEqual([0, expect.stringContaining(`issuer: ${issuer}\n`)])
  const own = await examine('issue-tracker', { ...hosted, ISSUE_TRACKER_API_KEY: 'lin_api_canary' })
  expect([own.ok, own.check.get('People')?.text]).toEqual([false, expect.stringContaining('cannot be combined with ISSUE_TRACKER_API_KEY')])
  await close()
  await emulator.close()
})

test('a database and an identity provider that cannot be used are problems', async () => {
  const port = await closedPort()
  const hosted = {
    MCP_TOOLKITS_STORE: `postgresql://someone:canary@127.0.0.1:${port}/toolkits`,
    MCP_TOOLKITS_ISSUER: `http://127.0.0.1:${port}`,
    MCP_TOOLKITS_PUBLIC_URL: 'http://127.0.0.1:3000',
    MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'client',
    ISSUE_TRACKER_CLIENT_ID: 'client',
  }
  const keys = { MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}` }
  const { ok, check, everything } = await examine('issue-tracker', { ...hosted, ...keys })
  expect([ok, check.get('Store')?.state, check.get('People')?.state]).toEqual([false, 'problem', 'warning'])
  expect(check.get('Store')?.text).toContain('Check that PostgreSQL is running there')
  expect(check.get('People')?.text).toContain(`issuer: http://127.0.0.1:${port}`)
  expect(everything).not.toContain('canary')
  const without = await examine('issue-tracker', hosted)
  expect(without.check.get('Store')?.text).toContain('--store needs MCP_TOOLKITS_VAULT_KEYS')
  const incomplete = await examine('issue-tracker', { ...keys, MCP_TOOLKITS_ISSUER: hosted.MCP_TOOLKITS_ISSUER })
  expect(incomplete.check.get('People')?.state).toBe('problem')
  expect(incomplete.check.get('People')?.text).toContain('--issuer needs --public-url')
})

test('a vendor that is down and a proxy that is down are reported differently', async () => {
  const port = await closedPort()
  const key = { ISSUE_TRACKER_API_KEY: 'lin_api_x' }
  const down = await examine('issue-tracker', { ...key, ISSUE_TRACKER_API_URL: `http://127.0.0.1:${port}/graphql` })
  expect(down.check.get('Network')).toMatchObject({ state: 'problem', text: `127.0.0.1:${port} cannot be reached (ECONNREFUSED).` })
  expect(down.check.get('Credentials')).toMatchObject({ state: 'skipped' })
  const proxied = { ...key, ISSUE_TRACKER_API_URL: 'https://linear.example/graphql', HTTPS_PROXY: `http://secret:canary@127.0.0.1:${port}` }
  const { check, everything } = await examine('issue-tracker', proxied)
  expect(check.get('Network')).toMatchObject({ state: 'problem', text: `The proxy 127.0.0.1:${port} cannot be reached (ECONNREFUSED).` })
  const environment = { ...proxied, MCP_TOOLKITS_DATA_DIR: await directory }
  const { errors } = await runNode([mainOf('issue-tracker'), 'call', 'WhoAmI'], { environment })
  expect(errors).toContain("This network's proxy could not be reached (ECONNREFUSED), so nothing was sent to Linear.")
  expect(everything + errors).not.toContain('canary')
})

test('a data directory that cannot be used is a problem, with what to do', async () => {
  const { ok, check } = await examine('file-storage', { MCP_TOOLKITS_DATA_DIR: unwritableDirectory })
  expect([ok, check.get('Data directory')?.state]).toEqual([false, 'problem'])
  expect(check.get('Data directory')?.fix).toContain('--data-dir')
})

const unused = [
  ['issue-tracker', 'LINEAR_API_KEY', 'ISSUE_TRACKER_API_KEY to the same value'],
  ['file-storage', 'GOOGLE_APPLICATION_CREDENTIALS', 'FILE_STORAGE_SERVICE_ACCOUNT_FILE to the same path'],
  ['event-pipeline', 'CIO_WRITE_KEY', 'EVENT_PIPELINE_API_KEY to the same value'],
] as const

test.for(shareOf(unused, 3, 1))('%s reports %s, and does not use it', async ([server, name, own]) => {
  const { check, everything } = await examine(server, { [name]: 'canary' })
  expect(check.get('Variables')).toEqual({ state: 'warning', text: `${name} is set but not used. To use it here, set ${own}.` })
  expect(check.get('Credentials')?.state).toBe('skipped')
  const environment = { MCP_TOOLKITS_DATA_DIR: await directory, [name]: 'canary' }
  const status = await runNode([mainOf(server), 'status'], { environment })
  expect(status.output).toContain(`${name} is set but not used.`)
  expect(everything + status.output).not.toContain('canary')
})

const misspelt = [
  ['MCP_TOOLKITS_DATADIR', 'Unknown variable MCP_TOOLKITS_DATADIR: did you mean MCP_TOOLKITS_DATA_DIR?'],
  ['MCP_TOOLKITS_VAULT_KEY_FILE', 'Unknown variable MCP_TOOLKITS_VAULT_KEY_FILE: did you mean MCP_TOOLKITS_VAULT_KEYS_FILE?'],
  ['MCP_TOOLKITS_XYZZY', 'Unknown variable MCP_TOOLKITS_XYZZY. It has no effect.'],
  ['ISSUE_TRACKER_APIKEY', 'Unknown variable ISSUE_TRACKER_APIKEY: did you mean ISSUE_TRACKER_API_KEY?'],
] as const

test.for(shareOf(misspelt, 2, 1))('%s is a misspelt variable', async ([name, said]) => {
  const file = mainOf('issue-tracker')
  const environment = { MCP_TOOLKITS_DATA_DIR: await directory, [name]: file }
  const called = await runNode([mainOf('issue-tracker'), 'call', 'ListTeams'], { environment })
  expect([called.code, called.errors]).toEqual([0, `${said}\n`])
})

test('a server says both in its log once a client has its tools', async () => {
  await using server = await startStdio({ MCP_TOOLKITS_DATADIR: '1', CIO_API_KEY: 'canary' })
  await server.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  await server.answer(1)
  await expect.poll(server.errors).toContain('did you mean MCP_TOOLKITS_DATA_DIR?')
  await expect.poll(server.errors).toContain('CIO_API_KEY is set but not used. To use it here, set EVENT_PIPELINE_API_KEY')
  expect(server.errors()).not.toContain('canary')
})

test.each(servers)('$name knows the variables that its README shows', async ({ withDefinition }) => {
  await withDefinition(async ({ load }, { variables }) => {
    const { own = [], usual = {} } = (await load.variables?.()) ?? {}
    expect(own.toSorted()).toEqual(variables.map(({ name }) => name).toSorted())
    expect(Object.values(usual).filter((name) => !own.includes(name))).toEqual([])
  })
})

const wrong = [
  ['event-pipeline', { EVENT_PIPELINE_API_KEY: '' }, 'Correct EVENT_PIPELINE_API_KEY, or unset it.'],
  ['issue-tracker', { ISSUE_TRACKER_API_KEY: '${KEY}' }, 'Correct ISSUE_TRACKER_API_KEY, or unset it.'],
  ['event-pipeline', { EVENT_PIPELINE_API_KEY: 'k-1', EVENT_PIPELINE_REGION: 'uk' }, 'Correct EVENT_PIPELINE_REGION, or unset it.'],
  ['event-pipeline', { EVENT_PIPELINE_API_KEY: 'k-1', EVENT_PIPELINE_API_URL: 'https://a.example' }, 'Correct EVENT_PIPELINE_API_URL'],
  ['event-pipeline', { EVENT_PIPELINE_API_URL: 'https://a.example/v1' }, 'set EVENT_PIPELINE_API_KEY'],
] as const

test.for(shareOf(wrong, 2, 0))('%s with %j names the variable to correct', async ([server, variables, fix]) => {
  const { check } = await examine(server, variables)
  expect(check.get('Credentials')).toMatchObject({ state: 'problem' })
  expect(check.get('Credentials')?.fix).toContain(fix)
})
