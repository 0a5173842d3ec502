import { type Reading, synonyms, type Vocabulary, words } from '@mcp-toolkits/core/tool'
import type { CallName } from '../pipelines/calls.ts'
import { toolWishes } from './wishes.ts'

/** A call's kind with the words that other trackers put around it, and more names: "segment_identify", "send_identify_event". */
const called = (kind: string, more: string, ends = '_call _request') =>
  ` ${ends}`
    .split(' ')
    .flatMap((end) => ['', 'segment_', 'send_', 'track_', 'create_'].map((front) => `${front}${kind}${end}`))
    .concat(words(more))

/** Callers' names for the tools, from other event trackers and everyday language. They lead to corrections, never directly to a call. */
export const toolVocabulary = {
  fillers: words('cio pipeline pipelines cdp custom new io rudder analytics'),
  words: {
    user: words('person customer contact profile people member'),
    trait: words('attribute property properties'),
    track: words('record log capture emit fire publish submit push trigger ingest'),
    visit: words('view'),
    alias: words('merge combine reconcile link connect map'),
    identity: words('id ids identities'),
    group: words('company account organization organisation'),
    batch: words('bulk'),
    assign: words('put associate'),
  },
  names: {
    IdentifyPersonAndAssignTraits: called(
      'identify',
      'identify_user set_user_id set_user set_once_user unset_user add_user_traits add_traits login identity user_identify create_user add_user update_user upsert_user save_user register_user sync_user traits set_traits assign_traits upsert_traits set_user_traits assign_user_traits upsert_user_traits',
      '_call _request _event',
    ),
    TrackUserEvent: called(
      'track',
      'event track_event track_custom_event send_custom_event send_event send_user_event add_event create_event create_data_event track_user_action track_user_activity track_purchase track_charge track_revenue track_order track_conversion track_activity',
      '_call _request _event',
    ),
    SendPageViewEvent: called(
      'page',
      'track_pageview pageview page_view page_view_event view_page track_page_view send_page_view track_web_page',
      '_call _request _event',
    ),
    SendScreenViewEvent: called(
      'screen',
      'screenview screen_view screen_view_event view_screen track_screen_view send_screen_view track_app_screen',
      '_call _request _event',
    ),
    AddToGroup: called(
      'group',
      'add_user_to_group add_member assign_to_group assign_user_to_group assign_user_in_group assign_user_with_group alias_user_to_group join_group group_user identify_group groupidentify setgroup set_group update_group create_group create_update_group save_group',
    ),
    AliasUserIdentity: called(
      'alias',
      'alias_user alias_identity alias_identities alias_anonymous_user alias_anonymous_identity alias_duplicate createalias',
    ),
    SendBatchRequests: called(
      'batch',
      'batch_update_user batch_create_user batch_import_user batch_track_event batch_send_event import_batch batch_track batch_identify batch_import import import_events import_users send_events send_requests send_multiple_events upload_events ingest_events users_track backfill',
      '_call _request _event',
    ),
  },
  wishes: toolWishes,
} as const

/** Callers' words for a tool's mode. The name of its own call means `execute`; that of another call means a different tool. */
export const modeVocabulary = (call: CallName) =>
  ({
    names: words('action operation tool_mode'),
    values: synonyms({
      get_request_schema: 'schema get_schema request_schema describe help openapi',
      execute: `run exec send submit call invoke perform post publish ${call}`,
    }),
    read: readDryRun,
  }) satisfies Vocabulary

/** Reads a request for a dry run. There is no dry-run mode; the schema comes closest without sending anything. */
export function readDryRun(written: unknown): Reading | undefined {
  return typeof written === 'string' && /^\s*(?:dry|valid|check|test|preview|simulat)/i.test(written)
    ? { possible: ['get_request_schema'] }
    : undefined
}

/** Callers' names for the strictness parameters. */
export const strictnessNames = words(
  'enable_strict_mode enable_strict_validation strict strict_mode strict_validation enable_strict validate validate_strictly x_strict_mode',
)
