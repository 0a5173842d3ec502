import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { errorFromJson, errorToJson, type ToolError } from '@mcp-toolkits/core/errors'
import type { ItemType } from '../pipelines/calls.ts'
import type { Problem } from './problems.ts'

/** `stopped`: the vendor refused the key or the address, or the task was cancelled. `parked`: the person has ended the key. `failed`: the file could not be read. `repeated`: another backfill has the same rows. */
export const backfillStates = ['reading', 'sending', 'done', 'stopped', 'parked', 'failed', 'cancelled', 'repeated'] as const
export type BackfillState = (typeof backfillStates)[number]

/** States in which a backfill has work to do. */
export const isUnfinished = (state: BackfillState) => state === 'reading' || state === 'sending'

/** A number of requests that no backfill reaches. The text of a call is stored as the part before it: in the record, each look would read it. */
export const allParts = 2 ** 31 - 1
export const textPart = allParts - 1

/** States in which a backfill keeps its rows, and goes on when its cause is gone. */
export const isHalted = (state: BackfillState) => state === 'stopped' || state === 'parked'

/** True if nothing of a file was sent, and another attempt may do better: the file can have been shared or corrected. */
export const isInVain = ({ state, progress }: Backfill) => state === 'failed' || (state === 'done' && progress.accepted === 0)

/** True if it has stopped because the vendor refused every row: the same rows would be refused again. */
export const isHopeless = ({ state, error }: Pick<Backfill, 'state' | 'error'>) =>
  state === 'stopped' && (error?.code === 'invalid_input' || error?.code === 'too_large')

/** A halted backfill that goes on where it was, because the call of the backfill `resumedBy` wants it. */
export const goingOn = (halted: Backfill, now: number, resumedBy: string): Backfill => ({
  ...halted,
  ...{ state: halted.fingerprint === undefined ? 'reading' : 'sending', endedAt: undefined, error: undefined, nextAttemptAt: now },
  ...{ progress: { ...halted.progress, ...halted.progress.before, before: undefined }, resumedBy },
})

/** The place of the rows: an address, the caller's text (empty in a record), or a file of this machine that the operator named. */
export type Source = { readonly url: string } | { readonly text: string } | { readonly file: string }

/** The way from a row to a call. */
export interface Plan {
  readonly source: Source
  readonly format?: 'csv' | 'ndjson' | undefined
  /** Absent for rows that are calls with a type each. */
  readonly call?: ItemType | undefined
  /** Field of the call, and the column that it comes from. */
  readonly mapping?: Readonly<Record<string, string>> | undefined
  /** Numbers of the rows to send, such as `4,7-9`; all when absent. */
  readonly rows?: string | undefined
}

/** The counts of a backfill, and its findings. */
export interface Progress {
  readonly read: number
  readonly accepted: number
  readonly refused: number
  /** Rows without a time of their own, which count as happening when the file was handed over. */
  readonly untimed: number
  readonly problems: readonly Problem[]
  /** Identifies the content of the file; empty until it is read. */
  readonly digest: string
  /** Time that requests with accepted rows took, in milliseconds. */
  readonly sentMs: number
  /** Failed attempts at the present request. */
  readonly attempts: number
  /** The counts before the request in which it stopped: all of that is sent again when it goes on. */
  readonly before?: Pick<Progress, 'refused' | 'problems'> | undefined
}

export const noProgress: Progress = { read: 0, accepted: 0, refused: 0, untimed: 0, problems: [], digest: '', sentMs: 0, attempts: 0 }

export interface Backfill {
  readonly id: string
  readonly state: BackfillState
  /** The person who has handed it over, if people share the key. */
  readonly owner: string
  readonly createdAt: number
  readonly endedAt: number | undefined
  /** Equal for backfills that would send the same calls. */
  readonly fingerprint: string | undefined
  /** Requests that the rows were put into, and the next of them. */
  readonly parts: number
  readonly nextPart: number
  readonly nextAttemptAt: number
  readonly plan: Plan
  readonly progress: Progress
  /** Why it waits, has stopped or has failed. */
  readonly error: ToolError | undefined
  /** The backfill with the same rows. */
  readonly sameAs: string | undefined
  /** The backfill whose call made this one go on, after it had stopped. */
  readonly resumedBy?: string | undefined
}

/** The members that are stored as one text. */
export function writeFacts({ plan, progress, error, sameAs, resumedBy }: Facts & Pick<Backfill, 'error'>): string {
  return JSON.stringify({ plan, progress, sameAs, resumedBy, ...(error && { error: errorToJson(error) }) })
}

type Facts = Pick<Backfill, 'plan' | 'progress' | 'sameAs' | 'resumedBy'>

const isFacts = (value: unknown): value is Facts & { readonly error?: unknown } =>
  isObject(value) && isObject(value['plan']) && isObject(value['progress'])

/** Throws for a text that `writeFacts` has not written. */
export function readFacts(text: string): Facts & Pick<Backfill, 'error'> {
  const facts = parseJson(text)
  if (!isFacts(facts)) throw new TypeError('The record of a backfill is damaged.')
  const { plan, progress, sameAs, resumedBy } = facts
  return {
    ...{ plan, progress, sameAs, resumedBy },
    error: facts.error === undefined ? undefined : errorFromJson(facts.error),
  }
}
