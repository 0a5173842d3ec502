import { canonicalJson } from '@mcp-toolkits/core/base'
import { InvalidInput, quoteVendor, TooLarge, ToolError } from '@mcp-toolkits/core/errors'
import { withCallScope, withoutTool } from '@mcp-toolkits/core/tool'
import { noTelemetry } from '@mcp-toolkits/core/upstream'
import { decideDelivery } from '../outbox/delivery-policy.ts'
import type { DeliveryWorkerOptions } from '../outbox/delivery-worker.ts'
import { Problems } from './problems.ts'
import type { Backfill } from './record.ts'
import { StoredCalls, type StoredRow } from './requests.ts'

/** Timeout, in milliseconds, for all attempts at one request: less than the time that a call waits. */
const budgetMs = 20_000

/** Maximum number of rows refused individually before the vendor has accepted any. Further rows probably have the same problem. */
const maxRefused = 100

export interface SendOptions extends Pick<DeliveryWorkerOptions, 'client' | 'confirmation' | 'clock' | 'telemetry'> {
  readonly signal: AbortSignal
}

/**
 * Sends a backfill's next request and returns the backfill's new state: advanced, waiting or stopped. A row that the vendor refuses is
 * found by halving the request. After a failure, the whole request is resent with the same ids. Throws `signal`'s reason.
 */
export async function sendPart(backfill: Backfill, lines: Buffer, options: SendOptions): Promise<Backfill> {
  const { clock, signal, telemetry = noTelemetry, confirmation } = options
  const { progress } = backfill
  const part = new SentPart(backfill, new StoredCalls(lines, contentOf(backfill)))
  const started = clock.monotonic()
  try {
    await withoutTool(() => telemetry.inBackground(() => sendAll(part.calls.rows, part, options)))
  } catch (error) {
    signal.throwIfAborted()
    await confirmation?.reconsider(error)
    const { attempts } = progress
    const decision = decideDelivery(error, { isIdentified: true, isAnswered: true, attempts: attempts + 1 }, undefined)
    const failure = error instanceof ToolError ? error : undefined
    if (decision.state === 'open')
      return {
        ...backfill,
        nextAttemptAt: clock.now() + decision.backoffMs,
        error: failure,
        progress: { ...progress, attempts: attempts + 1 },
      }
    return { ...backfill, ...part.refusals(), state: 'stopped', endedAt: clock.now(), error: failure }
  }
  await confirmation?.confirm()
  const { accepted, refused } = part
  const sentMs = progress.sentMs + clock.monotonic() - started
  return {
    ...backfill,
    nextPart: backfill.nextPart + 1,
    error: undefined,
    progress: {
      ...progress,
      ...{ sentMs, attempts: 0, accepted: progress.accepted + accepted, refused: progress.refused + refused },
      problems: part.problems.list(),
    },
  }
}

/**
 * Identifies the file, its owner and the kind and mapping of the calls: the same rows in a different call, or mapped differently, are new
 * events.
 */
function contentOf({ owner, plan: { call, mapping }, progress: { digest } }: Backfill): string {
  const file = owner === '' ? digest : `${digest} ${owner}`
  return call === undefined ? file : `${file} ${canonicalJson({ call, ...(mapping && { mapping }) })}`
}

class SentPart {
  readonly #backfill: Backfill
  readonly calls: StoredCalls
  readonly problems: Problems
  accepted = 0
  refused = 0

  constructor(backfill: Backfill, calls: StoredCalls) {
    this.#backfill = backfill
    this.calls = calls
    this.problems = new Problems(backfill.progress.problems)
  }

  refuse(row: number, error: ToolError): void {
    this.refused += 1
    const { errors = [] } = error.details
    const problem = errors.length > 0 ? quoteVendor('Customer.io', ...errors) : error.message
    this.problems.add(row, { at: '', problem, isRefused: true })
  }

  /** True if the vendor has accepted no row and refused so many that it would probably refuse the rest. */
  get isHopeless(): boolean {
    return this.refused >= maxRefused && this.accepted + this.#backfill.progress.accepted === 0
  }

  /** A backfill's progress if it stops within a request. */
  refusals(): Pick<Backfill, 'progress'> {
    const { progress } = this.#backfill
    const { refused, problems } = progress
    return { progress: { ...progress, refused: refused + this.refused, problems: this.problems.list(), before: { refused, problems } } }
  }
}

async function sendAll(rows: readonly StoredRow[], part: SentPart, options: SendOptions): Promise<void> {
  try {
    await post(part.calls.bodyOf(rows), options)
    part.accepted += rows.length
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof TooLarge)) throw error
    const [row] = rows
    if (rows.length === 1 && row) part.refuse(row.row, error)
    if (part.isHopeless) throw error
    if (rows.length === 1) return
    const middle = Math.ceil(rows.length / 2)
    await sendAll(rows.slice(0, middle), part, options)
    await sendAll(rows.slice(middle), part, options)
  }
}

/** Posts in strict mode, so that the vendor reports what it rejects, and confirms the key. */
function post(body: Uint8Array<ArrayBuffer>, { client, clock, signal }: SendOptions): Promise<number> {
  return withCallScope({ signal, clock, ms: budgetMs }, (scope) =>
    client.post({ name: 'batch', body, strict: true, isRepeatable: true, holds: 'refuse', scope }),
  )
}
