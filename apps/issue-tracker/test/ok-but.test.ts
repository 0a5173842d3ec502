import { isObject, member, parseJson } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { runs } from '@mcp-toolkits/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import type { Args } from './calls.ts'
import { firstComment } from './writing-calls.ts'
import { workspace, type Workspace } from './workspace.ts'

/* Tests what happens if Linear answers "success" but does nothing, or only part of what was requested. */

const text = { description: 'A text that was not there before.' }
/** A call of every tool that writes; it sets everything that it can to a different value. */
const calls: Readonly<Record<string, (server: Workspace) => Args>> = {
  CreateIssue: () => ({
    ...{ team: 'ENG', title: 'New', ...text, assignee: 'Ada Okafor', labels_to_add: ['Bug'], priority: 'urgent', state: 'Todo' },
    ...{ project: 'Billing rewrite', cycle: 'current', parent_issue: 'ENG-1', estimate: 3, due_date: '2027-01-31' },
  }),
  UpdateIssue: () => ({
    ...{ issue_id: 'ENG-9', title: 'New', ...text, assignee: 'Ada Okafor', labels_to_add: ['qa/cleanup'], priority: 'low' },
    ...{
      state: 'In Review',
      project: 'Billing rewrite',
      cycle: 'current',
      estimate: 8,
      due_date: '2027-01-31',
      labels_to_remove: ['Security'],
      attachment_url: 'https://acme.example/plan',
      attachment_title: 'Plan',
    },
  }),
  TransitionIssueState: () => ({ issue_id: 'ENG-3', target_state: 'Done' }),
  ArchiveIssue: () => ({ issue: 'OPS-3' }),
  CreateIssueRelation: () => ({ issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' }),
  ManageIssueSubscription: () => ({ issue: 'OPS-2', subscribe: true }),
  LinkCodeHostToIssue: () => ({ issue: 'ENG-1', code_host_url: 'https://github.com/acme/app/pull/12', title: 'Ours' }),
  AddComment: () => ({ issue: 'ENG-1', body: 'Seen.' }),
  UpdateComment: (server) => ({ comment_id: firstComment(server).own, body: 'Another text.' }),
  ReplyToComment: (server) => ({ issue: firstComment(server).issue, parent_comment_id: firstComment(server).id, body: 'Thanks.' }),
  CreateProject: () => ({
    ...{ name: 'New', team: 'ENG', ...text, state: 'started', lead: 'Ada Okafor', start_date: '2026-01-01', target_date: '2027-01-31' },
  }),
  UpdateProject: () => ({
    ...{ project_id: 'Apollo', name: 'New', ...text, state: 'paused', lead: 'priya.nair@lodestar.example', start_date: '2026-01-02' },
    ...{ target_date: '2028-01-31', teams_to_add: ['OPS'], teams_to_remove: ['DES'] },
  }),
  CreateProjectUpdate: () => ({ project_id: 'Apollo', body: 'Fine.', health: 'offTrack' }),
  ArchiveProject: () => ({ project: 'Apollo' }),
  CreateInitiative: () => ({ name: 'New', ...text, status: 'started', target_date: '2027-01-31' }),
  UpdateInitiative: () => ({ initiative_id: 'Reliability', name: 'New', ...text, status: 'completed', target_date: '2028-01-31' }),
  AddProjectToInitiative: () => ({ initiative: 'Brand refresh', project: 'Apollo' }),
  ArchiveInitiative: () => ({ initiative: 'Brand refresh' }),
}
const tools = await issueTracker.load.tools()
const writing = tools.filter(({ effect }) => effect !== 'read')
/** Tools that change things. If their call has no effect, that is an error, because there is nothing new to show. */
const changing = writing.filter(({ effect, name }) => effect !== 'create' && name !== 'LinkCodeHostToIssue').map(({ name }) => name)

/** The parameter behind each of Linear's fields. */
const parameters: Readonly<Record<string, string>> = {
  ...{ title: 'title', name: 'name', description: 'description', assigneeId: 'assignee', leadId: 'lead', labelIds: 'labels_to_add' },
  ...{ addedLabelIds: 'labels_to_add', removedLabelIds: 'labels_to_remove', priority: 'priority', projectId: 'project', cycleId: 'cycle' },
  ...{ parentId: 'parent_issue', estimate: 'estimate', dueDate: 'due_date', startDate: 'start_date', targetDate: 'target_date' },
  ...{ status: 'status', health: 'health' },
}
const parameterOf = (tool: string, field: string) => {
  if (field === 'stateId') return tool === 'TransitionIssueState' ? 'target_state' : 'state'
  if (field === 'parentId' && tool === 'ReplyToComment') return 'parent_comment_id'
  return field === 'statusId' ? 'state' : parameters[field]
}

/** Fields that Linear requires, or without which there is nothing to create. */
const kept: readonly string[] = ['id', 'teamId', 'issueId', 'relatedIssueId', 'type', 'initiativeId']
const keptByCreate: readonly string[] = [...kept, 'title', 'name', 'teamIds', 'body', 'projectId']

interface Vendor {
  /** True if Linear applies an input's field. */
  readonly takes: (field: string) => boolean
  /** Changes the response to a mutation. */
  readonly answers?: (data: unknown) => unknown
}

/** A workspace in a Linear that answers "success" to everything. */
async function at(vendor: Vendor, dropped: string[] = []): Promise<Workspace> {
  const emulators: Fetch[] = []
  const fetch: Fetch = async (input, init) => {
    const [emulator] = emulators
    const request = new Request(input, init)
    const body = parseJson(await request.clone().text())
    const query = String(member(body, 'query'))
    if (!emulator || !isObject(body)) throw new Error('There is no workspace yet.')
    if (!query.startsWith('mutation')) return emulator(request)
    const response = await emulator(new Request(request, { body: JSON.stringify(without(body, vendor, dropped)) }))
    return Response.json(vendor.answers ? vendor.answers(await response.json()) : await response.json(), { headers: response.headers })
  }
  const server = await workspace({ vendor: fetch })
  emulators.push(server.emulator.fetch)
  return server
}

/** The body without the fields that Linear ignores. */
function without(body: Readonly<Record<string, unknown>>, { takes }: Vendor, dropped: string[]) {
  const input = member(body['variables'], 'input')
  if (!isObject(input) || !isObject(body['variables'])) return body
  const isCreate = String(body['query']).includes('Create(input: $input')
  const has = (name: string) => (isCreate ? keptByCreate : kept).includes(name) && !(name === 'projectId' && 'title' in input)
  // The two texts of a record are one parameter, and so are the teams.
  const taken = (name: string) => has(name) || takes(name === 'content' ? 'description' : name)
  dropped.push(...Object.keys(input).filter((name) => !taken(name)))
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => taken(name)))
  return { ...body, variables: { ...body['variables'], input: rest } }
}

