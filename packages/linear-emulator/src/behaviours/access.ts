import type { Behaviour } from '@mcp-toolkits/emulator'
import { assumed, documented } from './rule.ts'

/** Who may ask, for how much, and in what form. */
export const access: readonly Behaviour[] = [
  documented(
    '§3.6:182',
    'key',
    'a personal key stands alone in Authorization, an OAuth token after Bearer; each refused in the other form',
    'who asks › is known by a key without Bearer or a token with it',
  ),
  documented(
    '§3.3:154',
    'bad token',
    '401 AUTHENTICATION_ERROR without data',
    'who asks › is known by a key without Bearer or a token with it',
  ),
  documented('§3.3:157', 'missing scope', '400 FORBIDDEN, data null; a key has every scope', 'who asks › needs the scopes'),
  documented(
    '§3.6:183,184',
    'narrow scopes',
    'issues:create and comments:create do instead of write for issueCreate, attachmentCreate, commentCreate',
    'who asks › does with narrow scopes what they name, and nothing else',
  ),
  assumed(
    '§0:17',
    'initiative scopes',
    'initiative:read for every field of a query that yields initiatives, initiative:write for their mutations',
    'who asks › needs scopes of their own for initiatives, wherever they stand',
  ),
  documented(
    '§3.2:142',
    'rate limit',
    '400 RATELIMITED; a leaky bucket of requests and one of points, refilled evenly',
    'how much › has an end: 400, RATELIMITED',
  ),
  documented(
    '§3.2:145,146',
    'rate limit: per hour',
    '2,500 requests and 3,000,000 points for keys; 5,000 and 2,000,000 for OAuth tokens',
    'how much › is counted per kind of credential, by the limits of the vendor',
  ),
  documented(
    '§3.2:149',
    'budget headers',
    'X-RateLimit-Requests and X-RateLimit-Complexity, each -Limit, -Remaining, -Reset in epoch milliseconds; X-Complexity',
    'how much › is told with every answer',
  ),
  assumed(
    '§3.3:155',
    'rate limit: extensions',
    'type ratelimited, statusCode 429 inside the 400',
    'how much › has an end: 400, RATELIMITED',
  ),
  assumed('§3.2:147', 'rate limit: no token', 'requests that nobody signs are not counted', 'how much › does not count what nobody signs'),
  documented(
    '§3.1:140',
    'complexity',
    'a scalar 0.1, an object 1, a connection multiplies its children by first',
    'the documents of linear.md §8 › %s finds what it asks for, at the cost in the table',
  ),
  documented('§3.1:140', 'complexity: first', '50 when absent', 'how much › is told with every answer'),
  documented('§3.1:140', 'complexity: limit', 'above 10,000 refused, not rounded', 'how much › may one operation cost: 10,000'),
  assumed(
    '§3.1:140',
    'complexity: pageInfo',
    'multiplied like all children of a connection: the dearer reading',
    'what an operation costs › grows with last as with first, with each __typename, and with all fragments of an interface',
  ),
  assumed(
    '§3.1:140',
    'complexity: last, __typename',
    'last multiplies as first does; __typename is a scalar; all fragments of an interface count',
    'what an operation costs › grows with last as with first, with each __typename, and with all fragments of an interface',
  ),
  assumed(
    '§3.3:160',
    'bad document',
    '400 with the codes of common GraphQL servers: parse, validation, variables, operation name',
    'what GraphQL itself refuses › %s %j',
  ),
  assumed(
    '§3.1:140',
    'long documents',
    'more than 20,000 tokens are refused as a bad document',
    'what GraphQL itself refuses › includes documents that are too long',
  ),
  assumed('§6:271', 'other methods and paths', '405 and 404', 'what GraphQL itself refuses › needs a POST of JSON'),
  assumed(
    '§3.5:171',
    'several mutations',
    'one after the other; the first that fails ends the document and makes data null; what was done stays',
    'two mutations in one document › end with the first that fails; what was done stays done',
  ),
  documented('§3.3:158', 'not found', '200, data null, "Entity not found: TYPE"', 'a miss › of %s takes all data with it'),
  assumed('§3.3:158', 'not found: extensions', 'INPUT_ERROR, type invalid input', 'a miss › of %s takes all data with it'),
  documented(
    '§3.3:160',
    'bad argument',
    '"Argument Validation Error", INVALID_INPUT, the reason in userPresentableMessage',
    'issueCreate › refuses %j and writes nothing',
  ),
  assumed('§3.3:160', 'bad argument: status', '200, as resolvers judge it', 'issueCreate › refuses %j and writes nothing'),
  assumed(
    '§6:268',
    'fields without life',
    'what this workspace has none of is null, empty, 0 or false, as its type allows',
    'reading › answers with nothing what this workspace has none of',
  ),
  assumed('§1:37', 'sort', 'the internal argument is refused', 'reading › refuses the internal argument sort, and takes null for it'),
]
