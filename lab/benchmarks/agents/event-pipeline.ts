// Mistaken calls to event-pipeline.
import { casesOf, forms, type Arguments, type MistakenCall } from './cases.ts'

const body = casesOf('event body')
const loss = casesOf('silent loss')
const enumeration = casesOf('enumeration')
const direction = casesOf('direction')
const argumentName = casesOf('argument name')
const form = casesOf('form')
const toolName = casesOf('tool name')
const family = casesOf('family of tools')

export const bought = { userId: 'u1', event: 'Bought' }
const json = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
/** The strict call of each tool. */
const strictly = {
  IdentifyPersonAndAssignTraits: { mode: 'execute', enable_strict_validation: 'True' },
  TrackUserEvent: { mode: 'execute', enable_strict_validation: 'True' },
  SendPageViewEvent: { mode: 'execute', enable_strict_mode: '1' },
  SendScreenViewEvent: { mode: 'execute', enable_strict_validation: '1' },
  AddToGroup: { mode: 'execute', enable_strict_validation: '1' },
  AliasUserIdentity: { mode: 'execute', enable_strict_validation: 'True' },
  SendBatchRequests: { mode: 'execute', enable_strict_mode: 'True' },
} as const
export type Tool = keyof typeof strictly

export const send = (tool: Tool, event: unknown, more: Arguments = {}) => ({ ...strictly[tool], request_body: json(event), ...more })
/** A body that means another one. */
const written = (tool: Tool, event: unknown, meant: unknown) => body.means(tool, send(tool, event), { request_body: json(meant) })
const track = (event: unknown, meant: unknown = bought) => written('TrackUserEvent', event, meant)
const refused = (tool: Tool, event: unknown) => body.impossible(tool, send(tool, event))

export const pro = { userId: 'u1', traits: { plan: 'pro' } }
export const home = { userId: 'u1', name: 'Home' }
export const joined = { userId: 'u1', groupId: 'g1' }
export const merged = { userId: 'u1', previousId: 'a1' }
const at = (timestamp: string) => ({ ...bought, timestamp })
export const batch = (...calls: unknown[]) => ({ batch: calls })
export const tracked = { type: 'track', ...bought }
export const newYear = '2026-01-01T00:00:00.000Z'

