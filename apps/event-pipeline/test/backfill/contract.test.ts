import { toolsetContract } from '@mcp-toolkits/testing'
import { eventPipeline } from '../../src/server.ts'

await toolsetContract(eventPipeline, 'backfill', {
  // read-only, destructive, idempotent, open world
  hints: {
    'EventPipelineApi.SendEventsFromFile': [false, true, false, true],
    'EventPipelineApi.GetBackfill': [true, false, true, true],
    'EventPipelineApi.ListBackfills': [true, false, true, true],
    'EventPipelineApi.CancelBackfill': [false, true, true, true],
  },
  maxListBytes: 8_000,
})
