import type { Fault, FaultClass } from '../../packages/testing/src/vendors/faults.ts'

/** Frequency of a fault: one request of a call, or all. */
export const frequencies = ['once', 'always'] as const
export type Frequency = (typeof frequencies)[number]

/** One cell of the matrix in this many is tried, for each length of a run. */
export const cellShares = { full: 1, ci: 14, everyday: 14 } as const

/**
 * Kind of tool that meets the fault: one that reads, one that writes under an identity that we choose, one that puts events into the
 * outbox, and one whose request gets no identity from the vendor, so that a repeat could do it twice.
 */
export const kinds = ['read', 'write', 'event', 'unrepeatable'] as const
export type Kind = (typeof kinds)[number]

export interface Expectation {
  /**
   * `result`: as without the fault. `queued`: the event waits in the outbox. `looked up`: the server has looked up the fate of the request
   * and reports it, or that it is unknown. Otherwise the error.
   */
  readonly outcome: 'result' | 'queued' | 'looked up' | 'error'
  readonly code?: string
  readonly retryable?: boolean
  /** Times that the change took effect when the call has ended; for a queued event, when the fault is over. */
  readonly effects: 'once' | 'never' | 'at most once'
}

/** A tool that asks the vendor nothing meets none of its faults. */
export const unaffected: Expectation = { outcome: 'result', effects: 'once' }
const fixed = unaffected
const queued: Expectation = { outcome: 'queued', effects: 'once' }
const lookedUp: Expectation = { outcome: 'looked up', effects: 'at most once' }
const failed = (code: string, retryable: boolean): Expectation => ({ outcome: 'error', code, retryable, effects: 'never' })

type Promises = Readonly<Record<Kind, Expectation>>

const forAll = (expectation: Expectation): Promises => ({
  read: expectation,
  write: expectation,
  event: expectation,
  unrepeatable: expectation,
})
const orQueued = (expectation: Expectation): Promises => ({ ...forAll(expectation), event: queued })
const recovered: Promises = { ...forAll(fixed), unrepeatable: lookedUp }

/** The promise for every class of faults. The empty code is that of the fault. */
export const promises: Readonly<Record<FaultClass, Readonly<Record<Frequency, Promises>>>> = {
  transient: { once: recovered, always: orQueued(failed('unavailable', true)) },
  oversized: { once: recovered, always: orQueued(failed('too_large', false)) },
  // A vendor cannot do on another attempt anything that it cannot do now. An event can wait until it can.
  unsupported: {
    once: { ...forAll(failed('unavailable', false)), event: fixed, unrepeatable: lookedUp },
    always: orQueued(failed('unavailable', false)),
  },
  limited: { once: forAll(fixed), always: orQueued(failed('rate_limited', true)) },
  exhausted: { once: orQueued(failed('rate_limited', true)), always: orQueued(failed('rate_limited', true)) },
  permanent: { once: forAll(failed('', false)), always: forAll(failed('', false)) },
  redirect: { once: { ...forAll(failed('unavailable', false)), unrepeatable: lookedUp }, always: forAll(failed('unavailable', false)) },
}

/** Expected outcome of a call of this kind under a fault. */
export function expectationFor(fault: Fault, frequency: Frequency, kind: Kind): Expectation {
  const promise = promises[fault.class][frequency][kind]
  const code = promise.code === '' ? (fault.code ?? '') : promise.code
  // The vendor's later answers decide if we learn that a request was carried out.
  const effects = fault.isCommitted === true && promise.effects === 'never' ? 'at most once' : promise.effects
  return { ...promise, ...(code !== undefined && { code }), effects }
}
