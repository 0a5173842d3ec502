import { documented, own, type Rules, seen } from '@mcp-toolkits/emulator'
import { assumed, filtering, graphqlGuide, graphqlNulls, nesszer, pagination, schema, sdkCli, thread } from './sources.ts'

/** Documents, pages, filters and references. */
export const graphqlRules = {
  'graphql/bad-document': assumed(
    'refusal',
    'A bad document gets 400, with the codes that GraphQL servers commonly use.',
    'clients check for GRAPHQL_VALIDATION_FAILED',
  ),
  'graphql/document-length': own('A GraphQL document of more than 4,000 tokens is refused.'),
  'graphql/methods-and-paths': assumed('refusal', 'Other methods get 405, and other paths 404.', 'as in HTTP'),
  'graphql/several-mutations': documented(
    graphqlNulls,
    'Mutations run in order. The first failure stops the rest and makes data null, but undoes nothing before it.',
  ),
  'graphql/not-found': seen(nesszer, 'If an entity is not found, the call gets 200 with data null and "Entity not found: TYPE".'),
  'graphql/not-found-extensions': seen(nesszer, '"Entity not found" errors have the code INPUT_ERROR and the type invalid input.'),
  'graphql/bad-argument': seen(
    thread('linearis-oss/linearis', 227, '2026-06-10'),
    'A bad argument gets INVALID_INPUT, with the reason in userPresentableMessage.',
  ),
  'graphql/bad-argument-status': assumed(
    'refusal',
    'A bad argument gets 200, because resolvers check it.',
    'published answers have 200 or 400',
  ),
  'graphql/unsupported-fields': own('Fields that the emulator does not support are null, empty, 0 or false.'),
  'graphql/internal-sort': own('The argument sort is internal, and refused.'),
  'graphql/refused-mutation': own('A refused mutation changes nothing and is not in the emulator’s list of mutations.'),
  'pages/size': documented(pagination, 'A page holds 50 entities by default, newest first.'),
  'pages/maximum-size': seen(sdkCli, 'A page holds at most 250 entities.'),
  'pages/order': documented(pagination, 'Pages are ordered by createdAt or updatedAt.'),
  'pages/ties': own('Entities with the same time are ordered by id.'),
  'pages/bad-size': assumed(
    'refusal',
    'A page size below 1 or above 250 is refused, and so is first together with last.',
    'such a page cannot exist',
  ),
  'pages/directions': documented(pagination, 'Pages go forwards (first, after) or backwards (last, before), and have edges and nodes.'),
  'pages/cursors': assumed(
    'refusal',
    'A cursor is valid for one type and one order; any other cursor is refused.',
    'it marks a place in one list',
  ),
  'pages/archived': documented(schema, 'Lists leave out archived entities unless includeArchived is true.'),
  'pages/archived-by-id': seen(sdkCli, 'Archived entities are found by id and through relations.'),
  'pages/deactivated-users': documented(schema, 'Lists leave out deactivated users unless includeDisabled is true.'),
  'filters/and-or': documented(filtering, 'All keys of a filter must match; "and" and "or" take lists of filters.'),
  'filters/empty': assumed('result', 'An empty "or", a null and an absent key restrict nothing.', 'they ask for nothing'),
  'filters/null-values': assumed('result', 'A field that is null never satisfies a comparison.', 'as in SQL'),
  'filters/negations': assumed('result', 'neq, nin and the not… comparators do not match null either.', 'as in SQL'),
  'filters/text': documented(
    filtering,
    'Text is compared with eq, in, contains, startsWith, endsWith, their negations and their …IgnoreCase forms.',
  ),
  'filters/case-and-accents': documented(schema, 'IgnoreCase also covers letters outside ASCII, and IgnoreCaseAndAccent ignores accents.'),
  'filters/size': own('A filter has at most 2,500 values, not counting those in lists.'),
  'filters/numbers': documented(filtering, 'Numbers are compared with eq, neq, in, nin, lt, lte, gt and gte.'),
  'filters/relations': documented(
    filtering,
    'A filter on a relation matches if the related entity exists and matches; null asks whether it exists.',
  ),
  'filters/collections': documented(filtering, 'Filters on collections take some, every (true if empty) and length; other keys mean some.'),
  'filters/dates': documented(schema, 'A date is a year, a month, a day, or a date and time.'),
  'filters/durations': documented(schema, 'A duration is added to the current time.'),
  'filters/bad-dates': assumed('refusal', 'A date in any other format is refused.', 'the scalar has only these formats'),
  'filters/time-zone': assumed('result', 'A date and time without an offset is in UTC.', 'all times in answers are UTC'),
  'filters/ids': assumed(
    'refusal',
    'An id in a filter must be a UUID; an issue can also be given by its identifier.',
    'the schema has a comparator for issue identifiers',
  ),
  'filters/is-me': documented(filtering, 'isMe matches the caller.'),
  'references/issue-identifier': documented(graphqlGuide, 'An issue is found by its identifier in upper or lower case.'),
  'references/former-identifier': assumed(
    'result',
    'An issue is found by an identifier that it had in another team.',
    'the schema has previousIdentifiers',
  ),
  'references/project-slug': documented(schema, 'A project is found by the slug in its URL, with or without the name before it.'),
  'references/initiative-slug': documented(schema, 'Queries find an initiative by the slug in its URL; mutations need a UUID.'),
  'references/team-and-cycle-id': assumed(
    'refusal',
    'Teams and cycles are found by UUID only.',
    'unknown, so we accept less; the schema mentions a slug for cycles',
  ),
  'references/dangling-ids': seen(
    thread('mattgiles/perk', 562, '2026-06-16'),
    'In every field, the id of a missing entity gets "Entity not found".',
  ),
  'ids/from-client': documented(schema, 'A create mutation accepts a version 4 UUID as the id, in upper or lower case.'),
  'ids/conflict': seen(
    thread('Intrect-io/OpenSwarm', 442, '2026-08-28'),
    'A second create with the same id gets 200 with data null and "conflict on insert of TYPE".',
  ),
} as const satisfies Rules
