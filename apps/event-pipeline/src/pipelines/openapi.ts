import type { JsonObject } from '@mcp-toolkits/core/base'
import type { CallName, ItemType } from './calls.ts'

/** JSON Schema for a request body, in our own words, from the vendor's documentation. https://docs.customer.io/api/cdp/ */
type Schema = JsonObject

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const string = (description?: string): Schema => ({ type: 'string', ...(description !== undefined && { description }) })
const flag = (description?: string): Schema => ({ type: 'boolean', ...(description !== undefined && { description }) })
const dateTime = (description: string): Schema => ({ type: 'string', format: 'date-time', description })
const record = (description: string, properties: Schema = {}): Schema => ({
  type: 'object',
  description,
  properties,
  additionalProperties: true,
})
const strings = (...names: string[]): Schema => Object.fromEntries(names.map((name) => [name, string()]))
const flags = (description: string): Schema => ({ type: 'object', description, additionalProperties: flag() })

const Context = record('Where and how the call was made. Web and mobile keys may be mixed, and other keys are allowed.', {
  active: flag('Send false to change traits without marking the person as seen.'),
  channel: { ...string('Where the call came from.'), enum: ['browser', 'server', 'mobile'] },
  ip: string('Address of the end user.'),
  locale: string('Language tag such as en-US.'),
  userAgent: string(),
  campaign: record('UTM values of the visit. Others may be added as strings.', strings('name', 'source', 'medium', 'term', 'content')),
  page: record('Web page the call came from.', {
    ...strings('name', 'path', 'referrer', 'search', 'title', 'url'),
    keywords: { type: 'array', items: string() },
  }),
  app: record('Mobile app.', strings('name', 'version', 'build', 'namespace')),
  device: record('Mobile device. The reserved events about devices need its token.', {
    ...strings('id', 'token', 'advertisingId', 'manufacturer', 'model', 'name', 'version'),
    type: { ...string(), enum: ['ios', 'android'] },
  }),
  network: record('Connection.', { bluetooth: flag(), carrier: string(), cellular: flag(), wifi: flag() }),
  os: record('Operating system.', strings('name', 'version')),
  library: record('Library that made the call.', strings('name', 'version')),
})

const Integrations: Schema = {
  type: ['object', 'null'],
  description: 'Destination names, each with true or false. {"All": false} turns off every destination except those set to true.',
  properties: { All: flag() },
  additionalProperties: flag(),
}

/** Every call's fields, which appear once in a batch's schema. */
const Common: Schema = record('Fields of every call.', {
  userId: string('Your id (or the email address) of a known person.'),
  anonymousId: string('Id of a person you do not know yet.'),
  context: ref('Context'),
  integrations: Integrations,
  messageId: string('Unique id of this call; added when absent. Keep the same value when you repeat a call.'),
  timestamp: dateTime('When it happened; added when absent. Set it for past events.'),
  originalTimestamp: dateTime('Time of the call by the clock of the client; timestamp is normally enough.'),
  sentAt: dateTime('Time of sending by the clock of the client.'),
  receivedAt: { ...dateTime('Set by Customer.io.'), readOnly: true },
  version: { type: 'number', description: 'Set by Customer.io.', readOnly: true },
})

const anyOf = (...names: string[]): Schema => ({ anyOf: names.map((name) => ({ required: [name] })) })

const subscriptions = record('Choices in the subscription center.', {
  topics: flags('topic_<id> to true or false.'),
  channels: flags('email, sms, push, in_app, whatsapp, slack, line or inbox to true or false.'),
})

const personTraits = record('What is known about the person. Any other key is allowed.', {
  email: string('Email address.'),
  createdAt: dateTime('When the person was created.'),
  unsubscribed: {
    type: ['boolean', 'string', 'integer'],
    description: 'true stops email, SMS, WhatsApp and push; "true", 1 and "1" count as true.',
  },
  cio_subscription_preferences: subscriptions,
})

const pageProperties = record('Details of the page view.', strings('category', 'path', 'referrer', 'search', 'title', 'url'))

const groupTraits = record('About the group.', {
  objectTypeId: { type: ['string', 'integer'], description: 'Object type, an integer from 1, as a string or a number; 1 when absent.' },
  relationshipAttributes: record('About the relationship of this person to the group.'),
})

const call = (properties: Schema, rules: Schema): Schema => ({
  type: 'object',
  allOf: [ref('Common')],
  properties,
  ...rules,
})

