import { assumed, documented, type Rules } from '@mcp-toolkits/emulator'

const webhooks = 'https://linear.app/developers/webhooks'
const uploads = 'https://linear.app/developers/how-to-upload-a-file-to-linear'
const files = 'https://linear.app/developers/file-storage-authentication'
const schema = 'https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql'

/** Behaviour beyond the operations that the servers use. */
export const extendedRules = {
  'operations/not-emulated': assumed(
    'An operation without behavior is validated, and then refused by its name, with the code NOT_EMULATED.',
    'Linear has no such error; the code is ours',
  ),
  'operations/from-schema': assumed(
    'Create, update, delete and archive of most entities store the fields of the input; ids in it must exist.',
    'the names of the fields',
  ),
  'operations/blank-texts': assumed('A required text that is blank is refused.'),
  'operations/extra-fields': assumed('Fields of an input that nothing depends on are stored and returned.', 'the names of the fields'),
  'teams/created-with': documented(schema, 'A team begins with default states; who creates it is its member and owner.'),
  'teams/members': documented(
    schema,
    'A membership needs a person who is not a member yet and a team that is neither archived nor retired; members leave, owners and admins remove.',
  ),
  'teams/last-one': assumed('teamDelete archives and retires a team; the last one stays.', 'the schema says archives'),
  'states/archive': documented(schema, 'A state is archived only when all its issues are archived.'),
  'states/names': assumed('The name of a state is unique in its team, its type is a known one, and each type keeps a last state.'),
  'cycles/overlap': assumed('Cycles of a team do not overlap, and end after they start.'),
  'cycles/archive': documented(schema, 'Archiving a cycle takes its issues out of it.'),
  'cycles/start': documented(schema, 'cycleStartUpcomingCycleToday starts only the next cycle, at midnight, and completes the one before.'),
  'cycles/shift': documented(schema, 'cycleShiftAll shifts a cycle and all later ones.'),
  'labels/unique': assumed('The name of a label is unique in its team and group, ignoring case.'),
  'labels/groups': assumed('A label becomes a group with its first member; groups are not nested.'),
  'labels/retire': documented(schema, 'A label is retired and restored; meanwhile it stays on what has it, and cannot be applied.'),
  'labels/of-projects': documented(schema, 'Labels are added to projects and initiatives, and removed.'),
  'issues/batch': documented(schema, 'issueBatchCreate creates all issues or none; a batch has 50 at most.'),
  'issues/history': assumed('The history of an issue has one entry for each mutation that changed it, newest first.'),
  'issues/trash': assumed('An update with trashed moves an entity to the trash, which archives it, or takes it out.'),
  'issues/reminder': assumed('A reminder is in the future. No notification follows.'),
  'relations/update': assumed('The type of a relation and both of its issues can be changed.'),
  'search/words': assumed('A search finds what has every word; hits in the title count most.', 'the schema says by relevance'),
  'search/pages': assumed('Pages of a search go by place, forwards and backwards.'),
  'search/semantic': assumed('semanticSearch matches words, not meaning.'),
  'reactions/target': assumed('A reaction belongs to one comment, issue or update.'),
  'reactions/own': assumed('People delete their own reactions only.'),
  'comments/resolve': documented(schema, 'The first comment of a thread is resolved by the caller, and opened again.'),
  'comments/delete': assumed('Deleting a comment deletes its replies.'),
  'attachments/services': assumed('A link to another service has an address of what its name says, such as a pull request.'),
  'uploads/put': documented(uploads, 'fileUpload gives an address and headers for a PUT of the file, with its type and size.'),
  'uploads/address': assumed(
    'Files are put to the address at which the emulator listens, and otherwise to one of api.linear.app, which only its fetch serves.',
    'the vendor has an address of its storage',
  ),
  'uploads/read': documented(files, 'Reading a file needs the same Authorization as the API.'),
  'projects/statuses': documented(schema, 'A status of projects is archived only without projects, and not as the last of its type.'),
  'projects/updates': assumed('People change their own updates only.'),
  'customers/upsert': documented(schema, 'customerUpsert finds a customer by id, externalId, slackChannelId or domains.'),
  'customers/merge': documented(schema, 'customerMerge moves needs, domains and external ids, and archives the source.'),
  'customers/needs': assumed('A need belongs to an issue or a project.'),
  'favorites/once': documented(
    schema,
    'A favorite has one target; a second one for it is the first, and deleting one that is gone succeeds.',
  ),
  'views/filter': assumed('The issues of a view are those that its filter selects, within its team.'),
  'notifications/batch': assumed(
    'Notifications about one entity are marked, snoozed and archived together.',
    'the schema says related ones',
  ),
  'users/update': assumed('The display name is unique.', 'the schema says so of the field'),
  'users/admin': documented(schema, 'Admins suspend people, restore them and change their roles.'),
  'organization/update': assumed('Admins change the workspace; modes, hours, months, days and addresses have to be valid.'),
  'webhooks/body': documented(
    webhooks,
    'A body has action, type, data, createdAt, url, updatedFrom, webhookTimestamp, webhookId and organizationId.',
  ),
  'webhooks/signature': documented(
    webhooks,
    'Linear-Signature is the HMAC-SHA256 of the body with the secret, in hex; Linear-Delivery and Linear-Event are sent, too.',
  ),
  'webhooks/of-team': documented(webhooks, 'A webhook is for one team or for all public ones.'),
  'webhooks/retries': documented(webhooks, 'A delivery that is not answered with 200 is retried after a minute, an hour and six hours.'),
  'webhooks/timeout': documented(webhooks, 'A receiver has five seconds to answer.'),
  'webhooks/disabled': assumed('A webhook is disabled when the last retry fails.', 'documented as possible'),
  'webhooks/restart': assumed('What is pending survives a restart, and goes on with the first request.', 'a service restarts, too'),
  'webhooks/loopback-only': assumed('Deliveries go to this machine unless another host is allowed.', 'the vendor refuses this machine'),
  'webhooks/admins': documented(webhooks, 'Only admins of the workspace manage webhooks.'),
  'webhooks/fields': assumed('A webhook without a known resource type, without a team or with another protocol than HTTP is refused.'),
} as const satisfies Rules
