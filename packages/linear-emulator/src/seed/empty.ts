import type { Store } from '@mcp-toolkits/store'
import { idOf } from '../ids.ts'
import { planting, type Planting } from './planting.ts'

/** The person whose key opens the workspace. */
export const viewerId = idOf('User Robin Vance')

/** The first team. */
export const firstTeamId = idOf('Team Engineering')

export interface NewTeam {
  readonly key: string
  readonly name: string
  readonly description?: string
  readonly issueEstimationType?: 'notUsed' | 'exponential' | 'fibonacci' | 'linear' | 'tShirt'
  readonly issueEstimationAllowZero?: boolean
  readonly issueEstimationExtended?: boolean
  readonly triageEnabled?: boolean
  readonly cyclesEnabled?: boolean
  readonly daysAgo?: number
  /** How many days ago it stopped to accept issues. */
  readonly retiredDaysAgo?: number
  /** How many days ago it was archived, with all its states. */
  readonly archivedDaysAgo?: number
}

const usualStates = [
  ['Backlog', 'backlog', '#bec2c8'],
  ['Todo', 'unstarted', '#e2e2e2'],
  ['In Progress', 'started', '#f2c94c'],
  ['In Review', 'started', '#0f783c'],
  ['Done', 'completed', '#5e6ad2'],
  ['Canceled', 'canceled', '#95a2b3'],
  ['Duplicate', 'duplicate', '#95a2b3'],
] as const

/** Plants a team with the states that Linear gives to a new one; without members. */
export function plantTeam({ plant, ago }: Planting, { key, name, triageEnabled = false, ...rest }: NewTeam): string {
  const { description, issueEstimationType = 'notUsed', cyclesEnabled = false, daysAgo = 400, archivedDaysAgo } = rest
  const { issueEstimationAllowZero = false, issueEstimationExtended = false, retiredDaysAgo = archivedDaysAgo } = rest
  const past = (days: number | undefined) => (days === undefined ? null : ago(days))
  const archivedAt = past(archivedDaysAgo)
  const state = (called: string) => idOf(`WorkflowState ${key} ${called}`)
  const teamId = plant('Team', name, {
    daysAgo,
    archivedAt,
    retiredAt: past(retiredDaysAgo),
    key,
    name,
    description: description ?? null,
    icon: 'Team',
    color: '#5e6ad2',
    visibility: 'public',
    private: false,
    timezone: 'Europe/Lisbon',
    cyclesEnabled,
    cycleDuration: 2,
    cycleStartDay: 1,
    upcomingCycleCount: cyclesEnabled ? 2 : 0,
    issueEstimationType,
    issueEstimationAllowZero,
    issueEstimationExtended,
    triageEnabled,
    defaultIssueStateId: state('Backlog'),
    triageIssueStateId: triageEnabled ? state('Triage') : null,
    markedAsDuplicateWorkflowStateId: state('Duplicate'),
  })
  const all = triageEnabled ? [['Triage', 'triage', '#fc7840'] as const, ...usualStates] : usualStates
  for (const [position, [called, type, color]] of all.entries()) {
    plant('WorkflowState', `${key} ${called}`, { daysAgo, archivedAt, name: called, type, color, position, teamId })
  }
  return teamId
}

const projectStatuses = ['Backlog', 'Planned', 'In Progress', 'Paused', 'Completed', 'Canceled'] as const
const statusTypes = {
  Backlog: 'backlog',
  Planned: 'planned',
  'In Progress': 'started',
  Paused: 'paused',
  Completed: 'completed',
  Canceled: 'canceled',
}

/** Plants what a new workspace has: its first person, one team, the usual statuses. */
export function seedEmpty(store: Store, now: number): void {
  const all = planting(store, now)
  all.plant('Organization', 'Lodestar', { daysAgo: 400, name: 'Lodestar', urlKey: 'lodestar' })
  plantUser(all, { name: 'Robin Vance', title: 'Engineering manager', admin: true, owner: true })
  for (const [position, name] of projectStatuses.entries()) {
    all.plant('ProjectStatus', name, {
      daysAgo: 400,
      name,
      type: statusTypes[name],
      position,
      color: '#5e6ad2',
      indefinite: name === 'Paused',
    })
  }
  plantTeam(all, {
    key: 'ENG',
    name: 'Engineering',
    description: 'Builds the product.',
    issueEstimationType: 'fibonacci',
    cyclesEnabled: true,
  })
  all.pair('teamMembers', firstTeamId, viewerId)
}

export interface NewUser {
  readonly name: string
  /** From the name when absent; unlike the name, nobody else may have it. */
  readonly displayName?: string
  readonly title?: string
  readonly active?: boolean
  readonly admin?: boolean
  readonly owner?: boolean
  readonly guest?: boolean
  readonly app?: boolean
}

/** Plants a person, or an app. */
export function plantUser({ plant }: Planting, { name, title, displayName = displayNameOf(name), ...flags }: NewUser): string {
  const { active = true, admin = false, owner = false, guest = false, app = false } = flags
  return plant('User', displayName === displayNameOf(name) ? name : displayName, {
    daysAgo: 400,
    name,
    displayName,
    email: `${displayName}@lodestar.example`,
    active,
    admin,
    owner,
    guest,
    app,
    timezone: 'Europe/Lisbon',
    title: title ?? null,
    avatarBackgroundColor: '#5e6ad2',
  })
}

const displayNameOf = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '.')
