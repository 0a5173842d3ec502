import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { emulatorReleases, root } from '../../releases/releases.ts'
import { freePort } from '@mcp-toolkits/testing/postgres'
import { baseEnvironment, runNode, startNode } from '../command.ts'
import { collectOutput } from '../../packages/testing/src/processes/process.ts'
import { deployFolder } from './compose-file.ts'

const folder = path.join(deployFolder, 'emulators')
const dockerfile = readFileSync(path.join(folder, 'Dockerfile'), 'utf8')

const Service = z.object({
  build: z.object({ dockerfile: z.literal('deploy/emulators/Dockerfile'), args: z.object({ EMULATOR: z.string() }) }),
  command: z.array(z.string()),
  read_only: z.literal(true),
  environment: z.record(z.string(), z.string()),
  ports: z.array(z.string().startsWith('127.0.0.1:')).length(1),
  healthcheck: z.object({ test: z.tuple([z.literal('CMD'), z.literal('node'), z.literal('-e'), z.string()]) }),
})
const { services } = z
  .object({ services: z.record(z.string(), Service) })
  .parse(parse(readFileSync(path.join(folder, 'compose.yaml'), 'utf8'), { merge: true }))

/** The folder from which a service's image is built. */
const folderOf = (build: z.infer<typeof Service>['build']) => path.join(root, 'packages', 'emulators', build.args.EMULATOR)

/** The words of an instruction in the Dockerfile that is written as JSON. */
const instruction = (name: string) =>
  z.array(z.string()).parse(JSON.parse(new RegExp(`^ *${name} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? ''))

test('compose.yaml passes the linter of its format, and has a service for each emulator', async () => {
  const linter = path.join(import.meta.dirname, '..', 'node_modules', '.bin', 'dclint')
  const settings = path.join(deployFolder, '.dclintrc.yaml')
  const { stdout } = await promisify(execFile)(linter, ['-c', settings, '--max-warnings', '0', 'compose.yaml'], { cwd: folder })
  expect(stdout.trim()).toBe('')
  expect(Object.keys(services).sort()).toEqual(emulatorReleases.map(({ name }) => name).sort())
})

test('the Dockerfile pins its base image, runs as an unprivileged user and copies files that exist', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  const [server] = /^FROM (\S+)/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8'))?.slice(1) ?? []
  expect(bases).toEqual([server, server])
  expect(dockerfile.indexOf('\nUSER 1000:1000\n')).toBeGreaterThan(dockerfile.lastIndexOf('\nRUN '))
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files = '']) => files.split(' '))
  const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8')
  for (const file of copied) {
    expect(ignored).toContain(`\n!${file.replace('${EMULATOR}', '*')}\n`)
    for (const { folder } of emulatorReleases) {
      expect(existsSync(path.join(root, file.replace('packages/emulators/${EMULATOR}', path.relative(root, folder)))), file).toBe(true)
    }
  }
})

describe.for(Object.entries(services))(
  'the service %s, without a container',
  ([name, { build, command, environment, ports, healthcheck }]) => {
    test('serves with its command, and its health check tells when', async () => {
      expect([`${build.args.EMULATOR}-emulator`, ports[0]?.split(':')[2]]).toEqual([name, '4010'])
      expect(instruction('CMD')).toEqual(healthcheck.test.slice(1))
      const port = await freePort()
      const inPort = (word: string) => word.replace('4010', String(port))
      const check = async () => (await runNode(['-e', inPort(healthcheck.test[3])])).code
      expect(await check()).toBe(1)
      const [, program = '', ...always] = instruction('ENTRYPOINT')
      const main = program.replace('/app', folderOf(build))
      const variables = Object.fromEntries(Object.keys(environment).map((variable) => [variable, 'word']))
      const child = startNode([main, ...always.map(inPort), ...command], { ...baseEnvironment(), ...variables })
      onTestFinished(() => void child.kill())
      await collectOutput(child.stdout).match(/(is emulated on .*)\n/)
      expect(await check()).toBe(0)
      const url = `http://127.0.0.1:${port}`
      const answers = await Promise.all([
        fetch(`${url}/workspace`),
        fetch(`${url}/__emulator/requests`),
        fetch(`${url}/__emulator/requests`, { headers: { authorization: 'Bearer word' } }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([403, 401, 200])
    })

    test('does not start without its token', async () => {
      const [, program = '', ...always] = instruction('ENTRYPOINT')
      const { code, errors } = await runNode([program.replace('/app', folderOf(build)), ...always, ...command])
      expect([code, errors]).toEqual([2, expect.stringContaining(Object.keys(environment)[0] ?? '')])
    })
  },
)
