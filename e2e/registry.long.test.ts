import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { clients } from './clients.ts'
import { baseEnvironment, temporaryDirectory } from './command.ts'
import { registry, type Registry } from './registry.ts'
import { apps, workspaceCopy, type WorkspaceCopy } from './workspace-copy.ts'

const calls = {
  'event-pipeline': {
    tools: 7,
    name: 'EventPipelineApi_TrackUserEvent',
    args: { mode: 'execute', request_body: '{"userId":"u1","event":"Paid"}' },
    answer: { outcome: 'delivered' },
  },
  'file-storage': { tools: 11, name: 'FileStorage_SearchFiles', args: { query: 'report' }, answer: { order: 'relevance' } },
  'issue-tracker': { tools: 36, name: 'IssueTracker_GetIssue', args: { issue_id: 'ENG-1' }, answer: { issue: { identifier: 'ENG-1' } } },
} as const

type App = (typeof apps)[number]

let npm: Registry
let copy: WorkspaceCopy
const everything = Object.fromEntries(apps.map((app) => [`@mcp-toolkits/${app}`, 'minor']))

/** Runs one step of the release against the registry of this test. */
const step = (script: string, args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
  copy.run('node', [`scripts/release/${script}.ts`, ...args], {
    npm_config_registry: npm.url,
    npm_config_userconfig: npm.userconfig,
    ...environment,
  })
const publish = (environment: Readonly<Record<string, string>> = {}) => step('publish', ['--without-provenance'], environment)

const latest = async () => {
  const published = await Promise.all(
    apps.map(async (app): Promise<[string, string]> => [app, (await npm.about(`@mcp-toolkits/${app}`))['dist-tags'].latest]),
  )
  return Object.fromEntries(published)
}

/** Somebody who has never used npm, in an empty directory. */
async function stranger() {
  const directory = await temporaryDirectory()
  const [home, cwd] = [path.join(directory, 'home'), path.join(directory, 'project')]
  await mkdir(home)
  await mkdir(cwd)
  return { home, cwd, environment: { HOME: home, npm_config_cache: path.join(home, 'cache'), npm_config_registry: npm.url } }
}

const serving = async () => ['--embedded', '--data-dir', await temporaryDirectory(), '--log-level', 'error']

beforeAll(async () => {
  npm = await registry()
  copy = await workspaceCopy()
}, 120_000)
afterAll(() => npm[Symbol.asyncDispose]())

test('while changesets wait, the plan is a pull request with versions; then it is to publish all three', async () => {
  await copy.addChangeset(everything, 'A sentence of this test.')
  const before = await copy.versions()
  expect(await step('plan')).toContain('a pull request with their versions')
  await copy.versionAndPack()
  expect((await step('plan')).match(/\S+ is not on the registry yet/g)).toHaveLength(3)
  const after = await copy.versions()
  for (const app of apps) {
    expect(after[app]).not.toBe(before[app])
    const changelog = await copy.read(`apps/${app}/CHANGELOG.md`)
    expect(changelog).toContain(`## ${after[app] ?? ''}\n`)
    expect(changelog).toContain('A sentence of this test.')
  }
  expect(await copy.run('git', ['status', '--porcelain', 'packages'])).toBe('')
}, 120_000)

test('the first publication brings all three to the registry, within their sizes; a second one brings nothing', async () => {
  expect(await publish({ SERVERS: '["file-storage"]' })).toMatch(/^@mcp-toolkits\/file-storage@\S+ is published\.$/m)
  expect((await publish()).match(/is published/g)).toHaveLength(2)
  expect(await latest()).toEqual(await copy.versions())
  expect(await step('plan')).toContain('Nothing is to be done')
  expect((await publish()).match(/was there already/g)).toHaveLength(3)
  for (const app of apps) {
    const { 'dist-tags': tags, versions } = await npm.about(`@mcp-toolkits/${app}`)
    const version = versions[tags.latest]
    expect(version?.dependencies).toBeUndefined()
    const tarball = await npm.tarball(version?.dist.tarball ?? '')
    expect(tarball.length).toBeLessThanOrEqual(1_500_000)
    // The registry of npm counts what is unpacked; this one does not.
    expect(gunzipSync(tarball).length).toBeLessThanOrEqual(6_000_000)
  }
}, 120_000)

test.for(apps)('%s, installed by a stranger, is one package, and its command serves both generations of clients', async (app: App) => {
  const name = `@mcp-toolkits/${app}`
  const { cwd, environment } = await stranger()
  await promisify(execFile)('npm', ['install', name], { cwd, env: { ...baseEnvironment(), ...environment } })
  const modules = path.join(cwd, 'node_modules')
  expect((await readdir(modules)).sort()).toEqual(['.bin', '.package-lock.json', '@mcp-toolkits'])
  expect(await readdir(path.join(modules, '@mcp-toolkits'))).toEqual([app])
  const { packages } = z
    .object({ packages: z.record(z.string(), z.object({ resolved: z.string().optional() })) })
    .parse(JSON.parse(await readFile(path.join(cwd, 'package-lock.json'), 'utf8')))
  expect(Object.keys(packages)).toEqual(['', `node_modules/${name}`])
  expect(packages[`node_modules/${name}`]?.resolved).toContain(npm.url)

  const { tools, name: tool, args, answer } = calls[app]
  const command = path.join(modules, '.bin', `${app}-mcp`)
  for (const connect of [clients['client 2, 2026-07-28'], clients['client 2, auto'], clients['client 1']]) {
    await using client = await connect({ command, args: await serving(), environment })
    expect((await client.names()).length).toBe(tools)
    expect(await client.call(tool, args)).toMatchObject(answer)
  }
})

test.for(apps)('npx starts %s from an empty cache', async (app: App) => {
  const { environment } = await stranger()
  const connect = clients['client 2, auto']
  await using client = await connect({ command: 'npx', args: ['-y', `@mcp-toolkits/${app}`, ...(await serving())], environment })
  expect((await client.names()).length).toBe(calls[app].tools)
})

test('a changeset of one server releases that one alone', async () => {
  const before = await copy.versions()
  await copy.addChangeset({ '@mcp-toolkits/issue-tracker': 'patch' }, 'A mended thing.')
  await copy.versionAndPack()
  const after = await copy.versions()
  expect(after['issue-tracker']).not.toBe(before['issue-tracker'])
  expect(after).toEqual({ ...before, 'issue-tracker': after['issue-tracker'] })
  expect((await step('plan')).match(/\S+ is not on the registry yet/g)).toEqual([
    `@mcp-toolkits/issue-tracker@${after['issue-tracker'] ?? ''} is not on the registry yet`,
  ])
  expect((await publish()).match(/\S+ is published/g)).toEqual([`@mcp-toolkits/issue-tracker@${after['issue-tracker'] ?? ''} is published`])
  expect(await latest()).toEqual(after)
  for (const app of apps) {
    const { versions } = await npm.about(`@mcp-toolkits/${app}`)
    expect(Object.keys(versions)).toEqual(app === 'issue-tracker' ? [before[app], after[app]] : [after[app]])
  }
}, 120_000)

test('its GitHub release holds its part of the changelog and its bundle', async () => {
  const { 'issue-tracker': version = '' } = await copy.versions()
  const folder = await temporaryDirectory()
  // GitHub's program, as far as the step uses it: there is no such release yet, and one that is made is written down.
  const program = `#!/bin/sh\n[ "$2" = view ] && exit 1\nprintf '%s\\n' "$@" > "${folder}/arguments"\ncat > "${folder}/notes"\n`
  await writeFile(path.join(folder, 'gh'), program)
  await chmod(path.join(folder, 'gh'), 0o755)
  await writeFile(path.join(copy.directory, 'packed', `issue-tracker-${version}.mcpb`), 'a bundle')
  const { PATH = '' } = baseEnvironment()
  const environment = { PATH: `${folder}${path.delimiter}${PATH}`, SERVERS: '["issue-tracker"]', GITHUB_SHA: 'abc' }
  await copy.run('node', ['scripts/release/github.ts'], environment)
  const written = (await readFile(path.join(folder, 'arguments'), 'utf8')).split('\n')
  expect(written.slice(0, 4)).toEqual([
    'release',
    'create',
    `@mcp-toolkits/issue-tracker@${version}`,
    expect.stringMatching(/issue-tracker.*\.mcpb$/),
  ])
  expect(written).toContain('abc')
  const notes = await readFile(path.join(folder, 'notes'), 'utf8')
  expect(notes).toContain('A mended thing.')
  expect(notes).not.toContain('A sentence of this test.')
})
