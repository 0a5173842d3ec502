import type { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import { expectationFor, unaffected, type Expectation, type Frequency, type Kind } from './expectations.ts'
import type { Fault } from '../../packages/testing/src/vendors/faults.ts'
import { createNetwork, type Exchange, type Failure } from '../../packages/testing/src/vendors/network.ts'
import { prepare } from './prepare.ts'
import { openSession, type Answer } from './session.ts'
import type { Arguments, OpenVendor, Vendor } from '../../packages/testing/src/vendors/vendor.ts'

/** Maximum time, in milliseconds on the clock, within which every call must be answered. */
const answerMs = 30_000

/** Maximum memory for an answer: the transport's limit, plus bytes in transit. */
const maxAnswerBytes = 17 * 1024 * 1024

/** A time, in milliseconds, longer than any retry waits after its call has ended. */
const afterwardsMs = 60_000

const forbiddenText = /<!doctype|<html|<form/i

/** A call without faults, for comparison with others. */
export interface Baseline {
  readonly answer: Answer
  readonly requests: number
  /**
   * Index of the decisive request, which writes or returns the requested data: the last one, unless the vendor's definition names another.
   */
  readonly decisive: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export interface Cell {
  readonly tool: string
  readonly args: Arguments
  readonly kind: Kind
  readonly fault: Fault
  readonly frequency: Frequency
}

interface Run {
  readonly answer: Answer
  readonly exchanges: readonly Exchange[]
  /** Number of requests still open when the answer came. */
  readonly open: number
  readonly elapsedMs: number
  readonly late: number
  readonly log: readonly string[]
  readonly state: readonly string[]
}

export interface Bench {
  readonly vendor: Vendor
  readonly opened: OpenVendor
  readonly clock: RunningClock
}

export async function runBaseline(bench: Bench, tool: string, args: Arguments): Promise<Baseline> {
  const before = await bench.opened.state()
  const { answer, exchanges, state } = await run(bench, { tool, args, before })
  if (answer.error) throw new Error(`${tool} fails without a fault: ${answer.text}`)
  await bench.opened.reset()
  const pattern = bench.opened.decisive?.[tool]
  const decisive = pattern ? exchanges.findIndex(({ url }) => pattern.test(url)) : exchanges.length - 1
  return { answer, requests: exchanges.length, decisive, before, after: state }
}

interface RunOptions extends Pick<Cell, 'tool' | 'args'> {
  readonly kind?: Kind
  /** The vendor's current state. */
  readonly before: readonly string[]
  /** A request's failure, by the request's index. */
  readonly failure?: (index: number) => Failure | undefined
}

/** Makes the call on a new server. Without failures, nothing waits for the clock, so the clock stands still. */
async function run({ vendor: { server }, opened, clock }: Bench, { tool, args, kind, before, failure }: RunOptions): Promise<Run> {
  const network = createNetwork(opened.fetch, clock)
  await using session = await openSession({ app: server.name, prefix: server.prefix, clock, fetch: network.fetch, options: opened.options })
  await prepare({ opened, network, session, clock }, tool)
  const started = clock.monotonic()
  if (failure) network.fail(failure)
  const call = session.call(tool, args)
  const answer = await (failure ? clock.until(call) : call)
  const elapsedMs = clock.monotonic() - started
  await new Promise((resolve) => setImmediate(resolve))
  const open = network.exchanges.filter(({ isOpen }) => isOpen).length
  const { exchanges } = network
  const sent = exchanges.length
  const isQueued = kind === 'event' && answer.result['outcome'] === 'queued'
  if (isQueued) network.fail(() => undefined)
  for (const ms of isQueued ? [2 * 3_600_000, afterwardsMs] : [afterwardsMs]) await clock.leap(ms)
  return {
    answer,
    exchanges: exchanges.slice(0, sent),
    open,
    elapsedMs,
    late: isQueued ? 0 : network.exchanges.length - sent,
    log: session.log,
    state: (await opened.changes()) === 0 ? before : await opened.state(),
  }
}

/** The guarantees that a cell violates; empty if there are none. */
export async function problemsOf(bench: Bench, cell: Cell, baseline: Baseline): Promise<string[]> {
  const { opened, vendor } = bench
  const { fault, frequency, kind } = cell
  const failure = (index: number) => (frequency === 'always' || index === baseline.decisive ? fault.fail : undefined)
  const result = await run(bench, { ...cell, before: baseline.before, failure })
  if (result.state !== baseline.before) await opened.reset()
  const isAvoided = fault.hasWayAround === true && frequency === 'once' && result.answer.error === undefined
  const expected = baseline.requests === 0 || isAvoided ? unaffected : expectationFor(fault, frequency, kind)
  const checks = {
    ...outcomeProblems(result, expected, cell, baseline),
    ...effectProblems(result, expected, baseline),
    [`it took ${result.elapsedMs} ms`]: result.elapsedMs > answerMs,
    [`${result.open} requests were open after the answer`]: result.open > 0,
    [`${result.late} requests followed the answer`]: result.late > 0,
    'the answer holds a page': forbiddenText.test(result.answer.text),
    'the answer or the log holds a secret': vendor.secrets.some((secret) =>
      [result.answer.text, ...result.log].some((text) => text.includes(secret)),
    ),
    'an answer of the vendor was read without limit': result.exchanges.some(({ bytes }) => bytes > maxAnswerBytes),
    'the hint of the vendor was ignored': ignoresHint(result, cell.fault),
  }
  return Object.entries(checks).flatMap(([problem, isWrong]) => (isWrong ? [problem] : []))
}

export function kindOf({ server, unrepeatable = [] }: Vendor, { name, effect }: { readonly name: string; readonly effect: string }): Kind {
  if (server.name === 'event-pipeline') return 'event'
  if (unrepeatable.includes(name)) return 'unrepeatable'
  return effect === 'read' ? 'read' : 'write'
}

function outcomeProblems({ answer, state }: Run, expected: Expectation, { fault }: Cell, { after }: Baseline): Record<string, boolean> {
  const { error, result, text } = answer
  const got = error
    ? `${error.code}, ${error.retryable ? 'retryable' : 'not retryable'}: ${error.message}`
    : `a result${result['outcome'] === 'queued' ? ' (queued)' : ''}`
  if (expected.outcome === 'looked up') {
    const isHonest = error ? ['unavailable', 'too_large'].includes(error.code) : text.includes('unknown') || isEqual(state, after)
    return { [`the answer does not say what became of the request: ${got}`]: !isHonest }
  }
  if (expected.outcome !== 'error')
    return {
      [`${expected.outcome} expected, got ${got}`]:
        error !== undefined || (result['outcome'] === 'queued') !== (expected.outcome === 'queued'),
    }
  const isAsExpected = error?.code === expected.code && error?.retryable === expected.retryable
  return {
    [`${expected.code ?? ''}, ${expected.retryable === true ? 'retryable' : 'not retryable'} expected, got ${got}`]: !isAsExpected,
    'the error does not say when to try again':
      isAsExpected && fault.hintMs !== undefined && (error?.retry_after_seconds ?? 0) * 1000 < fault.hintMs - answerMs,
  }
}

function effectProblems({ state }: Run, { effects }: Expectation, { before, after }: Baseline): Record<string, boolean> {
  const once = isEqual(state, after)
  const never = isEqual(state, before)
  const isRight = effects === 'once' ? once : effects === 'never' ? never : once || never
  const seen = once ? 'once' : never ? 'never' : `otherwise: ${difference(state, after)}`
  return { [`the change took effect ${seen}, not ${effects}`]: !isRight }
}

/** True if a request was sent before the time that the vendor asked for. */
function ignoresHint({ exchanges }: Run, { hintMs }: Fault): boolean {
  if (hintMs === undefined) return false
  return exchanges.some(({ failedAfter, at }) => failedAfter !== undefined && (exchanges[failedAfter]?.at ?? Infinity) < at + hintMs)
}

const isEqual = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((line, index) => line === other[index])

function difference(state: readonly string[], expected: readonly string[]): string {
  const extra = state.filter((line) => !expected.includes(line))
  const missing = expected.filter((line) => !state.includes(line))
  return `${state.length} rows for ${expected.length}, ${extra.length} others: ${(extra[0] ?? '').slice(0, 300)} | ${(missing[0] ?? '').slice(0, 300)}`
}
