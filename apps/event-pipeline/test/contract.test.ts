import { contract, dataDirectoryContract } from '@mcp-toolkits/testing'
import { eventPipeline } from '../src/server.ts'

contract(eventPipeline, {
  // read-only, destructive, idempotent, open world
  hints: {
    'EventPipelineApi.IdentifyPersonAndAssignTraits': [false, false, true, true],
    'EventPipelineApi.TrackUserEvent': [false, true, false, true],
    'EventPipelineApi.SendPageViewEvent': [false, false, false, true],
    'EventPipelineApi.SendScreenViewEvent': [false, false, false, true],
    'EventPipelineApi.AddToGroup': [false, false, true, true],
    'EventPipelineApi.AliasUserIdentity': [false, true, false, true],
    'EventPipelineApi.SendBatchRequests': [false, true, false, true],
  },
})

dataDirectoryContract(eventPipeline, {
  database: 'pipelines.db',
  write: (server) =>
    server.call('EventPipelineApi.TrackUserEvent', {
      mode: 'execute',
      request_body: JSON.stringify({ userId: 'u-1', event: 'Locked' }),
    }),
})
