import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect, type ConnectedServer, type ConnectSettings } from '@mcp-toolkits/testing'
import { onTestFinished } from 'vitest'
import { keyCheckBody } from '../src/pipelines/key-check.ts'
import { eventPipeline } from '../src/server.ts'

type Emulator = ReturnType<typeof pipelinesEmulator>

export interface Pipeline extends ConnectedServer {
  readonly emulator: Emulator
  readonly clock: ManualClock
}

export interface PipelineSettings extends ConnectSettings {
  readonly clock?: ManualClock
}

const key = 'test-key'

/** The server with an account at an emulated vendor, and a clock on which backoffs take no time. */
export async function pipeline({ environment, clock = new ManualClock(), ...settings }: PipelineSettings = {}): Promise<Pipeline> {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: key })
  const connected = await connect(eventPipeline, {
    fetch: acceptingKeys(emulator.fetch),
    clock,
    environment: { EVENT_PIPELINE_API_KEY: key, ...environment },
    ...settings,
  })
  return {
    ...connected,
    emulator,
    clock,
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

/**
 * A vendor that accepts every key, so that only requests with events are counted and fail. Otherwise, a strict request would check the key
 * before the first event.
 */
export function acceptingKeys(fetch: Fetch): Fetch {
  return (input, init) =>
    init?.body === keyCheckBody && new Headers(init.headers).get('x-strict-mode') === '1'
      ? Promise.resolve(Response.json({ meta: { errors: ['batch is empty'] } }, { status: 400 }))
      : fetch(input, init)
}

/** A copy of a data directory as its processes would leave it if they were killed now: no process holds the copy's locks. */
export async function killedCopy(dataDirectory: string): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'killed-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  await cp(dataDirectory, copy, { recursive: true })
  return copy
}

/** Waits for work that takes no time on the test's clock, such as requests in memory and transactions. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries === 10_000) throw new Error('The condition did not come true.')
    await setTimeout(1)
  }
}

/** Lets time pass on the clock, `stepMs` at a time, until `work` is done. */
export async function elapse<Result>(clock: ManualClock, work: Promise<Result>, stepMs = 100): Promise<Result> {
  const state = { isDone: false }
  const done = work.finally(() => {
    state.isDone = true
  })
  while (!state.isDone) {
    // Requests in memory get ahead of the clock, so that they do not time out.
    for (let turns = 0; turns < 5; turns += 1) await setTimeout(1)
    await clock.advance(stepMs)
  }
  return done
}

/** Arguments of a call with mode execute; a body that is not a string is stringified. */
export function execution(body: unknown, rest: Record<string, unknown> = {}): Record<string, unknown> {
  return { mode: 'execute', request_body: typeof body === 'string' ? body : JSON.stringify(body), ...rest }
}

/** The specified differences between the seven tools. */
export const endpoints = [
  { tool: 'EventPipelineApi_IdentifyPersonAndAssignTraits', call: 'identify', parameter: 'enable_strict_validation', enabling: 'True' },
  { tool: 'EventPipelineApi_TrackUserEvent', call: 'track', parameter: 'enable_strict_validation', enabling: 'True' },
  { tool: 'EventPipelineApi_SendPageViewEvent', call: 'page', parameter: 'enable_strict_mode', enabling: '1' },
  { tool: 'EventPipelineApi_SendScreenViewEvent', call: 'screen', parameter: 'enable_strict_validation', enabling: '1' },
  { tool: 'EventPipelineApi_AddToGroup', call: 'group', parameter: 'enable_strict_validation', enabling: '1' },
  { tool: 'EventPipelineApi_AliasUserIdentity', call: 'alias', parameter: 'enable_strict_validation', enabling: 'True' },
  { tool: 'EventPipelineApi_SendBatchRequests', call: 'batch', parameter: 'enable_strict_mode', enabling: 'True' },
] as const

/** A valid body of each call. */
export const goodBodies: Readonly<Record<(typeof endpoints)[number]['call'], Record<string, unknown>>> = {
  identify: { userId: 'u1', traits: { email: 'ada@example.com', plan: 'pro' } },
  track: { userId: 'u1', event: 'Order Completed', properties: { total: 42 } },
  page: { userId: 'u1', name: 'Home', properties: { url: 'https://example.com/' } },
  screen: { anonymousId: 'a1', name: 'Start' },
  group: { userId: 'u1', groupId: 'g1', traits: { objectTypeId: '1' } },
  alias: { userId: 'u1', previousId: 'a1' },
  batch: {
    batch: [
      { type: 'identify', userId: 'u1', traits: { plan: 'pro' } },
      { type: 'track', userId: 'u1', event: 'Signed Up' },
    ],
  },
}
