// The Dockerfiles that registries build, without a container: linted, and run step by step with the packed package.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '@mcp-toolkits/core/base'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { releases, root } from '../../releases/releases.ts'
import { clients } from '../clients.ts'
import { temporaryDirectory } from '../command.ts'

test.for([
  ...releases.map(({ folder }) => path.join(folder, 'Dockerfile')),
  path.join(root, 'Dockerfile'),
  path.join(root, 'deploy/emulators/Dockerfile'),
])('%s passes the linter of its format, and runs as an unprivileged user', (file) => {
  const text = readFileSync(file, 'utf8')
  expect(validate(text)).toEqual([])
  expect(text).toMatch(/^FROM \S+@sha256:[\da-f]{64}(?: AS \w+)?$/m)
  expect(text.indexOf('\nUSER 1000:1000\n')).toBeGreaterThan(text.lastIndexOf('\nRUN '))
})

describe.for(releases)('the image of $name', ({ name, folder, tarball, tools, prefix }) => {
  test('serves the published package, and refuses calls without an account', async () => {
    const text = readFileSync(path.join(folder, 'Dockerfile'), 'utf8').replaceAll('\\\n', '')
    const argumentsOf = (keyword: string) => [...text.matchAll(new RegExp(`^${keyword} (.*)$`, 'gm'))].map(([, found = '']) => found)
    const place = await temporaryDirectory()
    const [install = ''] = argumentsOf('RUN')
    expect(argumentsOf('ARG')).toEqual([expect.stringMatching(new RegExp(`^PACKAGE=@mcp-toolkits/${name}@\\d+\\.\\d+\\.\\d+`))])
    execFileSync('sh', ['-ec', install.replace(/^--mount=\S+ /, '').replace(/ && npm cache .*/, '')], {
      env: { ...process.env, PACKAGE: tarball, npm_config_prefix: place, npm_config_offline: 'true' },
      stdio: 'pipe',
    })
    const variables = argumentsOf('ENV').flatMap((line) => line.trim().split(/\s+/))
    const pairs = variables.map((pair) => pair.replace('/data', place).split('='))
    const environment = Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]))
    const [program = ''] = argumentsOf('ENTRYPOINT').map((words) => words.slice(2, -2))
    await using client = await clients['client 2, auto']({ command: path.join(place, 'bin', program), args: [], environment })
    expect(await client.names()).toEqual(tools.map((tool) => `${prefix}_${tool.name}`))
    expect(isObject(await client.call(`${prefix}_${tools[0]?.name ?? ''}`, {}))).toBe(false)
  })
})
