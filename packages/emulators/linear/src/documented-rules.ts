import { assumed, documented, type Rules } from '@mcp-toolkits/emulator'

/** Linear's guides for developers, and the schema that it publishes, whose comments describe types, fields and arguments. */
const graphqlGuide = 'https://linear.app/developers/graphql'
const rateLimits = 'https://linear.app/developers/rate-limiting'
const oauthGuide = 'https://linear.app/developers/oauth-2-0-authentication'
const pagination = 'https://linear.app/developers/pagination'
const filtering = 'https://linear.app/developers/filtering'
const attachmentsGuide = 'https://linear.app/developers/attachments'
const schema = 'https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql'

/** Rules about access: who may ask, for how much, and how applications get in. */
const accessRules = {
  'access/authorization-header': documented(graphqlGuide, 'A personal key stands alone in Authorization, an OAuth token after Bearer.'),
  'access/bad-token': assumed('A bad key or token gets 401 AUTHENTICATION_ERROR and no data.', 'seen in answers that others published'),
  'access/missing-scope': assumed(
    'A missing scope is 400 FORBIDDEN with data null; a key has every scope.',
    'seen in answers that others published',
  ),
  'access/narrow-scopes': documented(
    oauthGuide,
    'issues:create allows issueCreate and attachmentCreate, comments:create allows commentCreate.',
  ),
  'access/initiative-scopes': assumed(
    'Queries of initiatives need initiative:read, their mutations initiative:write.',
    'documented for apps only',
  ),
  'limits/rate-limit': documented(
    rateLimits,
    'Too many requests or points are 400 RATELIMITED; both are leaky buckets that refill evenly.',
  ),
  'limits/per-hour': documented(rateLimits, 'Keys get 2,500 requests and 3,000,000 points an hour, OAuth tokens 5,000 and 2,000,000.'),
  'limits/per-user': documented(rateLimits, 'Every user has a budget that the tokens of others do not touch.'),
  'limits/headers': documented(
    rateLimits,
    'Headers give limit, remaining and reset (epoch milliseconds) of requests and points, and X-Complexity.',
  ),
  'limits/error-extensions': assumed('The error has type ratelimited and statusCode 429 inside the 400.', 'declared by the SDK'),
  'limits/anonymous': assumed('Requests without a token are not counted.', 'the vendor counts them by address'),
  'limits/complexity': documented(rateLimits, 'A scalar costs 0.1, an object 1, and a connection multiplies its children by first.'),
  'limits/complexity-default-first': documented(rateLimits, 'A connection without first counts 50 children.'),
  'limits/complexity-maximum': documented(rateLimits, 'An operation of more than 10,000 points is refused.'),
  'limits/complexity-unrounded': assumed('The maximum applies before rounding.', 'seen in answers that others published'),
  'limits/complexity-page-info': assumed('pageInfo is multiplied like all children of a connection.', 'the more expensive reading'),
  'limits/complexity-last': assumed('last multiplies as first does, __typename is a scalar, and all fragments of an interface count.'),
  'authorize/code-and-state': documented(oauthGuide, 'A consent page redirects with code and state.'),
  'authorize/scope-list': documented(oauthGuide, 'Scopes are separated by commas.'),
  'authorize/unknown-scope': assumed('An unknown scope, and offline_access, is "Invalid scope".', 'seen in answers that others published'),
  'authorize/error-redirect': assumed('Errors are redirected as error and error_description, with the state.', 'RFC 6749'),
  'authorize/prompt': assumed('Consent is asked every time; a page can be answered once, within ten minutes.'),
  'authorize/redirect-uri': assumed('redirect_uri must be registered exactly, with any port on loopback; otherwise nothing is redirected.'),
  'authorize/loopback-port': assumed('127.0.0.1 and localhost may use any port.', 'RFC 8252'),
  'authorize/actor': assumed('actor=app is refused.', 'this workspace has no apps'),
  'authorize/pkce': documented(oauthGuide, 'PKCE uses S256; an application without a secret needs it.'),
  'authorize/own-page-only': assumed('Consent needs a loopback Host, its own Origin and a ticket that cannot be guessed.'),
  'authorize/person': assumed('The page asks which person of the workspace consents; login_hint says who is offered first.'),
  'authorize/viewer': documented(oauthGuide, 'A token acts as the person who has consented: viewer, author and inbox are theirs.'),
  'token/verifier': documented(oauthGuide, 'The verifier must fit the challenge.'),
  'token/client-secret': assumed('An application with a secret must send it, and needs no PKCE.'),
  'token/form-encoded': documented(oauthGuide, 'The body is a form; JSON is refused.'),
  'token/lifetime': documented(oauthGuide, 'An access token lasts 24 hours; expires_in is 86399.'),
  'token/expired': assumed('An expired token gets 401, as an unknown one does.', 'seen in answers that others published'),
  'token/granted-scopes': documented(oauthGuide, 'A token has the scopes that were granted, and always read.'),
  'token/scope-array': documented(oauthGuide, 'scope is an array for applications made before 1 December 2023.'),
  'token/scope-text': assumed('scope is otherwise text, separated by spaces.', 'RFC 6749'),
  'token/code-reuse': assumed('A second use of a code is refused and ends what the first use gave.', 'RFC 6749'),
  'token/code-wrong-use': assumed('A wrong use of a code uses it up.'),
  'token/code-lifetime': assumed('A code lasts ten minutes.', 'RFC 6749'),
  'token/errors': assumed('Errors are 400 with error and error_description; invalid_client is 401.', 'RFC 6749'),
  'token/client-credentials': documented(oauthGuide, 'client_credentials must be enabled; here it is not.'),
  'refresh/rotation': documented(oauthGuide, 'A refresh rotates the token; the old one works for another 30 minutes.'),
  'refresh/grace': assumed('In these 30 minutes the old token gives another pair; after them only the old token is refused.'),
  'refresh/own-client': assumed('A refresh token works only for its own application.', 'RFC 6749'),
  'revoke/form': documented(oauthGuide, 'A form with token is answered with 200, and with 401 if the token is not valid.'),
  'revoke/whole-grant': assumed('Either token revokes the whole grant.'),
}

