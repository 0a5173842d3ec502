import { integer, type Store } from '@mcp-toolkits/sqlite'
import { idOf } from '../ids.ts'
import { firstTeamId, teamId, userId, viewerId } from './seed-ids.ts'
import { type Seeder, seedTeam, seedUser, type TeamSeed, type UserSeed, seedWith } from './seed-rows.ts'

/** A team with the names of its members. */
export interface NewTeam extends TeamSeed {
  readonly members?: readonly string[]
}

/** A person or an app with the names of its teams. */
export interface NewUser extends UserSeed {
  readonly teams?: readonly string[]
}

/** Adds issues to the first team in one transaction, dated a minute apart, the last one now. */
export function addIssues(store: Store, { count, now }: { count: number; now: number }): void {
  store.writeNow(() => {
    const sql = 'select coalesce(max(number), 0) as last from issues where teamId = :teamId'
    const last = store.rows({ last: integer }, sql, { teamId: firstTeamId })[0]?.last ?? 0
    seedWith(store, now, ({ add }) => {
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
  })
}

/** Ways to change the workspace without a request. */
export interface Additions {
  /** Adds many issues to the first team. */
  readonly addIssues: (count: number) => void
  /** Adds a team and returns its id. */
  readonly addTeam: (team: NewTeam) => string
  /** Adds a person or an app and returns its id. */
  readonly addUser: (user: NewUser) => string
}

export function createAdditions(withStore: <T>(work: (store: Store) => T) => T, now: () => number): Additions {
  const seed = <T>(work: (seeder: Seeder) => T) => withStore((store) => store.writeNow(() => seedWith(store, now(), work)))
  return {
    addIssues(count) {
      withStore((store) => {
        addIssues(store, { count, now: now() })
      })
    },
    addTeam: ({ members = [], ...team }) =>
      seed((seeder) => {
        const id = seedTeam(seeder, { daysAgo: 1, ...team })
        for (const name of members) seeder.link('teamMembers', id, userId(name))
        return id
      }),
    addUser: ({ teams = [], ...user }) =>
      seed((seeder) => {
        const id = seedUser(seeder, user)
        for (const name of teams) seeder.link('teamMembers', teamId(name), id)
        return id
      }),
  }
}
