// Where the time of a call goes: the vendor's share is the time in which at least one request to it is open, ours is the rest.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer, type RunningServer } from '../peers/client.ts'
import { medianOf } from '../statistics.ts'
import { timedServers, type TimedServer } from './catalog.ts'
import { startVendor, type TimedVendor } from './vendor.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** Milliseconds, by how many calls took at most that. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface CallRow {
  readonly server: string
  readonly tool: string
  /** To the vendor, for one call. */
  readonly requests: number
  readonly total_ms: Percentiles
  readonly vendor_ms: Percentiles
  readonly our_ms: Percentiles
}

/** One call. */
export interface Trial {
  readonly totalMs: number
  readonly vendorMs: number
  readonly requests: number
}

export interface TimedCalls {
  readonly server: string
  readonly tool: string
  readonly trials: readonly Trial[]
}

/** Calls that load and compile what later calls use; an even number, so that what moves is back where it was. */
const warmUp = 10

/** Calls every tool so many times over stdio, in turns. */
export async function timeCalls(rounds: number): Promise<TimedCalls[]> {
  const measured: TimedCalls[] = []
  for (const each of timedServers) measured.push(...(await timeServer(each, rounds)))
  return measured
}

async function timeServer({ server: { name, prefix }, environment, tools }: TimedServer, rounds: number): Promise<TimedCalls[]> {
  const data = mkdtempSync(path.join(tmpdir(), 'time-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => {
    rmSync(data, { recursive: true, force: true })
  })
  const vendor = stack.use(await startVendor(name))
  const main = path.join(root, 'apps', name, 'dist', 'main.js')
  const variables = { PATH: process.env['PATH'] ?? '', MCP_TOOLKITS_DATA_DIR: data, ...environment(vendor.url) }
  const server = stack.use(await startServer({ main, environment: variables }))
  const timed = Object.entries(tools).map(([tool, argumentsOf]) => ({ tool, argumentsOf, trials: new Array<Trial>() }))
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const { tool, argumentsOf, trials } of timed) {
      const trial = await timeCall({ server, vendor }, `${prefix}_${tool}`, argumentsOf(round))
      if (round >= warmUp) trials.push(trial)
    }
  }
  return timed.map(({ tool, trials }) => ({ server: name, tool, trials }))
}

async function timeCall(
  { server, vendor }: { readonly server: RunningServer; readonly vendor: TimedVendor },
  tool: string,
  given: object,
): Promise<Trial> {
  await vendor.takeTimes()
  const started = performance.now()
  const reply = await server.call(tool, given)
  const totalMs = performance.now() - started
  if (!reply || reply.isError) throw new Error(`${tool}: ${reply?.text ?? 'no answer'}`)
  const { requests, busy_ms: vendorMs } = await vendor.takeTimes()
  return { totalMs, vendorMs, requests }
}

export const rowOf = ({ server, tool, trials }: TimedCalls): CallRow => ({
  ...{ server, tool, requests: medianOf(trials.map(({ requests }) => requests)) },
  total_ms: percentilesOf(trials.map(({ totalMs }) => totalMs)),
  vendor_ms: percentilesOf(trials.map(({ vendorMs }) => vendorMs)),
  our_ms: percentilesOf(trials.map(({ totalMs, vendorMs }) => totalMs - vendorMs)),
})

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(10 * (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN)) / 10
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
