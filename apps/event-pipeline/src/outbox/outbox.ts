import { setTimeout as delay } from 'node:timers/promises'
import { amended, ToolError } from '@mcp-toolkits/core'
import { findingsOf } from '../pipelines/findings.ts'
import type { Added } from '../pipelines/identity.ts'
import type { Courier } from './courier.ts'
import { messageIdsIn, passing, type Entry } from './entry.ts'
import { takeIn, type IntakeOptions, type Submission } from './intake.ts'

export interface Running {
  readonly signal: AbortSignal
  readonly progress: (done: number, total?: number, message?: string) => void
}

export interface Receipt {
  /** `queued`: written down, and sent as soon as the vendor can be reached. */
  readonly outcome: 'delivered' | 'queued'
  /** Whether it was, or will be, validated by the vendor; a repeat has what the first call asked for. */
  readonly strict: boolean
  /** The vendor's status; undefined while queued. */
  readonly status: number | undefined
  readonly messageIds: readonly string[]
  readonly added: readonly Added[]
  readonly notices: readonly string[]
  /** Whether anything was sent; not so for a repeat of what is delivered. */
  readonly sent: boolean
  /** What waits in the outbox, and until when at least. */
  readonly waiting: { readonly entries: readonly number[]; readonly nextAttemptAt: string } | undefined
  /** Size of a single call in bytes, as sent; 0 for a batch, whose calls are measured one by one. */
  readonly callBytes: number
}

export interface OutboxOptions extends IntakeOptions {
  readonly courier: Courier
}

/** How long a call waits for one of its entries, sending included, and how often it looks, in milliseconds. Below a client's patience. */
const patience = 25_000
const shortestBudget = 1_000
const lookEvery = 25

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
    const sent = intake.entries.some(({ state }) => state !== 'delivered')
    try {
      await this.#settleAll(intake.entries, running)
    } catch (error) {
      this.#putAside(intake.entries, running.signal)
      throw explained(error, submission, this.#current(intake.entries))
    } finally {
      if (!running.signal.aborted) for (const { delivery_id: deliveryId } of intake.entries) ledger.answered(deliveryId)
      courier.wake()
    }
    const callBytes = submission.name === 'batch' ? 0 : Buffer.byteLength(intake.entries[0]?.body ?? '')
    return { ...receiptOf(this.#current(intake.entries)), added: intake.added, notices: intake.notices, callBytes, sent }
  }

  async #settleAll(entries: readonly Entry[], running: Running): Promise<void> {
    const total = entries.length
    for (const [index, entry] of entries.entries()) {
      if (!(await this.#settle(entry, running))) return
      if (total > 1) running.progress(index + 1, total, `request ${index + 1} of ${total}`)
    }
  }

  #current(entries: readonly Entry[]): Entry[] {
    return entries.map(({ id }) => this.#options.ledger.entry(id))
  }

  /** Whether the entry is delivered now; false when it has to wait. */
  async #settle({ id }: Entry, { signal }: Running): Promise<boolean> {
    const { ledger, courier, destination } = this.#options
    const deadline = Date.now() + patience
    if (['parked', 'refused'].includes(ledger.entry(id).state)) ledger.reopened(id)
    for (;;) {
      const entry = ledger.entry(id)
      if (entry.state !== 'open') return entry.state === 'delivered'
      if (ledger.claim(id, 'call')) return this.#send(ledger.entry(id), signal, Math.max(shortestBudget, deadline - Date.now()))
      const due = Math.max(entry.next_attempt_at, ledger.nextDue(destination) ?? 0)
      if (Date.now() > deadline || due > deadline) return false
      if (due <= Date.now()) void courier.drain()
      await delay(lookEvery, undefined, { signal })
    }
  }

  async #send(entry: Entry, signal: AbortSignal, budgetMs: number): Promise<boolean> {
    try {
      await this.#options.courier.send(entry, signal, budgetMs)
      return true
    } catch (error) {
      const waits = error instanceof ToolError && passing.includes(error.code) && this.#options.ledger.entry(entry.id).state === 'open'
      if (waits && !signal.aborted) return false
      throw error
    }
  }

  /** After a refusal the later parts of the same batch are not sent by themselves; after a cancelled call nothing of it is. */
  #putAside(entries: readonly Entry[], signal: AbortSignal): void {
    const { ledger } = this.#options
    const stuck = new Set(entries.map(({ id }) => ledger.entry(id)).flatMap((entry) => (entry.state === 'open' ? [] : [entry.delivery_id])))
    for (const { id, delivery_id: deliveryId } of entries) {
      if (signal.aborted) ledger.parkedIfIdle(id, 'cancelled')
      else if (stuck.has(deliveryId)) ledger.parkedIfIdle(id, 'earlier_part_refused')
    }
  }
}

function receiptOf(entries: readonly Entry[]): Pick<Receipt, 'outcome' | 'strict' | 'status' | 'messageIds' | 'waiting'> {
  const open = entries.filter(({ state }) => state !== 'delivered')
  const messageIds = entries.flatMap(messageIdsIn)
  const strict = entries.every((entry) => entry.strict === 1)
  if (open.length === 0) return { outcome: 'delivered', strict, status: entries.at(-1)?.http_status ?? 200, messageIds, waiting: undefined }
  const nextAttemptAt = new Date(Math.min(...open.map(({ next_attempt_at: at }) => at))).toISOString()
  return { outcome: 'queued', strict, status: undefined, messageIds, waiting: { entries: open.map(({ id }) => id), nextAttemptAt } }
}

const unknownOutcome = 'Whether it was taken is not known, and without a messageId it cannot be sent again safely.'

/** Adds to a refusal what the local check found, what else of the batch was taken, and where the body is kept. */
function explained(error: unknown, { name, body }: Submission, entries: readonly Entry[]): unknown {
  if (!(error instanceof ToolError)) return error
  const findings = error.code === 'invalid_input' ? findingsOf(name, body.json) : []
  const found = findings.map(({ at, problem }) => `${at === '' ? 'the body' : at} ${problem}`).join(' ')
  const taken = entries.filter(({ state }) => state === 'delivered').length
  const kept = entries.filter(({ state }) => state !== 'delivered').map(({ id }) => id)
  const unknown = entries.some(({ reason }) => reason === 'unknown_outcome')
  const message = [
    error.message,
    ...(found === '' ? [] : [`The local check found: ${found}`]),
    ...(entries.length > 1 ? [`The batch goes in ${entries.length} requests, of which ${taken} were taken.`] : []),
    ...(unknown ? [unknownOutcome] : []),
    ...(kept.length > 0 ? [`The body is kept in the outbox (entry ${kept.join(', ')}).`] : []),
  ].join(' ')
  return amended(error, message, { ...error.details, ...(unknown && { retryable: false }) })
}
