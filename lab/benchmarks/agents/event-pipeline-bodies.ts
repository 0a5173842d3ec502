// More bodies of calls to event-pipeline: notations, forms of values, names of fields, contexts and batches.
import { casesOf, type Arguments, type MistakenCall } from './cases.ts'
import { batch, bought, home, joined, merged, newYear, pro, send, tracked, type Tool } from './event-pipeline.ts'

const body = casesOf('event body')
const loss = casesOf('silent loss')
const direction = casesOf('direction')
const date = casesOf('date')
const argumentName = casesOf('argument name')
const family = casesOf('family of tools')

const bodyOf = (event: unknown) => ({ request_body: typeof event === 'string' ? event : JSON.stringify(event) })
const means = (tool: Tool, event: unknown, meant: unknown) => body.means(tool, send(tool, event), bodyOf(meant))
/** A refusal that changes nothing is as good. */
const mayMean = (tool: Tool, event: unknown, meant: unknown) => body.mayMean(tool, send(tool, event), bodyOf(meant))
const says = (pattern: RegExp, tool: Tool, event: unknown) => loss.says(pattern, tool, send(tool, event))
const refused = (tool: Tool, event: unknown) => body.impossible(tool, send(tool, event))
const track = (event: unknown, meant: unknown = bought) => means('TrackUserEvent', event, meant)
const maybeTrack = (event: unknown, meant: unknown = bought) => mayMean('TrackUserEvent', event, meant)
const identify = (event: unknown, meant: unknown = pro) => means('IdentifyPersonAndAssignTraits', event, meant)
const priced = { ...bought, properties: { price: 3 } }

const notations: readonly MistakenCall[] = [
  track(`'{"userId":"u1","event":"Bought"}'`),
  track('`{"userId":"u1","event":"Bought"}`'),
  track(String.raw`{\n  \"userId\": \"u1\",\n  \"event\": \"Bought\"\n}`),
  track('request_body = {"userId": "u1", "event": "Bought"}'),
  track('~~~json\n{"userId":"u1","event":"Bought"}\n~~~'),
  track('{"userId":"u1","event":"Bought","properties":{"note":"one\ntwo"}}', { ...bought, properties: { note: 'one\ntwo' } }),
  track("{'userId': 'u1', 'event': 'Bought', 'properties': {'price': 3,},}", priced),
  track('{\n  /* who */ userId: "u1",\n  event: "Bought",\n}'),
  track('{"userId"："u1"，"event"："Bought"}'),
  track('{«userId»: «u1», «event»: «Bought»}'),
  maybeTrack('{"userId":"u1" "event":"Bought"}'),
  maybeTrack('{"userId":"u1";"event":"Bought"}'),
  maybeTrack('{"userId"="u1","event"="Bought"}'),
  maybeTrack('{"userId" => "u1", "event" => "Bought"}'),
  maybeTrack('{"userId":"u1","event":"Bought"}}'),
  maybeTrack('"userId":"u1","event":"Bought"'),
  maybeTrack('userId: u1\nevent: Bought'),
  maybeTrack('userId=u1&event=Bought'),
  maybeTrack("dict(userId='u1', event='Bought')"),
  maybeTrack(`-d '{"userId":"u1","event":"Bought"}'`),
  maybeTrack('{"userId":"u1","event":"Bought","properties":undefined}'),
  maybeTrack('{"userId":"u1","event":"Bought","properties":{"price":NaN}}', { ...bought, properties: { price: null } }),
  maybeTrack('{"userId":"u1","event":"Bought","properties":{"price":3.}}', priced),
  maybeTrack('%7B%22userId%22%3A%22u1%22%2C%22event%22%3A%22Bought%22%7D'),
  refused('TrackUserEvent', '<event user="u1">Bought</event>'),
  refused('TrackUserEvent', 'eyJ1c2VySWQiOiJ1MSIsImV2ZW50IjoiQm91Z2h0In0='),
  refused('TrackUserEvent', '{"userId":"u1","event":"Bou'),
]

