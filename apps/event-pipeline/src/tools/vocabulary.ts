import { phrases, type Reading, synonyms, type Vocabulary, words } from '@mcp-toolkits/core/tool'

/** Callers' names for the tools, from other event trackers and everyday language. They lead to corrections, never directly to a call. */
export const toolVocabulary = {
  fillers: words('customerio cio pipeline pipelines cdp custom new io'),
  words: {
    user: words('person customer contact profile people member'),
    trait: words('attribute property'),
    track: words('record log capture emit fire publish submit push trigger ingest'),
    visit: words('view'),
    alias: words('merge combine reconcile link connect map'),
    identity: words('id ids identities'),
    group: words('company account organization organisation'),
    batch: words('bulk'),
    assign: words('put associate'),
  },
  names: {
    IdentifyPersonAndAssignTraits: phrases(
      'identify, identify user, identify call, identity, user identify, create user, add user, update user, upsert user, save user, register user, sync user, traits, set traits, assign traits, upsert traits, set user traits, assign user traits, upsert user traits',
    ),
    TrackUserEvent: phrases(
      'track, event, track event, track custom event, send event, add event, create event, send track, track call, track user action, track user activity, track purchase',
    ),
    SendPageViewEvent: phrases(
      'page, pageview, page view, page event, page view event, page call, view page, track page, track page view, send page, send page view, track web page',
    ),
    SendScreenViewEvent: phrases(
      'screen, screenview, screen view, screen event, screen view event, screen call, view screen, track screen, track screen view, send screen, send screen view, track app screen',
    ),
    AddToGroup: phrases(
      'group, group call, add user to group, add member, assign to group, assign user to group, assign user in group, assign user with group, alias user to group, join group, group user, identify group, track group, create group, update group',
    ),
    AliasUserIdentity: phrases(
      'alias, alias call, alias user, alias identity, alias identities, alias anonymous user, alias anonymous identity, alias duplicate, create alias',
    ),
    SendBatchRequests: phrases(
      'batch, batch request, send batch, track batch, create batch, import batch, batch call, batch event, batch track, batch identify, batch import, import, import events, import users, send events, send requests, send multiple events, backfill',
    ),
  },
} as const

/** Callers' words for the mode. */
export const modeVocabulary = {
  names: words('action operation tool_mode'),
  values: synonyms({
    get_request_schema: 'schema get_schema request_schema describe help openapi',
    execute: 'run exec send submit call invoke perform post publish',
  }),
  read: readDryRun,
} satisfies Vocabulary

/** Reads a request for a dry run. There is no dry-run mode; the schema comes closest without sending anything. */
function readDryRun(written: unknown): Reading | undefined {
  return typeof written === 'string' && /^\s*(?:dry|valid|check|test|preview|simulat)/i.test(written)
    ? { possible: ['get_request_schema'] }
    : undefined
}

/** Callers' names for the strictness parameters. */
export const strictnessNames = words(
  'enable_strict_mode enable_strict_validation strict strict_mode strict_validation enable_strict validate validate_strictly x_strict_mode',
)
