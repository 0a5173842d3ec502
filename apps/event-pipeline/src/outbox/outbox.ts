import { setTimeout as delay } from 'node:timers/promises'
import { withDetails, ToolError, Unavailable } from '@mcp-toolkits/core'
import { findingsOf } from '../pipelines/findings.ts'
import type { Added } from '../pipelines/identity.ts'
import type { Courier } from './courier.ts'
import type { Entry, ParkReason } from './entry.ts'
import { lastErrorOf, lastFailureOf } from './last-error.ts'
import { takeIn, type Intake, type IntakeOptions, type Submission } from './intake.ts'

export interface Running {
  readonly signal: AbortSignal
  readonly progress: (done: number, total?: number, message?: string) => void
}

export interface Receipt {
  /** `queued`: written down, and sent as soon as the vendor can be reached. */
  readonly outcome: 'delivered' | 'queued'
  /** Whether the vendor is asked to validate it. */
  readonly strict: boolean
  /** The vendor's status; undefined while queued. */
  readonly status: number | undefined
  readonly messageIds: readonly string[]
  readonly added: readonly Added[]
  readonly notices: readonly string[]
  /** Whether anything was sent; not so for a repeat of what is delivered. */
  readonly sent: boolean
  /** What waits in the outbox, until when at least, and what the latest attempt ended with, in our own words. */
  readonly waiting: { readonly entries: readonly number[]; readonly nextAttemptAt: string; readonly lastFailure?: string } | undefined
  /** Size of a single call in bytes, as sent; 0 for a batch, whose calls are measured one by one. */
  readonly callBytes: number
}

export interface OutboxOptions extends IntakeOptions {
  readonly courier: Courier
}

/** How long a call waits for one of its entries, sending included, and how often it looks, in milliseconds. Below a client's patience. */
const patience = 25_000
const shortestBudget = 1_000
const lookEvery = 100

