import type { Behaviour } from '@mcp-toolkits/emulator'

const documented = (source: string, rule: string, does: string): Behaviour => ({
  rule,
  does,
  basis: 'documented',
  source: `linear.md ${source}`,
})
const assumed = (source: string, rule: string, does: string): Behaviour => ({ rule, does, basis: 'assumed', source: `linear.md ${source}` })

const access: readonly Behaviour[] = [
  documented('§3.6', 'key', 'a personal key stands alone in Authorization, an OAuth token after Bearer; each refused in the other form'),
  documented('§3.3', 'bad token', '401 AUTHENTICATION_ERROR without data'),
  documented('§3.3', 'missing scope', '400 FORBIDDEN, data null; a key has every scope'),
  documented(
    '§3.6',
    'narrow scopes',
    'issues:create and comments:create do instead of write for issueCreate, attachmentCreate, commentCreate',
  ),
  assumed(
    '§0',
    'initiative scopes',
    'initiative:read for every field of a query that yields initiatives, initiative:write for their mutations',
  ),
  documented('§3.2', 'rate limit', '400 RATELIMITED; a leaky bucket of requests and one of points per kind of credential, refilled evenly'),
  documented(
    '§3.2',
    'budget headers',
    'X-RateLimit-Requests and X-RateLimit-Complexity, each -Limit, -Remaining, -Reset in epoch milliseconds; X-Complexity',
  ),
  assumed('§3.2', 'rate limit: extensions', 'type ratelimited, statusCode 429 inside the 400'),
  assumed('§3.2', 'rate limit: no token', 'requests that nobody signs are not counted'),
  documented(
    '§3.1',
    'complexity',
    'a scalar 0.1, an object 1, a connection multiplies its children by first, 50 when absent; above 10,000 refused, not rounded',
  ),
  assumed('§3.1', 'complexity: pageInfo', 'multiplied like all children of a connection: the dearer reading'),
  assumed(
    '§3.1',
    'complexity: last, __typename',
    'last multiplies as first does; __typename is a scalar; all fragments of an interface count',
  ),
]

const documents: readonly Behaviour[] = [
  assumed('§3.3', 'bad document', '400 with the codes of common GraphQL servers: parse, validation, variables, operation name'),
  assumed('§3.3', 'long documents', 'more than 20,000 tokens are refused as a bad document'),
  assumed('§3.3', 'other methods and paths', '405 and 404'),
  documented(
    '§3.5',
    'several mutations',
    'one after the other; the first that fails ends the document and makes data null; what was done stays',
  ),
  documented('§3.3', 'not found', '200, data null, "Entity not found: TYPE"'),
  assumed('§3.3', 'not found: extensions', 'INPUT_ERROR, type invalid input'),
  documented('§3.3', 'bad argument', '"Argument Validation Error", INVALID_INPUT, the reason in userPresentableMessage'),
  assumed('§3.3', 'bad argument: status', '200, as resolvers judge it'),
  assumed('§6', 'fields without life', 'what this workspace has none of is null, empty, 0 or false, as its type allows'),
  assumed('§1', 'sort', 'the internal argument is refused'),
]

const reading: readonly Behaviour[] = [
  documented('§6', 'pages', '50 unless told otherwise, 250 at most; newest first by createdAt or updatedAt, the id deciding ties'),
  assumed('§6', 'pages: bad sizes', 'below 1, above 250, first with last: refused'),
  assumed('§6', 'cursors', 'hold the place, the order and the type; others are refused'),
  documented('§6', 'archived', 'hidden unless includeArchived; shown where they are asked for by id or as a relation'),
  assumed('§1', 'deactivated people', 'hidden from lists unless includeDisabled'),
  documented('§6', 'filters', 'sibling keys and; and, or; an empty or and null say nothing; null never satisfies a comparison'),
  assumed('§6', 'filters: negations', 'neq, nin and the not… comparators do not match null either'),
  documented(
    '§6',
    'filters: relations',
    'exist and match; null asks whether they exist; collections by some, every (true of none), length, direct keys as some',
  ),
  documented('§6', 'filters: dates', 'a year, month, day, date-time, or a duration added to now; others refused'),
  assumed('§6', 'filters: date-times', 'without an offset are UTC'),
  assumed('§1', 'filters: ids', 'what is no UUID is refused; issues may be compared by identifier'),
  documented('§6', 'isMe and cycle flags', 'relative to the caller and to now'),
  documented('§1', 'issue by identifier', 'in any case'),
  assumed('§1', 'issue by former identifier', 'found too; numbers of issues that moved away are not given again'),
  assumed('§1', 'team by id', 'a UUID only; a project and an initiative also by the slug of their URL; a cycle by UUID only'),
  documented('§0', 'inboxNotifications', 'unread ones on request'),
  assumed('§1', 'inboxNotifications: asleep', 'snoozed ones are left out until they wake; nothing is stacked'),
  assumed('§1', 'projects of an initiative', 'those of its sub-initiatives too, unless includeSubInitiatives is false'),
  assumed('§1', 'labels of a team', 'its own; those of the workspace are under organization'),
  assumed('§1', 'histories of cycles and projects', 'hold today alone'),
]

