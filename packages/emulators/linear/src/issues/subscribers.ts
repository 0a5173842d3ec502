import type { Session } from '../store/session.ts'

/** The given users who can see a team's content. */
export const insidersOf = (session: Session, teamId: unknown, users: readonly unknown[]): string[] =>
  users.filter((each) => typeof each === 'string').filter((each) => !session.hiddenTeams(each).some((id) => id === teamId))

/** Adds subscribers, ignoring existing ones. */
export function subscribe(session: Session, id: string, users: readonly unknown[]): void {
  for (const user of users) {
    if (typeof user === 'string')
      session.store.run('insert or ignore into issueSubscribers (issueId, userId) values (:id, :user)', { id, user })
  }
}
