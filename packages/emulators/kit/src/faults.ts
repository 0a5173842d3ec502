import { hash } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/** A canned response. */
export interface CannedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent verbatim, anything else as JSON. */
  readonly body?: unknown
  /** The `Retry-After` header: seconds, or an HTTP date. */
  readonly retry_after?: number | string
}

/** A fault for one request. */
export type FaultAction =
  /** Responds without handling the request. */
  | ({ readonly kind: 'status' } & CannedResponse)
  /** Handles the request, then responds with something else. */
  | ({ readonly kind: 'status_after_commit' } & CannedResponse)
  /** Drops the connection before handling. */
  | { readonly kind: 'drop_before' }
  /** Handles the request, then drops the connection. */
  | { readonly kind: 'drop_after' }
  /** Handles the request at once and responds late. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** Neither handles nor answers the request. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 303 | 307 | 308; readonly location: string }

/** Kinds that have defaults: 503 for `status`, and 50 ms for `slow`. */
export type FaultKind = Exclude<FaultAction['kind'], 'redirect'>

/** Random faults, reproducible by seed. */
export interface ChaosAction {
  readonly kind: 'chaos'
  readonly seed: number | string
  /** Share of requests that fail, from 0 to 1. */
  readonly rate: number
  readonly kinds: readonly (FaultKind | FaultAction)[]
  /** Maximum number of consecutive failures of an operation; 3 by default, so a client that makes four attempts succeeds. */
  readonly max_in_a_row?: number
}

/** A rule that says which requests fail, how often and how. */
export interface FaultRule {
  /** All requests by default. `path` is exact, or a prefix if it ends in `*`. */
  readonly match?: { readonly method?: string; readonly path?: string }
  /** Number of matching requests to which the rule applies: 1 by default, all for chaos. */
  readonly times?: number
  readonly action: FaultAction | ChaosAction
}

const defaultActions: Readonly<Record<FaultKind, FaultAction>> = {
  status: { kind: 'status', status: 503 },
  status_after_commit: { kind: 'status_after_commit', status: 503 },
  drop_before: { kind: 'drop_before' },
  drop_after: { kind: 'drop_after' },
  slow: { kind: 'slow', milliseconds: 50 },
  hang: { kind: 'hang' },
}

/** The action for a kind. */
export const actionOf = (kind: FaultKind | FaultAction): FaultAction => (typeof kind === 'string' ? defaultActions[kind] : kind)

/**
 * Chooses a chaos rule's faults. The fault for the nth attempt depends only on seed, operation and n, so a run is reproducible whatever the
 * order of requests.
 */
export function createChaosPicker({ seed, rate, kinds, max_in_a_row = 3 }: ChaosAction): (operation: string) => FaultAction | undefined {
  const seen = new Map<string, { attempts: number; inARow: number }>()
  return (operation) => {
    const { attempts, inARow } = seen.get(operation) ?? { attempts: 0, inARow: 0 }
    const { chance, choice } = roll(seed, operation, attempts + 1)
    const kind = inARow < max_in_a_row && chance < rate ? kinds[Math.floor(choice * kinds.length)] : undefined
    seen.set(operation, { attempts: attempts + 1, inARow: kind === undefined ? 0 : inARow + 1 })
    return kind === undefined ? undefined : actionOf(kind)
  }
}

/** Two pseudo-random numbers in [0, 1). */
function roll(seed: number | string, operation: string, attempt: number): { chance: number; choice: number } {
  const digest = hash('sha256', JSON.stringify([seed, operation, attempt]))
  const fraction = (from: number) => Number.parseInt(digest.slice(from, from + 12), 16) / 2 ** 48
  return { chance: fraction(0), choice: fraction(12) }
}

/** An emulator's fault rules. */
export interface Faults {
  /** Appends a rule; the first rule that matches a request wins. */
  readonly add: (rule: FaultRule) => void
  /** Removes all rules and resets chaos. */
  readonly clear: () => void
  /** Rules not yet used up. */
  readonly pending: () => readonly FaultRule[]
}

/** Parts of a request that rules match. */
export interface FaultTarget {
  readonly method: string
  readonly path: string
  /** Identifies the operation across attempts; used by chaos. */
  readonly operation: () => string
}

interface QueuedRule {
  readonly rule: FaultRule
  readonly draw: (target: FaultTarget) => FaultAction | undefined
  remaining: number
}

/** The queue of fault rules. */
export function createFaultQueue(): Faults & { readonly next: (target: FaultTarget) => FaultAction | undefined } {
  let queue: QueuedRule[] = []
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
        // Chaos counts every attempt, even if another rule applies.
        const isChaos = queued.rule.action.kind === 'chaos'
        if (!matches(queued.rule, target) || (chosen !== undefined && !isChaos)) continue
        queued.remaining -= 1
        const drawn = queued.draw(target)
        chosen ??= drawn
      }
      queue = queue.filter(({ remaining }) => remaining > 0)
      return chosen
    },
  }
}

function chooseFault({ action, times }: FaultRule): Pick<QueuedRule, 'draw' | 'remaining'> {
  if (action.kind === 'chaos') {
    const roll = createChaosPicker(action)
    return { draw: ({ operation }) => roll(operation()), remaining: times ?? Infinity }
  }
  return { draw: () => action, remaining: times ?? 1 }
}

function matches({ match = {} }: FaultRule, { method, path }: FaultTarget): boolean {
  const pattern = match.path ?? '*'
  const matchesPath = pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
  return matchesPath && (match.method === undefined || match.method.toUpperCase() === method)
}

/** Thrown if the connection ends without a response. */
export class ConnectionDropped extends Error {
  override name = 'ConnectionDropped'
}

/** Handles a request with a fault, if there is one. */
export async function applyFault(action: FaultAction | undefined, handle: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  switch (action?.kind) {
    case undefined:
      return handle()
    case 'status':
      return cannedResponse(action)
    case 'status_after_commit':
      await dropResponse(await handle())
      return cannedResponse(action)
    case 'drop_before':
      return dropConnection()
    case 'drop_after':
      await dropResponse(await handle())
      return dropConnection()
    case 'slow': {
      const response = await handle()
      await delay(action.milliseconds, undefined, { signal }).catch(async () => {
        await dropResponse(response)
        dropConnection()
      })
      return response
    }
    case 'hang':
      if (!signal.aborted) await once(signal, 'abort')
      return dropConnection()
    case 'redirect':
      return new Response(null, { status: action.status, headers: { location: action.location } })
  }
}

/** Frees an unsent response's resources, such as an open file. */
const dropResponse = async ({ body }: Response) => body?.cancel()

const dropConnection = (): never => {
  throw new ConnectionDropped()
}

function cannedResponse({ status, headers, body, retry_after }: CannedResponse): Response {
  const isText = typeof body === 'string'
  const all = new Headers(headers)
  if (retry_after !== undefined) all.set('retry-after', String(retry_after))
  if (body !== undefined && !isText && !all.has('content-type')) all.set('content-type', 'application/json')
  return new Response(body === undefined ? null : isText ? body : JSON.stringify(body), { status, headers: all })
}
