import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { errorFromJson, errorToJson, type ToolError } from '@mcp-toolkits/core/errors'
import type { ItemType } from '../pipelines/calls.ts'
import type { Problem } from './problems.ts'

/**
 * `stopped`: the vendor refused the key or the address, or the task was cancelled. `parked`: the person removed or replaced the key.
 * `failed`: the file could not be read. `repeated`: another backfill has the same rows.
 */
export const backfillStates = ['reading', 'sending', 'done', 'stopped', 'parked', 'failed', 'cancelled', 'repeated'] as const
export type BackfillState = (typeof backfillStates)[number]

/** States in which a backfill has work to do. */
export const isUnfinished = (state: BackfillState) => state === 'reading' || state === 'sending'

/**
 * A part number that no backfill reaches. A call's text is stored as the part before it, not in the record, where every lookup would read
 * the text.
 */
export const allParts = 2 ** 31 - 1
export const textPart = allParts - 1

/** True for states in which a backfill keeps its rows until it can resume. */
export const isHalted = (state: BackfillState) => state === 'stopped' || state === 'parked'

/** True if nothing from a file was sent, but another attempt may succeed: the file may have been shared or corrected. */
export const isInVain = ({ state, progress }: Backfill) => state === 'failed' || (state === 'done' && progress.accepted === 0)

/** True if a backfill stopped because the vendor refused every row: the same rows would be refused again. */
export const isHopeless = ({ state, error }: Pick<Backfill, 'state' | 'error'>) =>
  state === 'stopped' && (error?.code === 'invalid_input' || error?.code === 'too_large')

/** Resumes a halted backfill where it stopped, on behalf of the call for the backfill `resumedBy`. */
export const goingOn = (halted: Backfill, now: number, resumedBy: string): Backfill => ({
  ...halted,
  ...{ state: halted.fingerprint === undefined ? 'reading' : 'sending', endedAt: undefined, error: undefined, nextAttemptAt: now },
  ...{ progress: { ...halted.progress, ...halted.progress.before, before: undefined }, resumedBy },
})

/** The source of the rows: a URL, the caller's text (empty in the record), or a file on this machine that the operator named. */
export type Source = { readonly url: string } | { readonly text: string } | { readonly file: string }

/** Instructions for turning rows into calls. */
export interface Plan {
  readonly source: Source
  readonly format?: 'csv' | 'ndjson' | undefined
  /** Absent for rows that are calls, each with a type. */
  readonly call?: ItemType | undefined
  /** The call's fields and their source columns. */
  readonly mapping?: Readonly<Record<string, string>> | undefined
  /** Numbers of the rows to send, such as `4,7-9`; all if absent. */
  readonly rows?: string | undefined
}

/** A backfill's counts and findings. */
export interface Progress {
  readonly read: number
  readonly accepted: number
  readonly refused: number
  /** Rows without a time, which get the time when the file was submitted. */
  readonly untimed: number
  readonly problems: readonly Problem[]
  /** Identifies the file's content; empty until the file is read. */
  readonly digest: string
  /** Time taken by requests with accepted rows, in milliseconds. */
  readonly sentMs: number
  /** Failed attempts at the current request. */
  readonly attempts: number
  /** The counts before the request at which the backfill stopped: it resumes by resending that request in full. */
  readonly before?: Pick<Progress, 'refused' | 'problems'> | undefined
}

export const noProgress: Progress = { read: 0, accepted: 0, refused: 0, untimed: 0, problems: [], digest: '', sentMs: 0, attempts: 0 }

export interface Backfill {
  readonly id: string
  readonly state: BackfillState
  /** The person who submitted the file, if people share the key. */
  readonly owner: string
  readonly createdAt: number
  readonly endedAt: number | undefined
  /** Equal for backfills that would send the same calls. */
  readonly fingerprint: string | undefined
  /** Number of requests that the rows were put into, and the next request's number. */
  readonly parts: number
  readonly nextPart: number
  readonly nextAttemptAt: number
  readonly plan: Plan
  readonly progress: Progress
  /** The reason the backfill is waiting, stopped or failed. */
  readonly error: ToolError | undefined
  /** The backfill with the same rows. */
  readonly sameAs: string | undefined
  /** The backfill whose call resumed this one after it had stopped. */
  readonly resumedBy?: string | undefined
}

/** Encodes the members that are stored as one text. */
export function writeFacts({ plan, progress, error, sameAs, resumedBy }: Facts & Pick<Backfill, 'error'>): string {
  return JSON.stringify({ plan, progress, sameAs, resumedBy, ...(error && { error: errorToJson(error) }) })
}

type Facts = Pick<Backfill, 'plan' | 'progress' | 'sameAs' | 'resumedBy'>

const isFacts = (value: unknown): value is Facts & { readonly error?: unknown } =>
  isObject(value) && isObject(value['plan']) && isObject(value['progress'])

/** Throws for text that `writeFacts` did not write. */
export function readFacts(text: string): Facts & Pick<Backfill, 'error'> {
  const facts = parseJson(text)
  if (!isFacts(facts)) throw new TypeError("A backfill's record is damaged.")
  const { plan, progress, sameAs, resumedBy } = facts
  return {
    ...{ plan, progress, sameAs, resumedBy },
    error: facts.error === undefined ? undefined : errorFromJson(facts.error),
  }
}