const bodies: readonly MistakenCall[] = [
  ...['user_id', 'userid', 'userID', 'UserId', 'user-id', 'user id'].map((name) => track({ [name]: 'u1', event: 'Bought' })),
  ...['event_name', 'eventName', 'Event', 'EVENT'].map((name) => track({ userId: 'u1', [name]: 'Bought' })),
  track({ user_id: 'u1', event_name: 'Bought' }),
  track({ anonymous_id: 'a1', event: 'Bought' }, { anonymousId: 'a1', event: 'Bought' }),
  track({ ...bought, timestamp: 1_767_225_600 }, at(newYear)),
  track({ ...bought, timestamp: 1_767_225_600_000 }, at(newYear)),
  track({ ...bought, timestamp: '1767225600' }, at(newYear)),
  track("{'userId': 'u1', 'event': 'Bought'}"),
  track('```json\n{"userId":"u1","event":"Bought"}\n```'),
  track('```\n{"userId":"u1","event":"Bought"}\n```'),
  track('{"userId":"u1","event":"Bought",}'),
  track('{"userId":"u1","event":"Bought","properties":{"tags":["a","b",],},}', { ...bought, properties: { tags: ['a', 'b'] } }),
  track('{userId: "u1", event: "Bought"}'),
  track('{“userId”: “u1”, “event”: “Bought”}'),
  track("{'userId': 'u1', 'event': 'Bought', 'properties': {'paid': True, 'note': None}}", {
    ...bought,
    properties: { paid: true, note: null },
  }),
  track('  {"userId":"u1","event":"Bought"}\n'),
  track('\uFEFF{"userId":"u1","event":"Bought"}'),
  track(JSON.stringify(JSON.stringify(bought))),
  track('{"userId":"u1", // the buyer\n"event":"Bought"}'),
  body.mayMean('TrackUserEvent', send('TrackUserEvent', 'Here it is: {"userId":"u1","event":"Bought"}'), { request_body: json(bought) }),
  body.mayMean('TrackUserEvent', send('TrackUserEvent', { userId: 'u1', name: 'Bought' }), { request_body: json(bought) }),
  body.mayMean('TrackUserEvent', send('TrackUserEvent', '{"userId":"u1","event":"Bought"'), { request_body: json(bought) }),
  written('IdentifyPersonAndAssignTraits', { user_id: 'u1', traits: { plan: 'pro' } }, pro),
  written('IdentifyPersonAndAssignTraits', { id: 'u1', traits: { plan: 'pro' } }, pro),
  written('IdentifyPersonAndAssignTraits', "{'user_id': 'u1', 'traits': {'plan': 'pro'}}", pro),
  written('IdentifyPersonAndAssignTraits', '```json\n{"user_id":"u1","traits":{"plan":"pro"}}\n```', pro),
  written('SendPageViewEvent', { user_id: 'u1', name: 'Home' }, home),
  written('SendPageViewEvent', '{"userId":"u1","name":"Home",}', home),
  written('SendScreenViewEvent', { user_id: 'u1', name: 'Home' }, home),
  written('SendScreenViewEvent', { anonymous_id: 'a1', name: 'Home' }, { anonymousId: 'a1', name: 'Home' }),
  ...['group_id', 'groupID', 'groupid', 'group-id'].map((name) => written('AddToGroup', { userId: 'u1', [name]: 'g1' }, joined)),
  written('AddToGroup', { user_id: 'u1', group_id: 'g1' }, joined),
  ...['previous_id', 'previousID', 'previousid'].map((name) => written('AliasUserIdentity', { userId: 'u1', [name]: 'a1' }, merged)),
  written('AliasUserIdentity', { user_id: 'u1', previous_id: 'a1' }, merged),
  ...['Track', 'TRACK', ' track '].map((type) => written('SendBatchRequests', batch({ ...tracked, type }), batch(tracked))),
  written('SendBatchRequests', batch({ type: 'track', user_id: 'u1', event_name: 'Bought' }), batch(tracked)),
  written('SendBatchRequests', [tracked, { ...tracked, userId: 'u2' }], batch(tracked, { ...tracked, userId: 'u2' })),
  written('SendBatchRequests', tracked, batch(tracked)),
  ...['events', 'calls', 'requests', 'Batch'].map((name) => written('SendBatchRequests', { [name]: [tracked] }, batch(tracked))),
  written('SendBatchRequests', `{"batch":[{"type":"track","userId":"u1","event":"Bought"},]}`, batch(tracked)),
  written('SendBatchRequests', batch(tracked, { type: 'Identify', ...pro }), batch(tracked, { type: 'identify', ...pro })),
  ...[{ event: 'Bought' }, { email: 'a@b.example', event: 'Bought' }, { userId: 'u1' }, 'bought', '{}', ''].map((event) =>
    refused('TrackUserEvent', event),
  ),
  refused('SendBatchRequests', batch(bought)),
  refused('SendBatchRequests', batch({ ...tracked, type: 'purchase' })),
  refused('SendBatchRequests', batch({ ...tracked, type: 'untrack' })),
  refused('SendBatchRequests', batch(tracked, { type: 'track', event: 'Bought' })),
  refused('SendBatchRequests', batch()),
  refused('AliasUserIdentity', { userId: 'u1' }),
  refused('AddToGroup', { userId: 'u1' }),
  body.mayMean('TrackUserEvent', send('TrackUserEvent', at('2026/01/01')), { request_body: json(at(newYear)) }),
  refused('TrackUserEvent', at('yesterday')),
]

const lost = (tool: Tool, event: Arguments, name: string) => loss.says(new RegExp(name), tool, send(tool, event))

