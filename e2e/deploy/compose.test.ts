import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { parseJson } from '@mcp-toolkits/core/base'
import { type IdentityProvider, startIdentityProvider } from '@mcp-toolkits/testing/people'
import { runsPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modern, parseMessageBody, trackCall } from '../../packages/testing/src/processes/protocol.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type NativeBalancer, startNginx } from './balancer.ts'
import { type ComposeFile, type ComposeService, deployFolder, readCompose } from './compose-file.ts'
import { type NativeDatabase, startDatabase } from './database.ts'
import { type NativeServer, startNative } from './native-services.ts'
import { sendTo } from './through-tls.ts'

const domain = 'lodestar.example'
const hosts = { 'event-pipeline': `events.${domain}`, 'file-storage': `files.${domain}`, 'issue-tracker': `tracker.${domain}` } as const
type App = keyof typeof hosts
const apps: readonly App[] = ['event-pipeline', 'file-storage', 'issue-tracker']

test('compose.yaml passes the linter of its format', async () => {
  const linter = path.join(import.meta.dirname, '..', 'node_modules', '.bin', 'dclint')
  const { stdout } = await promisify(execFile)(linter, ['-c', '.dclintrc.yaml', '--max-warnings', '0', 'compose.yaml'], {
    cwd: deployFolder,
  })
  expect(stdout.trim()).toBe('')
})

