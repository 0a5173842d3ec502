import type { Database, Transaction } from '@mcp-toolkits/team/postgres'
import { StoreError } from '@mcp-toolkits/sqlite'
import type { EnqueuePlan, EnqueueRequest, EnqueueResult, Entry, NewEntry, OutboxStore } from '../../outbox/outbox-store.ts'
import { Batches } from './batches.ts'
import { type Facts, findFacts } from './facts.ts'
import { deleteReplaced, type Inserted, insertEntries, type Insertion, personDigests } from './insertion.ts'
import { personKey } from './order.ts'
import type { Enqueuer } from './rows.ts'

/** Maximum number of calls that share a transaction. A submission with more calls has its own transaction. */
const maxCalls = 64

interface PendingEnqueue {
  readonly request: EnqueueRequest
  readonly plan: Parameters<OutboxStore['enqueue']>[1]
  /**
   * Lock keys for everything that no other transaction may change meanwhile: the submission's body, the ids in it, and the order of events
   * about its people.
   */
  readonly keys: readonly string[]
}

interface Planned extends EnqueuePlan {
  readonly index: number
  readonly request: EnqueueRequest
  readonly facts: Facts
  readonly inserted: Inserted[]
}

interface Waited {
  readonly deliveries: Set<string>
  readonly joined: Set<number>
}

type Outcome = PromiseSettledResult<EnqueueResult | undefined>

/** Deliveries that may have been stored, and entries that their calls may have joined. */
export interface Unknown {
  readonly deliveries: readonly string[]
  readonly joined: readonly number[]
}

export interface EnqueueOptions extends Enqueuer {
  readonly database: Database
  /** Reopens entries that a submission joins. */
  readonly join: (transaction: Transaction, joined: readonly Entry[], isStrict: boolean) => Promise<void>
  readonly claim: (transaction: Transaction, id: number) => Promise<Entry | undefined>
  /** Called with entries that this replica may be waiting for: they may or may not have been stored. */
  readonly onUnknown: (waited: Unknown) => void
}

/** Stores submissions. Those that arrive while others are being stored share a transaction. */
export class Enqueuing {
  readonly #options: EnqueueOptions
  readonly #batches: Batches<PendingEnqueue, EnqueueResult | undefined>

