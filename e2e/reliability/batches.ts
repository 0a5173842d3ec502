// Batches of fifty rows under faults, and the true state of each row afterwards.
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { createNetwork, type Failure } from '../../packages/testing/src/vendors/network.ts'
import type { Arguments, OpenVendor } from '../../packages/testing/src/vendors/vendor.ts'
import { openSession, type Answer } from './session.ts'

const size = 50
/** Indexes of the rows with a URL to attach. */
const attaching = new Set([0, 24, size - 1])

export interface Batch {
  readonly name: string
  readonly tool: string
  /** A row's arguments, except its title. */
  readonly row: (index: number, identifiers: readonly string[]) => Arguments
  /** Index of the row that Linear refuses to write. */
  readonly refused?: number
}

const changed: Batch['row'] = (index, identifiers) => ({ issue_id: identifiers[index] })
export const batches: readonly Batch[] = [
  { name: 'creates', tool: 'BatchCreateIssues', row: () => ({ team: 'ENG', assignee: 'none' }) },
  { name: 'changes', tool: 'BatchUpdateIssues', row: changed },
  { name: 'changes of which Linear refuses one', tool: 'BatchUpdateIssues', row: changed, refused: 30 },
]

const titleOf = (index: number) => `Row ${index} of the batch`
const urlOf = (index: number) => `https://a.example/${index}`

/** Number of issues and attachments that a row has in Linear. */
export interface Held {
  readonly issues: number
  readonly attachments: number
}

export interface BatchBench {
  readonly clock: RunningClock
  readonly opened: OpenVendor
  readonly batch: Batch
  readonly args: Arguments
}

/** Linear's issues and attachments. */
async function recordsIn({ state }: OpenVendor) {
  const lines = (await state()).filter((line) => /^(?:issues|attachments) /.test(line))
  return lines.map((line) => parseJson(line.slice(line.indexOf('{')))).filter(isObject)
}

export async function openBatch(batch: Batch, clock: RunningClock): Promise<BatchBench & AsyncDisposable> {
  const opened = await linear.open(clock)
  const records = await recordsIn(opened)
  const identifiers = records.flatMap(({ identifier, archivedAt }) =>
    archivedAt === null && typeof identifier === 'string' ? [identifier] : [],
  )
  const issues = Array.from({ length: size }, (_, index) => ({
    ...batch.row(index, identifiers),
    title: titleOf(index),
    ...(attaching.has(index) && { attachment_url: urlOf(index) }),
  }))
  return { clock, opened, batch, args: { issues }, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

async function heldOf({ opened }: BatchBench): Promise<Held[]> {
  const titles = Map.groupBy(await recordsIn(opened), ({ title }) => String(title))
  const count = (title: string) => titles.get(title)?.length ?? 0
  return Array.from({ length: size }, (_, index) => ({ issues: count(titleOf(index)), attachments: count(urlOf(index)) }))
}

export interface Outcome {
  readonly answer: Answer
  readonly held: readonly Held[]
  readonly requests: number
  readonly elapsedMs: number
  /** The outcome of repeating the call without faults; absent if the first call did everything. */
  readonly again?: { readonly answer: Answer; readonly held: readonly Held[] }
}

/** Makes the call on a new server while requests fail, and again without failures if the first call did not do everything. */
export async function runBatch(bench: BatchBench, fail: (index: number) => Failure | undefined = () => undefined): Promise<Outcome> {
  const { clock, opened, batch, args } = bench
  const { server } = linear
  const network = createNetwork(batch.refused === undefined ? opened.fetch : refusing(opened.fetch, titleOf(batch.refused)), clock)
  await using session = await openSession({ app: server.name, prefix: server.prefix, clock, fetch: network.fetch, options: opened.options })
  network.fail(fail)
  const started = clock.monotonic()
  // With a key, because a repeat of an answered call would otherwise be a new call and create all rows again.
  const call = async () => clock.until(session.call(batch.tool, args, undefined, 'the batch'))
  const answer = await call()
  const elapsedMs = clock.monotonic() - started
  const { length: requests } = network.exchanges
  const held = await heldOf(bench)
  network.restore()
  // A server pauses after many failures in a row.
  await clock.leap(60_000)
  if (answer.error === undefined && rowsOf(answer).every(({ error }) => error === undefined)) return { answer, held, requests, elapsedMs }
  const second = await call()
  return { answer, held, requests, elapsedMs, again: { answer: second, held: await heldOf(bench) } }
}

/** A Linear that gets an empty title for one row, and refuses the row. */
function refusing(fetch: Fetch, title: string): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const body = (await request.clone().text()).replace(`"title":${JSON.stringify(title)}`, '"title":""')
    return fetch(new Request(request, { body }))
  }
}

export function rowsOf({ result }: Answer): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(result['issues']) ? result['issues'].filter(isObject) : []
}

interface Circumstances {
  readonly batch: Batch
  /** The state before the call; empty by default. */
  readonly before?: readonly Held[]
  /** True if a failed request may have been carried out. */
  readonly isCommitted?: boolean
}

/** Untrue statements about rows in an answer. */
export function untruths(
  { answer, held }: Pick<Outcome, 'answer' | 'held'>,
  { batch: { refused }, before = [], isCommitted = false }: Circumstances,
): string[] {
  const twice = held.flatMap(({ issues, attachments }, index) => (issues > 1 || attachments > 1 ? [`row ${index + 1} is there twice`] : []))
  const written = held.filter(({ issues }) => issues === 1).length
  if (answer.error)
    return written === 0 || isCommitted ? twice : [...twice, `${written} rows were written, and the error says nothing of it`]
  const rows = rowsOf(answer)
  const done = rows.filter(({ outcome }) => outcome === 'created' || outcome === 'updated').length
  const count = answer.result['created'] ?? answer.result['updated']
  return [
    ...twice,
    ...(rows.length === size ? [] : [`${rows.length} rows were answered`]),
    ...(count === done ? [] : [`${String(count)} are counted, ${done} listed`]),
    ...rows.flatMap((row, index) => {
      const here = held[index]
      return here ? untruthsOfRow(row, here, { index, before: before[index]?.issues ?? 0, isRefused: index === refused }) : []
    }),
  ]
}

function untruthsOfRow(
  { row, outcome, attachment, error }: Readonly<Record<string, unknown>>,
  { issues, attachments }: Held,
  { index, before, isRefused }: { readonly index: number; readonly before: number; readonly isRefused: boolean },
): string[] {
  const isDone = outcome === 'created' || outcome === 'updated'
  const checks = {
    [`has the number ${String(row)}`]: row !== index + 1,
    [`is ${String(outcome)}, but Linear has ${issues}`]: isDone ? issues !== 1 : outcome !== 'unknown' && issues !== before,
    'is refused by Linear, and neither "refused" nor "unknown"': isRefused && outcome !== 'refused' && outcome !== 'unknown',
    'has an attachment that Linear has not': attachment !== undefined && attachments !== 1,
    'says nothing of its URL': attaching.has(index) && attachment === undefined && error === undefined,
  }
  return Object.entries(checks).flatMap(([problem, isWrong]) => (isWrong ? [`row ${index + 1} ${problem}`] : []))
}

/** True if everything is there exactly once, except the row that Linear refuses. */
export function isComplete(held: readonly Held[], { refused }: Batch): boolean {
  return held.every(({ issues, attachments }, index) => {
    const isThere = index !== refused
    return issues === Number(isThere) && attachments === Number(isThere && attaching.has(index))
  })
}
