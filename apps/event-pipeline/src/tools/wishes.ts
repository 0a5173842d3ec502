import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { changed, type ToolWish, words } from '@mcp-toolkits/core/tool'

/* Wishes for tools of Customer.io's other APIs and of other event trackers. */

const people = words(
  'userId user_id userid id customerId customer_id personId person_id contact_id contactId profile_id profileId identifier identifiers email user customer person profile contact',
)
const tokens = words('token device_token deviceToken device_id deviceId push_token pushToken registration_token id')
const platforms = words('platform type os device_type deviceType device_platform')

/** A text or number, or the only one in an object: `{"id": "u1"}`. */
function plain(value: unknown): string | undefined {
  const [only, ...others] = isObject(value) ? Object.values(value) : [value]
  return others.length === 0 && (typeof only === 'string' || typeof only === 'number') && String(only).trim() !== ''
    ? String(only)
    : undefined
}

/** Everything that a call says, without the arguments about the call itself. */
function saidIn({ request_body: body = {}, ...args }: JsonObject): JsonObject {
  const rest = changed(args, { mode: null, enable_strict_validation: null })
  const held = typeof body === 'string' ? parseJson(body) : body
  return isObject(held) ? { ...rest, ...held } : { ...rest, request_body: body }
}

/** The only value under one of these names, and the other arguments. */
function taken(args: JsonObject, names: readonly string[]): readonly [value: string | undefined, rest: JsonObject] {
  const given = Object.entries(args).filter(([name]) => names.includes(name))
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)))
  return [given.length === 1 ? plain(given[0]?.[1]) : undefined, rest]
}

const tools = words(
  'IdentifyPersonAndAssignTraits TrackUserEvent SendPageViewEvent SendScreenViewEvent AddToGroup AliasUserIdentity SendBatchRequests',
)

const executed = (body: JsonObject) => ({ mode: 'execute', request_body: JSON.stringify(body) })

/** The call about a person, if nothing but the person is given. */
const onPerson = (body: JsonObject) => (args: JsonObject) => {
  const [userId, rest] = taken(saidIn(args), people)
  return userId === undefined || Object.keys(rest).length > 0 ? undefined : executed({ userId, ...body })
}

/** The event about a person's device, if nothing but these two is given. */
const onDevice = (event: string) => (args: JsonObject) => {
  const { device, ...others } = saidIn(args)
  const [userId, rest] = taken(others, isObject(device) ? people : people.filter((name) => name !== 'id'))
  const [token, more] = taken(
    isObject(device) ? { ...rest, ...device } : { ...rest, ...(device !== undefined && { token: device }) },
    tokens,
  )
  const [type, left] = taken(more, platforms)
  if (userId === undefined || token === undefined || Object.keys(left).length > 0) return undefined
  return executed({ userId, event, context: { device: { token, ...(type !== undefined && { type }) } } })
}

/** Wishes, the most specific first. */
export const toolWishes: readonly ToolWish[] = [
  // A mode is not a tool, but may be requested together with a tool's name.
  ...tools.map((tool): ToolWish => [
    new RegExp(`^(?:get|list) (?:request |tool )?schema: .*"(?:\\w+[._])?${tool}"`),
    '',
    tool,
    () => ({ mode: 'get_request_schema' }),
  ]),
  [/^(?:get|list)\b[^:]*\bschema\b/, 'Every tool returns the schema of its call: pass mode get_request_schema.'],
  [
    /^(?:delete|forget) (?:gdpr )?user(?: data| record)?: /,
    'To delete a person, track the event "User Deleted" with the userId, by TrackUserEvent.',
    'TrackUserEvent',
    onPerson({ event: 'User Deleted' }),
  ],
  [
    /^suppress user: |^(?:block|ban|blacklist) user: /,
    'To delete a person and block adding them again, track the event "User Suppressed" with the userId, by TrackUserEvent.',
    'TrackUserEvent',
    onPerson({ event: 'User Suppressed' }),
  ],
  [
    /^(?:unsuppress|unblock) user: /,
    'To lift a suppression, track the event "User Unsuppressed" with the userId, by TrackUserEvent.',
    'TrackUserEvent',
    onPerson({ event: 'User Unsuppressed' }),
  ],
  [
    /^delete (?:user )?(?:push )?(?:device|token)|^unregister (?:user )?device/,
    'To remove a device, track the event "Device Deleted" with userId and context.device.token, by TrackUserEvent.',
    'TrackUserEvent',
    onDevice('Device Deleted'),
  ],
  [
    /^(?:add|create|update|save|register|identify)? ?(?:user )?(?:push )?(?:device|device token|push token|token)(?: user)?: /,
    'To register a device, track the event "Device Created or Updated" with userId, context.device.token and context.device.type, by TrackUserEvent.',
    'TrackUserEvent',
    onDevice('Device Created or Updated'),
  ],
  [
    /^unsubscribe\b/,
    'To unsubscribe a person from messages, set the trait unsubscribed to true, by IdentifyPersonAndAssignTraits.',
    'IdentifyPersonAndAssignTraits',
    onPerson({ traits: { unsubscribed: true } }),
  ],
  [
    /^(?:delete|leave|unassign|archive) (?:user )?(?:group|relationship|object)/,
    'To take a person out of a group, track the event "Relationship Deleted" with userId, properties.objectId and properties.objectTypeId, by TrackUserEvent. To delete the group, track "Object Deleted" with anonymousId and the same properties.',
  ],
  [/^delete (?:user )?(?:trait|traits)/, 'To empty a trait, set it to "" by IdentifyPersonAndAssignTraits.'],
  [
    /^(?:add|create|delete|update|save|get|list|assign|track)\b[^:]*\bsegment\b/,
    "No tool changes or reads segments: Customer.io computes them from people's traits and events, or a person edits them there. To set a trait that a segment looks at, use IdentifyPersonAndAssignTraits.",
  ],
  [
    /^(?:get|list|export|download|fetch|analyze|run)\b(?!.*backfill)/,
    'No tool reads anything back: this server only sends to Customer.io. A person can look it up in Customer.io.',
  ],
  [
    /^[^:]*\b(?:delivery|email|push|message)\b(?:[^:]*\b(?:opened|clicked|delivered|bounced|converted)\b|.*"metric")|^[^:]*\bmetric\b/,
    'To report what became of a message, track the event "Report Delivery Event" with properties.deliveryId and properties.metric, by TrackUserEvent.',
  ],
  [
    /^(?:send|track|create|save|schedule|broadcast|update|add)?\b[^:]*\b(?:sms|push|newsletter|broadcast|campaign|transactional|message|webhook|notification|whatsapp|workflow|journey)\b[^:]*:|^send [^:]*\bemail\b/,
    'No tool sends messages: a campaign in Customer.io can, when an event arrives. To send that event, use TrackUserEvent.',
  ],
  [
    /^(?:increment|decrement|append|union)\b/,
    'No tool adds to a trait: set the new value, by IdentifyPersonAndAssignTraits. To count something, track an event for it, by TrackUserEvent.',
  ],
  [/^(?:flush|reset|shutdown|init|logout)\b/, 'Every call is sent at once and names its person: there is nothing to flush or to reset.'],
  [
    /^(?:delete|update|archive|restore)\b[^:]*\b(?:event|visit|batch|alias|identity)\b|^(?:unalias|unmerge|split|untrack|unidentify)\b/,
    'No tool changes or takes back what was sent.',
  ],
]
