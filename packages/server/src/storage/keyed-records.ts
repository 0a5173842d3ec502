import { type KeyState, maxResultBytes } from '@mcp-toolkits/core/tool'

/*
 * Decisions shared by both stores of operation records. Each store has its own reads and writes, because a SQLite transaction must not wait, and PostgreSQL waits for every statement.
 */

/** A record that can be taken over. */
export interface FreeRecord {
  readonly kind: 'free'
  readonly id: number
  readonly identity: string
}

/** The way a call ended: answered, with a result to keep if the record has a key, or abandoned. */
export type RecordEnd = { readonly result: string | undefined } | 'abandoned'

/** A record that has a call's key. */
export interface KeyedRecord {
  readonly id: number
  readonly identity: string
  readonly argumentsHash: string
  /** True if a call in a living process is working on it. */
  readonly isRunning: boolean
  readonly isExpired: boolean
  /** Reads the result; undefined for a record without one. */
  readonly readResult: (() => string) | undefined
}

/** Interprets a record for a call with the same key; undefined if the call starts over. */
export function stateOf(record: KeyedRecord, argumentsHash: string): KeyState | FreeRecord | undefined {
  if (!record.isRunning && record.isExpired) return undefined
  if (record.argumentsHash !== argumentsHash) return { kind: 'different' }
  if (record.readResult) return { kind: 'done', result: record.readResult() }
  return record.isRunning ? { kind: 'running' } : { kind: 'free', id: record.id, identity: record.identity }
}

/** The state as a caller sees it: a free record counts as none. */
export function withoutFree(state: KeyState | FreeRecord | undefined): KeyState | undefined {
  return state?.kind === 'free' ? undefined : state
}

/** Throws `RangeError` for a result that is too large to store. */
export function checkResultSize(result: string | undefined): void {
  if (result !== undefined && Buffer.byteLength(result) > maxResultBytes)
    throw new RangeError(`A result of more than ${maxResultBytes} bytes is not stored.`)
}
