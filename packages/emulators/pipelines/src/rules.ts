import { assumedOn, type Day, documented, own, type Rules, seen } from '@mcp-toolkits/emulator'

const page = (url: `https://${string}`, date: Day = '2026-11-28') => documented(url, date)

/** The vendor's reference. Its OpenAPI file is the source of these pages. */
const reference = page('https://docs.customer.io/integrations/api/cdp/')
const authentication = page('https://docs.customer.io/integrations/api/cdp/#section/Authentication')
const limits = page('https://docs.customer.io/integrations/api/cdp/#section/Limits')
const semanticEvents = page('https://docs.customer.io/integrations/api/cdp/customerio/')
const openapi = page('https://docs.customer.io/files/pipelines.json', '2026-09-17')
const dateTimes = page('https://www.rfc-editor.org/rfc/rfc3339#section-5.6')

const source = (by: string, path: string, date: Day) => seen(by, `https://github.com/customerio/${path}`, date)

/** The vendor's own clients, at a commit. */
const nodeClient = (path: string) =>
  source('customerio-node', `customerio-node/blob/415363a0b1a2e72634fa595e1ec701a2138d515c/${path}`, '2026-06-11')
const batchingClient = source(
  'cdp-analytics-node',
  'cdp-analytics-js/blob/acd68d07e3e01b53a4709cfcc3c69892ce8bdd33/packages/node/src/plugins/customerio/context-batch.ts#L32',
  '2026-07-20',
)

const assumed = assumedOn('2026-11-28')

/** The emulator's behaviour, by id. None of it was confirmed on a live account of ours. */
export const pipelinesRules = {
  'protocol/paths': reference('POST /v1/identify, track, page, screen, group, alias and batch; success is 200 with {}.'),
  'protocol/other-methods-and-paths': assumed.refusal('Another method gets 405, and another path 404.', 'as in HTTP'),
  'protocol/key': authentication('Calls use HTTP Basic, with the key as the user name and an empty password: base64 of "KEY:".'),
  'protocol/sources': authentication('Each key belongs to a source, and a messageId is known only to its own source.'),
  'protocol/key-variants': assumed.refusal(
    'A key without the colon, with a password, or after Bearer counts as a bad key.',
    'the reference has only one form',
  ),
  'protocol/strict-mode': openapi('Only the value 1 of X-Strict-Mode enables strict mode.'),
  'protocol/content-type': assumed.refusal('Any content type is accepted.', 'RudderStack sends JSON as a form'),
  'protocol/content-encoding': assumed.result('gzip is accepted; any other encoding makes a bad body.', 'RudderStack sends gzip'),
  'protocol/rate-limit': own('No rate limit is enforced; add a fault to get 429.'),
  'permissive/bad-body-or-key': reference(
    'In permissive mode, a bad body or key gets 200 {}; the events are not processed, but stored as dropped.',
  ),
  'permissive/too-large': limits('In permissive mode, a call or item over 32 KB, or a batch over 500 KB, gets 200 and is not processed.'),
  'permissive/bad-item': assumed.data(
    "In permissive mode, a batch's good items are processed even if others are bad.",
    'the reference says that errors are logged per item',
  ),
  'strict/bad-body': openapi('In strict mode, a bad body gets 400.'),
  'strict/bad-body-text': nodeClient('lib/utils.ts#L66-L72')('The body of a 400 is {"meta":{"errors":[…]}}, with our own texts.'),
  'strict/bad-key': openapi('In strict mode, a bad key gets 401.'),
  'strict/bad-key-text': assumed.refusal('The body of a 401 has the same form as that of a 400.', 'clients read both the same way'),
  'strict/too-large': assumed.refusal('In strict mode, a request over a limit gets 400.', 'the vendor promises neither 400 nor 413'),
  'strict/bad-item': assumed.data(
    'In strict mode, one bad item makes the whole batch fail: the 400 lists the bad items, and nothing is processed.',
    'one answer stands for the whole request',
  ),
  'strict/nested-types': assumed.refusal(
    'Every type that the vendor declares is checked, in traits, properties and context too.',
    'the OpenAPI file declares them',
  ),
  'limits/kilobyte': batchingClient('A KB is 1024 bytes, measured after decompression; a body of exactly the limit passes.'),
  'limits/option': own('The option limits sets the maximum sizes of a call and a batch.'),
  'messages/duplicate': assumed.data(
    'A messageId that was accepted once is never processed again, whatever the body, the key or the time.',
    'clients repeat a call with the same messageId',
  ),
  'messages/not-accepted': assumed.data('A dropped or refused event does not use up its messageId.', 'a corrected event can be sent'),
  'fields/timestamps': openapi('timestamp, originalTimestamp, sentAt and createdAt are date-time strings; a number is refused.'),
  'fields/timestamp-format': dateTimes('A date-time follows RFC 3339, with seconds and an offset, on a day that exists.'),
  'fields/integrations': openapi('integrations is an object of booleans, or null.'),
  'fields/read-only': openapi('receivedAt and version are ignored, with a note.'),
  'fields/unknown': openapi('Unknown fields are kept and never refused.'),
  'fields/number-ids': nodeClient('lib/pipelines/payloads.ts#L16-L17')('A number is accepted as an id, with a note, in strict mode too.'),
  'fields/empty-ids': assumed.refusal('An empty id counts as absent; null is refused.', 'the vendor declares a string'),
  'fields/context': openapi('Known fields of context must have their declared types, and may mix web and mobile; other fields pass.'),
  'identify/needs': openapi('identify needs userId, anonymousId or traits.email.'),
  'identify/anonymous': openapi('An anonymous identify call is ignored: it is stored as dropped.'),
  'identify/anonymous-status': nodeClient('test/integration/v5-live.ts#L69-L72')(
    'An anonymous identify call gets 200 in strict mode too, because its body is valid.',
  ),
  'identify/unsubscribed': openapi('Any value of traits.unsubscribed passes; several spellings of true unsubscribe the person.'),
  'track/needs': openapi('track needs event, and userId, anonymousId or groupId.'),
  'track/empty-event': nodeClient('lib/pipelines.ts#L151')('An empty event name counts as absent.'),
  'track/semantic-events': semanticEvents('A track call with a reserved name makes the vendor do more than record an event.'),
  'track/semantic-events-flagged': own('Reserved events are flagged and stored like others; nothing is deleted.'),
  'page/needs': openapi('page and screen need userId or anonymousId.'),
  'group/needs': openapi('group needs groupId, but no person.'),
  'group/object-type': openapi('traits.objectTypeId is a string, as declared, or an integer, as in the samples.'),
  'alias/needs': openapi('alias needs previousId and userId.'),
  'batch/type': openapi('Every item of a batch needs a type, which is one of the six.'),
  'batch/array': nodeClient('lib/pipelines.ts#L232')('A body whose batch is missing, empty or not an array is bad.'),
  'batch/count': assumed.result('A batch may have any number of calls within its size limit.', 'the reference limits only the bytes'),
  'batch/order': assumed.result('The items of a batch are processed in order.', 'an array has an order'),
  'batch/context': openapi('The context of a batch applies to its items without one.'),
  'batch/bad-context': assumed.refusal(
    'A bad batch context makes the items that would use it bad, and no others.',
    'items are checked one by one',
  ),
  'batch/integrations': openapi('integrations beside a batch has no effect, and gets a note.'),
} as const satisfies Rules
