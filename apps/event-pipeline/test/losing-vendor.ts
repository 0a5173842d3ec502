import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { once } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect, type ConnectedServer } from '@mcp-toolkits/testing'
import { onTestFinished } from 'vitest'
import { openConnection as connectVendor } from '../src/connect.ts'
import { eventPipeline } from '../src/server.ts'
import { acceptingKeys, killedCopy, until } from './pipeline.ts'

interface LosingVendorOptions {
  /** The requests whose responses are lost, counted from 1. */
  readonly lost?: readonly number[]
  readonly environment?: Readonly<Record<string, string>>
}

/** A vendor that accepts requests but loses the responses, and servers that share a clock. */
export async function losingVendor({ lost = [1], environment = {} }: LosingVendorOptions = {}) {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const clock = new ManualClock()
  let taken = 0
  let losses = 0
  const fetch: typeof emulator.fetch = async (input, init) => {
    const response = await emulator.fetch(input, init)
    taken += 1
    if (!lost.includes(taken)) return response
    losses += 1
    return new Promise(() => undefined)
  }
  const settings = {
    embedded: false,
    readOnly: false,
    toolNames: 'safe',
    environment: { EVENT_PIPELINE_API_KEY: 'test-key', ...environment },
  } as const
  const open = async (directory = dataDirectory) => {
    const server = await connect(eventPipeline, { ...settings, dataDirectory: directory, fetch: acceptingKeys(fetch), clock })
    onTestFinished(() => server[Symbol.asyncDispose]())
    return server
  }
  /** Makes calls whose first requests, at least, get no response. Returns a server that uses the data directory of one killed meanwhile. */
  const openAfterKill = async (...calls: readonly ((server: ConnectedServer) => Promise<unknown>)[]) => {
    const server = await open()
    const pending = calls.map((call) => call(server).catch(() => undefined))
    // All events are stored. Events about one person are sent in sequence.
    const { context, close } = await connection()
    await until(async () => losses > 0 && (await context.store.undelivered()).length >= calls.length)
    await close()
    const killed = await killedCopy(dataDirectory)
    onTestFinished(async () => {
      await server.client.close()
      await Promise.all(pending)
    })
    return open(killed)
  }
  const accepted = () => emulator.store.events().flatMap(({ message_id: id, outcome }) => (outcome === 'accepted' ? [id] : []))
  const connection = async (directory = dataDirectory) => {
    const opened = await connectVendor({ ...settings, dataDirectory: directory }, { fetch: acceptingKeys(fetch), clock })
    const close = once(opened.close)
    onTestFinished(close)
    return { ...opened, close }
  }
  return { emulator, clock, dataDirectory, open, openAfterKill, connection, accepted, losses: () => losses }
}
