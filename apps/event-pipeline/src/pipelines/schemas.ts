import type { JsonObject } from './call.ts'

/** JSON Schemas of the request bodies, in our own words, of what the vendor documents. https://docs.customer.io/api/cdp/ */
type Schema = JsonObject

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const text = (description?: string): Schema => ({ type: 'string', ...(description !== undefined && { description }) })
const flag = (description?: string): Schema => ({ type: 'boolean', ...(description !== undefined && { description }) })
const dateTime = (description: string): Schema => ({ type: 'string', format: 'date-time', description })
const record = (description: string, properties: Schema = {}): Schema => ({
  type: 'object',
  description,
  properties,
  additionalProperties: true,
})
const texts = (...names: string[]): Schema => Object.fromEntries(names.map((name) => [name, text()]))
const flags = (description: string): Schema => ({ type: 'object', description, additionalProperties: flag() })

const Context = record('Circumstances of the call. Web and mobile keys may be mixed; further keys are allowed.', {
  active: flag('Send false to change traits without marking the person as seen.'),
  channel: { ...text('Where the call came from.'), enum: ['browser', 'server', 'mobile'] },
  ip: text('Address of the end user.'),
  locale: text('Language tag such as en-US.'),
  userAgent: text(),
  campaign: record('UTM values of the visit; further ones may be added as strings.', texts('name', 'source', 'medium', 'term', 'content')),
  page: record('Web page the call came from.', {
    ...texts('name', 'path', 'referrer', 'search', 'title', 'url'),
    keywords: { type: 'array', items: text() },
  }),
  app: record('Mobile app.', texts('name', 'version', 'build', 'namespace')),
  device: record('Mobile device; the two device events need its token.', {
    ...texts('id', 'token', 'advertisingId', 'manufacturer', 'model', 'name', 'version'),
    type: { ...text(), enum: ['ios', 'android'] },
  }),
  network: record('Connection.', { bluetooth: flag(), carrier: text(), cellular: flag(), wifi: flag() }),
  os: record('Operating system.', texts('name', 'version')),
  library: record('Client that made the call.', texts('name', 'version')),
})

const common: Schema = {
  userId: text('Your id (or the e-mail address) of a known person.'),
  anonymousId: text('Id of a person you do not know yet.'),
  context: ref('Context'),
  integrations: {
    type: ['object', 'null'],
    description: 'Destination name to true or false. {"All": false} turns every destination off except those set true.',
    additionalProperties: flag(),
  },
  messageId: text('Unique id of this call; added when absent. Keep the same value when you repeat a call.'),
  timestamp: dateTime('When it happened; added when absent. Set it for past events.'),
  originalTimestamp: dateTime('Client clock at the call; timestamp is normally enough.'),
  sentAt: dateTime('Client clock at the sending.'),
  receivedAt: { ...dateTime('Set by the service.'), readOnly: true },
  version: { type: 'number', description: 'Set by the service.', readOnly: true },
}

const anyOf = (...names: string[]): Schema => ({ anyOf: names.map((name) => ({ required: [name] })) })

const personTraits = record('What is known about the person; any further keys.', {
  email: text('E-mail address.'),
  createdAt: dateTime('When the person was created.'),
  unsubscribed: {
    type: ['boolean', 'string', 'integer'],
    description: 'true stops e-mail, SMS, WhatsApp and push; "true", 1 and "1" count as true.',
  },
  cio_subscription_preferences: record('Subscription centre choices.', {
    topics: flags('topic_<id> to true or false.'),
    channels: flags('email, sms, push, in_app, whatsapp, slack, line or inbox to true or false.'),
  }),
})

const groupTraits = record('About the group.', {
  objectTypeId: { type: ['string', 'integer'], description: 'Object type, a whole number from 1, as text or number; 1 when absent.' },
  relationshipAttributes: record('About the tie between this person and the group.'),
})

const call = (own: Schema, rules: Schema): Schema => ({
  type: 'object',
  properties: { ...common, ...own },
  additionalProperties: true,
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
    event: { ...text('Name of the event. Reserved names do more: "User Deleted" deletes the person.'), minLength: 1 },
    groupId: text('Attribute the event to a group instead of a person.'),
    properties: record('Details of the event.'),
  },
  { required: ['event'], ...anyOf('userId', 'anonymousId', 'groupId') },
)
const page = call(
  {
    name: text('Name of the page.'),
    category: text('Also allowed in properties.'),
    properties: record('Details of the page view.', texts('category', 'path', 'referrer', 'search', 'title', 'url')),
  },
  anyOf('userId', 'anonymousId'),
)
const screen = call(
  { name: text('Name of the screen.'), category: text('Also allowed in properties.'), properties: record('Details of the screen view.') },
  anyOf('userId', 'anonymousId'),
)
const group = call({ groupId: text('Id of the group.'), traits: groupTraits }, { required: ['groupId'] })
const alias = call({ previousId: text('Id to merge away: a userId or an anonymousId.') }, { required: ['previousId', 'userId'] })

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
    context: { ...ref('Context'), description: 'Used for the calls that have no context of their own.' },
  },
}

const batchItem: Schema = {
  description: 'The body of one call, and which call it is.',
  anyOf: ['identify', 'track', 'page', 'screen', 'group', 'alias'].map(item),
}

/** Every body by the name of its component. */
export const components = {
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
export type ComponentName = keyof typeof components
