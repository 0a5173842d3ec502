import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { eventPipeline } from '../src/server.ts'
import { acceptingKeys, execution } from './pipeline.ts'

const minute = 60_000
const event = { userId: 'ada', event: 'Paid', messageId: 'm' }
const timed = { ...event, timestamp: '2026-01-01T00:00:00Z' }

test.for([
  ['ten minutes ahead', -10, event, /This server's clock is 10 minutes ahead of Customer\.io's/],
  ['a day behind', 24 * 60, event, /This server's clock is 1,?440 minutes behind Customer\.io's/],
  ['five minutes ahead', -5, event, undefined],
  ['a day behind, and the caller gives the timestamp', 24 * 60, timed, undefined],
  ['unknown to the vendor', undefined, event, undefined],
] as const)('says in the result how the clock affects timestamps if it is %s', async ([, vendorMinutes, body, notice]) => {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const clock = new ManualClock()
  let requests = 0
  const fetch: typeof emulator.fetch = async (input, init) => {
    const response = await emulator.fetch(input, init)
    requests += 1
    if (vendorMinutes !== undefined) response.headers.set('date', new Date(clock.now() + vendorMinutes * minute).toUTCString())
    return response
  }
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }
  await using server = await connect(eventPipeline, { environment, fetch: acceptingKeys(fetch), clock })
  const { outcome, notices } = await server.call('EventPipelineApi.TrackUserEvent', execution(body))
  expect([outcome, requests]).toEqual(['delivered', 1])
  expect(notices).toEqual(notice === undefined ? [] : [expect.stringMatching(notice)])
  await emulator.close()
})
