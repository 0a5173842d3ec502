import { hash } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** The statuses that a redirect can have. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308

/** An answer made up by a fault. */
export interface CannedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is when it is text, otherwise as JSON. */
  readonly body?: unknown
  /** The `Retry-After` header: seconds, or an HTTP date. */
  readonly retry_after?: number | string
}

/** What can go wrong with one request. */
export type FaultAction =
  /** Answered instead of being handled. */
  | ({ readonly kind: 'status' } & CannedAnswer)
  /** Handled, then answered with something else. */
  | ({ readonly kind: 'status_after_commit' } & CannedAnswer)
  /** The connection is dropped before anything happens. */
  | { readonly kind: 'drop_before' }
  /** Handled, then the connection is dropped: the client cannot know. */
  | { readonly kind: 'drop_after' }
  /** Handled at once, answered late. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** Neither handled nor answered. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'redirect'; readonly status: RedirectStatus; readonly location: string }

/** Kinds that need no details: `status` is 503 and `slow` 50 ms. */
export type PlainKind = Exclude<FaultAction['kind'], 'redirect'>

/** Faults drawn at random, yet the same ones in every run with the same seed. */
export interface ChaosAction {
  readonly kind: 'chaos'
  readonly seed: number | string
  /** Share of the requests that fail, from 0 to 1. */
  readonly rate: number
  readonly kinds: readonly (PlainKind | FaultAction)[]
  /** How often one operation may fail in succession; 3 when absent, so that a client that tries four times gets through. */
  readonly max_in_a_row?: number
}

/** Which requests go wrong, how often, and how. */
export interface FaultRule {
  /** All requests when absent. `path` is exact, or a prefix when it ends in `*`. */
  readonly match?: { readonly method?: string; readonly path?: string }
  /** How many matching requests the rule is for: 1 when absent, for chaos all of them. */
  readonly times?: number
  readonly action: FaultAction | ChaosAction
}

const plainActions: Readonly<Record<PlainKind, FaultAction>> = {
  status: { kind: 'status', status: 503 },
  status_after_commit: { kind: 'status_after_commit', status: 503 },
  drop_before: { kind: 'drop_before' },
  drop_after: { kind: 'drop_after' },
  slow: { kind: 'slow', milliseconds: 50 },
  hang: { kind: 'hang' },
}

/** The action that a kind stands for. */
export const actionOf = (kind: PlainKind | FaultAction): FaultAction => (typeof kind === 'string' ? plainActions[kind] : kind)

/**
 * Draws the faults of a chaos rule. What befalls the n-th attempt at an operation depends on the seed, the operation and n
 * alone, so a run can be repeated whatever the order in which its requests arrive.
 */
export function createChaosDice({ seed, rate, kinds, max_in_a_row = 3 }: ChaosAction): (operation: string) => FaultAction | undefined {
  const seen = new Map<string, { attempts: number; inARow: number }>()
  return (operation) => {
    const { attempts, inARow } = seen.get(operation) ?? { attempts: 0, inARow: 0 }
    const { chance, choice } = roll(seed, operation, attempts + 1)
    const kind = inARow < max_in_a_row && chance < rate ? kinds[Math.floor(choice * kinds.length)] : undefined
    seen.set(operation, { attempts: attempts + 1, inARow: kind === undefined ? 0 : inARow + 1 })
    return kind === undefined ? undefined : actionOf(kind)
  }
}

/** Two numbers in [0, 1) that look random. */
function roll(seed: number | string, operation: string, attempt: number): { chance: number; choice: number } {
  const digest = hash('sha256', JSON.stringify([seed, operation, attempt]))
  const fraction = (from: number) => Number.parseInt(digest.slice(from, from + 12), 16) / 2 ** 48
  return { chance: fraction(0), choice: fraction(12) }
}

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
      queue.push({ rule, ...chooseFault(rule) })
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

function chooseFault({ action, times }: FaultRule): Pick<Queued, 'draw' | 'left'> {
  if (action.kind === 'chaos') {
    const roll = createChaosDice(action)
    return { draw: ({ operation }) => roll(operation()), left: times ?? Infinity }
  }
  return { draw: () => action, left: times ?? 1 }
}

function matches({ match = {} }: FaultRule, { method, path }: FaultTarget): boolean {
  const wanted = match.path ?? '*'
  const pathFits = wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted
  return pathFits && (match.method === undefined || match.method.toUpperCase() === method)
}

/** The connection ends without an answer. */
export class ConnectionDropped extends Error {
  override name = 'ConnectionDropped'
}

/** Handles a request as a fault wants it, or just handles it. */
export async function applyFault(action: FaultAction | undefined, handle: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  switch (action?.kind) {
    case undefined:
      return handle()
    case 'status':
      return cannedResponse(action)
    case 'status_after_commit':
      await handle()
      return cannedResponse(action)
    case 'drop_before':
      return dropConnection()
    case 'drop_after':
      await handle()
      return dropConnection()
    case 'slow': {
      const response = await handle()
      await delay(action.milliseconds, undefined, { signal }).catch(dropConnection)
      return response
    }
    case 'hang':
      if (!signal.aborted) await once(signal, 'abort')
      return dropConnection()
    case 'redirect':
      return new Response(null, { status: action.status, headers: { location: action.location } })
  }
}

const dropConnection = (): never => {
  throw new ConnectionDropped()
}

function cannedResponse({ status, headers, body, retry_after }: CannedAnswer): Response {
  const isText = typeof body === 'string'
  const all = new Headers(headers)
  if (retry_after !== undefined) all.set('retry-after', String(retry_after))
  if (body !== undefined && !isText && !all.has('content-type')) all.set('content-type', 'application/json')
  return new Response(body === undefined ? null : isText ? body : JSON.stringify(body), { status, headers: all })
}
