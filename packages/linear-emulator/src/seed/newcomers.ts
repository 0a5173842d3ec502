import type { Store } from '@mcp-toolkits/store'
import { plantTeam, plantUser, type NewTeam, type NewUser } from './empty.ts'
import { team, user } from './people.ts'
import { planting } from './planting.ts'

/** A team that a test needs, with its members by name; the viewer is none unless named. */
export interface AddedTeam extends NewTeam {
  readonly members?: readonly string[]
}

/** A person or an app that a test needs, with its teams by name. */
export interface AddedUser extends NewUser {
  readonly teams?: readonly string[]
}

/** Adds a team, and returns its id. */
export function addTeam(store: Store, { members = [], ...each }: AddedTeam, now: number): string {
  const all = planting(store, now)
  return store.write(() => {
    const id = plantTeam(all, { daysAgo: 1, ...each })
    for (const name of members) all.pair('teamMembers', id, user(name))
    return id
  })
}

/** Adds a person or an app, and returns the id. */
export function addUser(store: Store, { teams = [], ...each }: AddedUser, now: number): string {
  const all = planting(store, now)
  return store.write(() => {
    const id = plantUser(all, each)
    for (const name of teams) all.pair('teamMembers', team(name), id)
    return id
  })
}
