import type { Behaviour } from '@mcp-toolkits/emulator'

const documented = (source: string, rule: string, does: string): Behaviour => ({ rule, does, basis: 'documented', source })
const assumed = (source: string, rule: string, does: string): Behaviour => ({ rule, does, basis: 'assumed', source })

const protocol = 'events.md §2'
const bodies = 'events.md §1.1'
const perCall = 'events.md §1.2'

/** What the emulator does, and whether the vendor documents it. */
export const pipelinesBehaviours: readonly Behaviour[] = [
  documented('events.md §1', 'paths', 'POST /v1/identify, track, page, screen, group, alias and batch; success is 200 with {}'),
  assumed(protocol, 'other methods and paths', 'another method is 405, another path 404; the vendor says nothing'),
  documented(protocol, 'key', 'HTTP Basic with the key as user name and an empty password: base64 of "KEY:"'),
  assumed(protocol, 'key: variants', 'a missing colon, a password after it and a Bearer key count as a bad key'),
  documented(protocol, 'strict mode', 'only the value 1 of X-Strict-Mode enables it'),
  documented(protocol, 'permissive: bad body or key', 'answered 200 {}; the events are not processed (stored as dropped)'),
  documented(protocol, 'strict: bad body', 'status 400'),
  assumed(
    protocol,
    'strict: text of 400',
    '{"meta":{"errors":[…]}}: the shape is a component of the vendor’s file, tied to no operation; the texts are ours',
  ),
  documented(protocol, 'strict: bad key', 'status 401'),
  assumed(protocol, 'strict: body of 401', 'the same shape as 400'),
  documented(protocol, 'permissive: oversize', 'over 32 KB a call or item, or 500 KB a batch: 200, not processed'),
  assumed(protocol, 'size: KB', 'a KB is 1024 bytes, measured after decompression; a limit itself still passes'),
  assumed(protocol, 'strict: oversize', 'status 400; the vendor promises neither 400 nor 413'),
  assumed(protocol, 'batch: one bad item, permissive', 'the good items are kept'),
  assumed(protocol, 'batch: one bad item, strict', 'all or nothing: 400 that lists the bad items, nothing processed'),
  assumed(
    protocol,
    'dedupe',
    'a messageId that was accepted once is never processed again, whatever its body, without end and for all keys',
  ),
  assumed(protocol, 'dedupe: what counts', 'a dropped or refused event leaves its messageId free'),
  assumed(protocol, 'rate limit', 'none is enforced, as the vendor’s is “not strictly enforced”; add a fault to see 429'),
  assumed(protocol, 'batch: order', 'items are processed in their order'),
  documented(bodies, 'timestamps', 'timestamp, originalTimestamp, sentAt and createdAt are date-time strings; a number is refused'),
  assumed(bodies, 'timestamps: form', 'RFC 3339 with seconds and an offset, on a day that exists'),
  assumed(protocol, 'strict: depth', 'every type that the vendor declares is checked, in traits, properties and context too'),
  documented(bodies, 'integrations', 'an object of booleans, or null'),
  documented(bodies, 'read-only fields', 'receivedAt and version are ignored (noted)'),
  documented(bodies, 'unknown fields', 'kept and never refused'),
  assumed(
    'events.md §8',
    'number ids',
    'a number as userId, anonymousId, groupId or previousId is accepted with a note, in strict mode too',
  ),
  assumed(perCall, 'empty ids', 'an empty text counts as absent; null is refused, as the vendor declares text'),
  documented(perCall, 'required: identify', 'userId or anonymousId or traits.email'),
  documented(perCall, 'identify: anonymous', 'ignored: stored as dropped'),
  assumed(perCall, 'identify: anonymous, status', '200 in strict mode too, as the body is valid'),
  documented(perCall, 'required: track', 'event, and userId or anonymousId or groupId'),
  assumed(perCall, 'required: event name', 'an empty event counts as absent, as official clients treat it'),
  documented(perCall, 'required: page, screen', 'userId or anonymousId'),
  documented(perCall, 'required: group', 'groupId; no person'),
  documented(perCall, 'required: alias', 'previousId and userId'),
  documented(perCall, 'group: objectTypeId', 'text as declared, or a whole number as in the vendor’s samples'),
  assumed(perCall, 'traits: unsubscribed', 'any value passes: the vendor reads several spellings of true'),
  documented(perCall, 'batch: type', 'required on every item, one of the six'),
  assumed(perCall, 'batch: array', 'a missing, empty or other batch is a bad body; the vendor’s file requires nothing, its clients do'),
  documented(perCall, 'batch: context', 'applies to items without a context of their own'),
  assumed(perCall, 'batch: bad context', 'makes the items bad that would use it, and no others'),
  documented(perCall, 'batch: integrations', 'has no effect (noted)'),
  documented('events.md §1.3', 'context', 'known fields have their declared types, web and mobile fields mixed; other fields pass'),
  documented('events.md §1.5', 'semantic events', 'a track call with a reserved name makes the vendor act'),
  assumed('events.md §6.3', 'semantic events here', 'they are flagged and stored like any event; nothing is deleted'),
  assumed('events.md §6.1', 'content type', 'any is accepted, as RudderStack sends JSON under another one'),
  assumed('events.md §8', 'content encoding', 'gzip is accepted; another one is a bad body'),
]
