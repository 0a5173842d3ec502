import type { Fault, FaultClass } from '../../packages/testing/src/vendors/faults.ts'

/** The frequency of a fault: in one of a call's requests, or in all. */
export const frequencies = ['once', 'always'] as const
export type Frequency = (typeof frequencies)[number]

/** Number of cells in the matrix of which one is tried, by run length. */
export const cellShares = 14

/**
 * Kinds of tools: those that read, those that write under an id that we choose, those that put events into the outbox, and those whose
 * requests cannot be identified, so that a retry could take effect twice.
 */
export const kinds = ['read', 'write', 'event', 'unrepeatable'] as const
export type Kind = (typeof kinds)[number]

export interface Expectation {
  /**
   * `result`: as without the fault. `queued`: the event waits in the outbox. `looked up`: the server has looked up what became of the
   * request, and reports the outcome, or that it is unknown.
   */
  readonly outcome: 'result' | 'queued' | 'looked up' | 'error'
  readonly code?: string
  readonly retryable?: boolean
  /** Number of times that the change has taken effect when the call ends or, for a queued event, when the fault is over. */
  readonly effects: 'once' | 'never' | 'at most once'
}

/** Expectation for a tool that sends the vendor no request, so that faults do not affect it. */
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

/** The guarantee for every class of faults. An empty code stands for the fault's own. */
export const promises: Readonly<Record<FaultClass, Readonly<Record<Frequency, Promises>>>> = {
  transient: { once: recovered, always: orQueued(failed('unavailable', true)) },
  oversized: { once: recovered, always: orQueued(failed('too_large', false)) },
  // A vendor that cannot do something now cannot do it on another attempt either. An event can wait until the vendor can.
  unsupported: {
    once: { ...forAll(failed('unavailable', false)), event: fixed, unrepeatable: lookedUp },
    always: orQueued(failed('unavailable', false)),
  },
  limited: { once: forAll(fixed), always: orQueued(failed('rate_limited', true)) },
  exhausted: { once: orQueued(failed('rate_limited', true)), always: orQueued(failed('rate_limited', true)) },
  permanent: { once: forAll(failed('', false)), always: forAll(failed('', false)) },
  redirect: { once: { ...forAll(failed('unavailable', false)), unrepeatable: lookedUp }, always: forAll(failed('unavailable', false)) },
}

/** The expected outcome of a kind of call under a fault. */
export function expectationFor(fault: Fault, frequency: Frequency, kind: Kind): Expectation {
  const promise = promises[fault.class][frequency][kind]
  const code = promise.code === '' ? (fault.code ?? '') : promise.code
  // The vendor's later answers decide whether we learn that a request was carried out.
  const effects = fault.isCommitted === true && promise.effects === 'never' ? 'at most once' : promise.effects
  return { ...promise, ...(code !== undefined && { code }), effects }
}
