import type { Workspace } from './workspace.ts'

export type Args = Record<string, unknown>

/** Arguments of one ordinary call of each reading tool, without what is optional; some need an id from a list first. */
export const calls: readonly (readonly [tool: string, args: (server: Workspace) => Promise<Args>])[] = [
  ['WhoAmI', none],
  ['GetNotifications', none],
  ['GetRecentActivity', none],
  ['GetTeam', async (server) => ({ value: await idOf(server, 'ListTeams', 'teams') })],
  ['ListTeams', none],
  ['ListIssues', none],
  ['GetIssue', async () => Promise.resolve({ issue_id: 'ENG-1' })],
  ['ListComments', async () => Promise.resolve({ issue: 'ENG-1' })],
  ['GetProject', async (server) => ({ value: await idOf(server, 'ListProjects', 'projects') })],
  ['ListProjects', none],
  ['GetProjectDescription', async (server) => ({ project_id: await idOf(server, 'ListProjects', 'projects') })],
  ['GetInitiative', async (server) => ({ value: await idOf(server, 'ListInitiatives', 'initiatives') })],
  ['ListInitiatives', none],
  ['GetInitiativeDescription', async (server) => ({ initiative_id: await idOf(server, 'ListInitiatives', 'initiatives') })],
  ['GetCycle', async (server) => ({ cycle_id: await idOf(server, 'ListCycles', 'cycles') })],
  ['ListCycles', none],
  ['ListLabels', none],
  ['ListWorkflowStates', none],
]

async function none(): Promise<Args> {
  return Promise.resolve({})
}

async function idOf(server: Workspace, tool: string, list: string): Promise<string> {
  const found = /"id":"([0-9a-f-]{36})"/.exec(JSON.stringify((await server.call(`IssueTracker.${tool}`))[list]))
  return found?.[1] ?? ''
}
