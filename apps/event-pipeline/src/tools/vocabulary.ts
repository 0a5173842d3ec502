import { type Reading, synonyms, type Vocabulary, words } from '@mcp-toolkits/core/tool'
import type { CallName } from '../pipelines/calls.ts'
import { toolWishes } from './wishes.ts'

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
    IdentifyPersonAndAssignTraits:
      'identify segment_identify identify_user set_once_user login identify_call identity user_identify create_user add_user update_user upsert_user save_user register_user sync_user traits set_traits assign_traits upsert_traits set_user_traits assign_user_traits upsert_user_traits',
    TrackUserEvent:
      'track segment_track event track_event track_custom_event send_event add_event create_event send_track track_call track_user_action track_user_activity track_purchase track_charge track_revenue track_order track_conversion track_activity',
    SendPageViewEvent:
      'page segment_page track_pageview pageview page_view page_event page_view_event page_call view_page track_page track_page_view send_page send_page_event send_page_view track_web_page',
    SendScreenViewEvent:
      'screen segment_screen screenview screen_view screen_event screen_view_event screen_call view_screen track_screen track_screen_view send_screen send_screen_event send_screen_view track_app_screen',
    AddToGroup:
      'group segment_group group_call add_user_to_group add_member assign_to_group assign_user_to_group assign_user_in_group assign_user_with_group alias_user_to_group join_group group_user identify_group groupidentify setgroup set_group track_group create_group update_group',
    AliasUserIdentity:
      'alias segment_alias alias_call alias_user alias_identity alias_identities alias_anonymous_user alias_anonymous_identity alias_duplicate create_alias createalias',
    SendBatchRequests:
      'batch segment_batch batch_update_user batch_create_user batch_import_user batch_track_event batch_send_event batch_request send_batch track_batch create_batch import_batch batch_call batch_event batch_track batch_identify batch_import import import_events import_users send_events send_requests send_multiple_events upload_events ingest_events users_track backfill',
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
