import { phrases, type Reading, synonyms, type Vocabulary, words } from '@mcp-toolkits/core/tool'

/** The words for people, in the place of `_`. */
const people = ['person', 'user', 'customer', 'contact', 'profile', 'people']

/**
 * Callers' names for the tools, from other trackers of events and from everyday words. They lead to corrections and are never carried out.
 */
export const toolVocabulary = {
  fillers: words('customerio cio pipeline pipelines cdp custom new io'),
  words: {
    track: words('record log capture emit fire publish'),
    batch: words('bulk'),
    group: words('company account organization organisation'),
  },
  names: {
    IdentifyPersonAndAssignTraits: [
      ...aboutPeople('identify _, create _, add _, update _, upsert _, create or update _, save _, register _, sync _, customer identify'),
      ...combine('assign set upsert update save', aboutPeople('traits, attributes, _ traits, _ attributes, _ properties')),
      ...aboutPeople('identify _ traits, identify _ and set traits, identify _ and traits, identify and assign traits, identity, traits'),
      ...phrases('identify, identify call, identify event, send identify'),
    ],
    TrackUserEvent: [
      ...combine('track send create add submit push post trigger ingest', aboutPeople('event, _ event, _ action, _ activity, event for _')),
      ...phrases(
        'event, track, track custom event, send track, send track event, track call, track action, track activity, track behavior',
      ),
      ...phrases('track purchase, track conversion, track order, customer track event'),
    ],
    SendPageViewEvent: [
      ...combine(
        'track send create add submit',
        phrases('page, page view, pageview, page event, page view event, page visit, web page view'),
      ),
      ...phrases('page, page view, pageview, page view event, page viewed, page event, page call, page visit, view page'),
      ...phrases('track visit, track web page, track website visit, track url'),
    ],
    SendScreenViewEvent: [
      ...combine('track send create add submit', phrases('screen, screen view, screenview, screen event, screen view event, app screen')),
      ...phrases('screen, screen view, screenview, screen view event, screen viewed, screen event, screen call, view screen'),
      ...phrases('track mobile screen, track mobile screen view, track app screen view'),
    ],
    AddToGroup: [
      ...combine('add assign put associate link', aboutPeople('_ to group, _ group, group member, member to group, member')),
      ...aboutPeople(
        'group _, put _ in group, put _ into group, associate _ with group, join group, assign to group, create group, update group',
      ),
      ...phrases('group, group call, group identify, identify group, assign group, track group, update group traits'),
    ],
    AliasUserIdentity: [
      ...combine(
        'alias link connect map',
        aboutPeople('_, _ identity, _ profile, _ id, _ ids, anonymous _, anonymous id, identity, identities, _ identities, id, duplicate'),
      ),
      ...combine('create add send', phrases('alias, identity alias, user alias')),
      ...combine(
        'merge combine reconcile',
        aboutPeople('_, _ identity, _ profile, _ id, _ ids, anonymous _, identity, identities, _ identities'),
      ),
      ...phrases('alias, alias call, alias ids, identity alias'),
    ],
    SendBatchRequests: [
      ...combine('batch', aboutPeople('request, event, call, import, track, track event, identify, send, upload, import _, import event')),
      ...combine(
        'send import upload post submit track create',
        phrases('batch, batch event, batch request, batch of events, multiple events'),
      ),
      ...aboutPeople('batch, send events, send many events, send requests, import, import events, import _s, import people, upload events'),
      ...phrases('backfill, backfill events'),
    ],
  },
} as const

/** Every verb with every object. */
function combine(verbs: string, objects: readonly string[]): readonly string[] {
  return words(verbs).flatMap((verb) => objects.map((object) => `${verb} ${object}`))
}

function aboutPeople(texts: string): readonly string[] {
  return phrases(texts).flatMap((text) => (text.includes('_') ? people.map((word) => text.replace('_', word)) : [text]))
}

/** Callers' words for the mode. */
export const modeVocabulary: Vocabulary = {
  names: words('action operation tool_mode'),
  values: synonyms({
    get_request_schema: 'schema get_schema request_schema describe help openapi',
    execute: 'run exec send submit call invoke perform',
  }),
  read: readDryRun,
}

/** No mode tries a call out; the schema comes closest without sending anything. */
function readDryRun(written: unknown): Reading | undefined {
  return typeof written === 'string' && /^\s*dry/i.test(written) ? { possible: ['get_request_schema'] } : undefined
}

/** Callers' names for the strictness parameters. */
export const strictnessNames = words(
  'enable_strict_mode enable_strict_validation strict strict_mode strict_validation enable_strict validate validate_strictly x_strict_mode',
)
