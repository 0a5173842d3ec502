import type { Store } from '@mcp-toolkits/sqlite'
import { entityTypes, recordTypes } from '../entities.ts'
import { withoutUndefined } from '../engine/inputs.ts'
import { idOf } from '../ids.ts'
import { entityTypeOf } from '../store/filters.ts'
import { newRecords } from '../store/record-entity.ts'
import type { Changes } from '../store/session.ts'
import { insertAll } from '../store/tables.ts'
import { type StateSeed, statesOf } from '../teams/default-states.ts'
import { keepFile } from '../uploads/uploads.ts'
import { stateId } from './seed-ids.ts'

/** Adds entities whose ids depend only on their names, with times relative to now. */
export interface Seeder {
  /** Inserts an entity and returns its id, which depends on `key`. */
  readonly add: (type: string, key: string, values: Changes & { readonly daysAgo?: number; readonly updatedDaysAgo?: number }) => string
  /** Inserts a row into a join table. */
  readonly link: (table: string, mine: string, theirs: string) => void
  /** Stores a file and returns its address; the id depends on `key`. */
  readonly store: (file: SeedFile & { readonly key: string; readonly at: string }) => string
  /** The time this many days ago. */
  readonly timeAgo: (days: number) => string
}

/** A file that Linear keeps. */
interface SeedFile {
  readonly name: string
  readonly type: string
  readonly text: string
}

const dayMs = 86_400_000

/** Runs `work` with a seeder, and inserts what it adds, with one statement per table. */
export function seedWith<T>(store: Store, now: number, work: (seeder: Seeder) => T): T {
  const entities = new Map<string, Changes[]>()
  const links = new Map<string, (readonly [string, string])[]>()
  const timeAgo = (days: number) => new Date(Math.round(now - days * dayMs)).toISOString()
  const result = work({
    timeAgo,
    add(type, key, { daysAgo = 90, updatedDaysAgo, ...values }) {
      const id = typeof values['id'] === 'string' ? values['id'] : idOf(`${type} ${key}`)
      const createdAt = values['createdAt'] ?? timeAgo(daysAgo)
      append(entities, type, { createdAt, updatedAt: timeAgo(updatedDaysAgo ?? daysAgo), ...values, id })
      return id
    },
    store: ({ key, ...file }) => keepFile(store, { id: idOf(`Upload ${key}`), ...file }),
    link(table, mine, theirs) {
      append(links, table, [mine, theirs])
    },
  })
  for (const [type, rows] of entities)
    insertAll(store, recordTypes.has(type) ? newRecords(type, rows) : entityTypeOf(entityTypes, type), rows)
  for (const [table, rows] of links) store.runAll(`insert into ${table} values (?, ?)`, rows)
  return result
}

function append<Row>(lists: Map<string, Row[]>, name: string, row: Row): void {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [row])
  else list.push(row)
}

export interface TeamSeed {
  readonly key: string
  readonly name: string
  readonly description?: string | undefined
  readonly private?: boolean | undefined
  readonly issueEstimationType?: 'notUsed' | 'exponential' | 'fibonacci' | 'linear' | 'tShirt' | undefined
  readonly issueEstimationAllowZero?: boolean | undefined
  readonly issueEstimationExtended?: boolean | undefined
  readonly triageEnabled?: boolean | undefined
  readonly cyclesEnabled?: boolean | undefined
  readonly daysAgo?: number | undefined
  /** Days since it was retired. */
  readonly retiredDaysAgo?: number | undefined
  /** Days since it was archived with its states. */
  readonly archivedDaysAgo?: number | undefined
  /** Linear's default states if absent. */
  readonly states?: readonly StateSeed[] | undefined
}

/** Adds a team and its states, without members. */
export function seedTeam({ add, timeAgo }: Seeder, team: TeamSeed): string {
  const { daysAgo = 400, archivedDaysAgo, retiredDaysAgo = archivedDaysAgo, states: own, ...given } = team
  const { key, name, triageEnabled = false, cyclesEnabled = false } = given
  const past = (days: number | undefined) => (days === undefined ? null : timeAgo(days))
  const archivedAt = past(archivedDaysAgo)
  const states = statesOf({ triageEnabled, states: own })
  const state = (wanted: string) => {
    const found = states.find(({ type }) => type === wanted)
    return found === undefined ? null : stateId(key, found.name)
  }
  const teamId = add('Team', name, {
    daysAgo,
    archivedAt,
    retiredAt: past(retiredDaysAgo),
    description: null,
    icon: 'Team',
    color: '#5e6ad2',
    visibility: 'public',
    private: false,
    timezone: 'Europe/Lisbon',
    cyclesEnabled,
    cycleDuration: 2,
    cycleStartDay: 1,
    upcomingCycleCount: cyclesEnabled ? 2 : 0,
    issueEstimationType: 'notUsed',
    issueEstimationAllowZero: false,
    issueEstimationExtended: false,
    triageEnabled,
    defaultIssueStateId: state('backlog') ?? stateId(key, states[0]?.name ?? ''),
    triageIssueStateId: triageEnabled ? state('triage') : null,
    markedAsDuplicateWorkflowStateId: state('duplicate'),
    ...withoutUndefined(given),
  })
  for (const [position, { name: stateName, type, color = '#bec2c8' }] of states.entries()) {
    add('WorkflowState', `${key} ${stateName}`, { daysAgo, archivedAt, name: stateName, type, color, position, teamId })
  }
  return teamId
}

export const projectStatuses = ['Backlog', 'Planned', 'In Progress', 'Paused', 'Completed', 'Canceled'] as const
const statusTypes: Readonly<Record<(typeof projectStatuses)[number], string>> = {
  Backlog: 'backlog',
  Planned: 'planned',
  'In Progress': 'started',
  Paused: 'paused',
  Completed: 'completed',
  Canceled: 'canceled',
}

/** Adds the statuses that projects can have. */
export function seedProjectStatuses({ add }: Seeder): void {
  for (const [position, name] of projectStatuses.entries()) {
    add('ProjectStatus', name, {
      daysAgo: 400,
      name,
      type: statusTypes[name],
      position,
      color: '#5e6ad2',
      indefinite: name === 'Paused',
    })
  }
}

export interface UserSeed {
  readonly name: string
  /** Derived from the name by default. */
  readonly id?: string | undefined
  /** Derived from the display name by default. */
  readonly email?: string | undefined
  /** Unique; derived from the name by default. */
  readonly displayName?: string | undefined
  readonly title?: string | undefined
  readonly active?: boolean | undefined
  readonly admin?: boolean | undefined
  readonly owner?: boolean | undefined
  readonly guest?: boolean | undefined
  readonly app?: boolean | undefined
}

/** Adds a person or an app. */
export function seedUser({ add }: Seeder, { name, displayName = displayNameOf(name), ...given }: UserSeed): string {
  return add('User', displayName === displayNameOf(name) ? name : displayName, {
    daysAgo: 400,
    name,
    displayName,
    email: `${displayName}@lodestar.example`,
    active: true,
    admin: false,
    owner: false,
    guest: false,
    app: false,
    timezone: 'Europe/Lisbon',
    title: null,
    avatarBackgroundColor: '#5e6ad2',
    ...withoutUndefined(given),
  })
}

const displayNameOf = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '.')
