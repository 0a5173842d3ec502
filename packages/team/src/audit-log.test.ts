import { chmod, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Caller } from '@mcp-toolkits/core/base'
import { rememberSecret } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it, onTestFinished } from 'vitest'
import { auditFile, createAudit } from './audit-log.ts'
import type { Settings } from '../../server/src/mcp/definition.ts'
import type { ToolResource } from '../../server/src/mcp/reading/readable.ts'
import { mcpServerFactory } from '../../server/src/mcp/mcp.ts'
import { withCaller } from '../../server/src/mcp/calls/current-request.ts'
import { diaryGrant, DiaryHouse, diaryServer } from '../test/accounts/diary.ts'
import { openOffice } from '../test/accounts/office.ts'
import { jsonLog } from '../../server/src/mcp/log.ts'
import { bookshelfServer, Bookshelf, newDirectory } from '../../server/test/bookshelf.ts'
import { openToolbox } from '../../server/src/mcp/calls/toolbox.ts'

const silent = jsonLog('silent', () => undefined)

/** A server for many people with an audit log, and a client for each person. */
async function open({
  settings,
  resources = [],
}: { readonly settings?: Partial<Settings>; readonly resources?: readonly ToolResource[] } = {}) {
  const house = new DiaryHouse()
  const clock = new ManualClock({ start: Date.UTC(2026, 6, 28), skipSleeps: false })
  const lines: string[] = []
  const audit = createAudit({ write: (line) => lines.push(line), clock, replica: 'one', log: silent })
  const diary = diaryServer(house)
  const definition = { ...diary, load: { ...diary.load, readable: () => Promise.resolve({ skills: [], resources }) } }
  const office = await openOffice(definition, { clock, audit, ...(settings && { settings }) })
  const anna = office.caller('anna', { clientId: 'the client' })
  await office.grant(anna, diaryGrant(house.admit('anna')))
  const handler = createMcpHandler(mcpServerFactory(definition, office.toolbox, { key: new Uint8Array(32) }))
  const clientOf = async (caller: Caller, { visits = false, headers = {} } = {}) => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: visits ? { elicitation: { url: {} } } : {} },
    )
    if (visits) client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }))
    onTestFinished(() => client.close())
    const fetch = (url: string | URL, init?: RequestInit) => withCaller(caller, () => handler.fetch(new Request(url, init)))
    await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch, requestInit: { headers } }))
    return client
  }
  const entries = () => lines.map((line): unknown => JSON.parse(line))
  return { ...office, house, clock, anna, audit, lines, entries, clientOf }
}

