import { type BegunRecord, type KeyState, maxResultBytes } from '@mcp-toolkits/core/tool'

/*
 * What both stores of operation records decide. Each reads and writes in its own way, because SQLite decides within a transaction that may
 * not wait, and PostgreSQL waits for every statement.
 */

/** A record that can be taken over. */
export interface FreeRecord {
  readonly kind: 'free'
  readonly id: number
  readonly identity: string
}

/** End of a call: answered, with the result that a record with a key keeps, or abandoned. */
export type RecordEnd = { readonly result: string | undefined } | 'abandoned'

/** A record that has the key of a call. */
export interface KeyedRecord {
  readonly id: number
  readonly identity: string
  readonly argumentsHash: string
  /** True if a call works on it, in a process that is alive. */
  readonly isRunning: boolean
  readonly isExpired: boolean
  /** Reads the result; undefined for a record without one. */
  readonly readResult: (() => string) | undefined
}

/** Meaning of a record for a call with the same key; undefined if the call starts afresh. */
export function stateOf(record: KeyedRecord, argumentsHash: string): KeyState | FreeRecord | undefined {
  if (!record.isRunning && record.isExpired) return undefined
  if (record.argumentsHash !== argumentsHash) return { kind: 'different' }
  if (record.readResult) return { kind: 'done', result: record.readResult() }
  return record.isRunning ? { kind: 'running' } : { kind: 'free', id: record.id, identity: record.identity }
}

/** State that a caller sees: a free record counts as none. */
export function withoutFree(state: KeyState | FreeRecord | undefined): KeyState | undefined {
  return state?.kind === 'free' ? undefined : state
}

export interface BeginSteps {
  /** Finds the record of an earlier call. */
  readonly look: () => Promise<KeyState | FreeRecord | undefined>
  /** Makes the identity of a new record, which may take a request to the vendor. */
  readonly mint: () => Promise<string>
  /** Takes over a record, or writes a new one. Undefined when a new one is needed and there is no `identity` for it. */
  readonly take: (identity: string | undefined) => Promise<BegunRecord | KeyState | undefined>
}

/** Begins an operation. It looks before it mints; what it finds may be gone when it takes. */
export async function beginOperation({ look, mint, take }: BeginSteps): Promise<BegunRecord | KeyState> {
  let identity = (await look()) ? undefined : await mint()
  for (;;) {
    const outcome = await take(identity)
    if (outcome) return outcome
    identity = await mint()
  }
}

/** Throws `RangeError` for a result that is too large to be stored. */
export function checkResultSize(result: string | undefined): void {
  if (result !== undefined && Buffer.byteLength(result) > maxResultBytes)
    throw new RangeError(`A result of more than ${maxResultBytes} bytes is not stored.`)
}
