import { isObject, member, parseJson } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { withToolsets } from '@mcp-toolkits/server/mcp'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import type { Args } from './calls.ts'
import { firstComment } from './writing-calls.ts'
import { workspace, type Workspace } from './workspace.ts'

/* Tests what the toolsets' tools do if Linear answers "success" but does nothing. */

const text = 'A text that was not there before.'
/** Calls by tool; if a tool has two, the key also says how they differ. */
const calls: Readonly<Record<string, (server: Workspace) => Args>> = {
  UpsertMilestone: () => ({ project: 'Apollo', name: 'New', description: text, target_date: '2027-01-31' }),
  AddProjectComment: () => ({ project: 'Apollo', body: text, quoted_text: 'Apollo' }),
  ReplyToProjectComment: (server) => ({ project: 'Apollo', parent_comment_id: commentOnProject(server), body: text }),
  ResolveComment: (server) => ({ comment_id: firstComment(server).id }),
  CreateProjectStatus: () => ({ name: 'New', status_type: 'started', description: text }),
  CreateDocument: () => ({ title: 'New', content: text, project: 'Apollo' }),
  UpdateDocument: () => ({ document: 'Noted', content: text }),
  EditDescription: () => ({ issue: 'ENG-9', action: 'append', text, expected_version: '' }),
  BatchCreateIssues: () => ({ issues: [{ team: 'ENG', title: 'New', description: text, priority: 'urgent', labels_to_add: ['Bug'] }] }),
  BatchUpdateIssues: () => ({ issues: [{ issue_id: 'ENG-9', description: text, priority: 'low', estimate: 8 }] }),
  SetParentIssue: () => ({ issue: 'ENG-3', parent_issue: 'ENG-4' }),
  DeleteIssueRelation: () => ({ issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' }),
  UnarchiveIssue: () => ({ issue: 'OPS-3' }),
  SetIssueMilestone: () => ({ issue: 'ENG-1', milestone: 'none' }),
  MoveIssueToTeam: () => ({ issue: 'ENG-3', team: 'DES' }),
  'AttachFile to an issue': () => ({ issue: 'ENG-3', content: 'a', file_name: 'a.txt' }),
  'AttachFile to a comment': () => ({ issue: 'ENG-3', content: 'a', file_name: 'a.txt', comment: text }),
}
const toolOf = (call: string) => call.split(' ')[0] ?? ''

const commentOnProject = ({ emulator: { store } }: Workspace) => store.comments().find(({ projectId }) => projectId !== null)?.['id']

/** Fields without which there is nothing to create. */
const kept = ['id', 'teamId', 'title', 'name', 'type', 'color', 'position', 'projectId', 'issueId', 'url', 'body', 'teamIds']

/** An input with only the fields needed to create or find something. */
function emptied(input: unknown): unknown {
  if (!isObject(input)) return input
  if (Array.isArray(input['issues'])) return { issues: input['issues'].map(emptied) }
  const isNew = 'id' in input
  return Object.fromEntries(Object.entries(input).filter(([name]) => isNew && kept.includes(name)))
}

/** The response of a Linear that ignored even the fields that an input must have. */
function undone(value: unknown, isRestored: boolean, name = ''): unknown {
  if (name === 'body') return ''
  if (name === 'archivedAt' && isRestored) return '2026-11-01T00:00:00.000Z'
  if (name === 'resolvedAt') return null
  if (name === 'attachment') return { id: member(value, 'id'), title: 'Other', url: 'https://other.example' }
  if (name === 'entityId') return 'other'
  if (name === 'type' && value === 'started') return 'paused'
  if (Array.isArray(value)) return value.map((each) => undone(each, isRestored))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, undone(each, isRestored, key)])) : value
}

async function ignoring(): Promise<Workspace> {
  const state: { fetch?: Fetch; isOn: boolean } = { isOn: false }
  const vendor: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = parseJson(await request.clone().text())
    const query = String(member(body, 'query'))
    if (!state.fetch) throw new Error('There is no workspace yet.')
    if (!state.isOn || !query.startsWith('mutation') || !isObject(body)) return state.fetch(request)
    const given = isObject(body['variables']) ? body['variables'] : {}
    const variables = Object.fromEntries(Object.entries(given).map(([name, each]) => [name, emptied(each)]))
    const answer = await state.fetch(new Request(request, { body: JSON.stringify({ ...body, variables }) }))
    const data = undone(await answer.json(), query.includes('issueUnarchive'))
    return Response.json(data, { headers: answer.headers })
  }
  const server = await workspace({ vendor, toolsets: ['all'] })
  state.fetch = server.emulator.fetch
  await server.call('IssueTracker.CreateDocument', { title: 'Noted', content: 'Before.', project: 'Apollo' })
  await server.call('IssueTracker.ArchiveIssue', { issue: 'OPS-3' })
  await server.call('IssueTracker.AddProjectComment', { project: 'Apollo', body: 'Before.' })
  await server.call('IssueTracker.CreateIssueRelation', { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' })
  state.isOn = true
  return server
}

test('has a call for every writing tool in a toolset', async () => {
  const all = await (await withToolsets(issueTracker, { toolsets: ['all'] })).load.tools()
  const own = new Set((await issueTracker.load.tools()).map(({ name }) => name))
  const writing = all.filter(({ name, effect }) => effect !== 'read' && !own.has(name)).map(({ name }) => name)
  expect([...new Set(Object.keys(calls).map(toolOf))].toSorted()).toEqual(writing.toSorted())
})

test.for(Object.keys(calls))('%s: reports a "success" that changed nothing', async (call) => {
  await using server = await ignoring()
  const [tool, args] = [toolOf(call), calls[call]?.(server)]
  const version =
    tool === 'EditDescription'
      ? member((await server.call('IssueTracker.GetIssue', { issue_id: 'ENG-9' }))['issue'], 'updated_at')
      : undefined
  const { content } = await server.result(`IssueTracker.${tool}`, { ...args, ...(version !== undefined && { expected_version: version }) })
  const [block] = content
  expect(block?.type === 'text' ? block.text : '').toMatch(
    /did not take effect|shows no change|not_applied|has not stored|is still archived|the thread is open|the relation is still there/,
  )
})

test.for([
  ['AttachFile to an issue', 'title and file'],
  ['AttachFile to a comment', 'comment and file'],
] as const)('%s: says that %s did not take effect', async ([call, fields]) => {
  await using server = await ignoring()
  const { notices } = await server.call('IssueTracker.AttachFile', calls[call]?.(server))
  expect(notices).toEqual([expect.stringContaining(`did not take effect: ${fields}.`)])
})

test('AttachFile says that a comment has lost its file', async () => {
  const place: { fetch?: Fetch } = {}
  await using server = await workspace({
    toolsets: ['all'],
    async vendor(input, init) {
      const request = new Request(input, init)
      const body = request.method === 'POST' ? (await request.text()).replace(/\[a\.txt\]\([^)]*\)/, 'a.txt') : undefined
      return place.fetch?.(body === undefined ? request : new Request(request, { body })) ?? Response.error()
    },
  })
  place.fetch = server.emulator.fetch
  const { notices } = await server.call('IssueTracker.AttachFile', calls['AttachFile to a comment']?.(server))
  expect(notices).toEqual([expect.stringContaining('did not take effect: file.')])
})
