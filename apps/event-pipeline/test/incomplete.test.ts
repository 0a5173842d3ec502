import { shareOf } from '@mcp-toolkits/testing'
import { parseJson } from '@mcp-toolkits/core/base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints, execution, pipeline, type Pipeline } from './pipeline.ts'

let server: Pipeline
beforeAll(async () => {
  server = await pipeline()
})
afterAll(() => server[Symbol.asyncDispose]())

type Call = (typeof endpoints)[number]['call']
type Body = Readonly<Record<string, unknown>>
const endpointOf = (call: Call) => endpoints.find((each) => each.call === call) ?? endpoints[0]
const toolOf = (call: Call) => endpointOf(call).tool

const t = '2026-01-31T12:00:00Z'
const click = { userId: 'u1', event: 'Clicked' }
const text = (value: unknown) => JSON.stringify(value)
const modes = ['permissive', 'strict'] as const
/** Each of the two modes tests a different share of the bodies. */
const numbered = modes.map((mode, number) => [mode, number] as const)
const bodyOf = ({ body = '' }: { readonly body?: string } = {}) => parseJson(body)

/** The error of a call that must send nothing. */
async function refusal(call: Call, args: Record<string, unknown>) {
  const before = server.emulator.store.requests().length
  const error = await server.fails(toolOf(call), args)
  expect(server.emulator.store.requests().length).toBe(before)
  return error
}

