import type { ConsentPerson } from '@mcp-toolkits/emulator/oauth'
import { integer, type Store, text } from '@mcp-toolkits/store'
import { idOf } from '../ids.ts'
import { createSeeder, firstTeamId, type Seeder, seedTeam, seedUser, type TeamSeed, type UserSeed, viewerId } from './empty.ts'

/** The id of a person by name. */
export const user = (name: string): string => idOf(`User ${name}`)

/** The id of a team by name. */
export const team = (name: string): string => idOf(`Team ${name}`)

/** The id of a label by its group and its name. */
export const label = (name: string): string => idOf(`IssueLabel ${name}`)

const people = [
  { name: 'Ada Okafor', title: 'Staff engineer', admin: true, teams: ['Engineering', 'Engineering Ops'] },
  { name: 'Ada Okonkwo', title: 'Support engineer', teams: ['Engineering Ops'] },
  { name: 'Mikael Lindström', title: 'Engineer', teams: ['Engineering'] },
  { name: 'Priya Nair', title: 'Product designer', teams: ['Design', 'Engineering'] },
  { name: 'Tomás Herrera', title: 'Site reliability engineer', teams: ['Engineering Ops', 'Engineering'] },
  { name: 'Grace Kim', title: 'Contractor', guest: true, teams: ['Design'] },
  { name: 'Leo Brandt', title: 'Engineer', active: false, teams: ['Engineering'] },
  { name: 'Beacon', app: true, teams: ['Engineering'] },
] as const

interface NewLabel {
  readonly name: string
  readonly group?: string
  readonly team?: string
  readonly isGroup?: boolean
  readonly description?: string
}

const labels: readonly NewLabel[] = [
  { name: 'Type', isGroup: true, description: 'What kind of work it is.' },
  { name: 'Bug', group: 'Type' },
  { name: 'Feature', group: 'Type' },
  { name: 'Chore', group: 'Type' },
  { name: 'Severity', isGroup: true },
  { name: 'S1', group: 'Severity', description: 'Customers cannot work.' },
  { name: 'S2', group: 'Severity' },
  { name: 'S3', group: 'Severity' },
  { name: 'Customer request' },
  { name: 'Security' },
  { name: 'Regression', description: 'Worked before, whoever builds it.' },
  { name: 'qa', isGroup: true, team: 'Engineering' },
  { name: 'cleanup', group: 'qa', team: 'Engineering' },
  { name: 'regression', group: 'qa', team: 'Engineering' },
  { name: 'Performance', team: 'Engineering' },
  { name: 'On-call', team: 'Engineering Ops' },
  { name: 'Performance', team: 'Engineering Ops' },
  { name: 'Research', team: 'Design' },
]

/** A unique name for a label: labels of two teams may have the same name. */
const labelName = ({ name, team: owner }: Pick<NewLabel, 'name' | 'team'>) => (owner === undefined ? name : `${owner} ${name}`)

/** Adds the other teams, the people and the labels. */
export function seedPeople(seeder: Seeder): void {
  const { add, link } = seeder
  seedTeam(seeder, {
    key: 'OPS',
    name: 'Engineering Ops',
    description: 'Keeps it running.',
    triageEnabled: true,
    cyclesEnabled: true,
    issueEstimationType: 'linear',
    daysAgo: 300,
  })
  seedTeam(seeder, { key: 'DES', name: 'Design', description: 'Research, interaction and brand.', daysAgo: 200 })
  seedTeam(seeder, { key: 'LAB', name: 'Labs', description: 'Experiments that ended.', daysAgo: 390, archivedDaysAgo: 120 })
  // The viewer is not a member of Engineering Ops, so that its new issues start in triage.
  for (const name of ['Design', 'Labs']) link('teamMembers', team(name), viewerId)
  for (const { teams, ...person } of people) {
    const id = seedUser(seeder, person)
    for (const name of teams) link('teamMembers', team(name), id)
  }
  for (const [index, each] of labels.entries()) {
    const { name, group, team: owner, isGroup = false, description } = each
    add('IssueLabel', labelName(each), {
      daysAgo: 300 - index,
      name,
      description: description ?? null,
      color: '#5e6ad2',
      isGroup,
      parentId: group === undefined ? null : label(labelName({ name: group, ...(owner !== undefined && { team: owner }) })),
      teamId: owner === undefined ? null : team(owner),
      creatorId: viewerId,
    })
  }
}

/** The people who can consent: the owner of the personal key, then the others by name. */
export function listPeople(store: Store): ConsentPerson[] {
  const sql = 'select id, name, email from users where active = 1 and app = 0 order by id <> :viewerId, name, id'
  return store.rows({ id: text, name: text, email: text }, sql, { viewerId })
}

/** A team with the names of its members. */
export interface NewTeam extends TeamSeed {
  readonly members?: readonly string[]
}

/** A person or an app with the names of its teams. */
export interface NewUser extends UserSeed {
  readonly teams?: readonly string[]
}

/** Adds a team and returns its id. */
export function addTeam(store: Store, { members = [], ...each }: NewTeam, now: number): string {
  const seeder = createSeeder(store, now)
  return store.writeNow(() => {
    const id = seedTeam(seeder, { daysAgo: 1, ...each })
    for (const name of members) seeder.link('teamMembers', id, user(name))
    return id
  })
}

/** Adds a person or an app and returns its id. */
export function addUser(store: Store, { teams = [], ...each }: NewUser, now: number): string {
  const seeder = createSeeder(store, now)
  return store.writeNow(() => {
    const id = seedUser(seeder, each)
    for (const name of teams) seeder.link('teamMembers', team(name), id)
    return id
  })
}

/** Adds issues to the first team in one transaction, created a minute apart and the last one now. */
export function addIssues(store: Store, { count, now }: { count: number; now: number }): void {
  const { add } = createSeeder(store, now)
  store.writeNow(() => {
    const sql = 'select coalesce(max(number), 0) as last from issues where teamId = :teamId'
    const last = store.rows({ last: integer }, sql, { teamId: firstTeamId })[0]?.last ?? 0
    for (let added = 1; added <= count; added += 1) {
      const number = last + added
      add('Issue', `ENG-${number}`, {
        daysAgo: (count - added) / 1440,
        teamId: firstTeamId,
        number,
        identifier: `ENG-${number}`,
        title: `Issue ${number} of many`,
        description: `What there is to say about number ${number}.`,
        priority: number % 5,
        stateId: idOf('WorkflowState ENG Backlog'),
        creatorId: viewerId,
        sortOrder: -number,
      })
    }
  })
}
