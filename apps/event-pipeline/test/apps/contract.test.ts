import { appToolsContract } from '@mcp-toolkits/testing'
import { eventPipeline } from '../../src/server.ts'

appToolsContract(eventPipeline, {
  // read-only, destructive, idempotent, open world
  hints: {
    'EventPipelineApi.ListWaitingEvents': [true, false, true, true],
    'EventPipelineApi.SendWaitingEvent': [false, false, true, true],
    'EventPipelineApi.DropWaitingEvent': [false, true, true, true],
  },
  conditional: ['SendWaitingEvent', 'DropWaitingEvent'],
  maxListBytes: 4_000,
})
