// Whether every value that a list or a record prints is accepted by every tool that takes such a value, over all seeded data.
import { isObject, member } from '../../../packages/core/src/base/json.ts'
import { idOf } from '../../../packages/emulators/linear/src/ids.ts'
import type { Arguments, Call, ServerName } from './cases.ts'
import { openWorld, type World } from './worlds.ts'

/** Where a kind of value is printed, and which parameters take it. */
interface PrintedKind {
  readonly server: ServerName
  readonly kind: string
  /** Calls, each with the places of the value in its result: `issues.*.team`. An object there stands for its name. */
  readonly printed: readonly (readonly [Call, ...places: string[]])[]
  /** Parameters with what else the call needs. The value is written where the arguments are a function of it. */
  readonly accepted: readonly (readonly [tool: string, toArgs: (value: string) => Arguments])[]
}

const call = (tool: string, args: Arguments = {}): Call => ({ tool, args })
const tracker = { server: 'issue-tracker' } as const
const files = { server: 'file-storage' } as const
const teams = ['ENG', 'OPS', 'DES'] as const
const ofTeam: Readonly<Record<string, { readonly issue: string; readonly assignee: string }>> = {
  ENG: { issue: 'ENG-10', assignee: 'none' },
  OPS: { issue: 'OPS-2', assignee: 'none' },
  DES: { issue: 'DES-3', assignee: 'none' },
}

const issueLists = [call('ListIssues', { limit: 50 }), call('GetRecentActivity', { limit: 50 })]
const inIssues = (...places: string[]) => issueLists.map((each) => [each, ...places.map((place) => `issues.*.${place}`)] as const)

