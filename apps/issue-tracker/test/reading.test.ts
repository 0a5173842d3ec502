import { expect, test } from 'vitest'
import { workspace, type Workspace } from './workspace.ts'

type Args = Record<string, unknown>

/** Arguments of one ordinary call of each tool; some need an id from a list first. */
const calls: readonly (readonly [tool: string, args: Args | ((server: Workspace) => Promise<Args>)])[] = [
  ['WhoAmI', {}],
  ['GetNotifications', { unread_only: true }],
  ['GetNotifications', {}],
  ['GetRecentActivity', {}],
  ['GetTeam', { value: 'ENG', lookup_by: 'key' }],
  ['ListTeams', {}],
  ['ListIssues', { team: 'ENG', assignee: '@me', keywords: 'a' }],
  ['GetIssue', { issue_id: 'ENG-1' }],
  ['ListComments', { issue: 'ENG-1' }],
  ['GetProject', async (server) => ({ value: await idOf(server, 'ListProjects', 'projects') })],
  ['ListProjects', { team: 'ENG' }],
  ['GetProjectDescription', async (server) => ({ project_id: await idOf(server, 'ListProjects', 'projects') })],
  ['GetInitiative', async (server) => ({ value: await idOf(server, 'ListInitiatives', 'initiatives') })],
  ['ListInitiatives', {}],
  ['GetInitiativeDescription', async (server) => ({ initiative_id: await idOf(server, 'ListInitiatives', 'initiatives') })],
  ['GetCycle', async (server) => ({ cycle_id: await idOf(server, 'ListCycles', 'cycles') })],
  ['ListCycles', { team: 'ENG' }],
  ['ListLabels', {}],
  ['ListWorkflowStates', { team: 'ENG' }],
]

async function idOf(server: Workspace, tool: string, list: string): Promise<string> {
  const found = /"id":"([0-9a-f-]{36})"/.exec(JSON.stringify((await server.call(`IssueTracker.${tool}`))[list]))
  return found?.[1] ?? ''
}

test.for(calls)('%s sends one request and changes nothing', async ([tool, given]) => {
  await using server = await workspace()
  const args = typeof given === 'function' ? await given(server) : given
  const before = server.requests()
  await server.call(`IssueTracker.${tool}`, args)
  expect(server.requests() - before).toBe(1)
  expect(server.emulator.store.mutations()).toEqual([])
})
