import { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import { createNetwork, type Network } from '../../packages/testing/src/vendors/network.ts'
import { prepare } from './prepare.ts'
import { openSession, type Answer, type Session } from './session.ts'
import { drive } from '../../packages/testing/src/vendors/drive.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import type { Arguments, OpenVendor, Vendor } from '../../packages/testing/src/vendors/vendor.ts'

export const vendors: readonly Vendor[] = [linear, drive, pipelines]

/** A built server, its vendor, and the network between them. */
export interface Bench extends AsyncDisposable {
  readonly clock: RunningClock
  readonly opened: OpenVendor
  readonly network: Network
  readonly session: Session
  /** Makes a call, and lets the clock run for as long as the call needs. */
  readonly call: (tool: string, args?: Arguments) => Promise<Answer>
}

export interface BenchOptions {
  readonly dataDirectory?: string
  /** The tool to call; whatever its example needs is prepared. */
  readonly tool?: string
  /** Further options of `createServer`. */
  readonly options?: Readonly<Record<string, unknown>>
}

export async function openBench(vendor: Vendor, { dataDirectory, tool, options = {} }: BenchOptions = {}): Promise<Bench> {
  const clock = new RunningClock()
  const opened = await vendor.open(clock)
  const network = createNetwork(opened.fetch, clock)
  const { name: app, prefix } = vendor.server
  const session = await openSession({
    app,
    prefix,
    clock,
    fetch: network.fetch,
    options: { ...opened.options, ...options },
    ...(dataDirectory !== undefined && { dataDirectory }),
  })
  if (tool !== undefined) await prepare({ opened, network, session, clock }, tool)
  return {
    clock,
    opened,
    network,
    session,
    call: (tool, args = opened.calls[tool] ?? {}) => clock.until(session.call(tool, args)),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
}

/** A tool of each server that sends a vendor request: a read, except for event-pipeline, which sends only events. */
export const sampleTools: Readonly<Record<string, string>> = {
  'issue-tracker': 'ListTeams',
  'file-storage': 'SearchFiles',
  'event-pipeline': 'TrackUserEvent',
}

/** A sample call, different for each number. */
export function sampleCall({ server }: Vendor, number: number): readonly [tool: string, args: Arguments] {
  const tool = sampleTools[server.name] ?? ''
  if (server.name === 'issue-tracker') return [tool, { keywords: `team ${number}` }]
  if (server.name === 'file-storage') return [tool, { query: `plan ${number}` }]
  return [tool, { mode: 'execute', request_body: JSON.stringify({ userId: `u${number}`, event: 'Paid' }) }]
}
