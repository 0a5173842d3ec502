import { forbidden } from '../errors.ts'
import type { Session } from '../store/session.ts'

/** True for workspace admins. */
export function isAdmin({ get, viewerId }: Pick<Session, 'get' | 'viewerId'>): boolean {
  return get('User', viewerId)['admin'] === 1
}

/** Refuses callers who are not admins, with a sentence about what only admins can do. */
export function requireAdmin(session: Session, refusal = 'Only admins can do this.'): void {
  if (!isAdmin(session)) throw forbidden(refusal)
}
