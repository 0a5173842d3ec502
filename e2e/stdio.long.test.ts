import { expect, test } from 'vitest'
import { clients } from './clients.ts'
import { shareOf } from '../packages/testing/src/runs.ts'
import { program, temporaryDirectory } from './command.ts'

const bodies: Readonly<Record<string, object>> = {
  EventPipelineApi_IdentifyPersonAndAssignTraits: { userId: 'u1', traits: { plan: 'pro' } },
  EventPipelineApi_TrackUserEvent: { userId: 'u1', event: 'Paid' },
  EventPipelineApi_SendPageViewEvent: { userId: 'u1', name: 'Home' },
  EventPipelineApi_SendScreenViewEvent: { userId: 'u1', name: 'Start' },
  EventPipelineApi_AddToGroup: { userId: 'u1', groupId: 'g1' },
  EventPipelineApi_AliasUserIdentity: { userId: 'u1', previousId: 'a1' },
  EventPipelineApi_SendBatchRequests: { batch: [{ type: 'track', userId: 'u1', event: 'Paid' }] },
}

const connecting = Object.entries(clients).filter(([name]) => name !== 'Inspector CLI')

test.for(shareOf(connecting, 4, 3))('%s calls all tools of the built command over stdio', async ([, connect]) => {
  await using client = await connect({ args: [program, '--embedded', '--data-dir', await temporaryDirectory(), '--log-level', 'error'] })
  expect(await client.names()).toEqual([
    'EventPipelineApi_IdentifyPersonAndAssignTraits',
    'EventPipelineApi_TrackUserEvent',
    'EventPipelineApi_SendPageViewEvent',
    'EventPipelineApi_SendScreenViewEvent',
    'EventPipelineApi_AddToGroup',
    'EventPipelineApi_AliasUserIdentity',
    'EventPipelineApi_SendBatchRequests',
  ])
  for (const [name, body] of Object.entries(bodies)) {
    expect(await client.call(name, { mode: 'get_request_schema' })).toMatchObject({ openapi: { openapi: '3.1.0' } })
    const result = await client.call(name.replace('_', '.'), { mode: 'execute', request_body: JSON.stringify(body) })
    expect(result).toMatchObject({ outcome: 'delivered', upstream: 'embedded: nothing left this machine' })
  }
})