/** Documents, pages, filters and references. */
const graphqlRules = {
  'graphql/bad-document': assumed('A bad document is 400 with the codes of common GraphQL servers.'),
  'graphql/document-length': assumed('A document of more than 4,000 tokens is refused.'),
  'graphql/methods-and-paths': assumed('Other methods are 405 and other paths 404.'),
  'graphql/several-mutations': assumed(
    'Mutations run in order; the first failure ends them, makes data null and undoes nothing before it.',
    'the GraphQL specification',
  ),
  'graphql/not-found': assumed('A miss is 200 with data null and "Entity not found: TYPE".', 'seen in answers that others published'),
  'graphql/not-found-extensions': assumed('A miss has the code INPUT_ERROR and the type invalid input.', 'published answers differ'),
  'graphql/bad-argument': assumed(
    'A bad argument is INVALID_INPUT, with the reason in userPresentableMessage.',
    'seen in answers that others published',
  ),
  'graphql/bad-argument-status': assumed(
    'A bad argument is answered with 200, because resolvers check it.',
    'published answers have 200 and 400',
  ),
  'graphql/unsupported-fields': assumed('Fields of things that this workspace lacks are null, empty, 0 or false.'),
  'graphql/internal-sort': assumed('The internal argument sort is refused.'),
  'graphql/refused-mutation': assumed('A refused mutation changes nothing and is not listed among the mutations.'),
  'pages/size': documented(pagination, 'A page holds 50 entities by default, newest first.'),
  'pages/maximum-size': assumed('A page holds at most 250 entities.', 'seen by other clients'),
  'pages/order': documented(pagination, 'Pages are ordered by createdAt or updatedAt.'),
  'pages/ties': assumed('Ids decide the order of entities with the same time.'),
  'pages/bad-size': assumed('Sizes below 1 or above 250, and first together with last, are refused.'),
  'pages/directions': documented(pagination, 'Pages go forwards (first, after) and backwards (last, before), with edges and nodes.'),
  'pages/cursors': assumed('A cursor belongs to a type and an order; any other cursor is refused.'),
  'pages/archived': documented(schema, 'Lists leave out archived entities unless includeArchived is true.'),
  'pages/archived-by-id': assumed('Archived entities are found by id and through relations.'),
  'pages/deactivated-users': assumed('Lists leave out deactivated users unless includeDisabled is true.', 'the schema has the argument'),
  'filters/and-or': documented(filtering, 'Keys of one filter are joined by and; and and or take lists.'),
  'filters/empty': assumed('An empty or, a null and an absent key do not restrict anything.'),
  'filters/null-values': assumed('A null value never satisfies a comparison.'),
  'filters/negations': assumed('neq, nin and the not… comparators do not match null either.'),
  'filters/text': documented(filtering, 'Text is compared by eq, in, contains, startsWith, endsWith, their negations and …IgnoreCase.'),
  'filters/case-and-accents': documented(schema, 'IgnoreCase covers letters beyond ASCII, and IgnoreCaseAndAccent ignores accents.'),
  'filters/size': assumed('A filter compares with at most 2,500 values outside of lists.'),
  'filters/numbers': documented(filtering, 'Numbers are compared by eq, neq, in, nin, lt, lte, gt and gte.'),
  'filters/relations': documented(filtering, 'A filter of a relation needs it to exist and match; null asks whether it exists.'),
  'filters/collections': documented(filtering, 'Collections take some, every (true of none) and length; direct keys mean some.'),
  'filters/dates': documented(schema, 'Dates are a year, a month, a day or a date and time.'),
  'filters/durations': documented(schema, 'Durations are added to the current time.'),
  'filters/bad-dates': assumed('Dates in another format are refused.'),
  'filters/time-zone': assumed('A date and time without an offset is UTC.'),
  'filters/ids': assumed('Ids must be UUIDs; issues may also be compared by identifier.'),
  'filters/is-me': documented(filtering, 'isMe compares with the caller.'),
  'references/issue-identifier': documented(graphqlGuide, 'An issue is found by its identifier in upper or lower case.'),
  'references/former-identifier': assumed(
    'An issue is found by an identifier that it had in another team.',
    'the schema has previousIdentifiers',
  ),
  'references/project-slug': documented(schema, 'A project is found by the slug of its URL, with or without the name before it.'),
  'references/initiative-slug': assumed(
    'Queries find an initiative by the slug of its URL; mutations need a UUID.',
    'the schema says so of the query',
  ),
  'references/team-and-cycle-id': assumed('Teams and cycles are found by UUID only.'),
  'references/dangling-ids': assumed('Ids of missing entities are not found, in every field.'),
  'ids/from-client': documented(schema, 'A create takes a UUID of version 4 in upper or lower case.'),
  'ids/conflict': assumed(
    'A second create with an id is "conflict on insert of TYPE", 200 with data null.',
    'seen in answers that others published',
  ),
}