const losses: readonly MistakenCall[] = [
  ...['attributes', 'data', 'plan', 'properties', 'trait', 'customAttributes'].map((name) =>
    lost('IdentifyPersonAndAssignTraits', { userId: 'u1', [name]: { plan: 'pro' } }, name),
  ),
  lost('IdentifyPersonAndAssignTraits', { userId: 'u1', email: 'a@b.example' }, 'email'),
  lost('IdentifyPersonAndAssignTraits', { userId: 'u1', created_at: 1_767_225_600 }, 'created_at'),
  lost('IdentifyPersonAndAssignTraits', { ...pro, first_name: 'Ada' }, 'first_name'),
  ...['data', 'attributes', 'price', 'traits', 'props', 'metadata', 'property', 'email'].map((name) =>
    lost('TrackUserEvent', { ...bought, [name]: name === 'email' ? 'a@b.example' : { price: 3 } }, name),
  ),
  ...['url', 'title', 'path', 'page'].map((name) => lost('SendPageViewEvent', { ...home, [name]: '/home' }, name)),
  ...['screen', 'data'].map((name) => lost('SendScreenViewEvent', { ...home, [name]: 'Home' }, name)),
  ...['properties', 'attributes', 'group_name'].map((name) => lost('AddToGroup', { ...joined, [name]: 'Lodestar' }, name)),
  lost('TrackUserEvent', { ...bought, Properties: { price: 3 } }, 'Properties'),
  lost('IdentifyPersonAndAssignTraits', { userId: 'u1', Traits: { plan: 'pro' } }, 'Traits'),
  lost('AliasUserIdentity', { ...merged, traits: { plan: 'pro' } }, 'traits'),
  lost('SendBatchRequests', batch({ ...tracked, data: { price: 3 } }), 'data'),
  lost('SendBatchRequests', { ...batch(tracked), source: 'import' }, 'source'),
  lost('TrackUserEvent', { userId: 42, event: 'Bought' }, 'userId'),
  lost('IdentifyPersonAndAssignTraits', { anonymousId: 'a1', traits: { plan: 'pro' } }, 'userId|anonymous'),
  loss.says(/userId/, 'TrackUserEvent', { mode: 'execute', request_body: json({ user_id: 'u1', event: 'Bought' }) }),
  loss.says(/event/, 'TrackUserEvent', { mode: 'execute', request_body: json({ userId: 'u1' }) }),
  loss.says(/strict/, 'TrackUserEvent', { mode: 'execute', request_body: json(bought), enable_strict_validation: '1' }),
  loss.says(/strict/, 'AddToGroup', { mode: 'execute', request_body: json(joined), enable_strict_validation: 'True' }),
  loss.says(/strict/, 'SendPageViewEvent', { mode: 'execute', request_body: json(home), enable_strict_mode: 'yes' }),
]

const schemas = {
  schema: 'get_request_schema',
  'get-request-schema': 'get_request_schema',
  GET_REQUEST_SCHEMA: 'get_request_schema',
  get_schema: 'get_request_schema',
}
const executions = { Execute: 'execute', run: 'execute', EXECUTE: 'execute', ' execute ': 'execute', send: 'execute', exec: 'execute' }
const trackWith = (more: Arguments) => send('TrackUserEvent', bought, more)

const enumerations: readonly MistakenCall[] = [
  ...forms({ ...schemas, getRequestSchema: 'get_request_schema' }, (mode, meant) =>
    enumeration.means('TrackUserEvent', { mode }, { mode: meant }),
  ),
  ...forms(executions, (mode, meant) => enumeration.means('TrackUserEvent', trackWith({ mode }), { mode: meant })),
  enumeration.mayMean('AddToGroup', { mode: 'help' }, { mode: 'get_request_schema' }),
  enumeration.means('SendBatchRequests', { mode: 'request_schema' }, { mode: 'get_request_schema' }),
]

const directions: readonly MistakenCall[] = [
  ...[
    'dry_run',
    'validate',
    'preview',
    'simulate',
    'test',
    "don't execute",
    'do not execute',
    'no-execute',
    'not execute',
    'unexecute',
    'cancel',
  ].map((mode) => direction.impossible('TrackUserEvent', trackWith({ mode }))),
  ...['disable_strict_validation', 'no_strict_validation', 'skip_strict_validation', 'disable_validation'].map((name) =>
    direction.mayMean('TrackUserEvent', { mode: 'execute', request_body: json(bought), [name]: 'True' }, { [name]: undefined }),
  ),
  direction.mayMean(
    'SendBatchRequests',
    { mode: 'execute', request_body: json(batch(tracked)), disable_strict_mode: 'True' },
    { disable_strict_mode: undefined },
  ),
  direction.impossible('TrackUserEvent', { ...trackWith({}), dry_run: true }),
  direction.impossible('TrackUserEvent', { ...trackWith({}), exclude_properties: 'price' }),
  // Reserved names do more than record an event, so that another name is never turned into one of them.
  ...['user deleted', 'User Undeleted', 'Users Deleted', 'user_deleted', 'User Suppresed'].map((event) =>
    direction.means('TrackUserEvent', send('TrackUserEvent', { userId: 'u1', event }), {}),
  ),
  direction.says(/delet/i, 'TrackUserEvent', send('TrackUserEvent', { userId: 'u1', event: 'User Deleted' })),
  direction.impossible('SendBatchRequests', send('SendBatchRequests', batch({ type: 'unalias', ...merged }))),
  direction.impossible('SendBatchRequests', send('SendBatchRequests', batch({ type: 'unidentify', ...pro }))),
]

