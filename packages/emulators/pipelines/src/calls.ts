import type { JsonObject } from '@mcp-toolkits/emulator'
import * as is from './checks.ts'
import { type Fields, type CheckResult, isPresent, valueAt } from './checks.ts'

/** The six kinds of call that a batch may contain. */
export const callTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const
export type CallType = (typeof callTypes)[number]

export const isCallType = (value: unknown): value is CallType => callTypes.some((type) => type === value)

interface CallRules {
  readonly fields: Fields
  /** Lists of fields: a call needs a non-empty field from each list. */
  readonly needs: readonly (readonly string[])[]
  /** A valid call without any of these gets the usual response, but has no effect. */
  readonly requiredForEffect?: readonly string[]
}

const location = { path: is.text, referrer: is.text, search: is.text, title: is.text, url: is.text }

const context = is.shape({
  active: is.flag,
  channel: is.oneOf('browser', 'server', 'mobile'),
  ip: is.text,
  locale: is.text,
  userAgent: is.text,
  campaign: is.mapOf(is.text),
  page: is.shape({ ...location, name: is.text, keywords: is.listOf(is.text) }),
  app: is.shape({ name: is.text, version: is.text, build: is.text, namespace: is.text }),
  device: is.shape({
    id: is.text,
    advertisingId: is.text,
    manufacturer: is.text,
    model: is.text,
    name: is.text,
    type: is.oneOf('ios', 'android'),
    version: is.text,
    token: is.text,
  }),
  network: is.shape({ bluetooth: is.flag, carrier: is.text, cellular: is.flag, wifi: is.flag }),
  os: is.shape({ name: is.text, version: is.text }),
})

const common: Fields = {
  userId: is.id,
  anonymousId: is.id,
  messageId: is.text,
  timestamp: is.dateTime,
  originalTimestamp: is.dateTime,
  sentAt: is.dateTime,
  receivedAt: is.readOnly,
  version: is.readOnly,
  context,
  integrations: is.nullable(is.mapOf(is.flag)),
}

const personTraits = is.shape({
  email: is.text,
  createdAt: is.dateTime,
  cio_subscription_preferences: is.shape({ topics: is.mapOf(is.flag), channels: is.mapOf(is.flag) }),
})

const groupTraits = is.shape({ objectTypeId: is.textOrInteger, relationshipAttributes: is.object })

const pageProperties = is.shape({ category: is.text, ...location })

const person = ['userId', 'anonymousId']

/** Each call's fields, and which of them it needs. */
const calls: Readonly<Record<CallType, CallRules>> = {
  identify: {
    fields: { ...common, traits: personTraits },
    needs: [[...person, 'traits.email']],
    requiredForEffect: ['userId', 'traits.email'],
  },
  track: { fields: { ...common, event: is.text, groupId: is.id, properties: is.object }, needs: [['event'], [...person, 'groupId']] },
  page: { fields: { ...common, name: is.text, properties: pageProperties }, needs: [person] },
  screen: { fields: { ...common, name: is.text, properties: is.object }, needs: [person] },
  group: { fields: { ...common, groupId: is.id, traits: groupTraits }, needs: [['groupId']] },
  alias: { fields: { ...common, previousId: is.id }, needs: [['previousId'], ['userId']] },
}

/** The vendor's objections to a call, and notes on the call. */
export function checkCall(type: CallType, call: JsonObject): readonly CheckResult[] {
  const { fields, needs } = calls[type]
  const missing = needs
    .filter((names) => !names.some((name) => isPresent(call, name)))
    .flatMap((names) => is.problem(`${names.join(' or ')} is required`))
  return [...missing, ...is.checkFields(fields, call), ...(type === 'track' ? semanticFindings(call) : [])]
}

/** Why a valid call has no effect; undefined if it has one. */
export function ignoredReason(type: CallType, call: JsonObject): string | undefined {
  const { requiredForEffect } = calls[type]
  if (requiredForEffect === undefined || requiredForEffect.some((name) => isPresent(call, name))) return undefined
  return `Customer.io ignores an anonymous ${type} call: it has no ${requiredForEffect.join(' and no ')}`
}

interface SemanticEvent {
  readonly effect: string
  readonly needs: readonly string[]
}

/** Reserved event names, for which the vendor does more than record an event. The emulator only flags them. */
const semanticEvents = new Map<unknown, SemanticEvent>([
  ['Device Created or Updated', { effect: 'adds or updates a device', needs: ['userId', 'context.device.token'] }],
  ['Device Deleted', { effect: 'removes a device', needs: ['userId', 'context.device.token'] }],
  ['User Deleted', { effect: 'deletes a person', needs: ['userId'] }],
  ['User Suppressed', { effect: 'deletes a person and blocks adding them again', needs: ['userId'] }],
  ['User Unsuppressed', { effect: 'lifts the block on a person', needs: ['userId'] }],
  ['Relationship Deleted', { effect: "removes a person's relationship to an object", needs: ['userId', 'properties.objectId'] }],
  ['Object Deleted', { effect: 'deletes an object', needs: ['anonymousId', 'properties.objectId'] }],
  ['Report Delivery Event', { effect: "changes a message's metrics", needs: ['properties.deliveryId', 'properties.metric'] }],
  ['Report Content Event', { effect: 'changes anonymous in-app metrics', needs: ['properties.actionType', 'properties.contentId'] }],
])

/** A `track` call's effect at the vendor, beyond recording an event. */
export const semanticEffect = (call: JsonObject): string | undefined => semanticEvents.get(valueAt(call, 'event'))?.effect

/** Notes on missing fields of a reserved event. */
function semanticFindings(call: JsonObject): readonly CheckResult[] {
  const { needs = [] } = semanticEvents.get(valueAt(call, 'event')) ?? {}
  return needs.filter((path) => !isPresent(call, path)).flatMap((path) => is.note(`this semantic event needs ${path} to have its effect`))
}
