import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { Server } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { runServer } from 'verdaccio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { releases, root } from '../../scripts/release/releases.ts'
import { clients } from '../clients.ts'
import { baseEnvironment, temporaryDirectory } from '../command.ts'

let registry: Registry
beforeAll(async () => {
  registry = await openRegistry()
})
afterAll(() => registry[Symbol.asyncDispose]())

const publish = async () => {
  const environment = {
    ...baseEnvironment(),
    SERVERS: JSON.stringify(releases.map(({ name }) => name)),
    npm_config_registry: registry.url,
    npm_config_userconfig: registry.userconfig,
  }
  const script = path.join(root, 'scripts', 'release', 'publish.ts')
  return (await promisify(execFile)(process.execPath, [script, '--without-provenance'], { env: environment })).stdout
}

/** A user who has never run npm, in an empty directory. */
async function newUser() {
  const [home, cwd] = [await temporaryDirectory(), await temporaryDirectory()]
  await mkdir(path.join(home, 'cache'))
  return { cwd, environment: { HOME: home, npm_config_cache: path.join(home, 'cache'), npm_config_registry: registry.url } }
}

const options = async () => ['--embedded', '--data-dir', await temporaryDirectory(), '--log-level', 'error']

test('publishes every server once', { timeout: 120_000 }, async () => {
  expect((await publish()).match(/is published/g)).toHaveLength(releases.length)
  expect((await publish()).match(/was published already/g)).toHaveLength(releases.length)
})

test.for(releases)(
  '$name installs as one package and serves both generations of clients',
  async ({ name, packageName, command, prefix, read, tools }) => {
    const { cwd, environment } = await newUser()
    await promisify(execFile)('npm', ['install', packageName], { cwd, env: { ...baseEnvironment(), ...environment } })
    expect(await readdir(path.join(cwd, 'node_modules'))).toEqual(['.bin', '.package-lock.json', '@mcp-toolkits'])
    expect(await readdir(path.join(cwd, 'node_modules', '@mcp-toolkits'))).toEqual([name])
    for (const connect of [clients['client 2, auto'], clients['client 1']]) {
      await using client = await connect({ command: path.join(cwd, 'node_modules', '.bin', command), args: await options(), environment })
      expect(await client.names()).toHaveLength(tools.length)
      expect(await client.call(`${prefix}_${read.tool}`, read.arguments)).toBeTruthy()
    }
  },
)

test.for(releases)('npx starts $name from an empty cache', async ({ packageName, tools }) => {
  const { environment } = await newUser()
  await using client = await clients['client 2, auto']({ command: 'npx', args: ['-y', packageName, ...(await options())], environment })
  expect(await client.names()).toHaveLength(tools.length)
})

/** An empty npm registry on this machine that asks no other registry. */
interface Registry extends AsyncDisposable {
  readonly url: string
  /** The npmrc with which npm may publish there. */
  readonly userconfig: string
}

async function openRegistry(): Promise<Registry> {
  const directory = await temporaryDirectory()
  const storage = path.join(directory, 'storage')
  await mkdir(storage)
  const server: unknown = await runServer({
    // Paths of the configuration are relative to this file, which does not have to exist.
    configPath: path.join(directory, 'config.yaml'),
    self_path: path.join(directory, 'config.yaml'),
    storage,
    uplinks: {},
    auth: { htpasswd: { file: path.join(directory, 'htpasswd'), max_users: 1 } },
    packages: { '**': { access: ['$all'], publish: ['$authenticated'] } },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
  if (!(server instanceof Server)) throw new Error('Verdaccio returned no server.')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const response = await fetch(`http://${host}/-/user/org.couchdb.user:releaser`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'releaser', password: 'not-a-secret-here' }),
  })
  const { token } = z.object({ token: z.string() }).parse(await response.json())
  const userconfig = path.join(directory, 'npmrc')
  await writeFile(userconfig, `//${host}/:_authToken=${token}\n`)
  return {
    url: `http://${host}/`,
    userconfig,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