const kinds: readonly PrintedKind[] = [
  {
    ...tracker,
    kind: 'team',
    printed: [
      [call('ListTeams'), 'teams.*.key', 'teams.*.name', 'teams.*.id'],
      [call('WhoAmI'), 'user.teams.*.key', 'user.teams.*.name'],
      [call('ListCycles', { limit: 50 }), 'cycles.*.team'],
      [call('ListProjects', { limit: 50 }), 'projects.*.teams.*'],
      [call('ListWorkflowStates', { limit: 100 }), 'workflow_states.*.team'],
      ...inIssues('team'),
    ],
    accepted: [
      ['ListIssues', (team) => ({ team })],
      ['ListProjects', (team) => ({ team })],
      ['ListCycles', (team) => ({ team })],
      ['ListWorkflowStates', (team) => ({ team })],
      ['GetTeam', (value) => ({ value })],
      ['CreateIssue', (team) => ({ team, title: 'Round trip', assignee: 'none' })],
      ['CreateProject', (team) => ({ team, name: 'Round trip' })],
    ],
  },
  {
    ...tracker,
    kind: 'person',
    printed: [
      ...inIssues('assignee'),
      ...teams.map((value) => [call('GetTeam', { value, lookup_by: 'key' }), 'team.members.*.name', 'team.members.*.email'] as const),
      [call('ListProjects', { limit: 50 }), 'projects.*.lead'],
      [call('WhoAmI'), 'user.name', 'user.email'],
      [call('ListComments', { issue: 'ENG-1' }), 'comments.*.user', 'comments.*.author'],
    ],
    accepted: [['ListIssues', (assignee) => ({ assignee })]],
  },
  {
    ...tracker,
    kind: 'issue',
    printed: [...inIssues('identifier', 'parent'), [call('GetNotifications', { limit: 50 }), 'notifications.*.issue.identifier']],
    accepted: [
      ['GetIssue', (issue_id) => ({ issue_id })],
      ['ListComments', (issue) => ({ issue })],
      ['CreateIssue', (parent_issue) => ({ team: parent_issue.replace(/-.*/, ''), title: 'Round trip', assignee: 'none', parent_issue })],
    ],
  },
  {
    ...tracker,
    kind: 'project',
    printed: [[call('ListProjects', { limit: 50 }), 'projects.*.name', 'projects.*.slug_id'], ...inIssues('project')],
    accepted: [
      ['ListIssues', (project) => ({ project })],
      ['GetProject', (value) => ({ value })],
      ['ArchiveProject', (project) => ({ project })],
      ['AddProjectToInitiative', (project) => ({ initiative: 'Brand refresh', project })],
    ],
  },
  {
    ...tracker,
    kind: 'slug of a project',
    printed: [[call('ListProjects', { limit: 50 }), 'projects.*.slug_id']],
    accepted: [
      ['GetProjectDescription', (project_id) => ({ project_id })],
      ['CreateProjectUpdate', (project_id) => ({ project_id, body: 'Round trip.' })],
      ['UpdateProject', (project_id) => ({ project_id, name: 'Round trip' })],
    ],
  },
  {
    ...tracker,
    kind: 'initiative',
    printed: [[call('ListInitiatives', { limit: 50 }), 'initiatives.*.id', 'initiatives.*.name']],
    accepted: [
      ['GetInitiative', (value) => ({ value })],
      ['ArchiveInitiative', (initiative) => ({ initiative })],
      ['AddProjectToInitiative', (initiative) => ({ initiative, project: 'Billing rewrite' })],
    ],
  },
  {
    ...tracker,
    kind: 'id of an initiative',
    printed: [[call('ListInitiatives', { limit: 50 }), 'initiatives.*.id']],
    accepted: [
      ['GetInitiativeDescription', (initiative_id) => ({ initiative_id })],
      ['UpdateInitiative', (initiative_id) => ({ initiative_id, name: 'Round trip' })],
    ],
  },
  {
    ...tracker,
    kind: 'cycle',
    printed: [[call('ListCycles', { limit: 50 }), 'cycles.*.id']],
    accepted: [['GetCycle', (cycle_id) => ({ cycle_id })]],
  },
  {
    ...tracker,
    kind: 'cycle of a team',
    printed: [
      [call('ListCycles', { team: 'ENG' }), 'cycles.*.number', 'cycles.*.name'],
      [call('ListIssues', { team: 'ENG', limit: 50 }), 'issues.*.cycle'],
    ],
    accepted: [['UpdateIssue', (cycle) => ({ issue_id: 'ENG-10', cycle })]],
  },
  {
    ...tracker,
    kind: 'label',
    printed: [[call('ListLabels', { limit: 100 }), 'labels.*'], ...inIssues('labels.*')],
    accepted: [['ListIssues', (label) => ({ label })]],
  },
  ...teams.map((team): PrintedKind => ({
    ...tracker,
    kind: `state of ${team}`,
    printed: [
      [call('ListWorkflowStates', { team }), 'workflow_states.*.states.*.name'],
      [call('ListIssues', { team, limit: 50 }), 'issues.*.state'],
    ],
    accepted: [
      ['ListIssues', (state) => ({ team, state })],
      ['TransitionIssueState', (target_state) => ({ issue_id: ofTeam[team]?.issue, target_state })],
      ['CreateIssue', (state) => ({ team, title: 'Round trip', assignee: 'none', state })],
    ],
  })),
  {
    ...tracker,
    kind: 'type of a state',
    printed: [[call('ListWorkflowStates', { limit: 100 }), 'workflow_states.*.states.*.type']],
    accepted: [
      ['ListWorkflowStates', (state_type) => ({ state_type })],
      ['ListIssues', (state) => ({ state })],
    ],
  },
  {
    ...tracker,
    kind: 'priority',
    printed: inIssues('priority'),
    accepted: [
      ['ListIssues', (priority) => ({ priority })],
      ['UpdateIssue', (priority) => ({ issue_id: 'ENG-10', priority })],
    ],
  },
  {
    ...tracker,
    kind: 'day',
    printed: [...inIssues('due_date'), [call('ListProjects', { limit: 50 }), 'projects.*.target_date', 'projects.*.start_date']],
    accepted: [
      ['ListIssues', (created_after) => ({ created_after })],
      ['UpdateProject', (target_date) => ({ project_id: idOf('Project Apollo Mobile'), target_date, start_date: '2025-01-01' })],
      ['UpdateIssue', (due_date) => ({ issue_id: 'ENG-10', due_date })],
    ],
  },
  {
    ...tracker,
    kind: 'state of a project',
    printed: [[call('ListProjects', { limit: 50 }), 'projects.*.status.type', 'projects.*.state']],
    accepted: [
      ['ListProjects', (state) => ({ state })],
      ['CreateProject', (state) => ({ team: 'ENG', name: 'Round trip', state })],
      ['UpdateProject', (state) => ({ project_id: idOf('Project Apollo'), state })],
    ],
  },
  {
    ...tracker,
    kind: 'state of an initiative',
    printed: [[call('ListInitiatives', { limit: 50 }), 'initiatives.*.status']],
    accepted: [
      ['ListInitiatives', (state) => ({ state })],
      ['CreateInitiative', (status) => ({ name: 'Round trip', status })],
      ['UpdateInitiative', (status) => ({ initiative_id: idOf('Initiative Reliability'), status })],
    ],
  },
  {
    ...tracker,
    kind: 'health of a project',
    printed: [[call('ListProjects', { limit: 50 }), 'projects.*.health']],
    accepted: [['CreateProjectUpdate', (health) => ({ project_id: idOf('Project Apollo'), body: 'Round trip.', health })]],
  },
  {
    ...tracker,
    kind: 'comment',
    printed: [[call('ListComments', { issue: 'ENG-1' }), 'comments.*.id', 'comments.*.parent_id']],
    accepted: [['ReplyToComment', (parent_comment_id) => ({ issue: 'ENG-1', parent_comment_id, body: 'Round trip.' })]],
  },
  {
    ...files,
    kind: 'shared drive',
    printed: [[call('WhoAmI'), 'shared_drives.*.id', 'shared_drives.*.name']],
    accepted: [
      ['SearchFiles', (shared_drive_id) => ({ query: 'report', shared_drive_id })],
      ['GetFileTreeStructure', (restrict_to_shared_drive_id) => ({ restrict_to_shared_drive_id })],
    ],
  },
  {
    ...files,
    kind: 'file',
    printed: [
      [call('SearchFiles', { query: 'notes' }), 'files.*.id', 'files.*.url'],
      [call('SearchFiles', { query: 'pdf', file_types: 'pdf', include_shared_drives: true }), 'files.*.id', 'files.*.url'],
      [call('GetFileTreeStructure'), 'drives.*.items.*.id'],
    ],
    accepted: [
      ['RenameFile', (file_path_or_id) => ({ file_path_or_id, new_filename: 'Round trip' })],
      ['ShareFile', (file_path_or_id) => ({ file_path_or_id, email_addresses: ['mikael.lindstrom@lodestar.example'] })],
    ],
  },
  {
    ...files,
    kind: 'folder',
    printed: [
      [call('SearchFiles', { query: 'projects', file_types: 'folder' }), 'files.*.id'],
      [call('SearchFiles', { query: 'report', include_shared_drives: true }), 'files.*.parent_id'],
    ],
    accepted: [
      ['SearchFiles', (folder_path_or_id) => ({ query: 'plan', folder_path_or_id })],
      ['CreateFolder', (parent_folder_path_or_id) => ({ folder_name: 'Round trip', parent_folder_path_or_id })],
    ],
  },
  {
    ...files,
    kind: 'person',
    printed: [
      [call('SearchFiles', { query: 'price' }), 'files.*.owner'],
      [call('WhoAmI'), 'user.email'],
    ],
    accepted: [['ShareFile', (email) => ({ file_path_or_id: 'Photos/prices.csv', email_addresses: [email] })]],
  },
]