describe.runIf(runsPostgres())('the services of compose.yaml, without containers', () => {
  const stack = new AsyncDisposableStack()
  const servers = new Map<string, NativeServer[]>()
  let compose: ComposeFile
  let identityProvider: IdentityProvider
  let database: NativeDatabase
  let upstream: Upstream
  let balancer: NativeBalancer
  const serviceOf = (name: string): ComposeService => {
    const service = compose.services[name]
    if (!service) throw new Error(`compose.yaml has no service ${name}.`)
    return service
  }

  beforeAll(async () => {
    compose = await readCompose({ DOMAIN: domain, KEYCLOAK_ADMIN_PASSWORD: 'not used' })
    const directory = mkdtempSync(path.join(tmpdir(), 'deploy-secrets-'))
    stack.defer(() => {
      rmSync(directory, { recursive: true, force: true })
    })
    identityProvider = stack.use(await startIdentityProvider())
    upstream = stack.use(await startUpstream())
    const password = 'a password: of the/database'
    const secret = (name: string) => path.join(directory, path.basename(compose.secrets[name]?.file ?? name))
    await writeFile(secret('database_password'), password)
    database = stack.use(await startDatabase(serviceOf('database'), secret('database_password')))
    const values: Readonly<Record<string, string>> = {
      database_url: `postgres://mcp:${encodeURIComponent(password)}@127.0.0.1:${database.port}/mcp`,
      event_pipeline_api_key: upstream.environment.EVENT_PIPELINE_API_KEY,
      sign_in_client_secret: identityProvider.signInClient.secret,
      vault_keys: `1:${Buffer.alloc(32, 7).toString('base64')}`,
    }
    for (const name of Object.keys(compose.secrets))
      if (name !== 'database_password') await writeFile(secret(name), values[name] ?? `${name}-of-the-tests`)
    const replaced = { '/run/secrets/': `${directory}/`, [`https://login.${domain}/realms/company`]: identityProvider.issuer }
    for (const app of apps) {
      const { command: args, environment, deploy, build } = serviceOf(app)
      expect(build?.args.APP).toBe(app)
      const program = { app, args, environment: { ...environment, EVENT_PIPELINE_API_URL: upstream.environment.EVENT_PIPELINE_API_URL } }
      const replicas: NativeServer[] = []
      for (let index = 0; index < (deploy?.replicas ?? 1); index += 1) replicas.push(stack.use(await startNative(program, replaced)))
      servers.set(app, replicas)
    }
    const login = Number(new URL(identityProvider.issuer).port)
    balancer = stack.use(
      await startNginx(serviceOf('nginx'), (name) => (name === 'keycloak' ? [login] : (servers.get(name) ?? []).map(({ port }) => port))),
    )
  })
  afterAll(() => stack.disposeAsync())

  const call = async (app: App, params: Parameters<typeof modern>[2]) => {
    const scopes = ['read', 'write', 'delete'].map((permission) => `${app}:${permission}`)
    const token = identityProvider.tokenFor('ada', { audience: `https://${hosts[app]}/mcp`, scopes })
    const request = modern(1, 'tools/call', params)
    return sendTo(balancer, hosts[app], { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
  }

  test('are two replicas of each server, which say themselves that they are healthy', async () => {
    expect([...servers.values()].map((replicas) => replicas.length)).toEqual([2, 2, 2])
    for (const app of apps) {
      const words = serviceOf(app).healthcheck?.test.slice(1) ?? []
      for (const server of servers.get(app) ?? []) expect(await server.runHealthcheck(words)).toBe(0)
    }
    const [program = '', ...words] = serviceOf('database').healthcheck?.test.slice(1) ?? []
    const here = words.map((word) => word.replace('5432', `${database.port}`))
    const { stdout } = await promisify(execFile)(path.join(database.programs, program), here)
    expect(stdout).toContain('accepting connections')
  })

  test('are reached by their names over TLS, and by no other', async () => {
    for (const app of apps) {
      const health = await sendTo(balancer, hosts[app], { method: 'GET', path: '/healthz' })
      expect([health.status, parseJson(health.body)]).toEqual([200, expect.objectContaining({ server: app })])
      const { status, headers } = await sendTo(balancer, hosts[app], modern(1, 'tools/list'))
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining(`https://${hosts[app]}/.well-known/`)])
    }
    const login = await sendTo(balancer, `login.${domain}`, { method: 'GET', path: '/.well-known/openid-configuration' })
    expect(parseJson(login.body)).toMatchObject({ issuer: identityProvider.issuer })
    expect((await sendTo(balancer, `other.${domain}`, { method: 'GET', path: '/' })).status).toBe(421)
  })

  test('make calls for a person, and ask for accounts at their public addresses', async () => {
    const { body } = await call('event-pipeline', trackCall('ada'))
    expect(parseMessageBody(body)).toMatchObject({ result: { structuredContent: { outcome: 'delivered' } } })
    expect(upstream.arrived()).toBe(1)
    for (const [app, name] of [
      ['file-storage', 'FileStorage_WhoAmI'],
      ['issue-tracker', 'IssueTracker_WhoAmI'],
    ] as const) {
      const { body: answer } = await call(app, { name, arguments: {} })
      const [url = 'http://none'] = new RegExp(`https://${hosts[app]}/connect/[^"\\\\\\s]+`).exec(answer) ?? []
      expect([url, answer]).toEqual([expect.stringContaining('/connect/'), expect.stringContaining('unauthenticated')])
      expect((await sendTo(balancer, hosts[app], { method: 'GET', path: new URL(url).pathname })).status).toBe(200)
    }
  })

  test('have metrics and an audit, which nginx passes on to no one', async () => {
    const [server] = servers.get('event-pipeline') ?? []
    const replicas = servers.get('event-pipeline') ?? []
    const texts = await Promise.all(
      replicas.map(async ({ metricsPort }) => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()),
    )
    expect(texts.join('\n')).toContain('mcp_calls_total{tool="TrackUserEvent"')
    expect((await sendTo(balancer, hosts['event-pipeline'], { method: 'GET', path: '/metrics' })).status).not.toBe(200)
    expect(server && replicas.map(({ errors }) => errors()).join('\n')).toContain('"outcome":"ok"')
  })

  test('go on when a replica dies, and end without an error', async () => {
    const [first, second] = servers.get('event-pipeline') ?? []
    await first?.kill()
    for (let count = 0; count < 4; count += 1) {
      const { status, body } = await call('event-pipeline', trackCall(`person ${count}`))
      expect([status, parseMessageBody(body).error]).toEqual([200, undefined])
    }
    expect(upstream.arrived()).toBe(5)
    expect(serviceOf('event-pipeline').stop_grace_period).toBe('45s')
    expect(await second?.terminate()).toBe(0)
  })
})