const issues: readonly Behaviour[] = [
  documented('§0', 'client ids', 'a UUID of version 4; a second use is "conflict on insert of TYPE"'),
  documented('§6', 'numbers', 'per team, never given twice'),
  documented('§1', 'default state', 'the default state of the team'),
  documented('§1', 'retired and archived teams', 'take no new issues'),
  documented('§1', 'state, cycle, project', 'must be of the team of the issue'),
  documented('§1', 'assignee', 'must be a person, not an app'),
  assumed('§1', 'assignee: membership', 'must be active and a member of the team'),
  documented('§3.3', 'label groups', 'two labels of one group are refused'),
  documented('§1', 'group labels', 'cannot be applied'),
  assumed('§1', 'labels of other teams', 'refused'),
  documented('§1', 'label lists', 'labelIds replaces, addedLabelIds and removedLabelIds change'),
  assumed(
    '§1',
    'estimates',
    'the first five steps of the team’s scale, seven when it is extended, 0 where allowed; none where it is not used',
  ),
  assumed('§1', 'parent', 'never the issue itself or one below it'),
  documented('§4', 'priority', '0 to 4'),
  assumed('§1', 'empty texts', 'an empty title, name or body is refused'),
  assumed(
    '§7',
    'identifiers in mutations',
    'issueUpdate, issueArchive, issueSubscribe, comments, relations and attachments take identifiers',
  ),
  assumed('§7', 'archived twice', 'succeeds and keeps the first moment'),
  documented('§1', 'subscriptions', 'of the caller unless somebody is named'),
  assumed('§1', 'subscribers', 'the creator, the assignee and those who comment subscribe by that'),
  assumed('§1', 'moving teams', 'gives a new number and the default state, and drops the cycle'),
]

const others: readonly Behaviour[] = [
  assumed('§1', 'reply to a reply', 'refused; so is a parent on another issue'),
  assumed('§1', 'comments of others', 'cannot be changed: FORBIDDEN'),
  assumed('§7', 'relation twice', 'makes a second one: look first'),
  documented('§1', 'duplicate', 'moves the source to the duplicate state of its team'),
  documented('§1', 'attachmentCreate twice', 'changes the title of the first'),
  documented('§3.3', 'attachmentLinkURL twice', '"Duplicate attachment for duplicate url"'),
  assumed('§1', 'attachmentLinkURL', 'no integration is connected: the attachment is plain'),
  documented('§1', 'short descriptions', '255 characters at most, for projects and initiatives'),
  assumed('§1', 'default status', 'the first status of type backlog for projects, Planned for initiatives'),
  assumed('§1', 'teams of a project', 'replaced as a whole; never none'),
  assumed('§1', 'lead', 'must be active'),
  assumed('§7', 'omitted health', 'that of the project, or onTrack'),
  documented('§1', 'projectArchive', 'still there, though deprecated; projectDelete is the trash'),
  documented('§1', 'project links', 'a project once in a hierarchy of initiatives'),
  assumed('§7', 'project link twice', 'refused for the same reason'),
  assumed('§1', 'initiativeArchive', 'takes a UUID only'),
  assumed('§1', 'notifications of one’s own deeds', 'none are made'),
]

/** What the emulator does, and whether the vendor documents it. */
export const linearBehaviours: readonly Behaviour[] = [...access, ...documents, ...reading, ...issues, ...others]