/** Issues and their parts. */
const issuesRules = {
  'issues/numbers': documented(schema, 'Numbers count per team.'),
  'issues/numbers-not-reused': assumed('The number of an issue that moved to another team is not reused.'),
  'issues/default-state': documented(schema, 'A new issue starts in the default state of its team.'),
  'issues/triage': documented(schema, 'With triage, an issue of someone outside the team starts in the triage state.'),
  'issues/retired-team': documented(schema, 'Retired teams accept no new issues.'),
  'issues/archived-team': assumed('Archived teams accept no new issues, and issues move to neither kind.'),
  'issues/same-team': assumed('State, cycle and project must belong to the team of the issue.', 'the schema calls them the team’s'),
  'issues/assignee-is-person': assumed('The assignee must be a person, not an app.', 'apps become delegates'),
  'issues/assignee-is-member': assumed('The assignee must be active and a member of the team.'),
  'issues/one-label-per-group': assumed('Two labels of one group are refused.', 'seen in answers that others published'),
  'issues/no-group-labels': assumed('A label that is a group cannot be applied.', 'documented for initiatives'),
  'issues/labels-of-team': assumed('Labels of other teams are refused.'),
  'issues/label-lists': documented(schema, 'labelIds replaces all labels, addedLabelIds adds and removedLabelIds removes.'),
  'issues/estimate-scale': assumed(
    'Estimates are the first five values of the team’s scale, seven when extended, 0 where allowed.',
    'the app offers these',
  ),
  'issues/parent-reference': documented(schema, 'parentId is a UUID or an identifier.'),
  'issues/no-parent-cycle': assumed('The parent is neither the issue itself nor one of its sub-issues.'),
  'issues/priority': documented(schema, 'The priority is 0 to 4.'),
  'issues/due-date': documented(schema, 'The due date is an ISO 8601 date that exists.'),
  'issues/empty-text': assumed('An empty title, name or body is refused.'),
  'issues/partial-update': assumed('An update changes only the given fields, null clears one, and updatedAt changes.'),
  'issues/state-times': documented(schema, 'startedAt, completedAt and canceledAt follow the type of the state.'),
  'issues/identifier-in-mutations': documented(schema, 'issueUpdate, parentId, commentCreate and attachmentLinkURL take identifiers.'),
  'issues/identifier-elsewhere': assumed('issueArchive, issueSubscribe, issueRelationCreate and attachmentCreate take identifiers too.'),
  'issues/archive-twice': assumed('Archiving twice succeeds and keeps the first time.'),
  'issues/trash': assumed('issueDelete moves an issue to the trash, from which issueUnarchive restores it.', 'the schema says trashes'),
  'issues/milestone-of-project': assumed('The milestone must belong to the project of the issue.'),
  'issues/move-team': assumed('A move to another team gives a new number and the default state, and drops cycle and foreign project.'),
  'labels/of-team': assumed('A team lists its own labels; those of the workspace are under organization.'),
  'subscribers/default-user': assumed('issueSubscribe subscribes the caller unless it names a user.', 'its argument is optional'),
  'subscribers/comment-author': documented(schema, 'A comment subscribes its author unless doNotSubscribeToIssue is true.'),
  'subscribers/creator-and-assignee': assumed('The creator and the assignee are subscribed.'),
  'relations/direction': documented(schema, 'The source blocks or duplicates the related issue, which lists it under inverseRelations.'),
  'relations/duplicate-state': assumed(
    'A duplicate moves to the duplicate state of its team.',
    'the schema calls the state system-managed',
  ),
  'relations/created-twice': assumed('A repeated relation creates a second one.'),
  'relations/self': assumed('A relation of an issue with itself is refused.'),
  'comments/reply-depth': assumed('A reply to a reply, or to a comment on another issue, is refused.'),
  'comments/author-only': assumed('Comments of others cannot be changed: FORBIDDEN.'),
  'attachments/same-url': documented(attachmentsGuide, 'attachmentCreate with a known issue and URL updates the attachment.'),
  'attachments/link-twice': assumed(
    'attachmentLinkURL with a known URL is "Duplicate attachment for duplicate url".',
    'seen in answers that others published',
  ),
  'attachments/basic-link': documented(schema, 'attachmentLinkURL creates a basic attachment, because no integration is connected.'),
  'attachments/url': assumed('The URL must be http or https.'),
  'attachments/id-conflict': assumed('The id of another URL is a conflict; a new id for a known URL is ignored.'),
  'notifications/unread': assumed('inboxNotifications returns only unread ones on request.', 'declared by the SDK'),
  'notifications/snoozed': assumed('inboxNotifications leaves out snoozed ones until their time; nothing is stacked.'),
  'notifications/own-actions': assumed('Your own actions create no notifications.'),
}

