import type { Moment } from './gate.ts'
import type { Writes } from './killable-server.ts'

/** Where a process is killed while it works on a call; requests and system calls are counted from the call on. */
export type KillPoint =
  | { readonly kind: 'request'; readonly index: number; readonly moment: Moment }
  | { readonly kind: 'write'; readonly writes: Writes; readonly number: number }

export function describePoint(point: KillPoint): string {
  if (point.kind === 'request') return `request ${point.index + 1}, ${point.moment}`
  return `write ${point.number} of ${point.writes}`
}

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
