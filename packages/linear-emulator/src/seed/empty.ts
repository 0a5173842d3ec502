import type { Store } from '@mcp-toolkits/store'
import { entityTypes } from '../entities/index.ts'
import { idOf } from '../ids.ts'
import { entityTypeOf } from '../store/filters.ts'
import type { Changes } from '../store/session.ts'
import { insert } from '../store/tables.ts'

/** Plants entities whose ids follow from their names, at dates counted from now. */
export interface Seeder {
  readonly store: Store
  /** Inserts an entity called `name`, made so many days ago, and returns its id. */
  readonly add: (type: string, name: string, values: Changes & { readonly daysAgo?: number; readonly touched?: number }) => string
  /** A row of a table of pairs. */
  readonly link: (table: string, mine: string, theirs: string) => void
  /** The moment so many days ago. */
  readonly daysAgo: (days: number) => string
  /** The day so many days ahead. */
  readonly dayAhead: (days: number) => string
}

const length = 86_400_000

/** Starts planting. */
export function createSeeder(store: Store, now: number): Seeder {
  const ago = (days: number) => new Date(now - days * length).toISOString()
  return {
    store,
    daysAgo: ago,
    dayAhead: (days) => ago(-days).slice(0, 10),
    add(type, name, { daysAgo = 90, touched, ...values }) {
      const id = idOf(`${type} ${name}`)
      insert(store, entityTypeOf(entityTypes, type), { id, createdAt: ago(daysAgo), updatedAt: ago(touched ?? daysAgo), ...values })
      return id
    },
    link(table, mine, theirs) {
      store.run(`insert into ${table} values (:mine, :theirs)`, { mine, theirs })
    },
  }
}

/** The person whose key opens the workspace. */
export const viewerId = idOf('User Robin Vance')

/** The first team. */
export const firstTeamId = idOf('Team Engineering')

export interface TeamSeed {
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
export function seedTeam({ add: plant, daysAgo: ago }: Seeder, { key, name, triageEnabled = false, ...rest }: TeamSeed): string {
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
  const all = createSeeder(store, now)
  all.add('Organization', 'Lodestar', { daysAgo: 400, name: 'Lodestar', urlKey: 'lodestar' })
  seedUser(all, { name: 'Robin Vance', title: 'Engineering manager', admin: true, owner: true })
  for (const [position, name] of projectStatuses.entries()) {
    all.add('ProjectStatus', name, {
      daysAgo: 400,
      name,
      type: statusTypes[name],
      position,
      color: '#5e6ad2',
      indefinite: name === 'Paused',
    })
  }
  seedTeam(all, {
    key: 'ENG',
    name: 'Engineering',
    description: 'Builds the product.',
    issueEstimationType: 'fibonacci',
    cyclesEnabled: true,
  })
  all.link('teamMembers', firstTeamId, viewerId)
}

export interface UserSeed {
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
export function seedUser({ add: plant }: Seeder, { name, title, displayName = displayNameOf(name), ...flags }: UserSeed): string {
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