/** Projects, initiatives and cycles. */
const plansRules = {
  'projects/progress': assumed(
    'Progress is the share of the points that are done; the status of a milestone follows from it and its date.',
  ),
  'projects/histories': assumed('Histories of cycles and projects contain only today.'),
  'projects/description-length': assumed('The description of a project has at most 255 characters.', 'seen in an open source client'),
  'projects/default-status': assumed('A project starts with the first status of type backlog.'),
  'projects/teams-replaced': assumed('teamIds replaces all teams of a project.', 'the schema has no addedTeamIds'),
  'projects/teams-required': assumed('A project without a team is refused.'),
  'projects/lead-is-active': assumed('The lead must be an active user.'),
  'projects/update-health': assumed('An update without health takes the health of the project, or onTrack.'),
  'projects/archive-and-trash': documented(schema, 'projectArchive still works although it is deprecated; projectDelete is the trash.'),
  'initiatives/projects-of-subinitiatives': assumed(
    'An initiative lists the projects of its sub-initiatives unless includeSubInitiatives is false.',
  ),
  'initiatives/description-length': assumed('The description of an initiative has at most 255 characters.', 'as for projects'),
  'initiatives/status': documented(schema, 'The status is Proposed, Planned, Active, Completed or Canceled.'),
  'initiatives/project-once': documented(schema, 'A project appears only once in a hierarchy of initiatives.'),
  'initiatives/project-link-twice': assumed('Linking a project again is refused for the same reason.'),
  'cycles/flags': documented(schema, 'isActive, isPast, isFuture, isNext and isPrevious follow from the current time.'),
}

/** Behaviour of the emulator, with the reason to believe that Linear does the same. */
export const linearRules = { ...accessRules, ...graphqlRules, ...issuesRules, ...plansRules } satisfies Rules