const shared = strictly.TrackUserEvent
const swapped = (tool: Tool, event: unknown) => {
  const strict = strictly[tool]
  const [right, wrong] =
    'enable_strict_mode' in strict ? ['enable_strict_mode', 'enable_strict_validation'] : ['enable_strict_validation', 'enable_strict_mode']
  const value = 'enable_strict_mode' in strict ? strict.enable_strict_mode : strict.enable_strict_validation
  return argumentName.means(tool, { mode: 'execute', request_body: json(event), [wrong]: value }, { [wrong]: undefined, [right]: value })
}

const names: readonly MistakenCall[] = [
  ...['body', 'payload', 'json', 'requestBody', 'request', 'data'].map((name) =>
    argumentName.means('TrackUserEvent', { ...shared, [name]: json(bought) }, { [name]: undefined, request_body: json(bought) }),
  ),
  argumentName.means('TrackUserEvent', { action: 'execute', request_body: json(bought) }, { action: undefined, mode: 'execute' }),
  argumentName.means(
    'SendBatchRequests',
    { mode: 'execute', batch: json(batch(tracked)) },
    { batch: undefined, request_body: json(batch(tracked)) },
  ),
  swapped('SendPageViewEvent', home),
  swapped('SendBatchRequests', batch(tracked)),
  swapped('TrackUserEvent', bought),
  swapped('SendScreenViewEvent', home),
  swapped('AddToGroup', joined),
  ...['strict', 'strict_validation', 'enableStrictValidation'].map((name) =>
    argumentName.means(
      'TrackUserEvent',
      { mode: 'execute', request_body: json(bought), [name]: 'True' },
      { [name]: undefined, enable_strict_validation: 'True' },
    ),
  ),
  argumentName.mayMean(
    'TrackUserEvent',
    { ...shared, userId: 'u1', event: 'Bought' },
    { userId: undefined, event: undefined, request_body: json(bought) },
  ),
  argumentName.mayMean('TrackUserEvent', { request_body: json(bought) }, { mode: 'execute' }),
  argumentName.unclear('TrackUserEvent', { mode: 'execute' }),
]

const shapes: readonly MistakenCall[] = [
  form.means('TrackUserEvent', { ...shared, request_body: bought }, { request_body: json(bought) }),
  form.means('SendBatchRequests', send('SendBatchRequests', '', { request_body: batch(tracked) }), { request_body: json(batch(tracked)) }),
  form.means('TrackUserEvent', trackWith({ enable_strict_validation: true }), { enable_strict_validation: 'True' }),
  form.means('TrackUserEvent', trackWith({ enable_strict_validation: 'true' }), { enable_strict_validation: 'True' }),
  form.means('SendScreenViewEvent', send('SendScreenViewEvent', home, { enable_strict_validation: 1 }), { enable_strict_validation: '1' }),
  form.means('TrackUserEvent', trackWith({ mode: ['execute'] }), { mode: 'execute' }),
  form.means('TrackUserEvent', trackWith({ request_body: [bought] }), { request_body: json(bought) }),
]

const called = (tool: string, meant: Tool, event: unknown) => toolName.means(tool, send(meant, event), {}, meant)

