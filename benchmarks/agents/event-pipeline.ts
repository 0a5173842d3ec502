// Mistaken calls to event-pipeline.
import { casesOf, type Arguments, type MistakenCall } from './cases.ts'

const body = casesOf('event body')
const loss = casesOf('silent loss')
const enumeration = casesOf('enumeration')
const direction = casesOf('direction')
const argumentName = casesOf('argument name')
const form = casesOf('form')
const toolName = casesOf('tool name')
const family = casesOf('family of tools')

const bought = { userId: 'u1', event: 'Bought' }
const strict = { mode: 'execute', enable_strict_validation: 'True' }
const send = (event: unknown, more: Arguments = {}) => ({
  ...strict,
  request_body: typeof event === 'string' ? event : JSON.stringify(event),
  ...more,
})
/** A body of an event to track that means another one. */
const track = (written: unknown, meant: unknown) => body.means('TrackUserEvent', send(written), { request_body: JSON.stringify(meant) })
const identify = (written: unknown, meant: unknown) =>
  body.means('IdentifyPersonAndAssignTraits', send(written), { request_body: JSON.stringify(meant) })

export const eventPipelineCases: readonly MistakenCall[] = [
  track({ user_id: 'u1', event: 'Bought' }, bought),
  track({ userId: 'u1', event_name: 'Bought' }, bought),
  track({ userId: 'u1', eventName: 'Bought' }, bought),
  track({ userid: 'u1', Event: 'Bought' }, bought),
  track({ ...bought, timestamp: 1_767_225_600 }, { ...bought, timestamp: '2026-01-01T00:00:00.000Z' }),
  track({ ...bought, timestamp: 1_767_225_600_000 }, { ...bought, timestamp: '2026-01-01T00:00:00.000Z' }),
  track("{'userId': 'u1', 'event': 'Bought'}", bought),
  track('```json\n{"userId":"u1","event":"Bought"}\n```', bought),
  track('{"userId":"u1","event":"Bought",}', bought),
  identify({ user_id: 'u1', traits: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }),
  identify({ id: 'u1', traits: { plan: 'pro' } }, { userId: 'u1', traits: { plan: 'pro' } }),
  body.means('AddToGroup', send({ userId: 'u1', group_id: 'g1' }, { enable_strict_validation: '1' }), {
    request_body: JSON.stringify({ userId: 'u1', groupId: 'g1' }),
  }),
  body.means('AliasUserIdentity', send({ userId: 'u1', previous_id: 'a1' }), {
    request_body: JSON.stringify({ userId: 'u1', previousId: 'a1' }),
  }),
  body.means(
    'SendBatchRequests',
    { mode: 'execute', enable_strict_mode: 'True', request_body: JSON.stringify({ batch: [{ type: 'Track', ...bought }] }) },
    { request_body: JSON.stringify({ batch: [{ type: 'track', ...bought }] }) },
  ),

  loss.says(/userId/, 'TrackUserEvent', send({ userId: 42, event: 'Bought' })),
  loss.says(/attributes/, 'IdentifyPersonAndAssignTraits', send({ userId: 'u1', attributes: { plan: 'pro' } })),
  loss.says(/email/, 'IdentifyPersonAndAssignTraits', send({ userId: 'u1', email: 'a@b.example' })),
  loss.says(/data/, 'TrackUserEvent', send({ ...bought, data: { price: 3 } })),
  loss.says(/created_at/, 'IdentifyPersonAndAssignTraits', send({ userId: 'u1', created_at: 1_767_225_600 })),

  enumeration.means('TrackUserEvent', send(bought, { mode: 'Execute' }), { mode: 'execute' }),
  enumeration.means('TrackUserEvent', send(bought, { mode: 'run' }), { mode: 'execute' }),
  enumeration.means('TrackUserEvent', { mode: 'schema' }, { mode: 'get_request_schema' }),
  enumeration.means('TrackUserEvent', { mode: 'get-request-schema' }, { mode: 'get_request_schema' }),

  direction.mayMean(
    'TrackUserEvent',
    { mode: 'execute', request_body: JSON.stringify(bought), disable_strict_validation: 'True' },
    { disable_strict_validation: undefined },
  ),
  direction.impossible('TrackUserEvent', { mode: "don't execute", request_body: JSON.stringify(bought) }),

  argumentName.means(
    'TrackUserEvent',
    { ...strict, body: JSON.stringify(bought) },
    { body: undefined, request_body: JSON.stringify(bought) },
  ),
  argumentName.means(
    'SendPageViewEvent',
    { mode: 'execute', enable_strict_validation: '1', request_body: JSON.stringify({ userId: 'u1', name: 'Home' }) },
    { enable_strict_validation: undefined, enable_strict_mode: '1' },
  ),

  form.means('TrackUserEvent', { ...strict, request_body: bought }, { request_body: JSON.stringify(bought) }),
  form.means('TrackUserEvent', send(bought, { enable_strict_validation: true }), { enable_strict_validation: 'True' }),
  form.means('SendScreenViewEvent', send({ userId: 'u1', name: 'Home' }, { enable_strict_validation: 1 }), {
    enable_strict_validation: '1',
  }),

  toolName.means('Identify', send({ userId: 'u1', traits: { plan: 'pro' } }), {}, 'IdentifyPersonAndAssignTraits'),
  toolName.means('event_pipeline_track', send(bought), {}, 'TrackUserEvent'),
  toolName.impossible('RemoveFromGroup', send({ userId: 'u1', groupId: 'g1' })),
  toolName.impossible('DeletePerson', send({ userId: 'u1' })),

  family.means(
    'TrackUserEvent',
    send([bought, { ...bought, userId: 'u2' }]),
    {
      enable_strict_validation: undefined,
      enable_strict_mode: 'True',
      request_body: JSON.stringify({
        batch: [
          { type: 'track', ...bought },
          { type: 'track', ...bought, userId: 'u2' },
        ],
      }),
    },
    'SendBatchRequests',
  ),
]
