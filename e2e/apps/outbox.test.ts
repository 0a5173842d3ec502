// The tools for the outbox, which only apps call.
import { member } from '@mcp-toolkits/core/base'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { eventPipeline } from '../../servers.ts'
import { hostClient } from './stage.ts'

const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }

test('list, send and drop what an app names, each once', async () => {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const { fetch } = emulator
  await using server = await eventPipeline.withDefinition(async (definition) => connect(definition, { fetch, environment }))
  const host = await hostClient(server.fetch)
  const call = async (name: string, args: object = {}) => {
    const { isError, structuredContent, content } = await host.callTool({ name: `EventPipelineApi_${name}`, arguments: { ...args } })
    return isError === true ? JSON.stringify(content) : structuredContent
  }
  const waiting = async () => member(await call('ListWaitingEvents'), 'events')
  for (const event of ['Signed Up', 'Signed Out']) {
    emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'status', status: 400 } })
    const body = JSON.stringify({ userId: 'ada', event })
    expect(await call('TrackUserEvent', { mode: 'execute', request_body: body })).toContain('invalid_input')
  }
  expect(await waiting()).toMatchObject([
    { id: 1, state: 'refused', call: 'track' },
    { id: 2, state: 'refused', call: 'track' },
  ])
  emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'status', status: 400 } })
  expect(await call('SendWaitingEvent', { id: 1 })).toContain('invalid_input')
  expect(await call('SendWaitingEvent', { id: 1 })).toEqual({ id: 1, outcome: 'delivered' })
  emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } })
  expect(await call('SendWaitingEvent', { id: 2 })).toEqual({ id: 2, outcome: 'queued' })
  expect(await waiting()).toMatchObject([{ id: 2, state: 'waiting' }])
  // Clients without apps read it as a resource.
  const { contents } = await server.client.readResource({ uri: 'outbox://event/2' })
  expect(JSON.stringify(contents)).toMatch(/application\/json.*Signed Out/)
  expect(await call('DropWaitingEvent', { id: 2 })).toEqual({ id: 2, outcome: 'dropped' })
  await expect(server.client.readResource({ uri: 'outbox://event/2' })).rejects.toThrow('No event with the id 2 is waiting.')
  expect(await waiting()).toEqual([])
  for (const id of [1, 2, 3]) expect(await call('SendWaitingEvent', { id })).toContain('not_found')
  // The key check contains no event.
  expect(emulator.store.events().flatMap(({ event }) => event ?? [])).toEqual(['Signed Up'])
  await emulator.close()
})

test('show no body of an event where people share the key', async () => {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const { fetch } = emulator
  await using server = await eventPipeline.withDefinition(async (definition) =>
    connect(definition, { fetch, environment, servesPeople: true }),
  )
  emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'status', status: 400 } })
  const body = JSON.stringify({ userId: 'ada', event: 'Signed Up' })
  await server.fails('EventPipelineApi.TrackUserEvent', { mode: 'execute', request_body: body })
  const { contents } = await server.client.readResource({ uri: 'outbox://event/1' })
  expect(JSON.stringify(contents)).toContain('refused')
  expect(JSON.stringify(contents)).not.toContain('Signed Up')
  await emulator.close()
})
