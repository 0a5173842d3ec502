import { synonyms, words } from '@mcp-toolkits/core/tool'
import type { ItemType } from '../calls.ts'

/** The form of a body in another tracker. Paths are as written there; a place takes the first of its paths that has a value. */
export interface Form {
  readonly tracker: string
  /** The call that has the same effect here; a view is a call of the tool's own type, unless its event names a different one. */
  readonly type: ItemType | 'view'
  /** Paths that few other bodies have. The form is certain with two of them, or with one marked by an exclamation mark. */
  readonly marks: readonly string[]
  /** Places for the values at each path: `person` is a known or an anonymous id, `unset` the names of traits to empty, `once` traits not to overwrite, `kind` the call's kind, `out` a key or setting, `frame` nothing. */
  readonly places: Readonly<Record<string, string>>
  /** The path of the object that has the fields. */
  readonly frame?: string
  /** True if another tool's callers may mean something else with these fields. */
  readonly isOwn?: true
}

type Named = readonly [tracker: string, type: Form['type']]
const form = ([tracker, type]: Named, marks: string, places: Form['places'], more: Pick<Form, 'frame' | 'isOwn'> = {}): Form => ({
  ...{ tracker, type, marks: words(marks), places: synonyms(places) },
  ...more,
})
const own = { isOwn: true } as const

const inProperties = 'token time $insert_id $set $lib $current_url $device_id'.replaceAll(/\S+/g, 'properties.$&')
const profile = 'profile.data.attributes'
const keys = 'token $token api_key apiKey app_id auth_token'

