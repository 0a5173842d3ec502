import { member } from '@mcp-toolkits/core/base'
import { issueTracker } from '../src/server.ts'
import type { Workspace } from './workspace.ts'

export type Args = Record<string, unknown>

/** The required arguments of reading tools; some need an id from a list first. */
const required: Readonly<Record<string, (server: Workspace) => Promise<Args>>> = {
  GetTeam: async () => Promise.resolve({ value: 'ENG', lookup_by: 'key' }),
  GetIssue: async () => Promise.resolve({ issue_id: 'ENG-1' }),
  ListComments: async () => Promise.resolve({ issue: 'ENG-1' }),
  GetProject: async (server) => ({ value: await firstOf(server, 'projects', 'slug_id'), lookup_by: 'slug_id' }),
  GetProjectDescription: async (server) => ({ project_id: await firstOf(server, 'projects', 'slug_id') }),
  GetInitiative: async (server) => ({ value: await firstOf(server, 'initiatives', 'id') }),
  GetInitiativeDescription: async (server) => ({ initiative_id: await firstOf(server, 'initiatives', 'id') }),
  GetCycle: async (server) => ({ cycle_id: await firstOf(server, 'cycles', 'id') }),
}

/** One ordinary call of each reading tool, without optional arguments. */
export const calls: readonly (readonly [tool: string, args: (server: Workspace) => Promise<Args>])[] = issueTracker.listedTools
  .filter(({ effect }) => effect === 'read')
  .map(({ name }) => [name, required[name] ?? none] as const)

/** The id of a team, by its key. */
export async function teamIdOf(server: Workspace, key: string): Promise<string> {
  return String(member((await server.call('IssueTracker.GetTeam', { value: key, lookup_by: 'key' }))['team'], 'id'))
}

async function none(): Promise<Args> {
  return Promise.resolve({})
}

/** A field of the first row of a list. */
async function firstOf(server: Workspace, list: 'projects' | 'initiatives' | 'cycles', field: string): Promise<string> {
  const tool = `IssueTracker.List${list.charAt(0).toUpperCase()}${list.slice(1)}`
  const rows = (await server.call(tool))[list]
  const all: readonly unknown[] = Array.isArray(rows) ? rows : []
  const [first] = all
  return String(member(first, field))
}
