import { isObject, member, parseJson } from '@mcp-toolkits/core/base'
import type { Arguments } from '../vendors/vendor.ts'
import { modern, parseMessageBody } from '../processes/protocol.ts'

export interface Call {
  /** The tool's name, with the server's prefix. */
  readonly name: string
  readonly args: Arguments
  readonly key?: string
  readonly token?: string
}

/** The outcome of one request. */
export type Outcome =
  | { readonly kind: 'result'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly code: string; readonly isRetryable: boolean; readonly text: string }
  /** The connection broke, or the load balancer had no replica. */
  | { readonly kind: 'lost'; readonly reason: string }

/** Sends one call and returns its outcome; never rejects. */
export async function send(url: string, { name, args, key, token }: Call): Promise<Outcome> {
  const meta = key === undefined ? {} : { 'mcp-toolkits/idempotency-key': key }
  const { headers, body } = modern('1', 'tools/call', { name, arguments: args, _meta: meta })
  try {
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    const response = await fetch(url, { method: 'POST', headers, ...(body !== undefined && { body }) })
    const text = await response.text()
    if (response.status >= 500 && response.status < 600) return { kind: 'lost', reason: `HTTP ${response.status} ${text.slice(0, 200)}` }
    const { result, error } = parseMessageBody(text)
    if (!result) return { kind: 'error', code: String(error?.code), isRetryable: response.status === 429, text }
    return outcomeOf(result)
  } catch (error) {
    return { kind: 'lost', reason: String(member(error, 'cause') ?? error) }
  }
}

function outcomeOf(result: unknown): Outcome {
  const data = member(result, 'structuredContent')
  if (member(result, 'isError') !== true) return { kind: 'result', data: isObject(data) ? data : {} }
  const content = member(result, 'content')
  const text = String(Array.isArray(content) ? member(content[0], 'text') : '')
  const error = member(parseJson(text), 'error')
  return { kind: 'error', code: String(member(error, 'code')), isRetryable: member(error, 'retryable') === true, text }
}

/** The outcomes of all calls in a run. */
export interface Tally {
  /** Number of responses that were lost. */
  readonly failures: readonly string[]
  /** Number of errors after which the call was retried. */
  readonly lost: number
  /** Number of errors that allowed a retry. */
  readonly retryable: number
}

export interface LoadOptions {
  readonly parallel: number
  /** Called after each call. */
  readonly onDone?: (done: number) => void
}

/** Delay, in milliseconds, before a retry after an error; after a lost response, a call is retried at once. */
const pauseMs = 100

/** Time, in milliseconds, for which a call is retried before it counts as failed: longer than any outage in the tests. */
const patienceMs = 180_000

/** Makes every call until it succeeds, fails for good or takes too long; a lost one is retried at once. */
export async function callAll(url: string, calls: readonly Call[], { parallel, onDone }: LoadOptions): Promise<Tally> {
  const failures: string[] = []
  const counts = { lost: 0, retryable: 0, done: 0 }
  const queue = calls.values()
  const work = async () => {
    for (const call of queue) {
      const deadline = performance.now() + patienceMs
      for (;;) {
        const outcome = await send(url, call)
        if (outcome.kind === 'result') break
        if (outcome.kind === 'lost') counts.lost += 1
        else if (outcome.isRetryable) counts.retryable += 1
        const isHopeless = performance.now() > deadline
        if (isHopeless || (outcome.kind === 'error' && !outcome.isRetryable)) {
          failures.push(`${call.name}: ${outcome.kind === 'error' ? outcome.text : 'no response'}`)
          break
        }
        if (outcome.kind === 'error') await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      counts.done += 1
      onDone?.(counts.done)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return { failures, lost: counts.lost, retryable: counts.retryable }
}
