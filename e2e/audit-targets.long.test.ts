import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import { openToolbox, withToolsets } from '@mcp-toolkits/server/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { jsonLog } from '../packages/server/src/mcp/log.ts'
import { serveInProcess } from '../packages/server/src/serve/library/in-process.ts'
import { createAudit } from '../packages/team/src/audit-log.ts'
import { fileStorage, issueTracker } from '../servers.ts'
import { temporaryDirectory } from './command.ts'

/** A client of a server with all its tools, and the lines of the audit log. */
async function audited<Context>(definition: ServerDefinition<Context>) {
  const lines: string[] = []
  const settings: Settings = {
    embedded: true,
    dataDirectory: await temporaryDirectory(),
    readOnly: false,
    toolNames: 'safe',
    environment: {},
    toolsets: ['all'],
  }
  const log = jsonLog('silent', () => undefined)
  const audit = createAudit({ write: (line) => lines.push(line), clock: new ManualClock(), replica: 'one', log })
  const server = await withToolsets(definition, settings)
  const { fetch, close } = serveInProcess(server, openToolbox(server, settings, { log, audit }), { log })
  onTestFinished(close)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const transport = { fetch: (url: string | URL, init?: RequestInit) => fetch(new Request(url, init)) }
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), transport))
  onTestFinished(() => client.close())
  return { client, entries: () => lines.map(parseJson).filter(isObject) }
}

/** Names of things that look like ids. */
const names = ['Layoffs-2026', 'Q3-2026', 'layoffs-2026-engineering-and-sales', '1-on-1_Anna_Layoffs_Q3_2026_Draft', '202612311200']

it.each([fileStorage, issueTracker])('has no name that a call of $name gives for an id', async ({ withDefinition }) => {
  const { client, entries } = await withDefinition(async (definition) => audited(definition))
  const { tools } = await client.listTools()
  const calls = tools.flatMap(({ name, inputSchema }, index) => {
    // An issue has no name, and Q3-2026 could be an issue identifier.
    const ids = Object.keys(inputSchema.properties ?? {}).filter((argument) => /ids?$/.test(argument) && argument !== 'issue_id')
    const args = Object.fromEntries(ids.map((id) => [id, names[index % names.length]]))
    return ids.length === 0 ? [] : [{ name, arguments: args }]
  })
  for (const call of calls) await client.callTool(call)
  const given = entries().flatMap((entry) => entry['targets'] ?? [])
  expect([entries().length, given.filter((target) => names.some((name) => name === target))]).toEqual([calls.length, []])
  expect(calls.length).toBeGreaterThan(0)
})

it('has the ids of a call that fails', async () => {
  const tracker = await issueTracker.withDefinition(async (definition) => audited(definition))
  const id = '0c1f6e0e-4d6b-4c0e-9a51-3f6d0c0a9b12'
  await tracker.client.callTool({ name: 'IssueTracker_GetIssue', arguments: { issue_id: 'ENG-9999' } })
  for (const project of [id, 'a1b2c3d4e5f6'])
    await tracker.client.callTool({ name: 'IssueTracker_GetProjectDescription', arguments: { project_id: project } })
  expect(tracker.entries().map((entry) => entry['targets'])).toEqual([['ENG-9999'], [id], ['a1b2c3d4e5f6']])
  const drive = await fileStorage.withDefinition(async (definition) => audited(definition))
  const file = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms'
  await drive.client.callTool({ name: 'FileStorage_DownloadFile', arguments: { file_path_or_id: file } })
  expect(drive.entries()).toMatchObject([{ outcome: 'not_found', targets: [file] }])
})
