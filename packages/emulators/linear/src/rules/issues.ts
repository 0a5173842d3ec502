import { documented, type Rules, seen } from '@mcp-toolkits/emulator'
import { assumed, attachmentsGuide, schema, schpetChangelog, sdk98, sdkCli, thread } from './sources.ts'

/** Issues and their parts. */
export const issuesRules = {
  'issues/numbers': documented(schema, 'Numbers count per team.'),
  'issues/numbers-not-reused': assumed(
    'result',
    'The number of an issue that moved to another team is not reused.',
    'its old address still leads to it',
  ),
  'issues/default-state': documented(schema, 'A new issue starts in the default state of its team.'),
  'issues/triage': documented(schema, 'With triage, an issue of someone outside the team starts in the triage state.'),
  'issues/retired-team': documented(schema, 'Retired teams accept no new issues.'),
  'issues/archived-team': assumed(
    'refusal',
    'Archived teams accept no new issues, and issues move to neither kind.',
    'as retired teams do',
  ),
  'issues/same-team': seen(sdkCli, 'State, cycle and project must belong to the team of the issue.'),
  'issues/app-as-assignee': seen(
    thread('coalesce-labs/catalyst', 2059, '2026-06-15'),
    'An app as the assignee becomes the delegate, and the assignee stays.',
  ),
  'issues/delegate-is-app': assumed('refusal', 'A person cannot be the delegate.', 'the schema calls it an agent'),
  'issues/assignee-is-member': assumed(
    'refusal',
    'The assignee and the delegate must be active and members of the team.',
    'the app offers these',
  ),
  'issues/one-label-per-group': seen(thread('joa23/linear-cli', 63, '2026-08-06'), 'Two labels of one group are refused.'),
  'issues/no-group-labels': documented(schema, 'A label that is a group cannot be applied.'),
  'issues/labels-of-team': seen(schpetChangelog, 'Labels of other teams are refused.'),
  'issues/label-lists': documented(schema, 'labelIds replaces all labels, addedLabelIds adds and removedLabelIds removes.'),
  'issues/estimate-scale': assumed(
    'refusal',
    'Estimates are the first five values of the team’s scale, seven when extended, 0 where allowed.',
    'the app offers these',
  ),
  'issues/parent-reference': documented(schema, 'parentId is a UUID or an identifier.'),
  'issues/no-parent-cycle': assumed('refusal', 'The parent is neither the issue itself nor one of its sub-issues.', 'a tree has no cycle'),
  'issues/priority': documented(schema, 'The priority is 0 to 4.'),
  'issues/due-date': documented(schema, 'The due date is an ISO 8601 date that exists.'),
  'issues/empty-text': assumed('refusal', 'An empty title, name or body is refused.', 'the app refuses them'),
  'issues/partial-update': documented(schema, 'An update changes only the given fields, null clears one, and updatedAt changes.'),
  'issues/imported-times': documented(
    schema,
    'createdAt of a new issue is in the past; completedAt, too, after createdAt and with a completed state.',
  ),
  'issues/state-times': documented(schema, 'startedAt, completedAt and canceledAt follow the type of the state.'),
  'issues/identifier-in-mutations': documented(schema, 'issueUpdate, parentId, commentCreate and attachmentLinkURL take identifiers.'),
  'issues/identifier-elsewhere': assumed(
    'refusal',
    'issueArchive, issueSubscribe, issueRelationCreate and attachmentCreate take identifiers too.',
    'the schema says so of the last two',
  ),
  'issues/archive-twice': assumed('refusal', 'Archiving twice succeeds and keeps the first time.', 'the state that was asked for is there'),
  'issues/trash': documented(schema, 'issueDelete moves an issue to the trash, from which issueUnarchive restores it.'),
  'issues/milestone-of-project': assumed(
    'refusal',
    'The milestone must belong to the project of the issue.',
    'a milestone is part of one project',
  ),
  'issues/move-team': seen(
    sdkCli,
    'A move to another team gives a new number and a state of that team, and drops cycle and foreign project.',
  ),
  'issues/move-state': assumed(
    'result',
    'After a move the state is the one of the same name and type in the new team, else the first of its type, else the default.',
    'the app keeps the progress of an issue',
  ),
  'issues/move-labels': assumed('result', 'A move drops the labels of the former team.', 'labels of other teams are refused'),
  'labels/of-team': documented(schema, 'A team lists its own labels; those of the workspace are under organization.'),
  'subscribers/default-user': documented(schema, 'issueSubscribe subscribes the caller unless it names a user.'),
  'subscribers/comment-author': documented(schema, 'A comment subscribes its author unless doNotSubscribeToIssue is true.'),
  'subscribers/creator-and-assignee': assumed('result', 'The creator and the assignee are subscribed.', 'they get notifications'),
  'relations/direction': documented(schema, 'The source blocks or duplicates the related issue, which lists it under inverseRelations.'),
  'relations/duplicate-state': assumed(
    'result',
    'A duplicate moves to the duplicate state of its team.',
    'the schema calls the state system-managed',
  ),
  'relations/created-twice': assumed('data', 'A repeated relation creates a second one.', 'the worse reading'),
  'relations/self': assumed('refusal', 'A relation of an issue with itself is refused.', 'the app offers none'),
  'comments/reply-depth': seen(
    thread('cyrusagents/cyrus', 24, '2025-06-01'),
    'A reply to a reply, or to a comment on another issue, is refused.',
  ),
  'texts/mentions': seen(
    thread('linear/linear', 351, '2025-03-12'),
    'A plain address of a person of the workspace is a mention of them; "@name" is only text.',
  ),
  'texts/mentions-read': assumed(
    'data',
    'A text reads back with "@" and the display name for a mention, and with a link for the plain address of an issue.',
    'writing it back as it is read must not lose a mention',
  ),
  'texts/mention-place': assumed(
    'result',
    'Only an address with space around it, or punctuation behind it, and outside code and links, is a mention.',
    'addresses end there',
  ),
  'texts/mention-notifications': assumed(
    'result',
    'A mention subscribes to the issue, and notifies once for each text.',
    'as a comment does',
  ),
  'comments/author-only': assumed('data', 'Comments of others cannot be changed: FORBIDDEN.', 'the app offers it to authors only'),
  'attachments/same-url': documented(attachmentsGuide, 'attachmentCreate with a known issue and URL updates the attachment.'),
  'attachments/link-twice': seen(
    thread('aaryandas/applied-research', 71, '2026-09-09'),
    'attachmentLinkURL with a known URL is "Duplicate attachment for duplicate url".',
  ),
  'attachments/basic-link': documented(schema, 'attachmentLinkURL creates a basic attachment, because no integration is connected.'),
  'attachments/url': assumed('refusal', 'The URL must be http or https.', 'it is shown as a link'),
  'attachments/id-conflict': assumed(
    'refusal',
    'An id that belongs to a different URL is a conflict; a new id for a known URL is ignored.',
    'both rules for ids and URLs hold',
  ),
  'notifications/unread': seen(sdk98, 'inboxNotifications returns only unread ones on request.'),
  'notifications/snoozed': assumed(
    'result',
    'inboxNotifications leaves out snoozed ones until their time; nothing is stacked.',
    "the client's text says that it follows the inbox",
  ),
  'notifications/own-actions': assumed('result', 'Your own actions create no notifications.', 'the app shows none'),
} as const satisfies Rules
