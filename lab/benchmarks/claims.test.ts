// Checks figures in the README and the comparison against the runs that they come from.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { clients } from '../../packages/server/src/cli/clients/clients.ts'
import { readJson, root } from '../../releases/releases.ts'
import { servers } from '../../servers.ts'
import peers from './peers/results.json' with { type: 'json' }
import { tasks } from '../tasks/tasks/index.ts'

const read = (...names: readonly string[]) => readFileSync(path.join(root, ...names), 'utf8')
const readme = read('README.md')
const comparison = read('docs', 'comparison.md')
const pages = [readme, comparison].join('\n')
/** The servers that the pages compare with others, each with the name of its vendor and a keyword. */
const vendors = {
  'issue-tracker': ['Linear', 'linear'],
  'file-storage': ['Google Drive', 'google-drive'],
  'event-pipeline': ['Customer.io', 'customer.io'],
} as const
const ours = new Set(servers.map(({ name }) => name))

/** The figure between two texts on a page, which must occur once. */
function figure(page: string, pattern: RegExp): number {
  const found = [...page.matchAll(new RegExp(pattern, 'g'))]
  expect(found, String(pattern)).toHaveLength(1)
  return Number(found[0]?.[1])
}

test('a list of 50 issues takes as many requests as the pages say', () => {
  const lists = peers.jobs.filter(({ job }) => job === 'list 50 issues')
  const requestsOf = (name: string) => lists.find((row) => row.name === name)?.requests
  expect(requestsOf('issue-tracker')).toBe(1)
  expect(figure(readme, /Requests to list 50 issues .*1 to (\d+)/)).toBe(Math.max(...lists.map(({ requests = 0 }) => requests)))
  expect(comparison).toMatch(
    new RegExp(
      `Requests for a list of 50 .*\\| 1 +\\| \\? +\\| \\? +\\| ${requestsOf('@tacticlaunch/mcp-linear')} +\\| ${requestsOf('mcp-server-linear')} +\\|`,
    ),
  )
})

test('a silent vendor ends a call of ours in time, and none of theirs', () => {
  const silent = peers.faults.filter(({ fault }) => fault === 'hang')
  const limit = figure(readme, /report an unresponsive vendor after (\d+) seconds instead of hanging/)
  for (const { name, outcome, seconds } of silent) {
    if (!ours.has(name)) expect(outcome, name).toBe('no answer')
    else expect([outcome, Math.floor(seconds)]).toEqual(['error', limit])
  }
})

test('a repeated create leaves one of ours, and two issues or files of theirs', () => {
  const { rows } = peers.repeats
  expect(rows.length).toBeGreaterThan(8)
  for (const { name, job, created } of rows.filter((row) => !row.job.includes('folder') || ours.has(row.name)))
    expect([name, job, created]).toEqual([name, job, ours.has(name) ? 1 : 2])
})

test('the peers have as many tools as the comparison says', () => {
  for (const { name, tools } of peers.starts.filter((row) => !ours.has(row.name)))
    expect(figure(comparison, new RegExp(`npmjs.com/package/${name}\\), (\\d+)`)), name).toBe(tools)
})

test('our tools, clients and tasks are as many as the pages say', async () => {
  const compared = servers.filter(({ name }) => Object.hasOwn(vendors, name))
  for (const { name, tools, withDefinition } of compared) {
    const groups = await withDefinition(async ({ toolsets = {} }) =>
      Promise.all(Object.values(toolsets).map(async ({ listed }) => (await listed()).listedTools.length)),
    )
    expect(comparison, name).toContain(`ours, ${tools.length} + ${groups.reduce((sum, count) => sum + count, 0)} `)
  }
  expect(comparison.match(/\| ours, /g), 'one table for each server in `vendors`').toHaveLength(compared.length)
  expect(figure(readme, /`config` supports \[(\d+) clients\]/)).toBe(Object.keys(clients).length)
  expect(tasks).toHaveLength(60)
})

test('each server is found under the name of its vendor', () => {
  for (const [name, [vendor, keyword]] of Object.entries(vendors)) {
    const { description, keywords } = readJson(path.join(root, 'apps', name, 'package.json'))
    expect(description).toContain(vendor)
    expect(keywords).toContain(keyword)
    for (const file of [`apps/${name}/server.json`, `apps/${name}/mcpb/manifest.json`])
      expect(read(file)).toMatch(new RegExp(`"(?:title|display_name)": "[^"]*${vendor}"`))
    for (const file of [`apps/${name}/README.md`, `docs/tools/${name}.md`]) expect(read(file).split('\n')[0]).toContain(vendor)
    expect(pages).toContain(vendor)
  }
})
