import { randomUUID } from 'node:crypto'
import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { openSharedStore } from '@mcp-toolkits/store/postgres'
import { connect } from '@mcp-toolkits/testing'
import { type PostgresServer, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { eventPipeline } from '../src/server.ts'
import { execution } from './pipeline.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const key = 'test-key'
const tool = 'EventPipelineApi_TrackUserEvent'

/** Replicas of the server that share an outbox and a vendor, with real clients. */
async function startReplicas(count: number) {
  const emulator = pipelinesEmulator({ key })
  onTestFinished(() => emulator.close())
  const clock = new ManualClock()
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const replicas = []
  for (let index = 0; index < count; index += 1) {
    const shared = await openSharedStore({ url: server.pooledUrl, schema, clock })
    const definition: typeof eventPipeline = {
      ...eventPipeline,
      connect: (settings, options) => eventPipeline.connect(settings, { ...options, shared }),
    }
    const replica = await connect(definition, { fetch: emulator.fetch, clock, environment: { EVENT_PIPELINE_API_KEY: key } })
    onTestFinished(async () => {
      await replica[Symbol.asyncDispose]()
      await shared.close()
    })
    replicas.push(replica)
  }
  return { emulator, clock, replicas }
}

it('a repeat on another replica is the event of the first call', async () => {
  const { emulator, replicas } = await startReplicas(2)
  const event = execution({ userId: 'ada', event: 'Signed Up', messageId: 'm1' })
  const results = []
  for (const replica of replicas) results.push(await replica.call(tool, event))
  expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
  expect(JSON.stringify(results[1]?.['notices'])).toContain('Already delivered under the same messageId')
  expect(emulator.store.requests().length).toBe(1)
})
