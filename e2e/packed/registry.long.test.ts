import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { Server } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { runServer } from 'verdaccio'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { emulatorReleases, packageReleases, releases, root, taskRelease } from '../../releases/releases.ts'
import { clients } from '../clients.ts'
import { baseEnvironment, temporaryDirectory } from '../command.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { collectOutput } from '../../packages/testing/src/processes/process.ts'

let registry: Awaited<ReturnType<typeof openRegistry>>
beforeAll(async () => {
  registry = await openRegistry()
})
afterAll(() => registry.close())

/** Runs a release script, with this registry in place of npm's. */
async function runScript([name, ...args]: readonly [string, ...string[]], variables: Readonly<Record<string, string>>): Promise<string> {
  const npm = { npm_config_registry: registry.url, npm_config_userconfig: registry.userconfig }
  const script = path.join(root, 'scripts', 'release', name)
  return (await promisify(execFile)(process.execPath, [script, ...args], { env: { ...baseEnvironment(), ...npm, ...variables } })).stdout
}

/** All packages of a kind are made in the same way. */
const shares = 3

/** A user who has never run npm, in an empty directory. */
async function newUser() {
  const [home, cwd] = [await temporaryDirectory(), await temporaryDirectory()]
  await mkdir(path.join(home, 'cache'))
  return { cwd, environment: { HOME: home, npm_config_cache: path.join(home, 'cache'), npm_config_registry: registry.url } }
}

const options = async () => ['--embedded', '--data-dir', await temporaryDirectory(), '--log-level', 'error']

test('publishes every package once', { timeout: 120_000 }, async () => {
  const publish = (chosen: readonly { readonly name: string }[]) =>
    runScript(['publish.ts', '--without-provenance'], { PACKAGES: JSON.stringify(chosen.map(({ name }) => name)) })
  expect((await publish(packageReleases)).match(/is published/g)).toHaveLength(packageReleases.length)
  const again = shareOf(packageReleases, shares, 1)
  expect((await publish(again)).match(/was already published/g)).toHaveLength(again.length)
})

test.for(shareOf(releases, shares, 0))(
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

test.for(shareOf(releases, shares, 1))('npx starts $name from an empty cache', async ({ packageName, tools }) => {
  const { environment } = await newUser()
  await using client = await clients['client 2, auto']({ command: 'npx', args: ['-y', packageName, ...(await options())], environment })
  expect(await client.names()).toHaveLength(tools.length)
})

test.for(shareOf(emulatorReleases, shares, 0))('npx starts $name from an empty cache', async ({ packageName }) => {
  const { cwd, environment } = await newUser()
  const env = { ...baseEnvironment(), ...environment }
  // Ending the group ends everything that npx has started.
  const child = spawn('npx', ['-y', packageName, '--memory', '--port', '0', '--json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  onTestFinished(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  const control = await collectOutput(child.stdout).match(/"control":"([^"]+)"/)
  expect((await fetch(`${control}/health`)).status).toBe(200)
})

test('npx plays tasks with the servers of the same version, from an empty cache', { timeout: 120_000 }, async () => {
  const { cwd, environment } = await newUser()
  const chosen = ['linear-give', 'drive-folder', 'events-order']
  const args = ['-y', taskRelease.packageName, '--reference', ...chosen.flatMap((id) => ['--task', id])]
  const { stdout, stderr } = await promisify(execFile)('npx', args, { cwd, env: { ...baseEnvironment(), ...environment } })
  expect(stderr).toBe('')
  for (const id of chosen) expect(stdout).toMatch(new RegExp(String.raw`^\| ${id} +\| easy +\| 1 `, 'm'))
})

/** An empty npm registry on this machine, which requires no account for publishing and asks no other registry. */
async function openRegistry() {
  const directory = await temporaryDirectory()
  const storage = path.join(directory, 'storage')
  await mkdir(storage)
  const server: unknown = await runServer({
    // Paths in the configuration are relative to this file, which need not exist.
    configPath: path.join(directory, 'config.yaml'),
    self_path: path.join(directory, 'config.yaml'),
    storage,
    uplinks: {},
    packages: { '**': { access: ['$all'], publish: ['$all'] } },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
  if (!(server instanceof Server)) throw new Error('Verdaccio returned no server.')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  // npm refuses to publish without a token.
  const userconfig = path.join(directory, 'npmrc')
  await writeFile(userconfig, `//${host}/:_authToken=any\n`)
  return {
    url: `http://${host}/`,
    userconfig,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
