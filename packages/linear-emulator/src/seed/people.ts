import type { ConsentPerson } from '@mcp-toolkits/emulator/oauth'
import { integer, type Store, text } from '@mcp-toolkits/store'
import { idOf } from '../ids.ts'
import { createSeeder, firstTeamId, seedTeam, seedUser, type TeamSeed, type UserSeed, viewerId } from './empty.ts'

/** The id of a person by name. */
export const user = (name: string): string => idOf(`User ${name}`)

/** The id of a team by name. */
export const team = (name: string): string => idOf(`Team ${name}`)

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
