import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { sampleServer } from '../src/server.ts'

test('SampleTool shows an item, and refuses an id that does not exist', async () => {
  await using server = await connect(sampleServer, { embedded: true })
  expect(await server.call('SampleServer.SampleTool', { id: 'i1' })).toEqual({ id: 'i1', name: 'Sample' })
  expect(await server.fails('SampleServer.SampleTool', { id: 'none' })).toMatchObject({ code: 'not_found' })
})
