import { hash } from 'node:crypto'
import { once } from 'node:events'
import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'

/** Ways in which a request fails. `cut`: Linear carries out only the first of several mutations, then the connection breaks. */
const kinds = ['error', 'ratelimited', 'reset_before', 'reset_after', 'cut', 'hang'] as const
export type StormKind = (typeof kinds)[number]

export interface StormOptions {
  readonly seed: string
  /** Share of the requests that fail, from 0 to 1. */
  readonly rate: number
  /** The kinds of failure to choose from; one that is listed twice occurs twice as often. */
  readonly kinds?: readonly StormKind[]
}

export interface Storm {
  readonly fetch: Fetch
  /** Number of failed requests by kind. */
  readonly seen: () => Readonly<Partial<Record<StormKind, number>>>
}

const mostInARow = 3

const speed = 4

/** A clock for calls in a storm that runs faster, so that backoff and requests that hang take less time. */
export const stormClock: Clock = {
  now: () => systemClock.now() * speed,
  monotonic: () => systemClock.monotonic() * speed,
  sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  timer: (ms, callback) => systemClock.timer(ms / speed, callback),
}

/**
 * Linear behind a bad connection. How the n-th attempt at an operation fails depends on the seed, the operation and n alone, and no
 * operation fails more than three times in a row.
 */
export function storm(fetch: Fetch, { seed, rate, kinds: drawn = kinds }: StormOptions): Storm {
  const attempts = new Map<string, { count: number; inARow: number }>()
  const seen: Partial<Record<StormKind, number>> = {}
  const draw = (operation: string): StormKind | undefined => {
    const { count, inARow } = attempts.get(operation) ?? { count: 0, inARow: 0 }
    const [chance, choice] = roll(JSON.stringify([seed, operation, count + 1]))
    const kind = inARow < mostInARow && chance < rate ? drawn[Math.floor(choice * drawn.length)] : undefined
    attempts.set(operation, { count: count + 1, inARow: kind === undefined ? 0 : inARow + 1 })
    return kind
  }
  return {
    seen: () => seen,
    async fetch(input, init) {
      const request = new Request(input, init)
      const body = await request.clone().text()
      const kind = draw(operationIn(body))
      if (kind === undefined) return fetch(request, init)
      seen[kind] = (seen[kind] ?? 0) + 1
      return fail(kind, { fetch, request, body })
    },
  }
}

interface FailingRequest {
  readonly fetch: Fetch
  readonly request: Request
  readonly body: string
}

async function fail(kind: StormKind, { fetch, request, body }: FailingRequest): Promise<Response> {
  if (kind === 'error') return new Response('upstream failed', { status: 500 })
  if (kind === 'ratelimited') {
    const body = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] }
    return Response.json(body, { status: 400, headers: { 'retry-after': '0.01' } })
  }
  if (kind === 'reset_after') await fetch(request)
  if (kind === 'cut') await fetch(new Request(request, { body: firstMutation(body) }))
  if (kind === 'hang') await once(request.signal, 'abort')
  throw new TypeError('fetch failed')
}

/** The body with only the mutation that creates the issue, if there is one. */
export function firstMutation(body: string): string {
  const sent: { query: string } = Object.assign({ query: '' }, parsed(body))
  if (!sent.query.includes('issueCreate')) return body
  const query = 'mutation CreateIssue($input: IssueCreateInput!) { issueCreate(input: $input) { success } }'
  return JSON.stringify({ ...sent, query, operationName: 'CreateIssue' })
}

/** Identifies a create by its id and anything else by its name and variables. */
function operationIn(body: string): string {
  const sent: { operationName: unknown; variables: unknown } = Object.assign({ operationName: '', variables: {} }, parsed(body))
  return JSON.stringify([sent.operationName, sent.variables])
}

/** Two pseudorandom numbers in [0, 1). */
function roll(text: string): [number, number] {
  const digest = hash('sha256', text)
  return [Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48, Number.parseInt(digest.slice(12, 24), 16) / 2 ** 48]
}

function parsed(json: string): unknown {
  return JSON.parse(json)
}
