import { expect, test } from 'vitest'
import { execution, pipeline } from './pipeline.ts'

const t = '2026-01-31T12:00:00Z'

test.for([
  ['TrackUserEvent', { event: 'E' }, ['request_body']],
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
  ['SendPageViewEvent', { name: 'Home' }, ['request_body']],
  ['SendScreenViewEvent', { anonymousId: 'a' }, ['name']],
  ['SendScreenViewEvent', { anonymousId: 'a', name: '' }, ['name']],
  [
    'TrackUserEvent',
    { userId: 'u', event: 'E', $set: { name: 'Ida' }, properties: { $set: { plan: 'pro' } } },
    ['properties.$set', '$set'],
  ],
  ['AddToGroup', { groupId: 'g' }, ['request_body']],
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
