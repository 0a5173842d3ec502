import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { initiativeNamed, projectNamed } from './project-calls.ts'
import { readingTools } from './schemas.ts'
import { workspace, type Workspace } from './workspace.ts'

const issue = (company: string) => `https://linear.app/${company}/issue/ENG-15/any`
const project = (server: Workspace, company: string) =>
  `https://linear.app/${company}/project/any-${String(projectNamed(server, 'Billing rewrite')['slugId'])}`
const initiative = (server: Workspace, company: string) =>
  `https://linear.app/${company}/initiative/any-${String(initiativeNamed(server, 'Reliability')['slugId'])}`

/** A call for every parameter that takes the address of a page, with a page of some workspace. */
function callsWith(server: Workspace, company: string): readonly (readonly [tool: string, parameter: string, args: Args])[] {
  const [anIssue, aProject, anInitiative] = [issue(company), project(server, company), initiative(server, company)]
  const pages = { issue: anIssue, issue_id: anIssue, project: aProject, project_id: aProject, initiative_id: anInitiative }
  const reads = readingTools.flatMap(({ name, properties }) =>
    Object.entries(pages).flatMap(([parameter, page]) =>
      parameter in properties ? [[name, parameter, { [parameter]: page }] as const] : [],
    ),
  )
  return [
    ...reads,
    ['GetProject', 'value', { value: aProject }],
    ['GetInitiative', 'value', { value: anInitiative }],
    ['CreateIssue', 'project', { team: 'ENG', title: 'x', project: aProject }],
    ['CreateIssue', 'parent_issue', { team: 'ENG', title: 'x', parent_issue: anIssue }],
    ['UpdateIssue', 'issue_id', { issue_id: anIssue, title: 'x' }],
    ['UpdateIssue', 'project', { issue_id: 'ENG-1', project: aProject }],
    ['TransitionIssueState', 'issue_id', { issue_id: anIssue, target_state: 'Done' }],
    ['CreateIssueRelation', 'issue', { issue: anIssue, related_issue: 'DES-1', relation_type: 'related' }],
    ['CreateIssueRelation', 'related_issue', { issue: 'DES-2', related_issue: anIssue, relation_type: 'related' }],
    ['ManageIssueSubscription', 'issue', { issue: anIssue, subscribe: true }],
    ['AddComment', 'issue', { issue: anIssue, body: 'x' }],
    ['LinkCodeHostToIssue', 'issue', { issue: anIssue, code_host_url: 'https://github.com/acme/app/pull/1' }],
    ['UpdateProject', 'project_id', { project_id: aProject, name: 'x' }],
    ['UpdateProject', 'project_id', { project_id: aProject, state: 'paused' }],
    ['CreateProjectUpdate', 'project_id', { project_id: aProject, body: 'x' }],
    ['UpdateInitiative', 'initiative_id', { initiative_id: anInitiative, name: 'x' }],
    ['AddProjectToInitiative', 'initiative', { initiative: anInitiative, project: 'Design system' }],
    ['AddProjectToInitiative', 'project', { initiative: 'Brand refresh', project: aProject }],
    ['ArchiveProject', 'project', { project: aProject }],
    ['ArchiveInitiative', 'initiative', { initiative: anInitiative }],
    ['ArchiveIssue', 'issue', { issue: anIssue }],
  ]
}

test('every tool that takes a URL accepts one of this workspace', async () => {
  await using server = await workspace()
  for (const [tool, , args] of callsWith(server, 'Lodestar')) await server.call(`IssueTracker.${tool}`, args)
})

test('every tool rejects a URL of another workspace and writes nothing', async () => {
  await using server = await workspace()
  for (const [tool, parameter, args] of callsWith(server, 'another')) {
    const error = await server.fails(`IssueTracker.${tool}`, args)
    expect([tool, parameter, error.code]).toEqual([tool, parameter, 'invalid_input'])
    expect(error.message).toContain('is a page of the workspace "another", and this server is connected to "lodestar"')
  }
  expect(server.emulator.store.mutations()).toEqual([])
})

test('covers every parameter that takes a URL', async () => {
  await using server = await workspace()
  const here = callsWith(server, 'any').map(([tool, parameter]) => `${tool} ${parameter}`)
  const { tools } = await server.client.listTools()
  const addressed = tools.flatMap(({ name, inputSchema: { properties = {} } }) =>
    Object.entries(properties).flatMap(([parameter, schema]) => {
      const text = JSON.stringify(schema)
      return /\bURL\b/.test(text) && !/attach|pull request|made from/.test(text)
        ? [`${name.replace('IssueTracker_', '')} ${parameter}`]
        : []
    }),
  )
  expect(addressed.length).toBeGreaterThan(15)
  // A reply's issue is looked for among the comments too: its own tests have it.
  expect(addressed.filter((one) => !here.includes(one))).toEqual(['ReplyToComment issue'])
})

test.for([
  ['GetIssue', { issue_id: issue('lodestar') }, 1],
  ['ArchiveIssue', { issue: issue('lodestar') }, 2],
  ['TransitionIssueState', { issue_id: issue('lodestar'), target_state: 'Canceled' }, 3],
] as const)('%s %j: a URL costs a write one more request, for the workspace', async ([tool, args, requests]) => {
  await using server = await workspace()
  await server.call(`IssueTracker.${tool}`, args)
  expect(server.requests()).toBe(requests)
})