export const forms: readonly Form[] = [
  form(
    ['Klaviyo', 'track'],
    'metric! profile',
    {
      event: 'metric.data.attributes.name metric.name',
      userId: `${profile}.external_id ${profile}.email profile.external_id profile.email profile.$email`,
      anonymousId: `${profile}.anonymous_id`,
      ...{ traits: `${profile}.properties ${profile}`, timestamp: 'time', messageId: 'unique_id', frame: 'metric profile' },
    },
    { frame: 'data.attributes' },
  ),
  form(
    ['Klaviyo', 'identify'],
    'email external_id phone_number first_name last_name',
    { userId: 'external_id', anonymousId: 'anonymous_id', traits: 'properties' },
    { frame: 'data.attributes', ...own },
  ),
  form(['Klaviyo', 'track'], 'customer_properties!', {
    event: 'event',
    userId: 'customer_properties.$id customer_properties.$email customer_properties.email',
    ...{ traits: 'customer_properties', timestamp: 'time', out: keys },
  }),
  form(['Iterable', 'track'], 'eventName dataFields', {
    ...{ event: 'eventName', userId: 'userId email', properties: 'dataFields', timestamp: 'createdAt', messageId: 'id' },
  }),
  form(
    ['Iterable', 'identify'],
    'dataFields preferUserId mergeNestedObjects email',
    { userId: 'userId', traits: 'dataFields', out: 'preferUserId mergeNestedObjects' },
    own,
  ),
  form(['Mixpanel', 'identify'], '$distinct_id $token $set $unset $set_once', {
    person: '$distinct_id',
    traits: '$set',
    unset: '$unset',
    out: `${keys} $ip $time $ignore_time`,
    once: '$set_once',
  }),
  form(
    ['Mixpanel and PostHog', 'identify'],
    'distinct_id $set $unset $set_once',
    { person: 'distinct_id', traits: '$set', unset: '$unset', out: keys, once: '$set_once' },
    own,
  ),
  form(['Pendo', 'track'], 'visitorId accountId', { userId: 'visitorId', groupId: 'accountId' }, own),
  form(['Mixpanel', 'group'], '$group_id! $group_key', { groupId: '$group_id', traits: '$set', out: `${keys} $group_key` }),
  form(['Mixpanel and PostHog', 'track'], `distinct_id properties.distinct_id! properties.$group_key! api_key token uuid ${inProperties}`, {
    person: 'distinct_id properties.distinct_id',
    anonymousId: 'properties.$anon_distinct_id',
    event: 'event',
    groupId: 'properties.$group_key',
    ...{ name: 'properties.$screen_name', 'properties.url': 'properties.$current_url', 'properties.referrer': 'properties.$referrer' },
    ...{ 'properties.path': 'properties.$pathname', timestamp: 'timestamp time properties.time', messageId: 'uuid properties.$insert_id' },
    ...{ traits: 'properties.$group_set properties.$set', unset: 'properties.$unset' },
    out: `${keys} properties.token properties.$group_type properties.$lib`,
    once: 'properties.$set_once',
  }),
  form(
    ['Braze', 'track'],
    'external_id name app_id time _update_existing_only',
    { userId: 'external_id', event: 'name', timestamp: 'time', out: `${keys} _update_existing_only` },
    own,
  ),
  form(
    ['Braze', 'identify'],
    'external_id! _update_existing_only',
    { userId: 'external_id', out: `${keys} _update_existing_only` },
    { frame: 'attributes', ...own },
  ),
  form(
    ['Intercom', 'identify'],
    'external_id custom_attributes signed_up_at last_seen_at unsubscribed_from_emails',
    { userId: 'external_id user_id', traits: 'custom_attributes', 'traits.unsubscribed': 'unsubscribed_from_emails' },
    own,
  ),
  form(
    ['Intercom', 'track'],
    'event_name metadata created_at',
    { event: 'event_name', userId: 'user_id external_id email', timestamp: 'created_at', properties: 'metadata' },
    own,
  ),
  form(
    ['Intercom', 'group'],
    'company_id custom_attributes monthly_spend remote_created_at',
    { groupId: 'company_id', userId: 'user_id', traits: 'custom_attributes', 'traits.createdAt': 'remote_created_at' },
    own,
  ),
  form(
    ['Google Analytics', 'view'],
    'user_pseudo_id! client_id page_location page_title page_referrer screen_class firebase_screen_class',
    {
      ...{ userId: 'user_id', anonymousId: 'client_id user_pseudo_id app_instance_id', event: 'event event_name' },
      ...{ properties: 'event_params', name: 'screen_name firebase_screen', timestamp: 'event_timestamp timestamp_micros' },
      ...{ 'properties.url': 'page_location', 'properties.title': 'page_title', 'properties.referrer': 'page_referrer' },
    },
  ),
  form(['Firebase', 'view'], 'params name app_instance_id', {
    ...{ userId: 'user_id', anonymousId: 'app_instance_id client_id user_pseudo_id', event: 'name event' },
    ...{ name: 'params.screen_name params.firebase_screen', timestamp: 'timestamp_micros', properties: 'params' },
  }),
  form(['Google Analytics', 'view'], 'tid cid t dl dp dt', {
    ...{ userId: 'uid', anonymousId: 'cid', event: 'ea', kind: 't', name: 'cd', 'properties.url': 'dl', 'properties.path': 'dp' },
    ...{
      'properties.title': 'dt',
      'properties.category': 'ec',
      'properties.label': 'el',
      'properties.value': 'ev',
      out: 'tid',
      frame: 'v z',
    },
  }),
  form(['Matomo', 'view'], 'idsite rec action_name e_c urlref token_auth', {
    ...{
      userId: 'uid',
      anonymousId: '_id cid',
      event: 'e_a',
      name: 'action_name',
      'properties.url': 'url',
      'properties.referrer': 'urlref',
    },
    ...{ 'properties.category': 'e_c', 'properties.label': 'e_n', 'properties.value': 'e_v' },
    ...{ out: 'idsite token_auth', frame: 'rec apiv rand send_image' },
  }),
  form(['Amplitude', 'track'], 'event_type event_properties user_properties device_id insert_id session_id', {
    ...{ userId: 'user_id', anonymousId: 'device_id', event: 'event_type', properties: 'event_properties', timestamp: 'time' },
    ...{ messageId: 'insert_id', traits: 'user_properties.$set user_properties', out: keys, once: 'user_properties.$setOnce' },
  }),
  form(
    ['Amplitude', 'identify'],
    'user_id device_id user_properties',
    {
      ...{ userId: 'user_id', anonymousId: 'device_id', unset: 'user_properties.$unset', out: keys },
      once: 'user_properties.$setOnce',
      traits: 'user_properties.$set user_properties',
    },
    own,
  ),
  form(['Amplitude and PostHog', 'group'], 'group_type group_value group_key group_properties', {
    ...{
      groupId: 'group_value group_key',
      userId: 'user_id',
      person: 'distinct_id',
      traits: 'group_properties.$set group_properties',
      out: `${keys} group_type`,
    },
  }),
  form(['CloudEvents', 'track'], 'specversion! source subject datacontenttype', {
    ...{ event: 'type', userId: 'data.userId data.user_id', person: 'subject', properties: 'data', timestamp: 'time', messageId: 'id' },
    out: 'specversion source datacontenttype dataschema',
  }),
  form(['MoEngage', 'track'], 'action customer_id current_time user_timezone_offset', {
    ...{ event: 'action', userId: 'customer_id', properties: 'attributes', timestamp: 'current_time' },
    out: 'type user_timezone_offset platform app_version',
  }),
  form(['Snowplow', 'track'], 'se_ac! se_ca se_category se_action!', {
    ...{
      event: 'se_ac se_action',
      userId: 'uid user_id',
      anonymousId: 'duid domain_userid',
      timestamp: 'dtm derived_tstamp',
      messageId: 'eid',
    },
    ...{ 'properties.category': 'se_ca se_category', 'properties.label': 'se_la se_label', 'properties.property': 'se_pr se_property' },
    ...{ 'properties.value': 'se_va se_value', out: 'e event p platform aid app_id tna tv' },
  }),
  form(['Heap', 'track'], 'identity app_id event idempotency_key', {
    ...{ userId: 'identity', event: 'event', messageId: 'idempotency_key', out: keys },
  }),
  form(['Heap', 'identify'], 'identity app_id', { userId: 'identity', traits: 'properties', out: keys }, own),
]
