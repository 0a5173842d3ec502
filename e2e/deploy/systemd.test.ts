import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type IdentityProvider, startIdentityProvider } from '@mcp-toolkits/testing/people'
import { type PostgresServer, runsPostgres, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployFolder } from './compose-file.ts'
import { startNative } from './native-services.ts'

const apps = ['event-pipeline', 'file-storage', 'issue-tracker']
const verifier = '/usr/bin/systemd-analyze'

const fileOf = (app: string) => path.join(deployFolder, 'systemd', `${app}-mcp.service`)

/** All values of a setting in a unit file. */
function valuesOf(app: string, setting: string): string[] {
  return [...readFileSync(fileOf(app), 'utf8').matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

/** Name and value of a variable. */
function separate(pair: string): [string, string] {
  return [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
}

let directory: string
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'deploy-units-'))
})
afterAll(() => {
  rmSync(directory, { recursive: true })
})

test.runIf(existsSync(verifier) || process.env['CI'] === 'true')('systemd accepts the units, and rates them as safe', async () => {
  for (const app of apps) {
    // systemd refuses a program that this machine does not have.
    const unit = path.join(directory, path.basename(fileOf(app)))
    writeFileSync(unit, readFileSync(fileOf(app), 'utf8').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { stdout, stderr } = await promisify(execFile)(verifier, ['verify', '--man=no', unit])
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes(path.basename(unit)))).toEqual([])
    const security = await promisify(execFile)(verifier, ['security', '--offline=yes', '--threshold=35', unit])
    expect(security.stdout).toContain('Overall exposure level')
  }
})

describe.runIf(runsPostgres())('a unit, as a process', () => {
  let postgres: PostgresServer
  let identityProvider: IdentityProvider
  beforeAll(async () => {
    ;[postgres, identityProvider] = await Promise.all([startPostgres(), startIdentityProvider()])
  })
  afterAll(() => Promise.all([postgres.stop(), identityProvider[Symbol.asyncDispose]()]))

  test.for(apps)('%s starts with the command and the credentials of its unit, and can be told to end', async (app) => {
    const [program = '', ...args] = (valuesOf(app, 'ExecStart')[0] ?? '').split(' ')
    expect(program).toBe(`/usr/local/bin/${app}-mcp`)
    const secrets: Readonly<Record<string, string>> = {
      'database-url': postgres.pooledUrl,
      'vault-keys': `1:${Buffer.alloc(32, 7).toString('base64')}`,
    }
    const credentials = path.join(directory, app)
    mkdirSync(credentials)
    for (const credential of valuesOf(app, 'LoadCredential')) {
      const [name = '', source = ''] = credential.split(':')
      expect(source).toMatch(/^\/etc\/mcp-toolkits\//)
      writeFileSync(path.join(credentials, name), `${secrets[name] ?? `${name}-of-the-tests`}\n`)
    }
    // https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html#Specifiers
    const expand = (text: string) => text.replaceAll('%d', credentials).replaceAll('%S', directory)
    const environment = Object.fromEntries(valuesOf(app, 'Environment').map((pair) => separate(expand(pair))))
    const [port = '', metricsPort = ''] = ['--port', '--metrics-port'].map((option) => args[args.indexOf(option) + 1])
    const served = args.map((word) => (word === port ? '3000' : word === metricsPort ? '9464' : word))
    const replaced = { 'https://login.example.com/realms/company': identityProvider.issuer }
    await using server = await startNative({ app, args: served, environment }, replaced)
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).status).toBe(200)
    const drainWait = Number(args[args.indexOf('--drain-wait') + 1])
    expect(Number(valuesOf(app, 'TimeoutStopSec')[0])).toBeGreaterThanOrEqual(drainWait + 30)
    void server.terminate()
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status).toBe(503)
  })
})
