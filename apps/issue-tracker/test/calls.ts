import { member } from '@mcp-toolkits/core/base'
import { issueTracker } from '../src/server.ts'
import type { Workspace } from './workspace.ts'

export type Args = Record<string, unknown>

/** The example of each reading tool, for a workspace with the seed `company`. */
export const calls = (await issueTracker.load.tools())
  .filter(({ effect }) => effect === 'read')
  .map(({ name, example }) => [name, { ...example }] as const)

/** Settings of a workspace in which the examples work. */
export const forExamples = { emulated: { seed: 'company' } } as const

/** The id of a team, by its key. */
export async function teamIdOf(server: Workspace, key: string): Promise<string> {
  return String(member((await server.call('IssueTracker.GetTeam', { value: key, lookup_by: 'key' }))['team'], 'id'))
}
