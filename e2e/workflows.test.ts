import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const root = path.join(import.meta.dirname, '..')
const folder = path.join(root, '.github', 'workflows')

const permissionsSchema = z.record(z.string(), z.enum(['read', 'write', 'none']))
const stepSchema = z.strictObject({
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  shell: z.literal('bash').optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  env: z.record(z.string(), z.string()).optional(),
})
const jobSchema = z.strictObject({
  name: z.string().optional(),
  needs: z.union([z.string().transform((need) => [need]), z.array(z.string())]).default([]),
  if: z.string().optional(),
  'runs-on': z.string(),
  'timeout-minutes': z.number(),
  environment: z.string().optional(),
  permissions: permissionsSchema.optional(),
  outputs: z.record(z.string(), z.string()).optional(),
  strategy: z
    .strictObject({
      'fail-fast': z.literal(false),
      matrix: z.strictObject({
        node: z.array(z.number()).optional(),
        system: z.array(z.string()),
        include: z.array(z.strictObject({ node: z.string(), system: z.string() })).optional(),
      }),
    })
    .optional(),
  steps: z.array(stepSchema),
})
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.partialRecord(z.enum(['push', 'pull_request']), z.unknown()),
  permissions: permissionsSchema,
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.union([z.boolean(), z.string()]) }),
  jobs: z.record(z.string(), jobSchema),
})

function workflow(file: string) {
  const text = readFileSync(path.join(folder, file), 'utf8')
  const { jobs, ...rest } = workflowSchema.parse(parse(text))
  const steps = Object.entries(jobs).flatMap(([job, { steps: all }]) => all.map((step) => ({ job, ...step })))
  return { ...rest, text, jobs, steps }
}

const { scripts, devDependencies } = z
  .object({ scripts: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))

/** What a command line runs of this repository: scripts of package.json, and files. */
function commandsOf(line: string): string[] {
  return line.split(/&&|\n/).map((command) => command.trim())
}

/** Fails where a command is neither a script of package.json nor a program of this repository that exists. */
function expectToExist(command: string): void {
  const [, name = ''] = /^npm (?:run )?(?:-s )?(?:run )?([\w:-]+)/.exec(command) ?? []
  const [file = ''] = /(?:scripts|benchmarks)\/[\w/.-]+\.(?:ts|mjs)|^\.ci\/run$/.exec(command) ?? []
  if (file !== '') expect(existsSync(path.join(root, file)), `${command} runs a file that is missing`).toBe(true)
  else expect(Object.keys(scripts), `${command} runs a script that is missing`).toContain(name)
  if (file === '' && name in scripts) for (const part of commandsOf(scripts[name] ?? '')) expectToExist(part)
}

