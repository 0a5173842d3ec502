import { randomUUID } from 'node:crypto'
import { systemClock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { openSharedStore } from '@mcp-toolkits/team/postgres'
import { connect } from '@mcp-toolkits/testing'
import { type PostgresServer, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import * as connector from '../src/connect.ts'
import { outbox } from '../src/extensions.ts'
import { eventPipeline } from '../src/server.ts'
import { acceptingKeys, elapse, execution, goodBodies, until } from './pipeline.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const key = 'test-key'
const tool = 'EventPipelineApi_TrackUserEvent'

/** Replicas of the server that share an outbox and a vendor, with real clients. The vendor answers when the gate opens. */
async function startReplicas(count: number, gate: Promise<unknown> = Promise.resolve()) {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: key })
  onTestFinished(() => emulator.close())
  let taken = 0
  const fetch: typeof emulator.fetch = async (input, init) => {
    taken += 1
    await gate
    return emulator.fetch(input, init)
  }
  const clock = new ManualClock()
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const replicas = []
  for (let index = 0; index < count; index += 1) {
    // Heartbeats use the database's time.
    const shared = await openSharedStore({ url: server.pooledUrl, schema, clock: systemClock })
    const definition: typeof eventPipeline = {
      ...eventPipeline,
      load: {
        ...eventPipeline.load,
        connector: () =>
          Promise.resolve({ ...connector, connect: (settings, options) => connector.connect(settings, { ...options, shared }) }),
      },
    }
    const replica = await connect(definition, { fetch: acceptingKeys(fetch), clock, environment: { EVENT_PIPELINE_API_KEY: key } })
    onTestFinished(async () => {
      await replica[Symbol.asyncDispose]()
      await shared.close()
    })
    replicas.push({ ...replica, shared, die: () => shared.replica.close() })
  }
  return { emulator, clock, replicas, taken: () => taken }
}

it('a repeat on another replica is the same event as the first call', async () => {
  const { emulator, replicas } = await startReplicas(2)
  const event = execution({ userId: 'ada', event: 'Signed Up', messageId: 'm1' })
  const results = []
  for (const replica of replicas) results.push(await replica.call(tool, event))
  expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
  expect(JSON.stringify(results[1]?.['notices'])).toContain('Already delivered under the same messageId')
  expect(emulator.store.requests().length).toBe(1)
})

it('a call waits for one with the same body on another replica, and is a second event once that one has been answered', async () => {
  const gate = Promise.withResolvers<undefined>()
  const { emulator, clock, replicas, taken } = await startReplicas(2, gate.promise)
  const [first, second] = replicas
  const answered = first?.call(tool, execution(goodBodies.track))
  await until(() => taken() === 1)
  const waiting = second?.call(tool, execution(goodBodies.track))
  const other = second?.call(tool, execution({ ...goodBodies.track, userId: 'other' }))
  await until(() => taken() === 2)
  gate.resolve(undefined)
  await Promise.all([answered, other])
  const { notices } = (await elapse(clock, Promise.resolve(waiting))) ?? {}
  expect(JSON.stringify(notices)).toContain('An identical body was submitted')
  expect(emulator.store.requests().length).toBe(3)
})

it('a call continues one with the same body whose replica died', async () => {
  const gate = Promise.withResolvers<undefined>()
  const { emulator, clock, replicas, taken } = await startReplicas(2, gate.promise)
  const [first, second] = replicas
  const lost = first?.call(tool, execution(goodBodies.track)).catch(() => undefined)
  await until(() => taken() === 1)
  const waiting = second?.call(tool, execution(goodBodies.track))
  await first?.die()
  await elapse(
    clock,
    until(() => taken() === 2),
  )
  gate.resolve(undefined)
  const { notices } = (await waiting) ?? {}
  expect(JSON.stringify(notices)).toContain('An identical earlier call got no result. This one continues it')
  await lost
  expect(new Set(emulator.store.events().map(({ message_id: id }) => id)).size).toBe(1)
})

it('the outbox command works on the outbox that the replicas share', async () => {
  const gate = Promise.withResolvers<undefined>()
  const { replicas, taken } = await startReplicas(2, gate.promise)
  const [first, second] = replicas
  const lost = first?.call(tool, execution(goodBodies.track)).catch(() => undefined)
  await until(() => taken() === 1)
  await first?.die()
  const environment = { EVENT_PIPELINE_API_KEY: key }
  const settings = { embedded: false, dataDirectory: '/nowhere', readOnly: false, toolNames: 'safe', environment } as const
  const run = async (...operands: readonly string[]) =>
    outbox.commands?.['outbox']?.run(settings, operands, { json: false, ...(second && { shared: second.shared }) })
  expect((await run('list'))?.text).toMatch(/^1 {2}waiting {2}track/)
  expect(await run('drop', '1')).toEqual({ code: 0, text: 'Entry 1 was dropped; it will not be sent.' })
  expect(await run('list')).toEqual({ code: 0, text: 'No events are waiting in the outbox.' })
  gate.resolve(undefined)
  await lost
})
