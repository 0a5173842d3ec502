import type { Moment } from './gate.ts'
import type { Writes } from './killable-server.ts'

/** A point at which a process is killed during a call; requests and system calls are counted from its start. */
export type KillPoint =
  | { readonly kind: 'request'; readonly index: number; readonly moment: Moment }
  | { readonly kind: 'write'; readonly writes: Writes; readonly number: number }

export function describePoint(point: KillPoint): string {
  if (point.kind === 'request') return `request ${point.index + 1}, ${point.moment}`
  return `write ${point.number} of ${point.writes}`
}
