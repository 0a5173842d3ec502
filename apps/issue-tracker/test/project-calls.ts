import type { Workspace } from './workspace.ts'
import type { WritingCall } from './writing-calls.ts'

type Row = Readonly<Record<string, unknown>>

/** A project of the workspace, by name. */
export function projectNamed({ emulator }: Workspace, name: string): Row {
  return named(emulator.store.projects(), name)
}

/** An initiative of the workspace, by name. */
export function initiativeNamed({ emulator }: Workspace, name: string): Row {
  return named(emulator.store.initiatives(), name)
}

function named(rows: readonly Row[], name: string): Row {
  const found = rows.find((row) => row['name'] === name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found
}

/** Calls of the tools that write projects, in this order, with the requests that each costs. */
export function projectCalls(server: Workspace): WritingCall[] {
  const { id, slugId: slug } = projectNamed(server, 'Incident tooling')
  const update = 'UpdateProject'
  return [
    { tool: 'CreateProject', args: { name: 'Gemini', team: 'ENG' }, requests: 2 },
    {
      tool: 'CreateProject',
      args: { name: 'Mercury', team: 'Design', lead: 'Ada Okafor', state: 'started', start_date: '2026-01-01', target_date: '2026-01-01' },
      requests: 2,
    },
    { tool: update, args: { project_id: id, name: 'Incidents', target_date: '2027-01-31' }, requests: 1 },
    // The current text is read before it is replaced.
    { tool: update, args: { project_id: slug, description: 'Newer.' }, requests: 2 },
    { tool: update, args: { project_id: 'incidents', description: 'New again.' }, requests: 2 },
    {
      tool: update,
      args: { project_id: `https://linear.app/lodestar/project/any-${String(slug)}`, name: 'Incident tooling' },
      // One request to see which workspace the URL belongs to.
      requests: 2,
    },
    { tool: update, args: { project_id: 'incident tooling', name: 'Incident tools' }, requests: 2 },
    { tool: update, args: { project_id: id, lead: 'priya.nair@lodestar.example', state: 'paused' }, requests: 2 },
    { tool: update, args: { project_id: id, teams_to_add: ['ENG', 'Design'], teams_to_remove: ['OPS'] }, requests: 2 },
    {
      tool: update,
      args: { project_id: id, state: 'paused', teams_to_add: ['DES'], teams_to_remove: ['OPS'] },
      requests: 1,
      writes: false,
    },
    { tool: 'CreateProjectUpdate', args: { project_id: id, body: 'Fine.', health: 'onTrack' }, requests: 1 },
    { tool: 'CreateProjectUpdate', args: { project_id: id, body: 'Fine.' }, requests: 2 },
    { tool: 'CreateProjectUpdate', args: { project_id: slug, body: 'Fine.', health: 'atRisk' }, requests: 2 },
    { tool: 'ArchiveProject', args: { project: 'mercury' }, requests: 2 },
    { tool: 'ArchiveProject', args: { project: 'Mercury' }, requests: 1, writes: false },
    { tool: 'ArchiveProject', args: { project: slug }, requests: 1 },
    { tool: 'ArchiveProject', args: { project: id }, requests: 1 },
  ]
}

/** Calls of the tools that write initiatives, in this order, with the requests that each costs. */
export function initiativeCalls(server: Workspace): WritingCall[] {
  const { id, slugId: slug } = initiativeNamed(server, 'Reliability')
  const { id: project } = projectNamed(server, 'Billing rewrite')
  return [
    { tool: 'CreateInitiative', args: { name: 'Expansion' }, requests: 1 },
    { tool: 'CreateInitiative', args: { name: 'Focus', status: 'started', target_date: '2027-01-31', description: 'Less.' }, requests: 1 },
    { tool: 'UpdateInitiative', args: { initiative_id: id, name: 'Uptime', status: 'completed' }, requests: 1 },
    { tool: 'UpdateInitiative', args: { initiative_id: slug, target_date: '2027-02-28' }, requests: 2 },
    { tool: 'UpdateInitiative', args: { initiative_id: 'uptime', description: 'More.' }, requests: 2 },
    { tool: 'UpdateInitiative', args: { initiative_id: id, description: 'Others.' }, requests: 2 },
    { tool: 'AddProjectToInitiative', args: { initiative: id, project }, requests: 2 },
    { tool: 'AddProjectToInitiative', args: { initiative: 'Uptime', project: 'Billing rewrite' }, requests: 1, writes: false },
    { tool: 'AddProjectToInitiative', args: { initiative: 'brand refresh', project: 'apollo' }, requests: 2 },
    { tool: 'ArchiveInitiative', args: { initiative: 'Focus' }, requests: 2 },
    { tool: 'ArchiveInitiative', args: { initiative: 'Focus' }, requests: 1, writes: false },
    { tool: 'ArchiveInitiative', args: { initiative: id }, requests: 1 },
    { tool: 'ArchiveInitiative', args: { initiative: id }, requests: 1 },
  ]
}
