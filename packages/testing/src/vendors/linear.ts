import { linearEmulator, type EntityRow, type LinearEmulator } from '@mcp-toolkits/linear-emulator'
import { issueTracker } from '../../../../servers.ts'
import type { Refusal } from './faults.ts'
import { linesOf, tooManyRequests, type Arguments, type Vendor } from './vendor.ts'

const apiKey = 'lin_api_k3yOfTheReliabilitySuite'

const error = (message: string, extensions: object = {}) => ({ errors: [{ message, extensions }], data: null })

/** https://linear.app/developers/graphql#errors and https://linear.app/developers/rate-limiting */
const refusals: readonly Refusal[] = [
  {
    name: 'HTTP 400',
    class: 'permanent',
    code: 'invalid_input',
    status: 400,
    body: error('Argument Validation Error', { type: 'invalid input', code: 'INVALID_INPUT', userError: true }),
  },
  {
    name: 'HTTP 401',
    class: 'permanent',
    code: 'unauthenticated',
    status: 401,
    body: error('Authentication required, not authenticated', { type: 'authentication error', code: 'AUTHENTICATION_ERROR' }),
  },
  {
    name: 'HTTP 403: no permission',
    class: 'permanent',
    code: 'forbidden',
    status: 403,
    body: error('Forbidden', { type: 'forbidden', code: 'FORBIDDEN' }),
  },
  {
    name: 'HTTP 403: missing scope',
    class: 'permanent',
    code: 'forbidden',
    status: 400,
    body: error('Invalid scope: `write` required', { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403 }),
  },
  {
    name: 'HTTP 403: plan',
    class: 'permanent',
    code: 'forbidden',
    status: 200,
    body: error('Usage limit exceeded', { type: 'feature not accessible', code: 'USAGE_LIMIT_EXCEEDED' }),
  },
  {
    name: 'HTTP 404',
    class: 'permanent',
    code: 'not_found',
    hasWayAround: true,
    status: 200,
    body: error('Entity not found: Team', { type: 'invalid input', code: 'INPUT_ERROR' }),
  },
  {
    name: 'HTTP 409',
    class: 'permanent',
    code: 'conflict',
    status: 200,
    body: error('conflict on insert of Issue', { type: 'invalid input', code: 'INPUT_ERROR' }),
  },
  ...tooManyRequests({ status: 429, body: error('Slow down') }),
  {
    name: 'rate limit of the vendor with a hint',
    class: 'limited',
    hintMs: 2_000,
    status: 400,
    headers: { 'retry-after': '2' },
    body: error('Rate limit exceeded', { type: 'ratelimited', code: 'RATELIMITED' }),
  },
  {
    name: 'rate limit of the vendor without a hint',
    class: 'limited',
    status: 400,
    body: error('Rate limit exceeded', { type: 'ratelimited', code: 'RATELIMITED' }),
  },
  {
    name: 'quota of the vendor used up',
    class: 'exhausted',
    hintMs: 600_000,
    status: 400,
    headers: { 'retry-after': '600' },
    body: error('Rate limit exceeded', { type: 'ratelimited', code: 'RATELIMITED' }),
  },
]

export const linear: Vendor = {
  server: issueTracker,
  secrets: [apiKey],
  refusals,
  async open(clock) {
    const emulator = linearEmulator({ seed: 'edge-cases', apiKey, now: clock.now })
    return Promise.resolve({
      fetch: emulator.fetch,
      options: { apiKey },
      calls: callsOf(emulator),
      state: () => stateOf(emulator),
      changes: () => emulator.store.mutations().length,
      reset: emulator.reset,
      [Symbol.asyncDispose]: emulator.close,
    })
  },
}

function stateOf({ store }: LinearEmulator): string[] {
  const { issues, comments, attachments, relations, projects, projectUpdates, initiatives, projectLinks, notifications } = store
  const tables = { issues, comments, attachments, relations, projects, projectUpdates, initiatives, projectLinks, notifications }
  const labels = issues().map(({ id, identifier }) => ({ identifier, labels: store.labelsOf(String(id)) }))
  const teams = projects().map(({ id, name }) => ({ name, teams: store.teamsOf(String(id)).length }))
  return [
    ...Object.entries(tables).flatMap(([name, read]) => linesOf(name, read(), ['slugId', 'url'])),
    ...linesOf('labels', labels),
    ...linesOf('teams', teams),
  ].sort()
}

function idOf(rows: readonly EntityRow[], name: string): string {
  return String(rows.find((row) => row['name'] === name)?.['id'])
}

function callsOf({ store }: LinearEmulator): Readonly<Record<string, Arguments>> {
  const comment = store.comments().find(({ body }) => String(body).startsWith('Happens when'))
  const own = store.comments().find(({ body }) => String(body).startsWith('Thank you'))
  const cycle = store.issues().find(({ cycleId }) => cycleId !== null)
  const project = 'Incident tooling'
  const initiative = 'Reliability'
  return {
    WhoAmI: {},
    GetNotifications: {},
    GetRecentActivity: {},
    GetTeam: { value: 'ENG', lookup_by: 'key' },
    ListTeams: {},
    ListIssues: { team: 'ENG', limit: 5 },
    GetIssue: { issue_id: 'ENG-1', include_comments: true },
    ListComments: { issue: 'ENG-1' },
    GetProject: { value: project, lookup_by: 'name' },
    ListProjects: {},
    GetProjectDescription: { project_id: idOf(store.projects(), project) },
    GetInitiative: { value: initiative, lookup_by: 'name' },
    ListInitiatives: {},
    GetInitiativeDescription: { initiative_id: idOf(store.initiatives(), initiative) },
    GetCycle: { cycle_id: String(cycle?.['cycleId']) },
    ListCycles: { team: 'ENG' },
    ListLabels: {},
    ListWorkflowStates: { team: 'ENG' },
    CreateIssue: { team: 'ENG', title: 'One', state: 'Todo', labels_to_add: ['Bug'] },
    UpdateIssue: { issue_id: 'ENG-2', title: 'Renamed', assignee: 'Ada Okafor' },
    TransitionIssueState: { issue_id: 'ENG-3', target_state: 'Done' },
    CreateIssueRelation: { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' },
    ManageIssueSubscription: { issue: 'OPS-2', subscribe: true },
    ArchiveIssue: { issue: 'OPS-3' },
    AddComment: { issue: 'ENG-1', body: 'Seen.' },
    UpdateComment: { comment_id: String(own?.['id']), body: 'Changed.' },
    ReplyToComment: { issue: 'ENG-1', parent_comment_id: String(comment?.['id']), body: 'Thanks.' },
    CreateProject: { name: 'Gemini', team: 'ENG' },
    UpdateProject: { project_id: project, name: 'Incidents', teams_to_add: ['DES'] },
    CreateProjectUpdate: { project_id: project, body: 'Fine.', health: 'onTrack' },
    ArchiveProject: { project },
    CreateInitiative: { name: 'Expansion' },
    UpdateInitiative: { initiative_id: initiative, name: 'Uptime' },
    AddProjectToInitiative: { initiative, project: 'Billing rewrite' },
    ArchiveInitiative: { initiative },
    LinkCodeHostToIssue: { issue: 'ENG-1', code_host_url: 'https://github.com/acme/app/pull/12' },
  }
}
