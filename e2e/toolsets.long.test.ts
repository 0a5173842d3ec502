import path from 'node:path'
import { expect, test } from 'vitest'
import { runNode, temporaryDirectory } from './command.ts'

const programOf = (app: string) => path.join(import.meta.dirname, '..', 'apps', app, 'dist', 'main.js')
const storage = programOf('file-storage')
const run = async (...args: string[]) => runNode([storage, ...args, '--embedded', '--data-dir', await temporaryDirectory()])
const namesIn = (output: string) => [...output.matchAll(/^FileStorage_(\w+)/gm)].map(([, name]) => name)

test('adds toolsets to the list, by option and by variable, and says which are off', async () => {
  const plain = await run('tools')
  expect(namesIn(plain.output)).toHaveLength(11)
  expect(plain.errors).toContain('More tools with --toolsets: content, access.')
  const content = await run('tools', '--toolsets', 'content')
  expect(namesIn(content.output)).toEqual([...namesIn(plain.output), ...namesIn(content.output).slice(11)])
  expect(namesIn(content.output)).toContain('ReadFile')
  expect(content.errors).toContain('More tools with --toolsets: access.')
  const all = await runNode([storage, 'tools', '--embedded'], { environment: { MCP_TOOLKITS_TOOLSETS: 'all' } })
  expect(namesIn(all.output)).toEqual(expect.arrayContaining(['ReadFile', 'SetGeneralAccess']))
  expect(namesIn((await run('tools', '--tools', 'ReadFile,WhoAmI')).output)).toEqual(['WhoAmI', 'ReadFile'])
})

test('explains a tool of a toolset, calls it, and names the toolset of one that is off', async () => {
  const file = ['call', 'ReadFile', '--file-path-or-id', 'Team/Working agreement.md']
  const help = await run('call', 'ReadFile', '--help', '--toolsets', 'content')
  expect([help.code, help.output]).toEqual([0, expect.stringContaining('--file-path-or-id')])
  expect((await run(...file, '--toolsets', 'content')).output).toContain('agree')
  const off = await run(...file)
  expect([off.code, off.errors]).toEqual([2, expect.stringContaining('It is in the toolset content')])
})

test.for([
  ['--toolsets', 'contents', 'names unknown toolsets: contents. Toolsets: content, access, all.'],
  ['--toolsets', '', '--toolsets must be comma-separated names of toolsets'],
  ['--tools', 'ReadFiles', '--tools names unknown tools: ReadFiles.'],
] as const)('refuses %s "%s"', async ([option, value, message]) => {
  const { code, errors } = await run('tools', option, value)
  expect([code, errors]).toEqual([2, expect.stringContaining(message)])
})

test('warns of a list that clients may drop, and shows the toolsets in status and doctor', async () => {
  const tracker = programOf('issue-tracker')
  const directory = await temporaryDirectory()
  const all = await runNode([tracker, 'tools', '--toolsets', 'all'])
  expect(all.errors).toContain('some clients drop a list over 48 KB')
  expect((await runNode([tracker, 'tools'])).errors).not.toContain('48 KB')
  const status = await runNode([tracker, 'status', '--json', '--toolsets', 'triage', '--embedded', '--data-dir', directory])
  expect(JSON.parse(status.output)).toMatchObject({ toolsets: { on: ['triage'], off: ['planning', 'attachments'] } })
  const doctor = await runNode([tracker, 'doctor', '--toolsets', 'all', '--embedded', '--data-dir', directory])
  expect(doctor.output).toMatch(/warning\s+Tools\s+The list of tools takes/)
})

test('hands the toolsets on to the configuration of a client', async () => {
  const { output } = await run('config', 'cursor', '--toolsets', 'content')
  expect(output).toMatch(/"--toolsets",\s*"content"/)
})