/** The response of a Linear that ignored even the fields that an input must have. */
function undone(value: unknown, name = ''): unknown {
  if (name === 'archivedAt') return null
  if (name === 'body') return ''
  if (name === 'type' && value === 'blocks') return 'related'
  if (name === 'initiativeToProject') return { id: member(value, 'id'), initiative: other, project: other }
  if (name === 'subscribers') return { nodes: [] }
  if (name === 'attachment') return { id: member(value, 'id'), title: 'Other', url: 'https://other.example' }
  if (Array.isArray(value)) return value.map((each) => undone(each))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, undone(each, key)]))
}
const other = { id: 'other', name: 'Other' }

interface Outcome {
  readonly code: unknown
  readonly retryable: unknown
  /** The parameters that, according to the result, Linear did not apply. */
  readonly missing: readonly string[]
}

async function outcomeOf(server: Workspace, tool: string): Promise<Outcome> {
  const { content } = await server.result(`IssueTracker.${tool}`, calls[tool]?.(server))
  const [block] = content
  const result = block?.type === 'text' ? parseJson(block.text) : undefined
  const error = member(result, 'error')
  const said = String(error === undefined ? member(result, 'notices') : member(error, 'message'))
  const [, one, two] =
    /did not take effect: (.+?)\. The result|shows no change: (.+?) (?:does not have|do not have|is not archived|are not archived)/.exec(
      said,
    ) ?? []
  const missing = (one ?? two ?? '').split(/, | and /).filter((name) => name !== '')
  return { code: member(error, 'code'), retryable: member(error, 'retryable'), missing }
}

test('has a call for every tool that writes', () => {
  expect(Object.keys(calls).toSorted()).toEqual(writing.map(({ name }) => name).toSorted())
})

test.for(writing.map(({ name }) => name))('%s: "success: false" is not a success', async (tool) => {
  await using server = await at({ takes: () => true, answers: failed })
  expect(await outcomeOf(server, tool)).toMatchObject({ code: 'unavailable', retryable: false })
})

function failed(answer: unknown): unknown {
  const payloads = member(answer, 'data')
  return { data: Object.fromEntries(Object.keys(isObject(payloads) ? payloads : {}).map((name) => [name, { success: false }])) }
}

test.for(writing.map(({ name }) => name))('%s: reports a "success" that changed nothing', async (tool) => {
  const dropped: string[] = []
  await using server = await at({ takes: () => false, answers: undone }, dropped)
  const { code, missing } = await outcomeOf(server, tool)
  expect(code).toBe(changing.includes(tool) ? 'unavailable' : undefined)
  expect(missing).not.toEqual([])
  expect(missing).toEqual(expect.arrayContaining(dropped.flatMap((field) => parameterOf(tool, field) ?? [])))
})

test('no tool reports a change that the record does not show', async () => {
  const fields = fc.subarray([...Object.keys(parameters), 'stateId', 'statusId', 'teamIds', 'content'])
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...writing.map(({ name }) => name)), fields, async (tool, ignored) => {
      const dropped: string[] = []
      await using server = await at({ takes: (field) => !ignored.includes(field) }, dropped)
      const { missing } = await outcomeOf(server, tool)
      const expected = dropped.flatMap((field) => parameterOf(tool, field) ?? [])
      const teams = dropped.includes('teamIds') ? ['teams_to_add', 'teams_to_remove'] : []
      expect(missing.toSorted()).toEqual([...new Set([...expected, ...teams])].toSorted())
    }),
    { numRuns: runs(40) },
  )
})
