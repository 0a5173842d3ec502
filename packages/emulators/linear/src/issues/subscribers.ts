import type { Session } from '../store/session.ts'

/** Adds subscribers, ignoring existing ones. */
export function subscribe(session: Session, id: string, users: readonly unknown[]): void {
  for (const user of users) {
    if (typeof user === 'string')
      session.store.run('insert or ignore into issueSubscribers (issueId, userId) values (:id, :user)', { id, user })
  }
}
