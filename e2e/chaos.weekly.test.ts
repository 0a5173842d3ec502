import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { expect, test } from 'vitest'
import { connectServer, trackArguments, type ConnectedServer } from './driver.ts'

const seed = process.env['CHAOS_SEED'] ?? '20260731'
const calls = 1_000
const inFlight = 16
const crashes = 10
const track = 'EventPipelineApi_TrackUserEvent'

/** A server that is restarted after each crash. */
class RestartingServer {
  readonly #start: () => Promise<ConnectedServer>
  #current: Promise<ConnectedServer>
  crashes = 0

  constructor(start: () => Promise<ConnectedServer>) {
    this.#start = start
    this.#current = start()
  }

  /** Repeats a call until it is answered. */
  async call(args: Record<string, unknown>): Promise<unknown> {
    for (;;) {
      const server = this.#current
      try {
        return await (await server).call(track, args)
      } catch (error) {
        if (server === this.#current && !this.#died(error)) throw error
      }
    }
  }

  async crash(): Promise<void> {
    this.crashes += 1
    const server = await this.#current
    server.crash()
    this.#current = this.#start()
    await server.close()
  }

  async close(): Promise<void> {
    await (await this.#current).close()
  }

  #died(error: unknown): boolean {
    return error instanceof Error && /clos/i.test(error.message)
  }
}

test(`loses no event and counts none twice, through faults and ${crashes} crashes (CHAOS_SEED=${seed})`, { timeout: 900_000 }, async () => {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'k' })
  const listening = await emulator.listen()
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'chaos-'))
  emulator.faults.add({
    action: {
      kind: 'chaos',
      seed,
      rate: 0.2,
      kinds: ['drop_before', 'drop_after', 'hang', { kind: 'status', status: 500 }, { kind: 'status', status: 429, retry_after: 1 }],
      max_in_a_row: 3,
    },
  })
  const environment = {
    EVENT_PIPELINE_API_KEY: 'k',
    EVENT_PIPELINE_API_URL: `${listening.url}/v1`,
    MCP_TOOLKITS_DATA_DIR: dataDirectory,
  }
  const server = new RestartingServer(() => connectServer(environment))
  const ids = Array.from({ length: calls }, (_, index) => `m-${index}`)
  const todo = [...ids]
  let answered = 0
  const caller = async () => {
    for (let id = todo.shift(); id !== undefined; id = todo.shift()) {
      await server.call(
        trackArguments({ userId: `u-${Number(id.slice(2)) % 250}`, event: 'Paid', messageId: id, properties: { n: answered } }),
      )
      answered += 1
      // Meanwhile, other callers have calls in flight.
      if (server.crashes < crashes && answered >= ((server.crashes + 1) * calls) / (crashes + 1)) await server.crash()
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))

  const accepted = () => emulator.store.events().filter(({ outcome }) => outcome === 'accepted')
  await expect.poll(() => accepted().length, { timeout: 120_000, interval: 100 }).toBe(calls)
  expect(server.crashes).toBe(crashes)
  const bodies = new Map<string | null, Set<string>>()
  // All except the strict request that checks the key.
  const sent = emulator.store.events().filter(({ body }) => body !== '{"batch":[]}')
  for (const { message_id: id, body } of sent) bodies.set(id, new Set([...(bodies.get(id) ?? []), body]))
  expect([...bodies.keys()].sort()).toEqual([...ids].sort())
  expect([...bodies].filter(([, texts]) => texts.size !== 1)).toEqual([])
  const faults = emulator.store.requests().filter(({ fault }) => fault !== null).length
  process.stdout.write(
    `${emulator.store.requests().length} requests, ${faults} of them faulty, for ${calls} events and ${crashes} crashes.\n`,
  )
  expect(faults).toBeGreaterThan(calls / 10)
  await server.close()
  await listening.close()
  await emulator.close()
  await rm(dataDirectory, { recursive: true, force: true })
})