const values: readonly MistakenCall[] = [
  ...['body', 'payload', 'data', 'request_body', 'track', 'message'].map((name) => track({ [name]: bought })),
  track({ payload: JSON.stringify(bought) }),
  track({ userId: ['u1'], event: 'Bought' }),
  track({ userId: 'u1', event: ['Bought'] }),
  track({ ...bought, properties: null }),
  track({ ...bought, properties: '{"price":3}' }, priced),
  track({ ...bought, properties: "{'price': 3}" }, priced),
  maybeTrack({ ...bought, properties: [{ price: 3 }] }, priced),
  maybeTrack({ userId: { id: 'u1' }, event: 'Bought' }),
  maybeTrack({ userId: 'u1', event: { name: 'Bought' } }),
  maybeTrack({ user: { id: 'u1' }, event: 'Bought' }),
  track({ user: 'u1', event: 'Bought' }),
  track({ 'userId ': 'u1', event: 'Bought' }),
  track({ userId: 'u1', event: 'Bought', anonymousId: null }),
  refused('TrackUserEvent', { userId: 'u1', event: 42 }),
  refused('TrackUserEvent', { userId: 'u1', event: ['Bought', 'Paid'] }),
  refused('TrackUserEvent', { userId: '', event: 'Bought' }),
  identify({ userId: 'u1', traits: '{"plan":"pro"}' }),
  identify({ user_id: 'u1', user_traits: { plan: 'pro' } }),
  means('AddToGroup', { userId: 'u1', group: 'g1' }, joined),
  means('AddToGroup', { userId: 'u1', groupId: ['g1'] }, joined),
  mayMean('AddToGroup', { userId: 'u1', groupIds: ['g1'] }, joined),
  mayMean('AddToGroup', { userId: 'u1', group: { id: 'g1' } }, { groupId: 'g1', userId: 'u1' }),
  says(/userIds/, 'AddToGroup', { userIds: ['u1', 'u2'], groupId: 'g1' }),
  refused('AddToGroup', { userId: 'u1', groupId: ['g1', 'g2'] }),
  means('AliasUserIdentity', { userId: 'u1', anonymousId: 'a1' }, merged),
  means('AliasUserIdentity', { new_user_id: 'u1', old_user_id: 'a1' }, merged),
  means('AliasUserIdentity', { newId: 'u1', oldId: 'a1' }, merged),
  mayMean('AliasUserIdentity', { from: 'a1', to: 'u1' }, merged),
  mayMean('AliasUserIdentity', { userId: 'u1', alias: 'a1' }, merged),
  refused('AliasUserIdentity', { ids: ['a1', 'u1'] }),
  refused('AliasUserIdentity', { userId: 'u1', userId2: 'a1' }),
]

const dates: readonly MistakenCall[] = [
  ...['2026-01-01', '2026-01-01 00:00:00', '2026-01-01T00:00', '2026-01-01T00:00:00', '20260101', 'Jan 1, 2026', '1 January 2026'],
  ...['2026.01.01', 'Thu, 01 Jan 2026 00:00:00 GMT', '1/1/2026', 1_767_225_600_000_000, '1767225600000', '1767225600.0'],
  ...['2026-01-01T00:00:00 Z', '2026-01-01 00:00 UTC'],
].map((timestamp) =>
  date.means('TrackUserEvent', send('TrackUserEvent', { ...bought, timestamp }), bodyOf({ ...bought, timestamp: newYear })),
)

const moreDates: readonly MistakenCall[] = [
  ...['01/02/2026', 'last week', 'Q1 2026', '2026-13-01', '2026-02-30T00:00:00Z', '', 12].map((timestamp) =>
    date.impossible('TrackUserEvent', send('TrackUserEvent', { ...bought, timestamp })),
  ),
  date.mayMean('TrackUserEvent', send('TrackUserEvent', { ...bought, timestamp: 'now' }), bodyOf(bought)),
  date.means('TrackUserEvent', send('TrackUserEvent', { ...bought, time: 1_767_225_600 }), bodyOf({ ...bought, time: 1_767_225_600 })),
  date.means(
    'IdentifyPersonAndAssignTraits',
    send('IdentifyPersonAndAssignTraits', { userId: 'u1', traits: { createdAt: 1_767_225_600 } }),
    bodyOf({ userId: 'u1', traits: { createdAt: newYear } }),
  ),
  date.means(
    'SendBatchRequests',
    send('SendBatchRequests', batch({ ...tracked, timestamp: '2026-01-01' })),
    bodyOf(batch({ ...tracked, timestamp: newYear })),
  ),
]

const ofBatch = (items: unknown, meant: unknown = batch(tracked)) => means('SendBatchRequests', items, meant)
const second = { ...tracked, userId: 'u2' }