/** Calls that the vendor would drop or process only in part, each with the call that was meant. */
const incomplete: readonly (readonly [Exclude<Call, 'batch'>, Body, Body])[] = [
  ['identify', { userId: 'u1', attributes: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['identify', { userId: 'u1', trats: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['identify', { userId: 'u1', properties: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['identify', { userId: 'u1', email: 'a@b.c', name: 'Ada' }, { userId: 'u1', traits: { email: 'a@b.c', name: 'Ada' } }],
  ['identify', { userId: 'u1', created_at: t }, { userId: 'u1', traits: { createdAt: t } }],
  ['identify', { userId: 'u1', data: { plan: 'pro' }, seats: 5 }, { userId: 'u1', traits: { plan: 'pro', seats: 5 } }],
  ['identify', { userId: 'u1', traits: { unsubscribed: 'Yes' } }, { userId: 'u1', traits: { unsubscribed: true } }],
  ['track', { ...click, data: { a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { ...click, attributes: { a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { ...click, proprties: { a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { ...click, properties: { a: 1 }, price: 5 }, { ...click, properties: { a: 1, price: 5 } }],
  ['track', { ...click, properties: null, items: [{ sku: 's' }] }, { ...click, properties: { items: [{ sku: 's' }] } }],
  ['track', { ...click, properties: '{"a":1}', price: 5 }, { ...click, properties: { a: 1, price: 5 } }],
  ['track', { ...click, date: t }, { ...click, timestamp: t }],
  ['track', { ...click, timestmp: t }, { ...click, timestamp: t }],
  ['track', { ...click, ip: '192.0.2.1', os: { name: 'iOS' } }, { ...click, context: { ip: '192.0.2.1', os: { name: 'iOS' } } }],
  ['track', { userId: 'u1', event: { eventName: 'Clicked', properties: { a: 1 } } }, { ...click, properties: { a: 1 } }],
  ['track', { ...click, properties: [{ property: 'a', value: 1 }] }, { ...click, properties: { a: 1 } }],
  ['track', { event: 'Clicked', properties: { user_id: 'u1', a: 1 } }, { ...click, properties: { a: 1 } }],
  ['identify', { userId: 'u1', traits: [{ plan: 'pro' }, { seats: 5 }] }, { userId: 'u1', traits: { plan: 'pro', seats: 5 } }],
  ['identify', { identifiers: { email: 'a@b.c' }, attributes: { plan: 'pro' } }, { traits: { email: 'a@b.c', plan: 'pro' } }],
  [
    'group',
    { userId: 'u1', identifiers: { object_type_id: '2', object_id: 'g1' }, attributes: { name: 'Acme' } },
    { userId: 'u1', groupId: 'g1', traits: { name: 'Acme', objectTypeId: '2' } },
  ],
  ['page', { userId: 'u1', url: 'https://example.com/' }, { userId: 'u1', properties: { url: 'https://example.com/' } }],
  [
    'identify',
    { userId: 'u1', traits: { 'Created At': '31 January 2026' } },
    { userId: 'u1', traits: { createdAt: '2026-01-31T00:00:00.000Z' } },
  ],
  ['track', { ...click, integrations: { Mixpanel: 'True' } }, { ...click, integrations: { Mixpanel: true } }],
  ['screen', { userId: 'u1', event: 'Settings opened' }, { userId: 'u1', name: 'Settings opened' }],
  ['track', { ...click, integrations: { All: 'off' } }, { ...click, integrations: { All: false } }],
  ['screen', { userId: 'u1', title: 'Settings' }, { userId: 'u1', name: 'Settings' }],
  [
    'group',
    { userId: 'u1', groupId: 'g1', job_title: 'CTO', seats: 3 },
    { userId: 'u1', groupId: 'g1', traits: { seats: 3, relationshipAttributes: { jobTitle: 'CTO' } } },
  ],
  ['page', { userId: 'u1', page: { title: 'Home' } }, { userId: 'u1', properties: { title: 'Home' } }],
  ['screen', { userId: 'u1', screen: 'Start', params: { a: 1 } }, { userId: 'u1', name: 'Start', properties: { a: 1 } }],
  ['group', { userId: 'u1', groupId: 'g1', name: 'Acme' }, { userId: 'u1', groupId: 'g1', traits: { name: 'Acme' } }],
  ['track', { track: click, writeKey: 'w' }, click],
  [
    'track',
    { userId: 'u1', event: { name: 'Clicked', category: 'a' }, props: { b: 2 } },
    { ...click, properties: { category: 'a', b: 2 } },
  ],
  ['screen', { userId: 'u1', event: 'Screen Viewed', properties: { screen: 'Map' } }, { userId: 'u1', name: 'Map', properties: {} }],
  ['screen', { userId: 'u1', screen: { name: 'Map', tab: 'A' } }, { userId: 'u1', name: 'Map', properties: { tab: 'A' } }],
  ['identify', { userId: 'u1', traits: 'plan=pro, seats=5' }, { userId: 'u1', traits: { plan: 'pro', seats: 5 } }],
  [
    'page',
    { userId: 'u1', event: 'Page Viewed', properties: 'https://a.example/' },
    { userId: 'u1', properties: { url: 'https://a.example/' } },
  ],
  [
    'page',
    { user_id: 'u1', api_key: 'k', page_location: 'https://a.example/', properties: { $title: 'Home' } },
    { userId: 'u1', properties: { url: 'https://a.example/', title: 'Home' } },
  ],
  [
    'page',
    { user_id: 'u1', properties: { page_url: 'https://a.example/', current_url: 'https://b.example/' } },
    { userId: 'u1', properties: { url: 'https://a.example/', current_url: 'https://b.example/' } },
  ],
  ['identify', { $token: 't', user_id: 'u1', $set: { $email: 'a@b.c' } }, { userId: 'u1', traits: { email: 'a@b.c' } }],
  ['identify', { properties: [{ property: 'email', value: 'a@b.c' }] }, { traits: { email: 'a@b.c' } }],
  ['identify', { userId: 'u1', traits: { unsubscribed: 'ja' } }, { userId: 'u1', traits: { unsubscribed: true } }],
  ['group', { user_id: 'u1', groups: { company: 'g1' } }, { userId: 'u1', groupId: 'g1' }],
  ['group', { userId: 'u1', $group_key: 'company', $group_id: 'g1' }, { userId: 'u1', groupId: 'g1' }],
  [
    'group',
    { userId: 'u1', groupId: { id: 'g1', name: 'Acme' }, properties: { plan: 'pro' } },
    { userId: 'u1', groupId: 'g1', traits: { name: 'Acme', plan: 'pro' } },
  ],
]

describe.for(numbered)('in %s mode', ([mode, number]) => {
  test.for(shareOf(incomplete, 6, number))('%s %j is refused, alone and in a batch, until it is complete', async ([call, body, meant]) => {
    const other = { type: 'page', userId: 'u1' }
    const forms = [
      [call, body, meant],
      ['batch', { batch: [other, { type: call, ...body }] }, { batch: [other, { type: call, ...meant }] }],
    ] as const
    for (const [name, written, expected] of forms) {
      const { parameter, enabling } = endpointOf(name)
      const args = execution(written, mode === 'strict' ? { [parameter]: enabling } : {})
      const error = await refusal(name, args)
      expect(error.message).toContain('Nothing was sent')
      const corrected = error.next?.change?.['request_body']
      expect(parseJson(String(corrected))).toEqual(expected)
      expect(await server.call(toolOf(name), { ...args, request_body: corrected })).toMatchObject({ outcome: 'delivered', findings: [] })
    }
    expect(bodyOf(server.emulator.store.events().at(-1))).toMatchObject(meant)
  })
})

test.for([
  ['identify', { userId: 'u1', attributes: { createdAt: '3 weeks ago', email: 'a@b,c' } }, 'traits.createdAt as', 'traits.email is'],
  ['identify', { userId: 'undefined', traits: { email: 'null' } }, 'userId is "undefined"', 'traits.email is'],
  ['identify', { userId: 'u1', groupId: 'g1', traits: { seats: 12 } }, 'belongs in a call of type group', 'traits describe the group'],
  ['group', { userId: 'u1', groupId: 'g1', objectTypeId: 'company' }, 'remain: traits.objectTypeId must be', 'move it to'],
  ['track', { userId: '', anonymousId: null, event: 'Clicked' }, 'needs userId', 'anonymousId must be a string'],
  ['track', { event: 'E', uid: '', payload: { customer: { ref: 'u1' } } }, 'needs userId', 'payload is ignored'],
  [
    'identify',
    { type: 'alias', user_1: 'a1', user_2: 'u1' },
    'AliasUserIdentity. previousId is merged into userId for good.',
    '{"previousId":"a1","userId":"u1"} or',
  ],
] as const)('%s %j is refused with everything that is wrong', async ([call, body, ...parts]) => {
  const { message, next } = await refusal(call, execution(body))
  expect(next?.tool).toBeUndefined()
  for (const part of parts) expect(message).toContain(part)
})

test('a long batch is refused with the changes described in words', async () => {
  const batch = Array.from({ length: 600 }, (_, index) => ({ type: 'track', userId: `u${index}`, event: 'Clicked', price: index }))
  const { message } = await refusal('batch', execution({ batch }))
  expect(message).toContain('batch[0-599].price is ignored by Customer.io; move it to properties.price.')
})

/** A relationship in the form of the vendor's other API. */
const acme = { identifiers: { object_type_id: '1', object_id: 'acme' } }

test.for([
  ['identify', { type: 'track', ...click }, 'track'],
  ['identify', { ...click, properties: { a: 1 } }, 'track'],
  ['page', { type: 'screen', userId: 'u1', name: 'Start' }, 'screen'],
  ['track', { userId: 'u1', previousId: 'a1' }, 'alias'],
  ['group', { groupId: 'g1', members: ['u1', 'u2'] }, 'batch'],
  ['page', { userId: 'u1', screen_name: 'Settings' }, 'screen'],
  ['screen', { userId: 'u1', page: 'Pricing' }, 'page'],
  ['identify', { userId: 'u1', action: 'merge', previousId: 'a1' }, 'alias'],
  ['identify', { type: 'person', action: 'screen', identifiers: { id: 'u1' }, name: 'Start' }, 'screen'],
  ['group', { type: 'person', action: 'delete_relationships', identifiers: { id: 'u1' }, cio_relationships: [acme] }, 'track'],
  ['identify', { type: 'person', action: 'identify', identifiers: { id: 'u1' }, cio_relationships: [acme] }, 'batch'],
  ['track', { user_id: 'u1', events: [1, 2].map((level) => ({ name: 'Level Up', params: { level } })) }, 'batch'],
  ['track', { userIds: ['u1', 'u2'], event: 'Clicked' }, 'batch'],
  ['track', { userId: 'u1', events: ['Opened', 'Closed'] }, 'batch'],
  ['track', { user_id: 'u1', event: '$pageview', properties: { $current_url: 'https://a.example/' } }, 'page'],
  ['identify', { people: [1, 2].map((plan) => ({ userId: `u${plan}`, traits: { plan } })) }, 'batch'],
  ['identify', { userId: 'u1', groupId: 'g1' }, 'group'],
  ['track', `${text(click)}\n${text(click)}`, 'batch'],
  // The event has no field for the person's details.
  ['page', { user: { id: 'u1', email: 'a@b.c' }, name: 'Home' }, 'batch'],
] as const)('%s %j leads to the tool for %s', async ([call, body, meant]) => {
  const { next } = await refusal(call, execution(body))
  expect(next?.tool).toBe(toolOf(meant))
  expect(await server.call(next?.tool ?? '', { ...next?.arguments })).toMatchObject({ outcome: 'delivered', findings: [] })
})

test.for([
  ['track', '{"userId":"u1","event":"Clicked"', '"event":"Clicked"}'],
  ['alias', { user_1: 'a1', user_2: 'u1' }, '{"previousId":"a1","userId":"u1"}'],
  ['alias', { ids: ['u1', 'u2'] }, '{"previousId":"u1","userId":"u2"}'],
  ['alias', { userId: ['u1', 'u2'] }, '{"previousId":"u1","userId":"u2"}'],
  ['batch', { batch: [{ event: 'track', userId: 'u1' }] }, '"type":"track","userId":"u1","event":"track"'],
  ['alias', { profiles_to_merge: [{ id: 'a1' }, { email: 'a@b.c' }] }, '{"previousId":"a1","userId":"a@b.c"}'],
  ['batch', { userId: 'u1', batch: [{ type: 'alias', previousId: 'a1' }] }, '"previousId":"a1","userId":"u1"'],
  ['track', { userId: '', event: 'E', properties: { email: 'a@b.c' } }, '{"userId":"a@b.c","event":"E"'],
  ['track', { identifiers: { email: 'a@b.c' }, name: 'Clicked' }, '"userId":"a@b.c"'],
  ['track', { ...click, timestamp: '03/02/2026 14:00' }, '"timestamp":"2026-02-03T14:00:00.000Z"'],
  ['track', { userId: 'u1', event: 'Delete User' }, '"event":"User Deleted"'],
  ['page', { cid: '5.1', title: 'Home' }, '{"anonymousId":"5.1","properties":{"title":"Home"}}'],
  ['group', { group_key: 'g1', group_set: { seats: 12 }, distinct_id: 'u1' }, '{"userId":"u1","groupId":"g1","traits":{"seats":12}}'],
  ['alias', { event: '$create_alias', properties: { distinct_id: 'a1', alias: 'u1' } }, '{"previousId":"a1","userId":"u1"}'],
] as const)('%s %j may mean something else, so its correction is a suggestion', async ([call, body, part]) => {
  const error = await refusal(call, execution(body))
  expect(error.next?.change).toBeUndefined()
  expect(error.suggestions?.[0]?.value).toContain(part)
})

test.for([
  ['group', { userId: 'u1', groupId: 'g1', operation: 'unlink' }, 'Relationship Deleted'],
  ['group', { userId: 'u1', groupId: 'g1', remove: true }, 'Relationship Deleted'],
  ['group', { userId: 'u1', groupId: 'g1', status: 'left' }, 'Relationship Deleted'],
  ['group', { userId: 'u1', groupId: 'g1', traits: { operation: 'detach' } }, 'Relationship Deleted'],
  ['identify', { userId: 'u1', action: 'delete_user' }, 'User Deleted'],
  ['alias', { userId: 'u1', previousId: 'a1', action: 'split' }, 'cannot be undone'],
  ['identify', { userId: 'u1', traits: { created_at: 'last week' } }, 'createdAt in ISO 8601'],
  ['identify', { userId: 'u1', traits: { $unset: ['phone'] } }, 'only sets traits'],
  ['identify', { userId: 'u1', unset: ['phone'] }, 'only sets traits'],
  ['identify', { userId: 'u1', $add: { logins: 1 } }, 'only sets traits'],
] as const)('%s %j would do something else and is not sent', async ([call, body, part]) => {
  for (const [name, written] of [[call, body] as const, ['batch', { batch: [{ type: call, ...body }] }] as const]) {
    const error = await refusal(name, execution(written))
    expect(error.message).toContain(part)
    expect(error.next).toBeUndefined()
  }
})

test.for([
  [
    {
      type: 'object',
      action: 'identify',
      identifiers: acme.identifiers,
      attributes: { plan: 'pro' },
      cio_relationships: [{ identifiers: { id: 'u1' } }],
    },
    { type: 'group', userId: 'u1', groupId: 'acme', traits: { plan: 'pro', objectTypeId: '1' } },
  ],
  [
    { type: 'person', action: 'event', identifiers: { id: 'u1' }, name: 'Clicked', attributes: { a: 1 } },
    { type: 'track', ...click, properties: { a: 1 } },
  ],
  [
    { type: 'person', action: 'suppress', identifiers: { email: 'a@b.c' } },
    { type: 'track', userId: 'a@b.c', event: 'User Suppressed' },
  ],
  [
    { type: 'person', action: 'delete_device', identifiers: { id: 'u1' }, device: { id: 'token' } },
    { type: 'track', userId: 'u1', event: 'Device Deleted', context: { device: { token: 'token' } } },
  ],
  [
    { type: 'person', action: 'merge', primary: { id: 'u1' }, secondary: { id: 'a1' } },
    { type: 'alias', userId: 'u1', previousId: 'a1' },
  ],
])('the request %j to the other API is corrected in a batch', async ([item, meant]) => {
  const { next } = await refusal('batch', execution({ batch: [item] }))
  const corrected = next?.change?.['request_body']
  expect(parseJson(String(corrected))).toEqual({ batch: [meant] })
  expect(await server.call(toolOf('batch'), { mode: 'execute', request_body: corrected })).toMatchObject({
    outcome: 'delivered',
    findings: [],
  })
})