const trace = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${trace}-b7ad6b7169203331-01`
const person = { issuer: 'https://company.example', subject: 'anna', client: 'the client', profile: 'default' }
const base = { ...person, time: '2026-07-28T00:00:00.000Z', ms: 0, replica: 'one' }

it('has one line for a call that succeeds, with the ids of what it was about and none of its content', async () => {
  const { clientOf, anna, entries, lines, house } = await open()
  const client = await clientOf(anna)
  await client.callTool({ name: 'Diary_AddEntry', arguments: { text: 'Dear diary 1' }, _meta: { traceparent } })
  const [id = ''] = house.diaries.get('anna')?.keys() ?? []
  expect(entries()).toEqual([{ ...base, trace, tool: 'AddEntry', effect: 'create', targets: [id], outcome: 'ok' }])
  expect(lines.join('')).not.toContain('Dear')
})

it('has the trace of a resource that is read, from the header', async () => {
  const resource = { name: 'me', title: 'T', description: 'D', uriTemplate: 'diary://people/{name}', tool: 'WhoAmI' }
  const { clientOf, anna, entries } = await open({ resources: [resource] })
  const client = await clientOf(anna, { headers: { traceparent } })
  await expect(client.readResource({ uri: 'diary://people/ben' })).rejects.toThrow('name')
  expect(entries()).toEqual([{ ...base, trace, tool: 'WhoAmI', effect: 'read', outcome: 'invalid_input' }])
})

it('has one line for a call that fails, and one for each time that the client makes it', async () => {
  const { clientOf, anna, caller, entries, house } = await open()
  house.onWritten = () => Promise.reject(new Error('The line is dead.'))
  await (await clientOf(anna)).callTool({ name: 'Diary_AddEntry', arguments: { text: 'x' } })
  await (await clientOf(caller('ben'))).callTool({ name: 'Diary_WhoAmI', arguments: {} })
  await (await clientOf(caller('ben'), { visits: true })).callTool({ name: 'Diary_WhoAmI', arguments: {} })
  expect(entries()).toMatchObject([
    { subject: 'anna', tool: 'AddEntry', outcome: 'internal' },
    { subject: 'ben', tool: 'WhoAmI', outcome: 'unauthenticated' },
    { subject: 'ben', tool: 'WhoAmI', outcome: 'input_required' },
    { subject: 'ben', tool: 'WhoAmI', outcome: 'unauthenticated' },
  ])
})

it('has one line for a call that its client cancels', async () => {
  const { clientOf, anna, entries, house, clock } = await open()
  const client = await clientOf(anna)
  const gone = new AbortController()
  const call = client.callTool({ name: 'Diary_Ponder', arguments: {} }, { signal: gone.signal })
  await house.gate.holds(1)
  await clock.advance(1_500)
  gone.abort()
  await expect(call).rejects.toThrow()
  await expect
    .poll(entries)
    .toEqual([{ ...base, time: '2026-07-28T00:00:01.500Z', tool: 'Ponder', effect: 'read', outcome: 'cancelled', ms: 1_500 }])
})

it('has one line for a call of a tool that is not offered', async () => {
  const { clientOf, anna, entries } = await open({ settings: { readOnly: true } })
  const client = await clientOf(anna)
  await expect(client.callTool({ name: 'Diary_AddEntry', arguments: { text: 'x' } })).rejects.toThrow('Unknown tool')
  await expect(client.callTool({ name: 'Dear diary', arguments: {} })).rejects.toThrow('Unknown tool')
  expect(entries()).toEqual([
    { ...base, outcome: 'unknown_tool' },
    { ...base, outcome: 'unknown_tool' },
  ])
})

it('stays JSON and names the person, whatever text is a secret', async () => {
  const { audit, anna, entries } = await open()
  for (const text of ['"outcome":"refused"', anna.issuer, 'canary-secret']) rememberSecret(text)
  audit.refused({ status: 403, problem: 'It says canary-secret.', caller: anna })
  expect(entries()).toEqual([{ ...person, time: base.time, replica: 'one', outcome: 'refused', status: 403, problem: 'It says [secret].' }])
})

it('has one line for a request that is refused', async () => {
  const { audit, anna, entries, clientOf, house } = await open()
  audit.refused({ status: 401, problem: 'The token has expired.' })
  audit.refused({ status: 403, problem: 'This request needs a token with the scope diary:write.', caller: anna, tools: ['AddEntry'] })
  const client = await clientOf(anna)
  const request = client.request({
    method: 'tools/call',
    params: { name: 'Diary_WhoAmI', arguments: {}, requestState: 'v1.forged.forged' },
  })
  await expect(request).rejects.toThrow()
  const refused = { time: base.time, replica: 'one', outcome: 'refused' }
  expect(entries()).toEqual([
    { ...refused, status: 401, problem: 'The token has expired.' },
    { ...refused, ...person, tools: ['AddEntry'], status: 403, problem: 'This request needs a token with the scope diary:write.' },
    { ...refused, ...person, status: 400, problem: 'The state of an elicitation was not made for this caller, or has expired.' },
  ])
  expect(house.opened).toEqual([])
})

it('has a line for each of many calls', async () => {
  const { clientOf, anna, caller, entries, grant, house } = await open()
  await grant(caller('ben'), diaryGrant(house.admit('ben')))
  const clients = [await clientOf(anna), await clientOf(caller('ben'))]
  const call = async (index: number) => clients[index % 2]?.callTool({ name: 'Diary_WhoAmI', arguments: {} })
  await Promise.all(Array.from({ length: 50 }, (_, index) => call(index)))
  const subjects = entries().map((entry) => JSON.stringify(entry).includes('"subject":"anna"'))
  expect([subjects.length, subjects.filter(Boolean).length]).toEqual([50, 25])
})

it('works for a server with one account, whose callers it does not know', async () => {
  const lines: string[] = []
  const audit = createAudit({ write: (line) => lines.push(line), clock: new ManualClock(), replica: 'one', log: silent })
  const definition = bookshelfServer(new Bookshelf())
  const settings = { embedded: false, dataDirectory: await newDirectory(), readOnly: false, toolNames: 'safe', environment: {} } as const
  const toolbox = openToolbox(definition, settings, { log: silent, audit })
  onTestFinished(toolbox.close)
  const handler = createMcpHandler(mcpServerFactory(definition, toolbox))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: (url, init) => handler.fetch(new Request(url, init)) }),
  )
  await client.callTool({ name: 'Shelf_FindBook', arguments: { title: 'Emma' } })
  await client.close()
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([{ tool: 'FindBook', effect: 'read', outcome: 'ok' }])
  expect(lines.join('')).not.toContain('Emma')
})

it('names the service account with which all calls act', async () => {
  const lines: string[] = []
  const service = 'robot@project.iam.gserviceaccount.com'
  const audit = createAudit({ write: (line) => lines.push(line), clock: new ManualClock(), replica: 'one', service, log: silent })
  const call = { caller: undefined, tool: undefined, args: {}, signal: new AbortController().signal }
  await audit.call(call, () => Promise.resolve({ ok: true, data: {} }))
  audit.refused({ status: 401, problem: 'The request has no token of this server.' })
  const time = '2026-01-01T00:00:00.000Z'
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { time, service, outcome: 'ok', ms: 0, replica: 'one' },
    { time, outcome: 'refused', status: 401, problem: 'The request has no token of this server.', replica: 'one' },
  ])
})

it('goes to a file that only its user reads and that can be moved away', async () => {
  const file = path.join(await newDirectory(), 'audit.jsonl')
  const write = auditFile(file)
  const audit = createAudit({ write, clock: new ManualClock(), replica: 'one', log: silent })
  audit.refused({ status: 401, problem: 'First.' })
  await rename(file, `${file}.1`)
  audit.refused({ status: 401, problem: 'Second.' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await chmod(file, 0o644)
  audit.refused({ status: 401, problem: 'Third.' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect([await readFile(`${file}.1`, 'utf8'), await readFile(file, 'utf8')].map((text) => text.split('\n').length)).toEqual([2, 3])
})

it('cannot go to a file that cannot be written, and says so at once', () => {
  expect(() => auditFile('/nowhere/audit.jsonl')).toThrow('The audit log cannot be written to /nowhere/audit.jsonl (ENOENT). Give --audit')
})

it('logs a line that cannot be written, and goes on', () => {
  const logged: string[] = []
  const log = jsonLog('error', (line) => logged.push(line))
  const write = () => {
    throw new Error('The disk is full.')
  }
  createAudit({ write, clock: new ManualClock(), replica: 'one', log }).refused({ status: 401, problem: 'x' })
  expect(logged.join('')).toContain('A line could not be written.')
})
