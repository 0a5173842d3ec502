import { assumed, documented, type Rules } from '@mcp-toolkits/emulator'

/** The vendor's reference. Its OpenAPI file is the source of these pages. */
const reference = 'https://docs.customer.io/api/cdp/'
const authentication = 'https://docs.customer.io/api/cdp/#section/Authentication'
const limits = 'https://docs.customer.io/api/cdp/#section/Limits'
const semanticEvents = 'https://docs.customer.io/api/cdp/#section/Semantic-events'
const openapi = 'https://docs.customer.io/files/pipelines.json'

/** Behaviour of the emulator, by id. None of it was confirmed on a live account. */
export const pipelinesRules = {
  'protocol/paths': documented(reference, 'POST /v1/identify, track, page, screen, group, alias and batch; success is 200 with {}.'),
  'protocol/other-methods-and-paths': assumed('Another method is 405, another path 404.'),
  'protocol/key': documented(authentication, 'HTTP Basic with the key as user name and an empty password: base64 of "KEY:".'),
  'protocol/sources': documented(authentication, 'Each key belongs to a source; a messageId is known to its own source only.'),
  'protocol/key-variants': assumed('A missing colon, a password after it and a Bearer key count as a bad key.'),
  'protocol/strict-mode': documented(openapi, 'Only the value 1 of X-Strict-Mode enables strict mode.'),
  'protocol/content-type': assumed('Any content type is accepted.', 'RudderStack sends JSON as a form'),
  'protocol/content-encoding': assumed('gzip is accepted; another encoding is a bad body.'),
  'protocol/rate-limit': assumed(
    'No rate limit is enforced; add a fault to see 429.',
    'the vendor calls its limit "not strictly enforced"',
  ),
  'permissive/bad-body-or-key': documented(
    reference,
    'A bad body or key is answered 200 {}; the events are not processed (stored as dropped).',
  ),
  'permissive/too-large': documented(limits, 'Over 32 KB a call or item, or 500 KB a batch: 200, not processed.'),
  'permissive/bad-item': assumed('The good items of a batch are processed.'),
  'strict/bad-body': documented(openapi, 'A bad body is 400.'),
  'strict/bad-body-text': assumed(
    'The body of 400 is {"meta":{"errors":[…]}}, with texts of ours.',
    'a component of the OpenAPI file that no operation uses',
  ),
  'strict/bad-key': documented(openapi, 'A bad key is 401.'),
  'strict/bad-key-text': assumed('The body of 401 has the same form as that of 400.'),
  'strict/too-large': assumed('A request over a limit is 400; the vendor promises neither 400 nor 413.'),
  'strict/bad-item': assumed('One bad item refuses the whole batch: 400 that lists the bad items, and nothing is processed.'),
  'strict/nested-types': assumed('Every type that the vendor declares is checked, in traits, properties and context too.'),
  'limits/kilobyte': assumed(
    'A KB is 1024 bytes, measured after decompression; a body of exactly the limit passes.',
    'official clients count so',
  ),
  'limits/option': assumed(
    'limits sets how long a call and a batch may be.',
    'API Evangelist reports 64 KB and 1 MB, which contradicts the vendor',
  ),
  'messages/duplicate': assumed('A messageId that was accepted once is never processed again, whatever the body, the key and the time.'),
  'messages/not-accepted': assumed('A dropped or refused event does not use up its messageId.'),
  'fields/timestamps': documented(
    openapi,
    'timestamp, originalTimestamp, sentAt and createdAt are date-time strings; a number is refused.',
  ),
  'fields/timestamp-format': assumed('A date-time is RFC 3339 with seconds and an offset, on a day that exists.'),
  'fields/integrations': documented(openapi, 'integrations is an object of booleans, or null.'),
  'fields/read-only': documented(openapi, 'receivedAt and version are ignored (noted).'),
  'fields/unknown': documented(openapi, 'Unknown fields are kept and never refused.'),
  'fields/number-ids': assumed('A number as an id is accepted with a note, in strict mode too.', 'official clients send numbers'),
  'fields/empty-ids': assumed('An empty id counts as absent; null is refused.', 'the vendor declares a string'),
  'fields/context': documented(
    openapi,
    'Known fields of context have their declared types, web and mobile fields mixed; other fields pass.',
  ),
  'identify/needs': documented(openapi, 'identify needs userId, anonymousId or traits.email.'),
  'identify/anonymous': documented(openapi, 'An anonymous identify is ignored: stored as dropped.'),
  'identify/anonymous-status': assumed('An anonymous identify is 200 in strict mode too, as its body is valid.'),
  'identify/unsubscribed': assumed('Any value of traits.unsubscribed passes.', 'the vendor accepts several spellings of true'),
  'track/needs': documented(openapi, 'track needs event, and userId, anonymousId or groupId.'),
  'track/empty-event': assumed('An empty event name counts as absent.', 'official clients treat it so'),
  'track/semantic-events': documented(semanticEvents, 'A track call with a reserved name makes the vendor do more than record an event.'),
  'track/semantic-events-flagged': assumed('Reserved events are flagged and stored like others; nothing is deleted.'),
  'page/needs': documented(openapi, 'page and screen need userId or anonymousId.'),
  'group/needs': documented(openapi, 'group needs groupId, and no person.'),
  'group/object-type': documented(openapi, 'traits.objectTypeId is a string as declared, or an integer as in the samples.'),
  'alias/needs': documented(openapi, 'alias needs previousId and userId.'),
  'batch/type': documented(openapi, 'Every item of a batch needs a type, one of the six.'),
  'batch/array': assumed('A missing, empty or other batch is a bad body.', 'official clients require it'),
  'batch/order': assumed('The items of a batch are processed in order.'),
  'batch/context': documented(openapi, 'The context of a batch applies to items without one.'),
  'batch/bad-context': assumed('A bad context of a batch makes those items bad that would use it, and no others.'),
  'batch/integrations': documented(openapi, 'integrations beside a batch has no effect (noted).'),
} as const satisfies Rules