const identify = call(
  { traits: personTraits },
  {
    anyOf: [
      { required: ['userId'] },
      { required: ['anonymousId'] },
      { required: ['traits'], properties: { traits: { required: ['email'] } } },
    ],
  },
)
const track = call(
  {
    event: { ...string('Name of the event. Reserved names have side effects: "User Deleted" deletes the person.'), minLength: 1 },
    groupId: string('Attributes the event to a group instead of a person.'),
    properties: record('Details of the event.'),
  },
  { required: ['event'], ...anyOf('userId', 'anonymousId', 'groupId') },
)
const page = call(
  {
    name: string('Name of the page.'),
    category: string('Also allowed in properties.'),
    properties: pageProperties,
  },
  anyOf('userId', 'anonymousId'),
)
const screen = call(
  {
    name: string('Name of the screen.'),
    category: string('Also allowed in properties.'),
    properties: record('Details of the screen view.'),
  },
  anyOf('userId', 'anonymousId'),
)
const group = call({ groupId: string('Id of the group.'), traits: groupTraits }, { required: ['groupId'] })
const alias = call(
  { previousId: string('Id of the profile that is merged into userId: a userId or an anonymousId.') },
  { required: ['previousId', 'userId'] },
)

const item = (type: string): Schema => ({
  allOf: [ref(type.charAt(0).toUpperCase() + type.slice(1)), { type: 'object', required: ['type'], properties: { type: { const: type } } }],
})

const batch: Schema = {
  type: 'object',
  required: ['batch'],
  additionalProperties: true,
  properties: {
    batch: {
      type: 'array',
      minItems: 1,
      items: ref('BatchItem'),
      description: 'Calls, in order; each needs a type. One call may have 32 KB; a batch over 500 KB is sent in several requests.',
    },
    context: { ...ref('Context'), description: 'The default for calls without a context.' },
  },
}

const batchItem: Schema = {
  description: 'The body of one call, and which call it is.',
  anyOf: ['identify', 'track', 'page', 'screen', 'group', 'alias'].map(item),
}

/** Schemas for all bodies, by component name. */
const components = {
  Common,
  Context,
  Identify: identify,
  Track: track,
  Page: page,
  Screen: screen,
  Group: group,
  Alias: alias,
  BatchItem: batchItem,
  Batch: batch,
} as const satisfies Record<string, Schema>
type ComponentName = keyof typeof components

const bodies: Readonly<Record<CallName, { readonly component: ComponentName; readonly summary: string }>> = {
  identify: { component: 'Identify', summary: 'Identify a person and assign traits' },
  track: { component: 'Track', summary: 'Record an event' },
  page: { component: 'Page', summary: 'Record a page view' },
  screen: { component: 'Screen', summary: 'Record a screen view' },
  group: { component: 'Group', summary: 'Add a person to a group' },
  alias: { component: 'Alias', summary: 'Merge two identities' },
  batch: { component: 'Batch', summary: 'Send several calls' },
}

const common = { context: Context, integrations: Integrations }

/** Each call's fields whose members have declared types, with their schemas. Traits with special rules are excluded. */
export const declaredFields: Readonly<Record<ItemType, Readonly<Record<string, Schema>>>> = {
  identify: { ...common, traits: record('', { cio_subscription_preferences: subscriptions }) },
  track: { ...common },
  page: { ...common, properties: pageProperties },
  screen: { ...common },
  group: { ...common },
  alias: { ...common },
}

/** An OpenAPI 3.1 document for one request body, with the components that it refers to. https://spec.openapis.org/oas/v3.1.1 */
export function openapiOf(name: CallName): JsonObject {
  const { component, summary } = bodies[name]
  return {
    openapi: '3.1.0',
    info: { title: `Customer.io Pipelines API: ${summary}`, version: '1' },
    paths: {
      [`/${name}`]: {
        post: {
          summary,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` } } },
          },
          responses: {
            '200': { description: 'Accepted. Without strict mode it may still be dropped.' },
            '400': { description: 'Strict mode: the body is not valid.' },
            '401': { description: 'Strict mode: the API key is not valid.' },
          },
        },
      },
    },
    components: { schemas: Object.fromEntries([...reachable(component)].map((each) => [each, components[each]])) },
  }
}

function reachable(start: ComponentName, seen = new Set<ComponentName>()): Set<ComponentName> {
  if (seen.has(start)) return seen
  seen.add(start)
  const schema = JSON.stringify(components[start])
  for (const name of Object.keys(components)) {
    if (isComponent(name) && schema.includes(`"#/components/schemas/${name}"`)) reachable(name, seen)
  }
  return seen
}

function isComponent(name: string): name is ComponentName {
  return Object.hasOwn(components, name)
}
