import type { JsonObject } from '@mcp-toolkits/core/base'
import { count } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import type { Problem } from './problems.ts'
import { type Backfill, isHalted, isHopeless, isUnfinished } from './record.ts'

const Kinds = z.array(z.object({ rows: z.string(), count: z.int(), problem: z.string() }))

/** A backfill, as reported by tools. */
export const Report = z.object({
  backfill: z.string().optional().describe('Its id.'),
  outcome: z
    .enum(['reading', 'queued', 'delivered', 'partly_refused', 'refused', 'stopped', 'failed', 'cancelled', 'checked'])
    .optional()
    .describe('reading and queued are still in progress (do not repeat).'),
  rows: z.object({ read: z.int(), accepted: z.int(), refused: z.int(), waiting: z.int() }).optional(),
  refused: Kinds.optional().describe('Rows not sent, by reason.'),
  findings: Kinds.optional().describe('Suspicious rows that are sent anyway.'),
  sample: z
    .array(z.object({ row: z.int(), call: z.record(z.string(), z.unknown()) }))
    .optional()
    .describe('First rows as calls.'),
  created_at: z.string().optional(),
  ended_at: z.string().optional(),
  seconds_left: z.int().optional(),
  look_again_in_seconds: z.int().optional(),
  last_error: z.string().optional(),
  arguments: z.object({ source_url: z.string().optional() }).loose().optional().describe('Arguments of the call, without text.'),
  notices: z.array(z.string()).optional(),
})

type Outcome = NonNullable<z.infer<typeof Report>['outcome']>

/** Maximum number of kinds of problem that a result reports. */
const maxKinds = 20

export function describeBackfill(backfill: Backfill, now: number): z.infer<typeof Report> {
  const { id, progress, createdAt, endedAt, error } = backfill
  const { read, accepted, refused, problems } = progress
  const waiting = isUnfinished(backfill.state) || isHalted(backfill.state) ? read - accepted - refused : 0
  return {
    backfill: id,
    outcome: outcomeOf(backfill),
    rows: { read, accepted, refused, waiting },
    ...describeProblems(problems),
    created_at: new Date(createdAt).toISOString(),
    ...(endedAt !== undefined && { ended_at: new Date(endedAt).toISOString() }),
    ...(isUnfinished(backfill.state) && timesOf(backfill, now)),
    ...(error && { last_error: error.message }),
    notices: noticesOf(backfill),
  }
}

/** The arguments for a call that resends a backfill's rows, without the text. */
export function argumentsOf({ plan: { source, ...way } }: Backfill): Readonly<Record<string, unknown>> {
  return { ...('url' in source && { source_url: source.url }), ...way }
}

/** A backfill's progress, as a call reports it. */
export function progressOf({
  state,
  progress: { accepted, refused, read },
  error,
}: Backfill): [done: number, total: number | undefined, text: string] {
  if (state === 'reading') return [0, undefined, 'reading the file']
  const left = error ? `, and waiting: ${error.message}` : ''
  return [accepted + refused, read, `${accepted} of ${count(read, 'row')} accepted${left}`]
}

/** Problems by kind, separately for refused rows and for others. */
export function describeProblems(problems: readonly Problem[]): Pick<z.infer<typeof Report>, 'refused' | 'findings'> {
  const kindsOf = (isRefused: boolean) => {
    const kinds = problems.filter((each) => each.isRefused === isRefused).map(describeKind)
    return kinds.length > maxKinds
      ? [...kinds.slice(0, maxKinds), { rows: '…', count: 0, problem: `${kinds.length - maxKinds} more kinds.` }]
      : kinds
  }
  const [refused, findings] = [kindsOf(true), kindsOf(false)]
  return { ...(refused.length > 0 && { refused }), ...(findings.length > 0 && { findings }) }
}

function describeKind({ at, problem, rows, count: number }: Problem): { rows: string; count: number; problem: string } {
  return { rows, count: number, problem: at === '' ? problem : `${at} ${problem}` }
}

function outcomeOf({ state, progress: { accepted, refused } }: Backfill): Outcome {
  switch (state) {
    case 'sending':
      return 'queued'
    case 'done':
      return refused === 0 ? 'delivered' : accepted === 0 ? 'refused' : 'partly_refused'
    case 'repeated':
      return 'queued'
    case 'parked':
      return 'stopped'
    case 'reading':
    case 'stopped':
    case 'failed':
    case 'cancelled':
      return state
  }
}

/** Minimum and maximum time, in seconds, after which a caller is told to check again. */
const minLook = 2
const maxLook = 60

/** Estimated remaining time at the rate so far, and the time of the next check. */
function timesOf(
  { progress, nextAttemptAt }: Backfill,
  now: number,
): Pick<z.infer<typeof Report>, 'seconds_left' | 'look_again_in_seconds'> {
  const { read, accepted, refused, sentMs } = progress
  const waitMs = Math.max(0, nextAttemptAt - now)
  const leftMs = accepted > 0 ? waitMs + ((read - accepted - refused) * sentMs) / accepted : undefined
  return {
    ...(leftMs !== undefined && { seconds_left: Math.ceil(leftMs / 1000) }),
    look_again_in_seconds: Math.ceil(
      Math.min(Math.max(minLook, (leftMs ?? waitMs) / 1000, waitMs / 1000), Math.max(maxLook, waitMs / 1000)),
    ),
  }
}

/** Sentence about a stopped backfill. */
export const keptRows =
  'Unsent rows are kept. Once the cause is fixed, send the same file again in the same way: it continues where it stopped.'

const keptForKey = 'The API key was removed or replaced. Unsent rows are kept, and are sent once that key is entered again.'

function noticesOf(backfill: Backfill): string[] {
  const { state, plan, progress } = backfill
  const { untimed, refused } = progress
  const notices: string[] = []
  if (untimed > 0)
    notices.push(`${count(untimed, 'row')} without a timestamp count as happening now: map a column to timestamp if they happened earlier.`)
  if (state === 'stopped' && !isHopeless(backfill)) notices.push(keptRows)
  if (state === 'parked') notices.push(keptForKey)
  if (isUnfinished(state)) notices.push('It continues on its own, even after the server restarts. Do not send the file again.')
  if (refused > 0 && !isUnfinished(state) && state !== 'failed') notices.push(howToCorrect(untimed > 0, plan.rows !== undefined))
  return notices
}

function howToCorrect(isUntimed: boolean, hasRows: boolean): string {
  if (hasRows || isUntimed)
    return 'Correct the refused rows in the file and resend only those, using "rows": other rows without a timestamp would count twice.'
  return 'Correct the refused rows in the file and send it again: unchanged rows keep their messageId, so Customer.io drops duplicates.'
}

/** The first rows' calls, as shown to the caller. */
export function describeSample(
  sample: readonly { readonly row: number; readonly call: JsonObject }[],
): { row: number; call: Record<string, unknown> }[] {
  return sample.map(({ row, call }) => ({ row, call: { ...call } }))
}
