import { chaosDice } from './chaos.ts'
import type { FaultAction, FaultRule } from './fault-rules.ts'

/** The faults that an emulator is told to inject. */
export interface Faults {
  /** Adds a rule after those that are there; the first one that has something for a request decides. */
  readonly add: (rule: FaultRule) => void
  /** Forgets all rules, and what chaos has counted. */
  readonly clear: () => void
  /** The rules that still wait for requests. */
  readonly pending: () => readonly FaultRule[]
}

/** A request as far as rules can tell requests apart. */
export interface FaultTarget {
  readonly method: string
  readonly path: string
  /** What the request is about, the same for every attempt at it; asked by chaos alone. */
  readonly operation: () => string
}

interface Queued {
  readonly rule: FaultRule
  readonly draw: (target: FaultTarget) => FaultAction | undefined
  left: number
}

/** A queue of fault rules, and the draw that the emulator makes from it for each request. */
export function faultQueue(): Faults & { readonly next: (target: FaultTarget) => FaultAction | undefined } {
  let queue: Queued[] = []
  return {
    add(rule) {
      queue.push({ rule, ...drawFor(rule) })
    },
    clear() {
      queue = []
    },
    pending: () => queue.map(({ rule }) => rule),
    next(target) {
      let chosen: FaultAction | undefined
      for (const queued of queue) {
        // Chaos counts every attempt, also one that another rule decides.
        const isChaos = queued.rule.action.kind === 'chaos'
        if (!matches(queued.rule, target) || (chosen !== undefined && !isChaos)) continue
        queued.left -= 1
        const drawn = queued.draw(target)
        chosen ??= drawn
      }
      queue = queue.filter(({ left }) => left > 0)
      return chosen
    },
  }
}

function drawFor({ action, times }: FaultRule): Pick<Queued, 'draw' | 'left'> {
  if (action.kind === 'chaos') {
    const roll = chaosDice(action)
    return { draw: ({ operation }) => roll(operation()), left: times ?? Infinity }
  }
  return { draw: () => action, left: times ?? 1 }
}

function matches({ match = {} }: FaultRule, { method, path }: FaultTarget): boolean {
  const wanted = match.path ?? '*'
  const pathFits = wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted
  return pathFits && (match.method === undefined || match.method.toUpperCase() === method)
}
