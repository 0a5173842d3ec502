import type { Fault, FaultClass } from './faults.ts'

/** How often a fault happens: to one request of a call, or to all. */
export const frequencies = ['once', 'always'] as const
export type Frequency = (typeof frequencies)[number]

/** What kind of tool meets the fault: one that reads, one that writes, one that puts events into the outbox. */
export type Kind = 'read' | 'write' | 'event'

export interface Expectation {
  /** `result`: as without the fault. `queued`: the event waits in the outbox. Otherwise the error. */
  readonly outcome: 'result' | 'queued' | 'error'
  readonly code?: string
  readonly retryable?: boolean
  /** How often the change took effect when the call has ended, and for a queued event, when the fault is over. */
  readonly effects: 'once' | 'never' | 'at most once'
}

/** A tool that asks the vendor nothing meets none of its faults. */
export const unaffected: Expectation = { outcome: 'result', effects: 'once' }
const fixed = unaffected
const queued: Expectation = { outcome: 'queued', effects: 'once' }
const failed = (code: string, retryable: boolean): Expectation => ({ outcome: 'error', code, retryable, effects: 'never' })

/** The promise for every class of faults. */
const promises: Readonly<Record<FaultClass, Readonly<Record<Frequency, Readonly<Record<Kind, Expectation>>>>>> = {
  transient: {
    once: { read: fixed, write: fixed, event: fixed },
    always: { read: failed('unavailable', true), write: failed('unavailable', true), event: queued },
  },
  oversized: {
    once: { read: fixed, write: fixed, event: fixed },
    always: { read: failed('too_large', false), write: failed('too_large', false), event: queued },
  },
  // Another attempt does not make a vendor able to do what it cannot do now.
  unsupported: {
    once: { read: failed('unavailable', false), write: failed('unavailable', false), event: queued },
    always: { read: failed('unavailable', false), write: failed('unavailable', false), event: queued },
  },
  limited: {
    once: { read: fixed, write: fixed, event: fixed },
    always: { read: failed('rate_limited', true), write: failed('rate_limited', true), event: queued },
  },
  exhausted: {
    once: { read: failed('rate_limited', true), write: failed('rate_limited', true), event: queued },
    always: { read: failed('rate_limited', true), write: failed('rate_limited', true), event: queued },
  },
  permanent: {
    once: { read: failed('', false), write: failed('', false), event: failed('', false) },
    always: { read: failed('', false), write: failed('', false), event: failed('', false) },
  },
  redirect: {
    once: { read: failed('unavailable', false), write: failed('unavailable', false), event: failed('unavailable', false) },
    always: { read: failed('unavailable', false), write: failed('unavailable', false), event: failed('unavailable', false) },
  },
}

/** What has to follow when a call of this kind meets a fault. */
export function expectationFor(fault: Fault, frequency: Frequency, kind: Kind): Expectation {
  const promise = promises[fault.class][frequency][kind]
  const code = promise.code === '' ? (fault.code ?? '') : promise.code
  // Whether a request that was carried out is known to have been depends on what the vendor answers later.
  const effects = fault.isCommitted === true && promise.effects === 'never' ? 'at most once' : promise.effects
  return { ...promise, ...(code !== undefined && { code }), effects }
}
