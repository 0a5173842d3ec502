import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exitOf, runNode, startNode } from './command.ts'
import { collectOutput } from '../packages/testing/src/processes/process.ts'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'e2e-seeds-'))
})
afterAll(() => {
  rmSync(directory, { recursive: true })
})

const root = path.join(import.meta.dirname, '..')
const main = (server: string) => path.join(root, 'apps', server, 'dist', 'main.js')
const tracker = main('issue-tracker')
const sample = (name: string) => path.join(root, 'docs', 'emulators', 'samples', name)
const inDirectory = (name: string) => ['--embedded', '--data-dir', path.join(directory, name)]
const call = (server: string, tool: string, args: object, ...options: readonly string[]) =>
  runNode([main(server), 'call', tool, JSON.stringify(args), ...options])

test.for([
  ['without --seed, the company', [], 'Routes are lost when two guides edit the same one offline'],
  ['edge-cases', ['--seed', 'edge-cases'], 'Checklist: connect a repository'],
  ['a file', ['--seed', sample('linear.yaml')], 'The dough does not rise'],
] as const)('a new data directory starts with %s', async ([name, options, title]) => {
  const { output } = await call('issue-tracker', 'ListIssues', { limit: 50 }, ...options, ...inDirectory(name))
  expect(output).toContain(title)
})

test('the embedded drive and events start with a file', async () => {
  const drive = await call('file-storage', 'GetFileTreeStructure', {}, '--seed', sample('drive.yaml'), ...inDirectory('drive'))
  expect(drive.output).toContain('Prices.csv')
  const child = startNode([main('event-pipeline'), 'emulator', '--seed', sample('pipelines.yaml'), ...inDirectory('events')])
  const url = await collectOutput(child.stdout).match(/listens on (http:\S+)/)
  const events = await fetch(`${url}/__emulator/events`).then((response) => response.text())
  expect(events).toContain('Bread Ordered')
  child.kill('SIGTERM')
  expect(await exitOf(child)).toBe(0)
})

test('a directory that has data keeps it, and each command says that the seed was not used', async () => {
  const options = inDirectory('existing')
  await call('issue-tracker', 'WhoAmI', {}, '--seed', 'empty', ...options)
  const second = await call('issue-tracker', 'ListIssues', {}, '--seed', 'company', '--log-level', 'warn', ...options)
  expect(second.output).not.toContain('ENG-1')
  expect(second.errors).toContain('The seed company was not used: it fills only a new database')
  const child = startNode([tracker, 'emulator', '--seed', 'company', ...options])
  expect(await collectOutput(child.stdout).match(/(The seed company was not used)/)).toBe('The seed company was not used')
  child.kill('SIGTERM')
  expect(await exitOf(child)).toBe(0)
})

test.each([
  ['event-pipeline', 'EVENT_PIPELINE_API_KEY', 'EVENT_PIPELINE_API_URL', '/v1'],
  ['file-storage', 'FILE_STORAGE_ACCESS_TOKEN', 'FILE_STORAGE_API_URL', ''],
  ['issue-tracker', 'ISSUE_TRACKER_API_KEY', 'ISSUE_TRACKER_API_URL', '/graphql'],
])('%s says that a seed has no effect beside an account, also to call', async (server, variable, url, suffix) => {
  const call = async (environment: Readonly<Record<string, string>>) => {
    const tool = server === 'event-pipeline' ? ['AddToGroup', '--mode', 'get_request_schema'] : ['WhoAmI']
    const args = [main(server), 'call', ...tool, '--seed', 'empty', '--data-dir', path.join(directory, server)]
    return (await runNode(args, { environment })).errors.split('The seed has no effect').length - 1
  }
  expect([await call({ [variable]: 'canary', [url]: `http://127.0.0.1:9${suffix}` }), await call({})]).toEqual([1, 0])
})

test('a file that cannot be used is named with its line, and leaves nothing behind', async () => {
  const file = path.join(directory, 'wrong.yaml')
  writeFileSync(file, 'organization: B\nviewer: Anna\nusers: [{name: Anna}]\nteams:\n- {key: BRD, name: Bread, members: [Ben]}\n')
  const said =
    'wrong.yaml, line 5: teams[0].members[0]: there is no user called "Ben" in this seed. Correct that, or start with another --seed.'
  const emulator = await runNode([tracker, 'emulator', '--seed', file, ...inDirectory('wrong')])
  expect([emulator.code, emulator.errors]).toEqual([1, `issue-tracker: ${said}\n`])
  const called = await call('issue-tracker', 'WhoAmI', {}, '--seed', file, ...inDirectory('wrong'))
  expect([called.code, called.errors]).toEqual([1, expect.stringContaining(JSON.stringify(said).slice(1, -1))])
  const again = await call('issue-tracker', 'WhoAmI', {}, '--seed', 'company', ...inDirectory('wrong'))
  expect(again.errors).not.toContain('was not used')
})

test('a word that is no seed is a usage error', async () => {
  const { code, errors } = await runNode([tracker, '--seed', 'compnay'])
  expect([code, errors]).toEqual([
    2,
    expect.stringContaining(
      'issue-tracker: --seed must be company, edge-cases, empty, or the path of a .yaml or .json file, not "compnay". Did you mean company? Try `node ',
    ),
  ])
})

test('config writes the path of a seed so that a client finds it', async () => {
  const { output } = await runNode([tracker, 'config', 'cursor', '--seed', 'seed.yaml'])
  expect(output).toContain(JSON.stringify(path.resolve('seed.yaml')).slice(1, -1))
})
