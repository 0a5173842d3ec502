import { randomUUID } from 'node:crypto'
import type { Clock } from '@mcp-toolkits/core/base'
import { Unavailable } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { orderingKeysOf, planEnqueue } from '../../src/outbox/enqueue.ts'
import type { DeliveryDecision, Duplicates, EnqueueRequest, EnqueueResult, OutboxStore } from '../../src/outbox/outbox-store.ts'
import { readBody } from '../../src/pipelines/body/body-reader.ts'
import { type CallName, prepareBody } from '../../src/pipelines/calls.ts'

export const destination = { origin: 'https://vendor.example/v1', keyHash: 'k' }

export interface SubmitOptions extends Partial<Pick<EnqueueRequest, 'destination' | 'hasCaller' | 'isStrict' | 'signal' | 'onStored'>> {
  readonly name?: CallName
  readonly clock?: Clock
  /** Called when the entries are planned, before the first is written. */
  readonly onPlan?: (found: Duplicates) => unknown
  /** The person who submits it, if people share the key. */
  readonly owner?: string
  /** True if calls without a messageId get one. */
  readonly addsIds?: boolean
}

/** Enqueues a body as the outbox does. */
export async function submit(store: OutboxStore, body: object, options: SubmitOptions = {}): Promise<EnqueueResult> {
  const { name = 'track', addsIds = true, owner = '', isStrict = false, clock = new ManualClock(), onPlan, ...overrides } = options
  const create = () => ({ messageId: randomUUID(), timestamp: '2026-01-01T00:00:00Z' })
  const text = await readBody(JSON.stringify(body))
  const prepared = await prepareBody(name, text, { create: addsIds ? create : undefined, clock })
  const request = {
    destination,
    fingerprints: prepared.calls,
    bodyHash: prepared.hash,
    persons: orderingKeysOf(name, prepared.calls),
    isKeyed: false,
    hasCaller: () => false,
    signal: new AbortController().signal,
    onStored: () => undefined,
  }
  const enqueued = await store.enqueue({ ...request, isStrict, ...overrides }, (found) => {
    onPlan?.(found)
    return planEnqueue({ name, isStrict, owner, ...prepared }, found)
  })
  if (!enqueued) throw new Error('There was a plan.')
  return enqueued
}

/** An event about a person, different from all others. */
export const eventOf = (userId: string) => ({ userId, event: randomUUID() })

/** The id of a submission's only entry. */
export const idOf = ({ entries }: EnqueueResult): number => entries[0]?.id ?? 0

export const down = new Unavailable('The vendor is down.', { retryAfterSeconds: 120 })
export const waits = (backoffMs: number) => (): DeliveryDecision => ({ state: 'open', backoffMs })

/** Stores a body and, after a failed attempt, records that its call has returned, so that the entry waits in the outbox. */
export async function queueBody(store: OutboxStore, body: object, backoffMs = 0): Promise<number> {
  const enqueued = await submit(store, body)
  const id = idOf(enqueued)
  if (enqueued.claimed) await store.recordFailure(id, down, waits(backoffMs))
  await store.recordAnswered([id])
  return id
}

/** Claims and delivers entries that are due, and returns their ids in that order. */
export async function deliverAll(store: OutboxStore): Promise<number[]> {
  const ids: number[] = []
  for (let entry = await store.claimNext(destination); entry; entry = await store.claimNext(destination)) {
    ids.push(entry.id)
    await store.recordDelivered(entry.id, 200)
  }
  return ids
}

export const queue = (store: OutboxStore, person: string, backoffMs = 0) => queueBody(store, eventOf(person), backoffMs)
