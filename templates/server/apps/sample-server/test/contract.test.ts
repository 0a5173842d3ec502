import { contract } from '@mcp-toolkits/testing'
import { sampleServer } from '../src/server.ts'

contract(sampleServer, {
  // read-only, destructive, idempotent, open world
  hints: {
    'SampleServer.SampleTool': ['sample-hints'],
  },
})
