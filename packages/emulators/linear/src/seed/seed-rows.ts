import type { Store } from '@mcp-toolkits/sqlite'
import { entityTypes, recordTypes } from '../entities.ts'
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
      const id = idOf(`${type} ${key}`)
      const createdAt = values['createdAt'] ?? timeAgo(daysAgo)
      append(entities, type, { id, createdAt, updatedAt: timeAgo(updatedDaysAgo ?? daysAgo), ...values })
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
  readonly description?: string
  readonly private?: boolean
  readonly issueEstimationType?: 'notUsed' | 'exponential' | 'fibonacci' | 'linear' | 'tShirt'
  readonly issueEstimationAllowZero?: boolean
  readonly issueEstimationExtended?: boolean
  readonly triageEnabled?: boolean
  readonly cyclesEnabled?: boolean
  readonly daysAgo?: number
  /** Days since it was retired. */
  readonly retiredDaysAgo?: number
  /** Days since it was archived with its states. */
  readonly archivedDaysAgo?: number
  /** Linear's default states if absent. */
  readonly states?: readonly StateSeed[]
}

/** Adds a team and its states, without members. */
export function seedTeam({ add, timeAgo }: Seeder, { key, name, triageEnabled = false, states: own, ...rest }: TeamSeed): string {
  const { description, issueEstimationType = 'notUsed', cyclesEnabled = false, daysAgo = 400, archivedDaysAgo } = rest
  const { private: isPrivate = false } = rest
  const { issueEstimationAllowZero = false, issueEstimationExtended = false, retiredDaysAgo = archivedDaysAgo } = rest
  const past = (days: number | undefined) => (days === undefined ? null : timeAgo(days))
  const archivedAt = past(archivedDaysAgo)
  const states = statesOf({ triageEnabled, ...(own && { states: own }) })
  const state = (wanted: string) => {
    const found = states.find(({ type }) => type === wanted)
    return found === undefined ? null : stateId(key, found.name)
  }
  const teamId = add('Team', name, {
    daysAgo,
    archivedAt,
    retiredAt: past(retiredDaysAgo),
    key,
    name,
    description: description ?? null,
    icon: 'Team',
    color: '#5e6ad2',
    visibility: 'public',
    private: isPrivate,
    timezone: 'Europe/Lisbon',
    cyclesEnabled,
    cycleDuration: 2,
    cycleStartDay: 1,
    upcomingCycleCount: cyclesEnabled ? 2 : 0,
    issueEstimationType,
    issueEstimationAllowZero,
    issueEstimationExtended,
    triageEnabled,
    defaultIssueStateId: state('backlog') ?? stateId(key, states[0]?.name ?? ''),
    triageIssueStateId: triageEnabled ? state('triage') : null,
    markedAsDuplicateWorkflowStateId: state('duplicate'),
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
  /** Follows from the name by default. */
  readonly id?: string
  /** Follows from the display name by default. */
  readonly email?: string
  /** Unique; follows from the name by default. */
  readonly displayName?: string
  readonly title?: string
  readonly active?: boolean
  readonly admin?: boolean
  readonly owner?: boolean
  readonly guest?: boolean
  readonly app?: boolean
}

/** Adds a person or an app. */
export function seedUser({ add }: Seeder, { name, title, displayName = displayNameOf(name), id, email, ...flags }: UserSeed): string {
  const { active = true, admin = false, owner = false, guest = false, app = false } = flags
  return add('User', displayName === displayNameOf(name) ? name : displayName, {
    daysAgo: 400,
    name,
    displayName,
    ...(id !== undefined && { id }),
    email: email ?? `${displayName}@lodestar.example`,
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
