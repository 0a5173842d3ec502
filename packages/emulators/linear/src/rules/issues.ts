import { type Rules } from '@mcp-toolkits/emulator'
import {
  appliedResearch,
  assumed,
  attachmentsGuide,
  catalyst,
  cyrus,
  joa23,
  linear351,
  schema,
  schpetChangelog,
  sdk98,
  sdkCli,
} from './sources.ts'

/** Issues and their parts. */
export const issuesRules = {
  'issues/numbers': schema('Issues are numbered separately in each team.'),
  'issues/numbers-not-reused': assumed.result(
    'The number of an issue that moved to another team is not reused.',
    'its old URL still leads to it',
  ),
  'issues/default-state': schema('A new issue starts in its team’s default state.'),
  'issues/triage': schema('If triage is enabled, an issue created by someone outside the team starts in the triage state.'),
  'issues/retired-team': schema('Retired teams accept no new issues.'),
  'issues/archived-team': assumed.refusal(
    'Archived teams accept no new issues, and issues cannot be moved to an archived or retired team.',
    'as for retired teams',
  ),
  'issues/same-team': sdkCli('The state, cycle and project must belong to the issue’s team.'),
  'issues/app-as-assignee': catalyst('Assigning an issue to an app makes the app its delegate and leaves the assignee unchanged.'),
  'issues/delegate-is-app': assumed.refusal('A person cannot be the delegate.', 'the schema calls the delegate an agent'),
  'issues/assignee-is-member': assumed.refusal(
    'The assignee and the delegate must be active members of the team.',
    'the app offers only these',
  ),
  'issues/one-label-per-group': joa23('An issue cannot have two labels from one group.'),
  'issues/no-group-labels': schema('A label group cannot be applied to an issue.'),
  'issues/labels-of-team': schpetChangelog('Other teams’ labels are refused.'),
  'issues/label-lists': schema('labelIds replaces all labels; addedLabelIds adds labels, and removedLabelIds removes them.'),
  'issues/estimate-scale': assumed.refusal(
    'An estimate is one of the first five values of the team’s scale (seven if it is extended), or 0 if the team allows it.',
    'the app offers only these',
  ),
  'issues/parent-reference': schema('parentId is a UUID or an identifier.'),
  'issues/no-parent-cycle': assumed.refusal(
    'An issue’s parent cannot be the issue itself or one of its sub-issues.',
    'a tree has no cycles',
  ),
  'issues/priority': schema('The priority is a number from 0 to 4.'),
  'issues/due-date': schema('The due date is an ISO 8601 date that exists.'),
  'issues/empty-text': assumed.refusal('An empty title, name or body is refused.', 'the app refuses them'),
  'issues/partial-update': schema('An update changes the given fields and updatedAt; null clears a field.'),
  'issues/imported-times': schema(
    'A new issue’s createdAt must be in the past. Its completedAt must lie between createdAt and now, and needs a completed state.',
  ),
  'issues/state-times': schema('startedAt, completedAt and canceledAt follow from the type of the state.'),
  'issues/identifier-in-mutations': schema('issueUpdate, parentId, commentCreate and attachmentLinkURL accept issue identifiers.'),
  'issues/identifier-elsewhere': assumed.refusal(
    'issueArchive, issueSubscribe, issueRelationCreate and attachmentCreate accept issue identifiers, too.',
    'the schema says so for the last two',
  ),
  'issues/archive-twice': assumed.refusal(
    'Archiving an archived issue succeeds and keeps the original archivedAt.',
    'the issue is already in the requested state',
  ),
  'issues/trash': schema('issueDelete moves an issue to the trash, from which issueUnarchive restores it.'),
  'issues/milestone-of-project': assumed.refusal('The milestone must belong to the issue’s project.', 'a milestone is part of one project'),
  'issues/move-team': sdkCli(
    'An issue that moves to another team gets a new number and state there, and loses its cycle, and its project unless the team belongs to it.',
  ),
  'issues/move-state': assumed.result(
    'A moved issue gets the new team’s state with the same name and type, or else the first of that type, or else the default.',
    'the app keeps an issue’s progress',
  ),
  'issues/move-labels': assumed.result('A move to another team drops the former team’s labels.', 'other teams’ labels are refused'),
  'labels/of-team': schema('A team lists its own labels; organization lists the workspace’s.'),
  'subscribers/default-user': schema('issueSubscribe subscribes the caller unless it names a user.'),
  'subscribers/comment-author': schema('A comment subscribes its author unless doNotSubscribeToIssue is true.'),
  'subscribers/creator-and-assignee': assumed.result('An issue’s creator and assignee are subscribed to it.', 'they get notifications'),
  'relations/direction': schema(
    'A relation’s issue blocks or duplicates its relatedIssue, which lists the relation under inverseRelations.',
  ),
  'relations/duplicate-state': assumed.result(
    'An issue that is marked as a duplicate moves to its team’s duplicate state.',
    'the schema calls the state system-managed',
  ),
  'relations/created-twice': assumed.data('Creating the same relation again creates a second one.', 'unknown, so we assume the worse case'),
  'relations/self': assumed.refusal('An issue cannot have a relation to itself.', 'the app offers none'),
  'comments/reply-depth': cyrus('A reply to a reply, or to a comment on another issue, is refused.'),
  'texts/mentions': linear351('The bare URL of a workspace member’s profile is a mention of that person; "@name" is only text.'),
  'texts/mentions-read': assumed.data(
    'When text is read back, a mention is "@" and the display name, and the bare URL of an issue is a link.',
    'writing text back as it was read must not lose a mention',
  ),
  'texts/mention-place': assumed.result(
    'A URL is a mention only with space before it, and space or punctuation after it, and not in code or a link.',
    'URLs end there',
  ),
  'texts/mention-notifications': assumed.result(
    'A mention subscribes the person to the issue, and notifies them once per text.',
    'as for comments',
  ),
  'comments/author-only': assumed.data(
    'You cannot change other people’s comments: FORBIDDEN.',
    'the app offers editing only to the author',
  ),
  'attachments/same-url': attachmentsGuide('If the issue already has an attachment with the URL, attachmentCreate updates it.'),
  'attachments/link-twice': appliedResearch('attachmentLinkURL with a known URL fails with "Duplicate attachment for duplicate url".'),
  'attachments/basic-link': schema('attachmentLinkURL creates a basic attachment, because no integration is connected.'),
  'attachments/url': assumed.refusal('An attachment’s URL must use http or https.', 'it is shown as a link'),
  'attachments/id-conflict': assumed.refusal(
    'An attachment id that belongs to a different URL is a conflict; a new id for a known URL is ignored.',
    'the rules for ids and for URLs both apply',
  ),
  'notifications/unread': sdk98('With unreadOnly, inboxNotifications leaves out notifications that have been read.'),
  'notifications/snoozed': assumed.result(
    'inboxNotifications leaves out snoozed notifications until their snooze ends, and groups none.',
    'the client’s documentation says that it follows the inbox',
  ),
  'notifications/own-actions': assumed.result('Your own actions create no notifications.', 'the app shows none'),
} as const satisfies Rules
