import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject, member, parseJson } from '@mcp-toolkits/core/base'
import { endpoints, execution, pipeline, type Pipeline } from './pipeline.ts'

let server: Pipeline
beforeAll(async () => void (server = await pipeline()))
afterAll(() => server[Symbol.asyncDispose]())

type Call = (typeof endpoints)[number]['call']
type Stored = Readonly<Record<string, unknown>>
const toolOf = (call: Call) => endpoints.find((each) => each.call === call)?.tool ?? ''

function read(body: string): Stored {
  const json = parseJson(body)
  return isObject(json) ? json : {}
}

const t = '2026-01-31T12:00:00Z'
const click = { userId: 'u1', event: 'Clicked' }

/** Bodies in other trackers' forms, and what the vendor must have stored for the first call. */
const foreign: readonly (readonly [Call, unknown, Stored])[] = [
  [
    'track',
    {
      data: {
        type: 'event',
        attributes: {
          metric: { data: { type: 'metric', attributes: { name: 'Clicked' } } },
          profile: { data: { type: 'profile', attributes: { email: 'a@b.c' } } },
          properties: { a: 1 },
          value: 2,
        },
      },
    },
    { userId: 'a@b.c', event: 'Clicked', properties: { a: 1, value: 2 } },
  ],
  ['track', { email: 'a@b.c', eventName: 'Clicked', dataFields: { a: 1 } }, { userId: 'a@b.c', event: 'Clicked', properties: { a: 1 } }],
  ['track', { event: 'Clicked', properties: { distinct_id: 'u1', token: 'k', a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { event: 'Clicked', visitorId: 'u1', accountId: 'acme' }, { ...click, groupId: 'acme' }],
  ['track', { user: { uid: 'u1' }, name: 'Clicked' }, click],
  ['identify', { $distinct_id: 'u1', $unset: ['plan'] }, { userId: 'u1', traits: { plan: '' } }],
  ['group', { user_id: 'u1', company: { company_id: 'acme', plan: 'pro' } }, { userId: 'u1', groupId: 'acme', traits: { plan: 'pro' } }],
  ['alias', { previous_id: 'anon-1', distinct_id: 'u1' }, { previousId: 'anon-1', userId: 'u1' }],
  ['track', { user_id: 'u1', event_type: 'Clicked', event_properties: {}, user_properties: { a: 1 } }, { type: 'track', ...click }],
  [
    'track',
    { attributes: [{ external_id: 'u1', a: 1 }], events: [{ external_id: 'u1', name: 'Clicked', time: t }] },
    { type: 'track', ...click },
  ],
  ['track', { userId: 'u1', event: '$pageview', properties: { $current_url: 'https://b.example/' } }, { type: 'page', userId: 'u1' }],
  ['identify', { external_id: 'u1', email: 'a@b.c', custom_attributes: { a: 1 } }, { userId: 'u1', traits: { a: 1, email: 'a@b.c' } }],
  ['identify', { $distinct_id: 'u1', $token: 'k', $set: { $email: 'a@b.c' } }, { userId: 'u1', traits: { email: 'a@b.c' } }],
  ['identify', { profiles: [{ identifier: 'u1', attributes: { a: 1 } }] }, { userId: 'u1', traits: { a: 1 } }],
  ['page', { idsite: 1, rec: 1, action_name: 'Home', uid: 'u1' }, { userId: 'u1', name: 'Home' }],
  ['page', { event: 'page_view', user_pseudo_id: 'a1', page_title: 'Home' }, { anonymousId: 'a1', properties: { title: 'Home' } }],
  ['screen', { name: 'screen_view', params: { screen_name: 'Map' }, user_id: 'u1' }, { userId: 'u1', name: 'Map' }],
  [
    'group',
    { event: '$groupidentify', distinct_id: 'u1', properties: { $group_type: 'company', $group_key: 'g1', $group_set: { a: 1 } } },
    { userId: 'u1', groupId: 'g1', traits: { a: 1 } },
  ],
  [
    'track',
    { userId: 'u1', event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'g1', $group_set: { a: 1 } } },
    { type: 'group', userId: 'u1', groupId: 'g1', traits: { a: 1 } },
  ],
  ['track', { event: 'Clicked', properties: { distinct_id: 'u1', a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { userId: 'u1', event: '$identify', properties: { plan: 'pro' } }, { type: 'identify', userId: 'u1', traits: { plan: 'pro' } }],
  ['alias', { from: 'a1', to: 'u1' }, { userId: 'u1', previousId: 'a1' }],
  ['alias', { primary: { id: 'u1' }, secondary: { id: 'a1' } }, { userId: 'u1', previousId: 'a1' }],
  ['alias', { target_user_id: 'u1', source_user_id: 'a1' }, { userId: 'u1', previousId: 'a1' }],
  ['alias', { keep: 'u1', merge: 'a1' }, { userId: 'u1', previousId: 'a1' }],
  ['track', { id: 'u1', event: 'Clicked' }, click],
  ['identify', { distinct_id: 'u1', $set: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  [
    'batch',
    { attributes: [{ external_id: 'u1', a: 1 }], events: [{ external_id: 'u1', name: 'Clicked', time: t }] },
    { type: 'track', ...click },
  ],
  ['batch', { attributes: [{ external_id: 'u1', a: 1 }] }, { type: 'identify', userId: 'u1', traits: { a: 1 } }],
  ['track', { userId: 'u1', traits: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['track', { userId: 'u1', groupId: 'g1' }, { userId: 'u1', groupId: 'g1' }],
  ['group', { userId: 'u1', groupId: ['g1', 'g2'] }, { type: 'group', userId: 'u1', groupId: 'g1' }],
  [
    'track',
    { specversion: '1.0', id: 'e1', source: '/shop', type: 'Clicked', subject: 'u1', data: { a: 1 } },
    { ...click, properties: { a: 1 } },
  ],
  [
    'track',
    { type: 'event', customer_id: 'u1', actions: [{ action: 'Clicked', attributes: { a: 1 }, current_time: t }] },
    { ...click, properties: { a: 1 } },
  ],
  [
    'track',
    {
      schema: 'iglu:com.snowplowanalytics.snowplow/payload_data/jsonschema/1-0-4',
      data: [{ e: 'se', uid: 'u1', se_ca: 'b', se_ac: 'Clicked' }],
    },
    { ...click, properties: { category: 'b' } },
  ],
  ['track', { distinctId: 'u1', event: 'Clicked', properties: { email: 'a@b.c' } }, { ...click, properties: { email: 'a@b.c' } }],
  ['group', { company_id: 'g1', user_id: 'u1', attributes: { a: 1 } }, { groupId: 'g1', userId: 'u1', traits: { a: 1 } }],
  ['group', { user_id: 'u1', companies: [{ company_id: 'g1', a: 1 }] }, { groupId: 'g1', userId: 'u1', traits: { a: 1 } }],
  ['group', { user_id: 'u1', companies: [{ company_id: 'g1', a: 1 }, { company_id: 'g2' }] }, { groupId: 'g2', userId: 'u1' }],
  ['group', { distinctId: 'u1', groupType: 'company', groupKey: 'g1', properties: { a: 1 } }, { groupId: 'g1', traits: { a: 1 } }],
  [
    'alias',
    { merge_updates: [{ identifier_to_merge: { external_id: 'a1' }, identifier_to_keep: { external_id: 'u1' } }] },
    { userId: 'u1', previousId: 'a1' },
  ],
  ['batch', { api_key: 'k', batch: [{ event: 'Clicked', distinct_id: 'u1', properties: { a: 1 } }] }, { ...click, properties: { a: 1 } }],
]

test.for(foreign)('%s %j in a different form leads to the intended call', async ([call, body, expected]) => {
  const { next } = await server.fails(toolOf(call), execution(body))
  const args = next?.arguments ?? { ...execution(body), ...next?.change }
  expect(await server.call(next?.tool ?? toolOf(call), { ...args })).toMatchObject({ outcome: 'delivered', findings: [] })
  const stored = server.emulator.store.events().map(({ type, body: sent }) => ({ type, ...read(sent) }))
  expect(stored).toContainEqual(expect.objectContaining(expected))
  expect(JSON.stringify(args)).not.toMatch(/token|api_key/)
})

/** Bodies given as arguments, some next to a part of the body, and what the vendor must have stored. */
test.for<readonly [Call, Stored, Stored]>([
  ['track', { api_key: 'k', events: [{ user_id: 'u1', event_type: 'Clicked', event_properties: { a: 1 } }] }, click],
  ['track', { user_id: 'u1', event_type: 'Clicked', event_properties: {}, user_properties: { a: 1 } }, click],
  ['track', { distinct_id: 'u1', event: 'Clicked', properties: { a: 1 } }, click],
  [
    'alias',
    { merge_updates: [{ identifier_to_merge: { external_id: 'a1' }, identifier_to_keep: { external_id: 'u1' } }] },
    { userId: 'u1', previousId: 'a1' },
  ],
  ['batch', { attributes: [{ external_id: 'u1', a: 1 }], events: [{ external_id: 'u1', name: 'Clicked', time: t }] }, click],
  ['track', { mode: 'execute', ...click, request_body: '{"properties":{"b":2}}' }, { ...click, properties: { b: 2 } }],
])('%s with the arguments %j leads to the intended call', async ([call, args, expected]) => {
  const { next } = await server.fails(toolOf(call), args)
  const left = Object.entries({ ...args, ...next?.change }).filter(([, value]) => value !== null)
  expect(await server.call(next?.tool ?? toolOf(call), { ...(next?.arguments ?? Object.fromEntries(left)) })).toMatchObject({
    outcome: 'delivered',
  })
  const stored = server.emulator.store.events().map(({ body: sent }) => read(sent))
  expect(stored).toContainEqual(expect.objectContaining(expected))
})

test.for<Stored>([
  { mode: 'execute', userId: 'u2', request_body: JSON.stringify(click) },
  { dry_run: true, user_id: 'u1', event_type: 'Clicked', event_properties: {}, user_properties: { a: 1 } },
  { mode: 'execute', user_id: 'u2', request_body: JSON.stringify(click) },
  { events: [{ user_id: 'u1', event_type: 'Clicked', event_properties: {} }], purchases: [{ user_id: 'u1', total: 1 }] },
])('the arguments %j lead to nothing that would lose one of them', async (args) => {
  const { next } = await server.fails(toolOf('track'), args)
  expect(next?.change?.['request_body'] ?? next?.arguments?.['request_body']).toBeUndefined()
})

test.for(['$create_alias', '$merge_dangerously'])('%s leads to the tool for merges, in either direction', async (event) => {
  const body = { event, properties: { distinct_id: 'u1', alias: 'a1' } }
  const { message, next, suggestions } = await server.fails(toolOf('track'), execution(body))
  expect(message).toContain('EventPipelineApi_AliasUserIdentity')
  for (const ids of ['{"previousId":"a1","userId":"u1"}', '{"previousId":"u1","userId":"a1"}']) expect(message).toContain(ids)
  expect([next?.change, suggestions]).toEqual([undefined, undefined])
})

test('a request for the schema needs no other argument', async () => {
  const { next } = await server.fails(toolOf('track'), { mode: 'schema', tool: 'track' })
  expect(next).toEqual({ change: { mode: 'get_request_schema', tool: null } })
})

test.for([
  [
    'batch',
    { attributes: [{ external_id: 'u1' }], events: [{ external_id: 'u1', name: 'A', time: t }], purchases: [{ external_id: 'u1' }] },
  ],
  ['track', { userId: '', event: 'Clicked' }],
  ['alias', { from: 'u1', source: 'u2', to: 'u3' }],
  ['track', { id: 'a1b2c3d4-0000-4000-8000-000000000000', event: 'Clicked' }],
] as const)('%s %j is not sent, and nothing lossy is proposed', async ([call, body]) => {
  const error = await server.fails(toolOf(call), execution(body))
  expect(error.message).toContain('Nothing was sent')
  expect(error.next?.change).toBeUndefined()
})

test.for([
  ['track', { ...click, traits: { plan: 'pro' } }],
  ['track', { ...click, properties: { api_key: 'k', id: 'p1' } }],
  ['alias', { userId: 'u1', previousId: 'u0', source: 'web' }],
  ['group', { userId: 'u1', groupId: 'g1', traits: { tags: ['a', 'b'] } }],
] as const)('%s %j is sent as it is', async ([call, body]) => {
  expect(await server.call(toolOf(call), execution(body))).toMatchObject({ outcome: 'delivered' })
})

/** Calls to tools that do not exist, each with the body that `next` sends (undefined if it has none), and part of the text. */
test.for([
  ['delete_customer', { customer_id: 'u1' }, { userId: 'u1', event: 'User Deleted' }, 'track the event "User Deleted"'],
  ['delete_customer', { customer_id: 'u1', segment: 7 }, undefined, 'track the event "User Deleted"'],
  ['suppress_profile', { profile: { id: 'u1' } }, { userId: 'u1', event: 'User Suppressed' }, 'block adding them again'],
  ['remove_device', { user_id: 'u1', token: 't1' }, { userId: 'u1', event: 'Device Deleted', context: { device: { token: 't1' } } }, ''],
  ['remove_device', { token: 't1' }, undefined, 'track the event "Device Deleted"'],
  ['unsubscribe_person', { email: 'a@example.com' }, { userId: 'a@example.com', traits: { unsubscribed: true } }, ''],
  ['query_events', { event: 'Clicked' }, undefined, 'No tool reads anything back'],
  ['get_customer', { id: 'u1' }, undefined, 'No tool reads anything back'],
  ['send_transactional_email', { to: 'a@example.com' }, undefined, 'No tool sends messages'],
  ['add_customers_to_segment', { segment_id: 7, ids: ['u1'] }, undefined, 'No tool changes or reads segments'],
  ['remove_from_group', { user_id: 'u1', group_id: 'g1' }, undefined, '"Relationship Deleted"'],
  ['delete_event', { id: 'e1' }, undefined, 'No tool changes or takes back'],
  ['increment_user_property', { user_id: 'u1', property: 'logins', by: 1 }, undefined, 'No tool adds to a trait'],
  ['flush', {}, undefined, 'there is nothing to flush'],
] as const)('the unknown tool %s %j means %j, and the error says "%s"', async ([name, args, body, said]) => {
  const error: unknown = await server.call(name, args).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: -32602 })
  expect(member(error, 'message')).toContain(said)
  const sent = member(member(member(member(error, 'data'), 'next'), 'arguments'), 'request_body')
  expect(body === undefined ? sent : read(String(sent))).toEqual(body)
})

test.for([
  ['segment_track', 'track'],
  ['mixpanel_people_set', 'identify'],
  ['groupIdentify', 'group'],
  ['groupidentify', 'group'],
  ['users_track', 'batch'],
  ['posthog_capture', 'track'],
  ['ga4_send_event', 'track'],
  ['SendTrackEvent', 'track'],
  ['SendUserEvent', 'track'],
  ['SendIdentifyCall', 'identify'],
  ['PostIdentifyRequest', 'identify'],
  ['SendScreenEvent', 'screen'],
  ['SendPage', 'page'],
  ['SendGroupCall', 'group'],
  ['SendAlias', 'alias'],
] as const)('%s means the call %s in another tracker', async ([name, call]) => {
  await expect(server.call(name, {})).rejects.toThrow(toolOf(call).replace('.', '_'))
})
