import { shareOf } from '@mcp-toolkits/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import type { ErrorBody } from '@mcp-toolkits/core/errors'
import { pipeline, type Pipeline } from './pipeline.ts'

let server: Pipeline
beforeAll(async () => void (server = await pipeline()))
afterAll(() => server[Symbol.asyncDispose]())

const t = '2026-01-31T12:00:00Z'
/** The same time as a program writes it. */
const iso = '2026-01-31T12:00:00.000Z'
const unix = 1769860800

/** Parts that one stored event must contain. */
type Stored = Readonly<Record<string, unknown>>

const tools = {
  identify: 'IdentifyPersonAndAssignTraits',
  track: 'TrackUserEvent',
  page: 'SendPageViewEvent',
  screen: 'SendScreenViewEvent',
  group: 'AddToGroup',
  alias: 'AliasUserIdentity',
  batch: 'SendBatchRequests',
} as const
type Call = keyof typeof tools

/** Follows `error.next` as an agent does, at most three times. Resolves with the last error if that does not succeed. */
async function follow(name: string, args: Record<string, unknown>, rounds = 3): Promise<ErrorBody | undefined> {
  const { isError, content } = await server.result(name, args)
  if (isError !== true) return undefined
  const [block] = content
  const parsed = block?.type === 'text' ? parseJson(block.text) : undefined
  const error = isObject(parsed) ? parsed['error'] : undefined
  const next = isObject(error) && isObject(error['next']) ? error['next'] : undefined
  const failed = Object.assign({ code: 'internal', message: '', retryable: false } as const, error)
  if (!next || rounds === 0) return failed
  const { tool, change, arguments: given } = next
  if (typeof tool === 'string') return follow(tool, isObject(given) ? { ...given } : {}, rounds - 1)
  const removed = Object.entries(isObject(change) ? change : {}).filter(([, value]) => value === null)
  for (const [removedName] of removed) expect(args).toHaveProperty([removedName])
  const changed = Object.entries({ ...args, ...(isObject(change) ? change : {}) }).filter(([, value]) => value !== null)
  return follow(name, Object.fromEntries(changed), rounds - 1)
}

/** Does some work, and returns the events that the vendor accepted meanwhile, and the number of requests that arrived. */
async function during<Result>(work: () => Promise<Result>) {
  const { store } = server.emulator
  const [events, requests] = [store.events().length, store.requests().length]
  const result = await work()
  const stored = store
    .events()
    .slice(events)
    .filter(({ outcome }) => outcome === 'accepted')
  const accepted = stored.map(({ type, body }): Stored => {
    const json = parseJson(body)
    return { type, ...(isObject(json) ? json : {}) }
  })
  return { result, accepted, requests: store.requests().length - requests }
}

const click = { userId: 'u1', event: 'Clicked' }
const text = (value: unknown) => JSON.stringify(value)