/** Brings events to the vendor by way of the disk: what it has taken in is sent once, whatever the network or the process does. */
export class Outbox {
  readonly #options: OutboxOptions

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /**
   * Takes a submission in and tries to deliver it. Resolves `queued` when the vendor cannot be reached in time. Throws the typed
   * error of a refusal; the refused body stays in the outbox.
   */
  async submit(submission: Submission, running: Running): Promise<Receipt> {
    const { ledger, courier } = this.#options
    const intake = takeIn(this.#options, submission)
    const ids = intake.entries.map(({ id }) => id)
    try {
      await courier.whileAlive(() => this.#settleAll(ids, running))
      return this.#receipt(submission, intake)
    } catch (error) {
      throw explained(error, submission, this.#current(ids))
    } finally {
      for (const id of ids) ledger.leave(id)
      courier.afterCall(() => {
        if (running.signal.aborted) for (const id of ids) ledger.cancelled(id)
        else ledger.answered(ids)
      })
    }
  }

  #receipt({ name }: Submission, { entries: before, messageIds, added, notices }: Intake): Receipt {
    const entries = this.#current(before.map(({ id }) => id))
    const open = entries.filter(({ state }) => state !== 'delivered')
    const common = {
      strict: entries.every((entry) => entry.strict === 1),
      messageIds,
      added,
      notices,
      sent: before.some(({ state }) => state !== 'delivered'),
      callBytes: name === 'batch' ? 0 : Buffer.byteLength(before[0]?.body ?? ''),
    }
    if (open.length === 0) return { ...common, outcome: 'delivered', status: entries.at(-1)?.http_status ?? 200, waiting: undefined }
    const nextAttemptAt = new Date(Math.min(...open.map((entry) => this.#options.ledger.waitsUntil(entry.id)))).toISOString()
    const lastFailure = open.map(lastFailureOf).find((failure) => failure !== undefined)
    const waiting = { entries: open.map(({ id }) => id), nextAttemptAt, ...(lastFailure !== undefined && { lastFailure }) }
    return { ...common, outcome: 'queued', status: undefined, waiting }
  }

  async #settleAll(ids: readonly number[], running: Running): Promise<void> {
    for (const [index, id] of ids.entries()) {
      if (!(await this.#settle(id, running))) return
      if (ids.length > 1) running.progress(index + 1, ids.length, `request ${index + 1} of ${ids.length}`)
    }
  }

  #current(ids: readonly number[]): Entry[] {
    return ids.flatMap((id) => this.#options.ledger.entry(id) ?? [])
  }

  /** Whether the entry is delivered now; false when it has to wait. Throws what the vendor said to it, whoever sent it. */
  async #settle(id: number, { signal }: Running): Promise<boolean> {
    const { ledger, courier } = this.#options
    const deadline = Date.now() + patience
    const expected = Math.max(Date.now(), ledger.waitsUntil(id))
    courier.wake()
    for (;;) {
      signal.throwIfAborted()
      const entry = ledger.entry(id)
      if (!entry)
        throw new Unavailable(`Entry ${id} of the outbox was dropped while the call waited for it; it was not sent.`, { retryable: false })
      if (entry.state === 'delivered') return true
      if (entry.state !== 'open') throw refusalOf(entry)
      const claimed = ledger.isClaimable(id) ? ledger.claim(id, 'call') : undefined
      if (claimed) return this.#send(claimed, signal, Math.max(shortestBudget, deadline - Date.now()))
      const until = ledger.waitsUntil(id)
      // What it waits for was tried meanwhile and put off again: the vendor is away, and waiting on helps nobody.
      if (Date.now() > deadline || until > deadline || until > expected) return false
      await delay(lookEvery, undefined, { signal })
    }
  }

  async #send(entry: Entry, signal: AbortSignal, budgetMs: number): Promise<boolean> {
    try {
      await this.#options.courier.send(entry, signal, budgetMs)
      return true
    } catch (error) {
      if (!signal.aborted && this.#options.ledger.entry(entry.id)?.state === 'open') return false
      throw error
    }
  }
}

/** What a caller is told of an entry that was settled by somebody else. */
function refusalOf(entry: Entry): ToolError {
  const reason = entry.reason === null ? '' : ` (${entry.reason.replaceAll('_', ' ')})`
  const told = entry.reason === 'cancelled' ? undefined : lastErrorOf(entry)
  return told ?? new Unavailable(`The request was put aside${reason} and was not sent.`, { retryable: false })
}

const unknownOutcome = 'Whether it was taken is not known, and without a messageId it cannot be sent again safely.'

/** Adds to a refusal what the local check found, what else of the batch was taken, and what to do about the body. */
function explained(error: unknown, { name, body }: Submission, entries: readonly Entry[]): unknown {
  if (!(error instanceof ToolError)) return error
  const findings = error.code === 'invalid_input' ? findingsOf(name, body.json) : []
  const found = findings.map(({ at, problem }) => `${at === '' ? 'the body' : at} ${problem}`).join(' ')
  const taken = entries.filter(({ state }) => state === 'delivered').length
  const unknown = entries.some(({ reason }) => reason === 'unknown_outcome')
  const refused = entries.some(({ state }) => state === 'refused')
  const parked = entries.filter(({ state }) => state === 'parked')
  const message = [
    error.message,
    ...(found === '' ? [] : [`The local check found: ${found}`]),
    ...(entries.length > 1 ? [`The batch goes in ${entries.length} requests, of which ${taken} were taken.`] : []),
    ...(unknown ? [unknownOutcome] : []),
    ...(refused ? ['It is not sent again; mend the body and call again, under the same messageId if you like.'] : []),
    ...(parked.length > 0 && !refused ? [aboutParked(parked)] : []),
  ].join(' ')
  return withDetails(error, message, { ...error.details, ...(unknown && { retryable: false }) })
}

/** An entry is only ever sent under its own key to its own address, so where one of these was wrong its body has to be handed in again. */
function aboutParked(parked: readonly Entry[]): string {
  const ids = parked.map(({ id }) => id)
  const kept = `It is kept in the outbox (entry ${ids.join(', ')}) and not sent by itself.`
  const mend = parked.flatMap(({ reason }) => mends.get(reason) ?? [])[0]
  if (mend === undefined) return kept
  const drops = ids.map((id) => `\`outbox drop ${id}\``).join(', ')
  return `${kept} ${mend}, restart the server and send the event again; then drop what is kept: ${drops}.`
}

const mends: ReadonlyMap<string | null, string> = new Map<ParkReason, string>([
  ['unauthenticated', 'Set EVENT_PIPELINE_API_KEY (or EVENT_PIPELINE_REGION)'],
  ['redirected', 'Set EVENT_PIPELINE_REGION (or EVENT_PIPELINE_API_URL)'],
])