  constructor(options: EnqueueOptions) {
    this.#options = options
    this.#batches = new Batches({
      run: (submissions) => this.#store(submissions),
      maxWeight: maxCalls,
      weightOf: ({ request }) => (request.isKeyed ? maxCalls : Math.max(1, request.fingerprints.length)),
      keysOf: ({ keys }) => keys,
    })
  }

  async enqueue(...[request, plan]: Parameters<OutboxStore['enqueue']>): Promise<EnqueueResult | undefined> {
    const { destination, persons, fingerprints, bodyHash } = request
    const keys = [
      `body ${bodyHash}`,
      ...fingerprints.flatMap(({ messageId }) => (messageId === undefined ? [] : [`message ${messageId}`])),
      ...personDigests({ persons }, destination, this.#options.sealer).map(personKey),
    ]
    return this.#batches.add({ request, plan, keys })
  }

  settled(): Promise<void> {
    return this.#batches.settled()
  }

  /** Stores submissions; one that PostgreSQL rejects does not affect the others. */
  async #store(submissions: readonly PendingEnqueue[]): Promise<readonly Outcome[]> {
    const waited = { deliveries: new Set<string>(), joined: new Set<number>() }
    try {
      return await this.#options.database.transaction((transaction) => this.#storeWithin(transaction, submissions, waited), {
        keys: submissions.flatMap(({ keys }) => keys),
      })
    } catch (error) {
      if (error instanceof StoreError && error.problem === 'unreachable')
        this.#options.onUnknown({ deliveries: [...waited.deliveries], joined: [...waited.joined] })
      if (submissions.length === 1 || error instanceof StoreError) throw error
      const alone: Outcome[] = []
      for (const submission of submissions) alone.push(...(await Promise.allSettled([this.#storeAlone(submission)])))
      return alone
    }
  }

  async #storeAlone(submission: PendingEnqueue): Promise<EnqueueResult | undefined> {
    const [outcome] = await this.#store([submission])
    if (outcome?.status === 'rejected') throw outcome.reason
    return outcome?.value
  }

  async #storeWithin(transaction: Transaction, submissions: readonly PendingEnqueue[], waited: Waited): Promise<readonly Outcome[]> {
    const outcomes = submissions.map((): Outcome => ({ status: 'fulfilled', value: undefined }))
    const facts = await findFacts(
      transaction,
      submissions.map(({ request }) => request),
      this.#options,
    )
    const planned: Planned[] = []
    for (const [index, { request, plan }] of submissions.entries()) {
      const found = facts[index]
      try {
        request.signal.throwIfAborted()
        const made = found && plan(found.duplicates)
        if (!made) continue
        planned.push({ ...made, index, request, facts: found, inserted: [] })
        for (const { id } of made.joined) waited.joined.add(id)
      } catch (reason) {
        outcomes[index] = { status: 'rejected', reason }
      }
    }
    await this.#insertAll(transaction, planned, waited)
    for (const each of planned) outcomes[each.index] = { status: 'fulfilled', value: await this.#finish(transaction, each) }
    return outcomes
  }

  /** Inserts all submissions' first entries with one statement, and each later part with a separate one. */
  async #insertAll(transaction: Transaction, planned: readonly Planned[], { deliveries }: Waited): Promise<void> {
    const rest = planned.map((each) => ({ each, entries: iterate(each.created) }))
    const held = new Set<string>()
    const first = rest.flatMap(({ each, entries }) => {
      const next = entries.next()
      if (next.done === true) return []
      deliveries.add(next.value.deliveryId)
      return [{ each, insertion: insertionOf(each, next.value, held) }]
    })
    if (first.length === 0) return
    const inserted = await insertEntries(
      transaction,
      first.map(({ insertion }) => insertion),
      this.#options,
    )
    for (const [index, { each }] of first.entries()) each.inserted.push(...inserted.slice(index, index + 1))
    for (const { each, entries } of rest) {
      for (let next = entries.next(); next.done !== true; next = entries.next()) {
        each.request.signal.throwIfAborted()
        const earlierPart = each.inserted.at(-1)?.stored.id
        const part = { entry: next.value, destination: each.request.destination, earlierPart, claims: false, isProbe: false }
        each.inserted.push(...(await insertEntries(transaction, [part], this.#options)))
      }
    }
  }

  async #finish(transaction: Transaction, planned: Planned): Promise<EnqueueResult> {
    const { request, facts, joined, inserted, messageIds, added, notices } = planned
    const stored = inserted.map((each) => each.stored)
    const ids = stored.flatMap((entry) => entry.messageIds)
    if (facts.hasRefused && ids.length > 0) await deleteReplaced(transaction, request.destination, ids)
    if (joined.length > 0) await this.#options.join(transaction, joined, request.isStrict)
    const entries = [...joined, ...stored]
    request.onStored(entries.map(({ id }) => id))
    const next = joined.find(({ state }) => state !== 'delivered')
    const claimed = next ? await this.#options.claim(transaction, next.id) : inserted.find(({ isClaimed }) => isClaimed)?.stored
    return { messageIds, added, notices, entries, claimed }
  }
}

/** A submission's first entry. Among entries that are stored together, one is sent to find out whether a hold has ended. */
function insertionOf({ joined, facts, request }: Planned, entry: Insertion['entry'], held: Set<string>): Insertion {
  const { destination } = request
  const isHeld = facts.holdMs !== undefined
  const name = JSON.stringify(destination)
  const claims = joined.every(({ state }) => state === 'delivered') && (!isHeld || (facts.holdMs === 0 && !held.has(name)))
  if (isHeld && claims) held.add(name)
  return { entry, destination, earlierPart: undefined, claims, isProbe: isHeld }
}

/** The remaining entries, created one at a time. */
function* iterate(entries: Iterable<NewEntry>): Generator<NewEntry, undefined> {
  yield* entries
  return undefined
}
