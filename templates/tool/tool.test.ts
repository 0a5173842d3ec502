import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { sampleServer } from '../src/server.ts'

test('SampleTool says what it has to do', async () => {
  await using server = await connect(sampleServer, { embedded: true })
  expect(await server.call('SampleServer.SampleTool')).toEqual({ done: true })
})