describe.for(readdirSync(folder))('%s', (file) => {
  const { text, on, permissions, jobs, steps } = workflow(file)

  test('every action is pinned to a commit, with its version beside it', () => {
    const lines = text.split('\n').filter((line) => line.includes('uses:'))
    expect(lines.length).toBe(steps.filter(({ uses }) => uses !== undefined).length)
    for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('one action has one pin in all workflows', () => {
    const everywhere = readdirSync(folder).flatMap((name) => [...workflow(name).text.matchAll(/uses: ([\w-]+\/[\w-]+)\S*@(\w+ # \S+)/g)])
    const pins = new Map(everywhere.map(([, action = '', pin = '']) => [action, pin]))
    for (const [, action = '', pin = ''] of everywhere) expect(pin).toBe(pins.get(action))
  })

  test('nothing is allowed that is not needed', () => {
    expect(permissions).toEqual({ contents: 'read' })
    expect(Object.keys(on)).not.toContain('pull_request_target')
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.map(({ job }) => job)).toEqual(Object.keys(jobs))
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([])
    expect(text).not.toMatch(/secrets\.|cache: (?!false)\S/)
  })

  test('no expression is put into a command line', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{')
    expect(text.match(/github\.(event\.|head_ref)\S*/g)).toBeNull()
  })

  test('every command is there', () => {
    for (const { run } of steps) if (run !== undefined) for (const command of commandsOf(run)) expectToExist(command)
    expect(steps.some(({ run }) => run !== undefined)).toBe(true)
  })

  test('jobs wait for jobs that are there, and end', () => {
    for (const { needs, 'timeout-minutes': minutes } of Object.values(jobs)) {
      expect(Object.keys(jobs)).toEqual(expect.arrayContaining(needs))
      expect(minutes).toBeLessThanOrEqual(90)
    }
    for (const [name, { outputs = {} }] of Object.entries(jobs)) {
      for (const output of Object.values(outputs)) {
        const [, id] = /^\$\{\{ steps\.(\w+)\.outputs\.\w+ \}\}$/.exec(output) ?? []
        expect(steps.filter((step) => step.job === name && step.id === id).length, output).toBe(1)
      }
    }
    for (const [, job = '', output = ''] of text.matchAll(/needs\.([\w-]+)\.outputs\.(\w+)/g)) {
      expect(Object.keys(jobs[job]?.outputs ?? {})).toContain(output)
    }
  })

  test('what is built and published is built on the Node of the workspace', () => {
    const versions = steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@')).map((step) => step.with?.['node-version'])
    expect(versions.length).toBe(Object.keys(jobs).length)
    expect(new Set(versions.filter((version) => version !== '${{ matrix.node }}'))).toEqual(new Set([devDependencies['node']]))
  })
})

test('CI installs the packed servers on every Node and system that they promise', () => {
  const { jobs, on } = workflow('ci.yml')
  const { smoke, everything } = jobs
  expect(smoke?.strategy?.matrix.node).toEqual([22, 24, 26])
  expect(smoke?.strategy?.matrix.system.map((system) => system.replace(/-\d.*/, ''))).toEqual(['ubuntu', 'macos', 'windows'])
  expect(smoke?.['runs-on']).toBe('${{ matrix.system }}')
  expect(smoke?.steps.at(-1)?.run).toBe('npm run smoke')
  expect(everything?.steps.at(-1)?.run).toBe('.ci/run')
  expect(Object.keys(on)).toEqual(['push', 'pull_request'])
  const oldest = smoke?.strategy?.matrix.include?.map(({ node }) => `>=${node.replace(/\.0$/, '')}`)
  for (const app of readdirSync(path.join(root, 'apps'))) {
    const { engines } = z
      .object({ engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(readFileSync(path.join(root, 'apps', app, 'package.json'), 'utf8')))
    expect(oldest).toEqual([engines.node])
  }
})

test('a release is published only after every check and every test has passed on its commit, and it was packed', () => {
  const { jobs } = workflow('release.yml')
  const { test: tests, pack, publish } = jobs
  expect(tests?.steps.at(-1)).toEqual(workflow('ci.yml').jobs['everything']?.steps.at(-1))
  expect(tests?.if).toBe(pack?.if)
  expect(publish?.needs).toEqual(expect.arrayContaining(['test', 'pack']))
  // A condition of its own could let it run although one of these failed.
  for (const name of ['publish', 'github-release', 'mcp-registry']) expect(jobs[name]?.if).toBeUndefined()
  expect(jobs['github-release']?.needs).toContain('publish')
  expect(jobs['mcp-registry']?.needs).toContain('github-release')
})

test('only the jobs that publish have an identity, and they install nothing and need nothing installed', () => {
  const { jobs, on } = workflow('release.yml')
  const granted = Object.entries(jobs).map(([name, { permissions = {} }]) => [name, permissions])
  expect(Object.fromEntries(granted)).toEqual({
    plan: {},
    version: { contents: 'write', 'pull-requests': 'write' },
    test: {},
    pack: {},
    publish: { contents: 'read', 'id-token': 'write' },
    'github-release': { contents: 'write' },
    'mcp-registry': { contents: 'read', 'id-token': 'write' },
  })
  expect(on).toEqual({ push: { branches: ['main'] } })
  expect(jobs['publish']?.environment).toBe('npm')
  for (const name of ['publish', 'github-release', 'mcp-registry']) {
    for (const { run } of jobs[name]?.steps ?? []) {
      if (run === undefined) continue
      const script = scripts[run.replace('npm run ', '')] ?? ''
      expect(script).toMatch(/^node scripts\/release\/[\w-]+\.ts$/)
      const imported = [script.replace('node ', ''), 'scripts/release/servers.ts'].flatMap((source) => [
        ...readFileSync(path.join(root, source), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g),
      ])
      for (const [, specifier] of imported) expect(specifier).toMatch(/^(?:node:|\.\/servers\.ts$)/)
    }
  }
})
