import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { releases, root } from '../../scripts/release/releases.ts'
import { clients } from '../clients.ts'
import { baseEnvironment, temporaryDirectory } from '../command.ts'
import { openRegistry, type Registry } from './registry.ts'

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
    expect(await readdir(path.join(cwd, 'node_modules', '@mcp-toolkits'))).toEqual([name])
    const lockfile = z
      .object({ packages: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(await readFile(path.join(cwd, 'package-lock.json'), 'utf8')))
    expect(Object.keys(lockfile.packages)).toEqual(['', `node_modules/${packageName}`])
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
