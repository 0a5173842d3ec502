import { issueTracker } from '../src/server.ts'
import type { Workspace } from './workspace.ts'

export type Args = Record<string, unknown>

/** The required arguments of reading tools; some need an id from a list first. */
const required: Readonly<Record<string, (server: Workspace) => Promise<Args>>> = {
  GetTeam: async (server) => ({ value: await idOf(server, 'ListTeams', 'teams') }),
  GetIssue: async () => Promise.resolve({ issue_id: 'ENG-1' }),
  ListComments: async () => Promise.resolve({ issue: 'ENG-1' }),
  GetProject: async (server) => ({ value: await idOf(server, 'ListProjects', 'projects') }),
  GetProjectDescription: async (server) => ({ project_id: await idOf(server, 'ListProjects', 'projects') }),
  GetInitiative: async (server) => ({ value: await idOf(server, 'ListInitiatives', 'initiatives') }),
  GetInitiativeDescription: async (server) => ({ initiative_id: await idOf(server, 'ListInitiatives', 'initiatives') }),
  GetCycle: async (server) => ({ cycle_id: await idOf(server, 'ListCycles', 'cycles') }),
}

/** One ordinary call of each reading tool, without optional arguments. */
export const calls: readonly (readonly [tool: string, args: (server: Workspace) => Promise<Args>])[] = issueTracker.listedTools
  .filter(({ effect }) => effect === 'read')
  .map(({ name }) => [name, required[name] ?? none] as const)

async function none(): Promise<Args> {
  return Promise.resolve({})
}

async function idOf(server: Workspace, tool: string, list: string): Promise<string> {
  const found = /"id":"([0-9a-f-]{36})"/.exec(JSON.stringify((await server.call(`IssueTracker.${tool}`))[list]))
  return found?.[1] ?? ''
}
