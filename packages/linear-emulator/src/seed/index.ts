import { integer, type Store } from '@mcp-toolkits/store'
import { idOf } from '../ids.ts'
import { seedActivity } from './activity.ts'
import { seedIssues } from './issues.ts'
import { createSeeder, firstTeamId, seedTeam, seedUser, type TeamSeed, type UserSeed, viewerId } from './empty.ts'
import { seedPeople, team, user } from './people.ts'
import { seedPlans } from './plans.ts'

/** Adds the work of three teams. */
export function seedWorkspace(store: Store, now: number): void {
  const seeder = createSeeder(store, now)
  seedPeople(seeder)
  seedPlans(seeder)
  seedIssues(seeder)
  seedActivity(seeder)
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
  return store.write(() => {
    const id = seedTeam(seeder, { daysAgo: 1, ...each })
    for (const name of members) seeder.link('teamMembers', id, user(name))
    return id
  })
}

/** Adds a person or an app and returns its id. */
export function addUser(store: Store, { teams = [], ...each }: NewUser, now: number): string {
  const seeder = createSeeder(store, now)
  return store.write(() => {
    const id = seedUser(seeder, each)
    for (const name of teams) seeder.link('teamMembers', team(name), id)
    return id
  })
}

/** Adds issues to the first team in one transaction, created a minute apart and the last one now. */
export function addIssues(store: Store, { count, now }: { count: number; now: number }): void {
  const { add } = createSeeder(store, now)
  store.write(() => {
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
