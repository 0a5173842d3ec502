import { expect, test } from 'vitest'
import { examples } from '../src/examples.ts'
import { execution, pipeline } from './pipeline.ts'

const t = '2026-01-31T12:00:00Z'

test.for([
  ['TrackUserEvent', { event: 'E' }, ['']],
  ['TrackUserEvent', { userId: 'u' }, ['event']],
  ['TrackUserEvent', { userId: 42, event: 'E' }, ['userId']],
  ['TrackUserEvent', { userId: 'u', event: 'E', timestamp: '2026-13-45T00:00:00Z' }, ['timestamp']],
  ['TrackUserEvent', { userId: 'u', event: 'E', properties: [], context: 'x' }, ['properties', 'context']],
  ['TrackUserEvent', { userId: 'u', event: 'E', integrations: null, channel: 'web' }, []],
  ['TrackUserEvent', { userId: 'u', event: 'E', receivedAt: t, messageId: '' }, ['messageId', 'receivedAt']],
  ['TrackUserEvent', { userId: 'u', event: 'Device Deleted' }, ['context.device.token']],
  ['TrackUserEvent', { userId: 'u', event: 'constructor' }, []],
  ['IdentifyPersonAndAssignTraits', { traits: { email: 'a@b.c' } }, []],
  ['IdentifyPersonAndAssignTraits', { anonymousId: 'a' }, ['anonymousId']],
  ['IdentifyPersonAndAssignTraits', { userId: 'u', traits: { createdAt: 1, unsubscribed: 'TRUE' } }, ['traits.createdAt']],
  ['SendPageViewEvent', { name: 'Home' }, ['']],
  ['SendScreenViewEvent', { anonymousId: 'a' }, []],
  ['AddToGroup', { groupId: 'g' }, ['']],
  ['AddToGroup', { groupId: 'g', userId: 'u', traits: { objectTypeId: 2 } }, []],
  ['AddToGroup', { groupId: 'g', userId: 'u', traits: { objectTypeId: 'two' } }, ['traits.objectTypeId']],
  ['AliasUserIdentity', { userId: 'u' }, ['previousId']],
  ['AliasUserIdentity', { userId: 'u', previousId: 'u' }, ['previousId']],
  ['SendBatchRequests', { batch: [] }, ['batch']],
  ['SendBatchRequests', { batch: 'x' }, ['batch']],
  [
    'SendBatchRequests',
    { batch: [{ type: 'trak', userId: 'u' }, 5, { type: 'track', userId: 'u' }] },
    ['batch[0].type', 'batch[1]', 'batch[2].event'],
  ],
  ['SendBatchRequests', { integrations: { All: false }, batch: [{ type: 'page', userId: 'u' }] }, ['integrations']],
] as const)('sends %s %j, with findings at %j', async ([tool, body, places]) => {
  await using server = await pipeline()
  const result = await server.call(`EventPipelineApi.${tool}`, execution(body))
  expect(result['findings']).toMatchObject(places.map((at) => ({ at })))
  expect(result['findings']).toHaveLength(places.length)
  expect(server.emulator.store.requests().length).toBe(1)
  const isDropped = server.emulator.store
    .events()
    .some(({ outcome, reason }) => outcome === 'dropped' && !/^Customer.io ignores/.test(reason ?? ''))
  expect(JSON.stringify(result['notices']).includes('does not mean that the body was valid')).toBe(isDropped)
})

test('names reserved events that destroy something', async () => {
  await using server = await pipeline()
  const single = await server.call('EventPipelineApi.TrackUserEvent', execution({ userId: 'u', event: 'User Deleted' }))
  expect(JSON.stringify(single['notices'])).toContain('deletes the person')
  const batch = {
    batch: [
      { type: 'page', userId: 'u' },
      { type: 'track', userId: 'u', event: 'User Suppressed' },
    ],
  }
  const several = await server.call('EventPipelineApi.SendBatchRequests', execution(batch))
  expect(JSON.stringify(several['notices'])).toContain('batch[1]: \\"User Suppressed\\" is a reserved event')
})

test.for([
  ['aliass', ' Did you mean "alias"?'],
  ['purchase', ''],
  [7, ''],
] as const)('finds the type %j in a batch and says which is meant', async ([type, suggestion]) => {
  await using server = await pipeline()
  const batch = [{ type, userId: 'u', event: 'E' }]
  const result = await server.call('EventPipelineApi.SendBatchRequests', execution({ batch }))
  const problem = `must be one of identify, track, page, screen, group, alias.${suggestion}`
  expect(result['findings']).toEqual([{ at: 'batch[0].type', problem }])
})

test.for([{}, { enable_strict_mode: 'True' }])(
  'sends no batch with a misspelt type and suggests the one that is meant, with %j',
  async (mode) => {
    await using server = await pipeline()
    const args = { ...execution({ batch: [{ type: 'trak', userId: 'u', event: 'E' }] }), ...mode }
    const error = await server.fails('EventPipelineApi.SendBatchRequests', args)
    expect(error.message).toContain('batch[0].type must be one of identify, track, page, screen, group, alias. Did you mean "track"?')
    expect(error.suggestions).toMatchObject([{ parameter: 'request_body', value: '{"batch":[{"type":"track","userId":"u","event":"E"}]}' }])
    expect(server.emulator.store.requests()).toEqual([])
  },
)

test.for(Object.entries(examples))('shows a call of %s that delivers, without findings', async ([tool, args]) => {
  await using server = await pipeline()
  const result = await server.call(`EventPipelineApi.${tool}`, args)
  expect(result).toMatchObject({ outcome: 'delivered', findings: [] })
})