const batches: readonly MistakenCall[] = [
  ...['trackEvent', 'track_event', 'Track Event', '"track"'].map((type) => ofBatch(batch({ ...tracked, type }))),
  ...['page_view', 'pageView', 'pageview'].map((type) => ofBatch(batch({ type, ...home }), batch({ type: 'page', ...home }))),
  ...['identify_user', 'identifyPerson'].map((type) => ofBatch(batch({ type, ...pro }), batch({ type: 'identify', ...pro }))),
  ...['method', 'call', 'action', 'operation', 'event_type'].map((name) => ofBatch(batch({ [name]: 'track', ...bought }))),
  ofBatch(`${JSON.stringify(tracked)}\n${JSON.stringify(second)}`, batch(tracked, second)),
  ofBatch({ batch: JSON.stringify([tracked, second]) }, batch(tracked, second)),
  ofBatch({ data: { batch: [tracked] } }),
  ofBatch({ batch: { events: [tracked] } }),
  ofBatch({ Events: [tracked, second] }, batch(tracked, second)),
  ofBatch(batch({ track: bought })),
  mayMean('SendBatchRequests', batch(bought, { ...bought, userId: 'u2' }), batch(tracked, second)),
  mayMean('SendBatchRequests', batch(JSON.stringify(tracked)), batch(tracked)),
  mayMean('SendBatchRequests', batch({ type: 'track', body: bought }), batch(tracked)),
  mayMean('SendBatchRequests', { '0': tracked, '1': second }, batch(tracked, second)),
  ...['delete', 'purchase', 'event', 'untrack', ''].map((type) => refused('SendBatchRequests', batch({ ...pro, type }))),
  refused('SendBatchRequests', batch(tracked, null)),
  refused('SendBatchRequests', batch(tracked, { ...tracked, userId: null })),
  family.means(
    'TrackUserEvent',
    send('TrackUserEvent', { ...home, type: 'page' }),
    {
      ...send('SendPageViewEvent', home),
      enable_strict_validation: undefined,
    },
    'SendPageViewEvent',
  ),
]

const context = (of: unknown) => ({ ...bought, context: of })

const losses: readonly MistakenCall[] = [
  says(/context\.ip/, 'TrackUserEvent', context({ ip: 42 })),
  says(/context\.active/, 'TrackUserEvent', context({ active: 'false' })),
  says(/context\.userAgent/, 'TrackUserEvent', context({ user_agent: 'curl' })),
  says(/context\.device/, 'TrackUserEvent', context({ device: 'iPhone' })),
  says(/context\.device\.type/, 'TrackUserEvent', context({ device: { type: 'windows' } })),
  says(/context\.page/, 'SendPageViewEvent', { ...home, context: { page: 'Home' } }),
  says(/context\.campaign/, 'TrackUserEvent', context({ campaign: ['spring'] })),
  mayMean('TrackUserEvent', context('{"ip":"10.0.0.1"}'), context({ ip: '10.0.0.1' })),
  refused('TrackUserEvent', context('web')),
  says(/unsubscribed/, 'IdentifyPersonAndAssignTraits', { userId: 'u1', traits: { unsubscribe: true } }),
  says(/unsubscribed/, 'IdentifyPersonAndAssignTraits', { userId: 'u1', unsubscribed: true }),
  says(/integrations/, 'TrackUserEvent', { ...bought, Integrations: { All: false } }),
  says(/first_name/, 'TrackUserEvent', { ...bought, first_name: 'Ada' }),
  says(/revenue/, 'TrackUserEvent', { ...bought, revenue: 3 }),
  says(/amount/, 'SendBatchRequests', batch({ ...tracked, amount: 3 }, tracked)),
  says(/referrer/, 'SendPageViewEvent', { ...home, referrer: 'https://example.com' }),
  says(/role/, 'AddToGroup', { ...joined, role: 'owner' }),
  says(/company_name/, 'AddToGroup', { ...joined, company_name: 'Lodestar' }),
  says(/email/, 'AliasUserIdentity', { ...merged, email: 'a@b.example' }),
  says(/options/, 'TrackUserEvent', { ...bought, options: { dedupe: true } }),
]

const allowed = { mode: 'execute' } as const
const args = (more: Arguments) => ({ ...allowed, enable_strict_validation: 'True', ...more })

const names: readonly MistakenCall[] = [
  ...['body', 'payload', 'json', 'data', 'requestBody', 'request', 'event_json', 'content'].map((name) =>
    argumentName.means('TrackUserEvent', args({ [name]: JSON.stringify(bought) }), { [name]: undefined, ...bodyOf(bought) }),
  ),
  argumentName.means('TrackUserEvent', args({ payload: bought }), { payload: undefined, ...bodyOf(bought) }),
  argumentName.means(
    'SendBatchRequests',
    { ...allowed, enable_strict_mode: 'True', events: [tracked] },
    {
      events: undefined,
      ...bodyOf(batch(tracked)),
    },
  ),
  ...['permissive', 'lenient', 'non_strict'].map((name) =>
    direction.mayMean('TrackUserEvent', { ...allowed, ...bodyOf(bought), [name]: 'true' }, { [name]: undefined }),
  ),
  ...['schema only', 'do_nothing', 'dry-run', 'noop'].map((mode) =>
    direction.impossible('TrackUserEvent', { ...args(bodyOf(bought)), mode }),
  ),
]

export const eventPipelineBodies: readonly MistakenCall[] = [
  ...[...notations, ...values, ...dates, ...moreDates],
  ...[...batches, ...losses, ...names],
]
