import { connect } from '@mcp-toolkits/testing'
import { sampleServerEmulator } from '@mcp-toolkits/sample-server-emulator'
import { expect, test } from 'vitest'
import { sampleServer } from '../src/server.ts'

const environment = { SAMPLE_SERVER_API_KEY: 'key' }

test('SampleTool creates an item, and does not repeat the request if the response is lost', async () => {
  const emulator = sampleServerEmulator({ key: 'key' })
  await using server = await connect(sampleServer, { environment, fetch: emulator.fetch })
  expect(await server.call('SampleServer.SampleTool', { name: 'New' })).toHaveProperty('id')
  emulator.faults.add({ action: { kind: 'drop_after' } })
  expect(await server.fails('SampleServer.SampleTool', { name: 'Lost' })).toMatchObject({ code: 'unavailable', retryable: false })
  expect(emulator.requests().map(({ path }) => path)).toEqual(['/v1/items', '/v1/items'])
  await emulator.close()
})