/** A call, the body that an agent wrote, and the event that the vendor must have stored at the end. */
const bodies: readonly (readonly [Call, unknown, Stored])[] = [
  // Names of fields
  ['track', { user_id: 'u1', event: 'Clicked' }, click],
  ['track', { UserID: 'u1', Event: 'Clicked' }, click],
  ['track', { user: 'u1', event: 'Clicked' }, click],
  ['track', { uid: 'u1', event: 'Clicked' }, click],
  ['track', { 'user-id': 'u1', 'event name': 'Clicked' }, click],
  ['track', { userId: 'u1', event_name: 'Clicked' }, click],
  ['track', { userId: 'u1', name: 'Clicked' }, click],
  ['track', { user_id: 7, event: 'Clicked' }, { userId: '7', event: 'Clicked' }],
  ['track', { anonymous_id: 'a1', event: 'Clicked' }, { anonymousId: 'a1' }],
  ['track', { anon_id: 'a1', event: 'Clicked' }, { anonymousId: 'a1' }],
  ['track', { group_id: 'g1', event: 'Renewed' }, { groupId: 'g1' }],
  ['track', { userId: ['u1'], event: ['Clicked'] }, click],
  ['track', { ...click, timestamp: '20260131' }, { ...click, timestamp: '2026-01-31T00:00:00.000Z' }],
  ['track', { ...click, context: { active: 'False', ip: 42, locale: null } }, { ...click, context: { active: false, ip: '42' } }],
  ['track', { ...click, context: { device: '{"type":"ios"}' } }, { ...click, context: { device: { type: 'ios' } } }],
  ['track', { ...click, context: { device: { type: 'iOS' } } }, { ...click, context: { device: { type: 'ios' } } }],
  ['page', { userId: 'u1', context: { page: { keywords: 'a' } } }, { userId: 'u1', context: { page: { keywords: ['a'] } } }],
  ['page', { userId: 'u1', properties: { title: 3 } }, { userId: 'u1', properties: { title: '3' } }],
  [
    'identify',
    { userId: 'u1', traits: { cio_subscription_preferences: { topics: { topic_1: 'true' } } } },
    { userId: 'u1', traits: { cio_subscription_preferences: { topics: { topic_1: true } } } },
  ],
  ['track', { type: 'page', userId: 'u1', name: 'Home' }, { userId: 'u1', name: 'Home' }],
  ['batch', { batch: { events: [{ action: 'track', ...click }] } }, click],
  ['batch', { batch: [{ type: 'page_view', userId: 'u1', name: 'Home' }] }, { userId: 'u1', name: 'Home' }],
  ['batch', { batch: [{ event: 'track', userId: 'u1', name: 'Clicked' }] }, click],
  ['track', '{"userId":"u1","event":"Clicked", // who and what\n}', click],
  ['batch', { batch: [{ type: 'track', ...click }], context: { active: 'true' } }, click],
  ['track', '~~~json\n{"userId":"u1","event":"Clicked"}\n~~~', click],
  ['track', { user_id: 'u1', event: 'Clicked', data: { a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { user_id: 'u1', event: 'Clicked', attributes: { a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { user_id: 'u1', event: 'Clicked', price: 5 }, { ...click, properties: { price: 5 } }],
  ['track', { user_id: 'u1', event: 'Clicked', occurred_at: unix }, { ...click, timestamp: iso }],
  ['track', { user_id: 'u1', event: 'Clicked', created_at: t }, { ...click, timestamp: t }],
  ['identify', { user_id: 'u1', traits: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['identify', { user_id: 'u1', attributes: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['identify', { user_id: 'u1', properties: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['identify', { user_id: 'u1', email: 'a@b.c' }, { userId: 'u1', traits: { email: 'a@b.c' } }],
  ['identify', { user_id: 'u1', created_at: unix }, { userId: 'u1', traits: { createdAt: iso } }],
  ['identify', { email: 'a@b.c', name: 'Ada' }, { traits: { email: 'a@b.c', name: 'Ada' } }],
  ['page', { user_id: 'u1', page_name: 'Home' }, { userId: 'u1', name: 'Home' }],
  ['page', { user_id: 'u1', url: 'https://example.com/' }, { userId: 'u1', properties: { url: 'https://example.com/' } }],
  ['screen', { anonymous_id: 'a1', screenName: 'Start' }, { anonymousId: 'a1', name: 'Start' }],
  ['group', { user_id: 'u1', group_id: 'g1' }, { userId: 'u1', groupId: 'g1' }],
  ['group', { userId: 'u1', group: 'g1', plan: 'pro' }, { groupId: 'g1', traits: { plan: 'pro' } }],
  ['alias', { user_id: 'u1', previous_id: 'a1' }, { userId: 'u1', previousId: 'a1' }],
  ['alias', { userId: 'u1', prev: 'a1' }, { userId: 'u1', previousId: 'a1' }],
  ['alias', { userId: 'u1', anonymousId: 'a1' }, { userId: 'u1', previousId: 'a1' }],
  ['alias', { new_id: 'u1', old_id: 'u0' }, { userId: 'u1', previousId: 'u0' }],
  ['identify', { id: 'u1', traits: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['identify', { id: 'u1', email: 'a@b.c' }, { userId: 'u1', traits: { email: 'a@b.c' } }],
  ['identify', { user: { id: 'u1' }, traits: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['track', { customer_id: 'u1', event: 'Clicked' }, click],
  ['track', { identifiers: { id: 'u1' }, name: 'Clicked', attributes: { a: 1 } }, { ...click, properties: { a: 1 } }],
  [
    'identify',
    { type: 'person', action: 'identify', identifiers: { id: 'u1' }, attributes: { email: 'a@b.c' } },
    { type: 'identify', userId: 'u1', traits: { email: 'a@b.c' } },
  ],
  ['identify', { user_id: 'u1', $set: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  // Dates
  ['track', { ...click, timestamp: unix }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: unix * 1000 }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: String(unix) }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: unix * 1_000_000 }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: '2026-01-31 12:00:00' }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: '2026-01-31T12:00Z' }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: '2026/01/31 12:00:00 UTC' }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: '2026-01-31T13:00:00+0100' }, { ...click, timestamp: '2026-01-31T13:00:00+01:00' }],
  ['track', { ...click, timestamp: 'Jan 31, 2026 12:00 PM' }, { ...click, timestamp: iso }],
  ['track', { ...click, timestamp: 'Sat, 31 Jan 2026 12:00:00 GMT' }, { ...click, timestamp: iso }],
  [
    'track',
    { ...click, timestamp: 'Sat Jan 31 2026 12:00:00 GMT+0000 (Coordinated Universal Time)' },
    { ...click, timestamp: '2026-01-31T12:00:00+00:00' },
  ],
  ['track', { ...click, timestamp: '2026-01-31' }, { ...click, timestamp: '2026-01-31T00:00:00.000Z' }],
  ['track', { ...click, timestamp: '31/01/2026' }, { ...click, timestamp: '2026-01-31T00:00:00.000Z' }],
  ['track', { ...click, timestamp: null }, click],
  ['identify', { userId: 'u1', traits: { createdAt: unix } }, { userId: 'u1', traits: { createdAt: iso } }],
  ['track', { ...click, sentAt: unix }, { ...click, sentAt: iso }],
  // Notation
  ['track', "{'userId': 'u1', 'event': 'Clicked'}", click],
  [
    'track',
    String.raw`{'userId': 'u1', 'event': 'Clicked', 'properties': {'text': 'one\ntwo', 'at': 'caf\u00e9 "C:\\dir"', 'whose': 'Ann\'s'}}`,
    { ...click, properties: { text: 'one\ntwo', at: 'café "C:\\dir"', whose: "Ann's" } },
  ],
  ['track', '```json\n{"userId":"u1","event":"Clicked"}\n```', click],
  ['track', 'Here is the body:\n```\n{"userId":"u1","event":"Clicked"}\n```\nDone.', click],
  ['track', '`{"userId":"u1","event":"Clicked"}`', click],
  ['track', '{“userId”: “u1”, “event”: “Clicked”}', click],
  ['track', '{"userId":"u1","event":"Clicked",}', click],
  ['track', '{"userId":"u1", // the user\n "event":"Clicked"}', click],
  ['track', '{userId: "u1", event: "Clicked"}', click],
  [
    'track',
    "{'userId': 'u1', 'event': 'Clicked', 'properties': {'new': True, 'old': None}}",
    { ...click, properties: { new: true, old: null } },
  ],
  ['track', '\uFEFF{"userId":"u1","event":"Clicked"}', click],
  ['track', '{"userId":"u1","event":"Clicked","properties":{"note":"two\nlines"}}', { properties: { note: 'two\nlines' } }],
  ['track', text(text(click)), click],
  ['track', "{'user_id': 'u1', 'event_name': 'Clicked', 'timestamp': 1769860800,}", { ...click, timestamp: iso }],
  ['track', { ...click, properties: '{"a":1}' }, { ...click, properties: { a: 1 } }],
  ['identify', { userId: 'u1', traits: "{'plan': 'pro'}" }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['track', { ...click, properties: null }, click],
  // Wrapping
  ['track', { body: click }, click],
  ['track', { request_body: text(click) }, click],
  ['track', { payload: { user_id: 'u1', event: 'Clicked' } }, click],
  ['track', { track: click }, click],
  ['track', { type: 'track', data: click }, click],
  ['track', { event: { userId: 'u1', event: 'Clicked' } }, click],
  ['track', { mode: 'execute', body: click }, click],
  ['track', [click], click],
  ['identify', { identify: { userId: 'u1', traits: { plan: 'pro' } } }, { userId: 'u1' }],
  ['track', '{"userId":"u1","event":"Clicked","properties":{"a":[1]', { ...click, properties: { a: [1] } }],
  ['track', '{"userId":"u1","event":"Clicked","properties":{"a":1}}}', { ...click, properties: { a: 1 } }],
  ['track', 'request_body = {"userId":"u1","event":"Clicked"};', click],
  ['track', 'userId=u1&event=Clicked&properties[pages]=2', { ...click, properties: { pages: '2' } }],
  ['track', 'userId: u1\nevent: Clicked\nproperties:\n  pages: 2', { ...click, properties: { pages: 2 } }],
  ['track', String.raw`{\"userId\":\"u1\",\"event\":\"Clicked\"}`, click],
  ['batch', `${text({ type: 'track', ...click })}\n${text({ type: 'track', ...click })}\n`, click],
  ['batch', { batch: [{ track: click }] }, { type: 'track', ...click }],
  ['batch', { batch: [{ path: '/track', body: click }] }, { type: 'track', ...click }],
  // Batches
  ['batch', { type: 'track', ...click }, { type: 'track', ...click }],
  ['batch', [{ type: 'track', ...click }], { type: 'track', ...click }],
  ['batch', { events: [{ type: 'track', ...click }] }, { type: 'track', ...click }],
  ['batch', { batch: { type: 'track', ...click } }, { type: 'track', ...click }],
  ['batch', { batch: text([{ type: 'track', ...click }]) }, { type: 'track', ...click }],
  ['batch', { batch: [{ type: 'Track', ...click }] }, { type: 'track', ...click }],
  ['batch', { batch: [{ Type: 'track', ...click }] }, { type: 'track', ...click }],
  ['batch', { batch: [{ type: 'page_view', userId: 'u1' }] }, { type: 'page', userId: 'u1' }],
  ['batch', { batch: [{ method: 'track', ...click }] }, { type: 'track', ...click }],
  ['batch', { batch: [{ type: 'track', user_id: 'u1', event: 'Clicked' }] }, { type: 'track', ...click }],
  ['batch', { batch: [{ type: 'alias', user_id: 'u1', previous_id: 'a1' }] }, { type: 'alias', previousId: 'a1' }],
  ['batch', { batch: [{ type: 'track', ...click, timestamp: unix }] }, { timestamp: iso }],
  ['batch', click, { type: 'track', ...click }],
  ['batch', { userId: 'u1', traits: { plan: 'pro' } }, { type: 'identify', userId: 'u1' }],
  ['batch', { userId: 'u2', batch: [{ track: { event: 'Clicked' } }] }, { ...click, userId: 'u2' }],
  ['batch', { userId: 'u2', batch: [{ type: 'track', payload: click }] }, click],
]

const modes = ['permissive', 'strict'] as const
/** Each of the two modes tests a different share of the bodies. */
const numbered = modes.map((mode, number) => [mode, number] as const)

describe.for(numbered)('in %s mode', ([mode, number]) => {
  test.for(shareOf(bodies, 12, number))('%s %j is stored as meant', async ([call, body, expected]) => {
    const strictness = call === 'batch' || call === 'page' ? 'enable_strict_mode' : 'enable_strict_validation'
    const strict = { [strictness]: ['page', 'screen', 'group'].includes(call) ? '1' : 'True' }
    const request_body = typeof body === 'string' ? body : text(body)
    const args = { mode: 'execute', request_body, ...(mode === 'strict' && strict) }
    const { result, accepted } = await during(() => follow(`EventPipelineApi_${tools[call]}`, args))
    expect(result).toBeUndefined()
    expect(accepted.length).toBe(call === 'batch' && typeof body === 'string' && body.includes('\n') ? 2 : 1)
    expect(accepted[0]).toMatchObject(expected)
  })
})

/** Arguments that violate the schema. */
const calls: readonly (readonly [Call, Record<string, unknown>, Stored])[] = [
  ['track', { request_body: text(click) }, click],
  ['track', { mode: 'execute', body: text(click) }, click],
  ['track', { mode: 'execute', event: text(click) }, click],
  ['track', { mode: 'execute', payload: click }, click],
  ['track', { mode: 'execute', data: text(click) }, click],
  ['track', { mode: 'execute', requestBody: text(click) }, click],
  ['track', { mode: 'execute', ...click }, click],
  ['track', { ...click, properties: { a: 1 } }, { ...click, properties: { a: 1 } }],
  ['track', { mode: 'execute', user_id: 'u1', event_name: 'Clicked' }, click],
  ['identify', { mode: 'execute', userId: 'u1', traits: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }],
  ['batch', { mode: 'execute', batch: [{ type: 'track', ...click }] }, { type: 'track', ...click }],
  ['batch', { mode: 'execute', events: [{ type: 'track', ...click }] }, { type: 'track', ...click }],
  ['track', { mode: 'execute', request_body: text([click, click]) }, { type: 'track', ...click }],
  ['track', { mode: 'execute', request_body: text({ batch: [{ type: 'track', ...click }] }) }, click],
  ['track', { mode: 'Execute', request_body: text(click) }, click],
  ['track', { mode: 'send', request_body: text(click) }, click],
  ['track', { mode: ['execute'], request_body: text(click) }, click],
  ['track', { action: 'execute', request_body: text(click) }, click],
  ['track', { mode: 'submit', payload: click }, click],
  ['track', { mode: 'track', user: { id: 'u1' }, event: 'Clicked' }, click],
  ['track', { mode: 'execute', strict: true, request_body: text(click) }, click],
  ['track', { mode: 'execute', enable_strict_mode: '1', request_body: text(click) }, click],
  ['batch', { mode: 'execute', batch: text({ batch: [{ type: 'track', ...click }] }) }, { type: 'track', ...click }],
  ['track', { mode: 'execute', disable_strict_validation: 'True', request_body: text(click) }, click],
  ['track', { mode: 'execute', dry_run: false, write_key: 'k', workspace: 'acme', request_body: text(click) }, click],
  ['alias', { primary: { id: 'u1' }, secondary: { id: 'u0' } }, { userId: 'u1', previousId: 'u0' }],
]

test.for(shareOf(calls, 4, 0))('%s with the arguments %j is stored as meant', async ([call, args, expected]) => {
  const { result, accepted } = await during(() => follow(`EventPipelineApi_${tools[call]}`, args))
  expect(result).toBeUndefined()
  expect(accepted[0]).toMatchObject(expected)
})

test.for([
  { mode: "don't execute", request_body: text(click) },
  { mode: 'dry_run', request_body: text(click) },
  { mode: 'identify', request_body: text(click) },
  { mode: 'execute', disable_strict_validation: 'False', request_body: text(click) },
])('the arguments %j lead to no call that sends anything', async (args) => {
  const { result, requests } = await during(() => follow('EventPipelineApi_TrackUserEvent', args))
  expect(result?.code).toBe('invalid_input')
  expect(result?.message.includes('no trial run')).toBe(args.mode === 'dry_run')
  expect(requests).toBe(0)
})

test.for(['dry_run', 'dry-run', 'Dry run', 'validate', ' dry', 'check'])(
  'the mode %j gets the schema as a suggestion, and no correction',
  async (mode) => {
    const args = { mode, request_body: text(click) }
    const { result: error, requests } = await during(() => server.fails('EventPipelineApi_TrackUserEvent', args))
    expect(error.next).toBeUndefined()
    expect(error.suggestions).toMatchObject([{ value: 'get_request_schema', parameter: 'mode' }])
    expect(requests).toBe(0)
  },
)

/** Bodies that may mean several things, or someone else's id: the error has suggestions or names a tool, but has no correction. */
const ambiguous: readonly (readonly [Call, unknown, string])[] = [
  ['track', { id: 'evt_1', event: 'Clicked' }, 'userId'],
  ['track', { email: 'a@b.c', event: 'Clicked' }, 'userId'],
  ['track', { device_id: 'd1', event: 'Clicked' }, 'anonymousId'],
  ['page', { visitor_id: 'v1', name: 'Home' }, 'anonymousId'],
  ['group', { company_id: 'c1', team_id: 't1', userId: 'u1' }, 'groupId'],
]

test.for(ambiguous)('%s %j is not sent and gets suggestions that can be sent', async ([call, body, field]) => {
  const name = `EventPipelineApi_${tools[call]}`
  const { result: error, requests } = await during(() => server.fails(name, { mode: 'execute', request_body: text(body) }))
  expect(error.next).toBeUndefined()
  expect(requests).toBe(0)
  const values = (error.suggestions ?? []).map(({ value }) => value)
  expect(values.some((value) => value.includes(`"${field}"`))).toBe(true)
  for (const value of values) {
    const { accepted } = await during(() => server.call(name, { mode: 'execute', request_body: value }))
    expect(accepted.length).toBe(1)
  }
})

/** Bodies that cannot be corrected: in permissive mode, they are sent with findings, as the specification says. */
const unrepairable: readonly (readonly [Call, unknown])[] = [
  ['track', { event: 'Clicked' }],
  ['track', { userId: 'u1' }],
  ['track', { ...click, timestamp: 'whenever' }],
  ['track', { ...click, timestamp: 20260231 }],
  ['track', { ...click, timestamp: '2026-111' }],
  ['track', { ...click, properties: [] }],
  ['track', { user_id: 'u1', uid: 'u2', event: 'Clicked' }],
  ['alias', { one: 'a1', other: 'u1' }],
  ['batch', { batch: [{ type: 'event', userId: 'u1' }] }],
]

test.for(unrepairable)('%s %j is sent as it is, with findings', async ([call, body]) => {
  const { result, accepted } = await during(() =>
    server.call(`EventPipelineApi_${tools[call]}`, { mode: 'execute', request_body: text(body) }),
  )
  expect(result).toMatchObject({ outcome: 'dropped', http_status: 200 })
  expect(result['findings']).not.toEqual([])
  expect(accepted).toEqual([])
})

/** Texts that were cut off or may mean several things. */
const unreadable = [
  '{"userId":"u1","event":"Clicked"',
  '{"userId":"u1","event":"Cli',
  '{"userId" "u1"}',
  '{"event":Clicked}',
  '{"n":NaN}',
  "{'a': 'b'c'}",
]

test.for(unreadable)('%s is refused, and the error leads to the schema', async (request_body) => {
  const { result: error, requests } = await during(() => server.fails('EventPipelineApi_TrackUserEvent', { mode: 'execute', request_body }))
  expect(error.code).toBe('invalid_input')
  expect(error.next).toEqual({ tool: 'EventPipelineApi_TrackUserEvent', arguments: { mode: 'get_request_schema' } })
  expect(requests).toBe(0)
})

test('a missing field without a substitute is named in the findings', async () => {
  const body = text({ one: 'a1', other: 'u1' })
  const { findings } = await server.call('EventPipelineApi_AliasUserIdentity', { mode: 'execute', request_body: body })
  expect(findings).toMatchObject([
    { at: 'previousId', problem: 'is required (non-empty string).' },
    { at: 'userId', problem: 'is required (non-empty string).' },
    { at: 'one' },
    { at: 'other' },
  ])
})

/** Fields that the vendor accepts but does not read, and whose proper place is taken or unknown. */
const unread: readonly (readonly [Call, Record<string, unknown>, string, string])[] = [
  ['identify', { userId: 'u1', traits: { plan: 'pro' }, attributes: { plan: 'free' } }, 'attributes', 'move it to traits.'],
  ['track', { ...click, timestamp: t, created_at: t }, 'created_at', 'move it to timestamp.'],
  ['track', { ...click, messageId: 'm', message_id: 'n' }, 'message_id', 'move it to messageId.'],
  ['track', { ...click, total: null }, 'total', 'move it to properties.total.'],
  ['track', { ...click, email: 'a@b.c' }, 'email', 'identify call'],
  ['track', { ...click, traits: { plan: 'pro' } }, 'traits', 'identify call'],
  ['track', { ...click, id: 'x' }, 'id', 'no such field'],
  ['track', { ...click, name: 'Ada' }, 'name', 'no such field'],
  ['track', { ...click, action: 'create' }, 'action', 'no such field'],
  ['identify', { userId: 'u1', traits: { plan: 'pro' }, event: 'Upgraded' }, 'event', 'no such field'],
  ['page', { userId: 'u1', locale: 'de' }, 'locale', 'no such field'],
  ['alias', { userId: 'u1', previousId: 'a1', traits: {} }, 'traits', 'no such field'],
  ['track', { ...click, type: 'identify' }, 'type', 'is ignored'],
  ['track', { ...click, context: { user_agent: 'curl' } }, 'context.user_agent', 'reads context.userAgent'],
  ['identify', { userId: 'u1', traits: { unsubscribe: true } }, 'traits.unsubscribe', 'reads unsubscribed'],
]

describe.for(numbered)('in %s mode', ([mode, number]) => {
  test.for(shareOf(unread, 6, number))('%s %j is sent, and says what the vendor does not read', async ([call, fields, at, problem]) => {
    // The vendor drops a repeated id.
    const body = 'messageId' in fields ? { ...fields, messageId: mode } : fields
    const flag = call === 'page' ? 'enable_strict_mode' : 'enable_strict_validation'
    const strict = mode === 'strict' && { [flag]: ['page', 'group'].includes(call) ? '1' : 'True' }
    const args = { mode: 'execute', request_body: text(body), ...strict }
    const { result, accepted } = await during(() => server.call(`EventPipelineApi_${tools[call]}`, args))
    expect(result['findings']).toMatchObject([{ at }])
    expect(JSON.stringify(result['findings'])).toContain(problem)
    expect(accepted[0]).toMatchObject(body)
  })
})