const tools: readonly MistakenCall[] = [
  ...['Identify', 'identify_person', 'IdentifyUser', 'IdentifyPerson'].map((each) => called(each, 'IdentifyPersonAndAssignTraits', pro)),
  ...['event_pipeline_track', 'TrackEvent', 'track_user_event', 'Track', 'RecordEvent'].map((each) =>
    called(each, 'TrackUserEvent', bought),
  ),
  ...['SendPageView', 'PageView', 'TrackPageView', 'Page'].map((each) => called(each, 'SendPageViewEvent', home)),
  ...['SendScreenView', 'TrackScreen'].map((each) => called(each, 'SendScreenViewEvent', home)),
  ...['AddUserToGroup', 'AddPersonToGroup', 'Group'].map((each) => called(each, 'AddToGroup', joined)),
  ...['AliasUser', 'Alias', 'alias_user_identity'].map((each) => called(each, 'AliasUserIdentity', merged)),
  ...['SendBatch', 'Batch', 'BatchRequests'].map((each) => called(each, 'SendBatchRequests', batch(tracked))),
  ...['RemoveFromGroup', 'LeaveGroup'].map((each) => toolName.impossible(each, send('AddToGroup', joined))),
  ...['UnaliasUserIdentity', 'SplitIdentity'].map((each) => toolName.impossible(each, send('AliasUserIdentity', merged))),
  ...['DeletePerson', 'ForgetUser', 'RemovePersonAndTraits'].map((each) =>
    toolName.impossible(each, send('IdentifyPersonAndAssignTraits', pro)),
  ),
  ...['createCustomer', 'update_profile', 'upsertUser', 'identify_customer', 'set_user_attributes', 'customerio_identify'].map((each) =>
    called(each, 'IdentifyPersonAndAssignTraits', pro),
  ),
  ...['log_event', 'SendEvent', 'captureEvent', 'track-custom-event', 'EventPipeline.TrackEvent', 'event_pipeline_api_track_event'].map(
    (each) => called(each, 'TrackUserEvent', bought),
  ),
  ...['log_page_view', 'pageview', 'RecordPageVisit'].map((each) => called(each, 'SendPageViewEvent', home)),
  ...['screen', 'LogScreenView', 'track_app_screen'].map((each) => called(each, 'SendScreenViewEvent', home)),
  ...['add_to_company', 'AssignUserToGroup', 'JoinGroup', 'group_user'].map((each) => called(each, 'AddToGroup', joined)),
  ...['MergeUsers', 'merge_profiles', 'LinkIdentities', 'reconcile_user_ids'].map((each) => called(each, 'AliasUserIdentity', merged)),
  ...['BulkImport', 'send_events', 'bulk_track', 'ImportEvents'].map((each) => called(each, 'SendBatchRequests', batch(tracked))),
  ...['DeleteEvent', 'ListEvents', 'GetPerson', 'SearchCustomers', 'unidentify_user', 'ArchiveGroup', 'SuppressUser'].map((each) =>
    toolName.impossible(each, send('TrackUserEvent', bought)),
  ),
  toolName.impossible('UntrackUserEvent', send('TrackUserEvent', bought)),
]

/** A list for a tool that takes one event means a batch of them. */
const listed = (tool: Exclude<Tool, 'SendBatchRequests'>, type: string, event: Readonly<Record<string, unknown>>) => {
  const { mode, ...strictness } = strictly[tool]
  const absent = Object.fromEntries(Object.keys(strictness).map((name) => [name, undefined]))
  const request_body = json(batch({ type, ...event }, { type, ...event, userId: 'u2' }))
  return family.means(
    tool,
    send(tool, [event, { ...event, userId: 'u2' }]),
    { ...absent, mode, enable_strict_mode: 'True', request_body },
    'SendBatchRequests',
  )
}

const families: readonly MistakenCall[] = [
  listed('TrackUserEvent', 'track', bought),
  listed('IdentifyPersonAndAssignTraits', 'identify', pro),
  listed('SendPageViewEvent', 'page', home),
  listed('SendScreenViewEvent', 'screen', home),
  listed('AddToGroup', 'group', joined),
  family.means(
    'TrackUserEvent',
    send('TrackUserEvent', batch(tracked)),
    { enable_strict_validation: undefined, enable_strict_mode: 'True' },
    'SendBatchRequests',
  ),
]

export const eventPipelineCases: readonly MistakenCall[] = [
  ...[...bodies, ...losses, ...enumerations],
  ...[...directions, ...names, ...shapes, ...tools, ...families],
]