/** A printed value that a tool refused. */
export interface Refused {
  readonly kind: string
  readonly value: string
  readonly call: Call
  readonly error: string
}

export interface RoundTrip {
  /** How many values were given to how many parameters, together. */
  readonly tried: number
  readonly refused: readonly Refused[]
  /** Kinds of which nothing was printed, so that the table above does not fit the results. */
  readonly missing: readonly string[]
}

/** Gives every printed value to every parameter that takes such values. */
export async function tryRoundTrips(server: ServerName): Promise<RoundTrip> {
  await using world = await openWorld(server)
  const refused: Refused[] = []
  const missing: string[] = []
  let tried = 0
  for (const { kind, printed, accepted } of kinds.filter((each) => each.server === server)) {
    const values = await valuesOf(world, printed)
    if (values.size === 0) missing.push(kind)
    for (const value of values) {
      for (const [tool, toArgs] of accepted) {
        const made = { tool, args: toArgs(value) }
        const reply = await world.call(made)
        tried += 1
        // Whatever is forbidden was understood.
        if (reply.kind !== 'result' && reply.error['code'] !== 'forbidden')
          refused.push({ kind, value, call: made, error: JSON.stringify(reply.error) })
        if (world.isChanged()) await world.reset()
      }
    }
  }
  return { tried, refused, missing }
}

async function valuesOf(world: World, printed: PrintedKind['printed']): Promise<ReadonlySet<string>> {
  const values = new Set<string>()
  for (const [made, ...places] of printed) {
    const reply = await world.call(made)
    if (reply.kind !== 'result') throw new Error(`${made.tool} failed: ${JSON.stringify(reply.error)}`)
    for (const place of places) for (const value of valuesAt(reply.data, place.split('.'))) values.add(value)
  }
  return values
}

function valuesAt(value: unknown, [first, ...rest]: readonly string[]): string[] {
  if (value === undefined || value === null) return []
  if (first === undefined) return nameOf(value)
  if (first !== '*') return valuesAt(member(value, first), rest)
  return Array.isArray(value) ? value.flatMap((item: unknown) => valuesAt(item, rest)) : []
}

/** The value itself, or the name of an object, except of a group of labels, which no issue has. */
function nameOf(value: unknown): string[] {
  if (!isObject(value)) return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
  if (value['is_group'] === true) return []
  return [value['identifier'] ?? value['name'] ?? value['number'] ?? value['key']].filter((name) => name !== undefined).map(String)
}
