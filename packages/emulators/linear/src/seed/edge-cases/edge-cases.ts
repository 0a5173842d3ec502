import type { Store } from '@mcp-toolkits/sqlite'
import { idOf } from '../../ids.ts'
import { issueId, seedIssues } from './issues.ts'
import { userId, viewerId } from '../seed-ids.ts'
import { createSeeder, type Seeder } from '../seeder.ts'
import { seedPeople } from './people.ts'
import { projectId, seedPlans } from './plans.ts'

/** Name, issue, author, body and the name of the parent comment. */
const comments = [
  ['repro', 'ENG-1', 'Ada Okafor', 'Happens when the link is opened in a **private** window.'],
  ['thanks', 'ENG-1', 'Robin Vance', 'Thank you, that explains it.', 'repro'],
  ['fixed?', 'ENG-1', 'Mikael Lindström', 'Is this the same as ENG-26?', 'repro'],
  ['plan', 'ENG-1', 'Robin Vance', 'I keep the code in the session instead.'],
  ['numbers', 'ENG-8', 'Mikael Lindström', '| size | time |\n|---|---|\n| 1,000 | 80 ms |\n| 100,000 | 9 s |'],
  ['pager', 'OPS-4', 'Tomás Herrera', 'The schedule ends on Saturday at midnight.'],
  ['sunday', 'OPS-4', 'Robin Vance', 'Until it is fixed I take the Sundays.', 'pager'],
  ['tokens', 'DES-4', 'Grace Kim', 'Names follow the use, not the colour.'],
] as const

const relations = [
  ['blocks', 'ENG-1', 'ENG-2'],
  ['blocks', 'ENG-11', 'ENG-3'],
  ['blocks', 'OPS-1', 'OPS-16'],
  ['duplicate', 'ENG-26', 'ENG-1'],
  ['related', 'ENG-28', 'ENG-29'],
  ['related', 'ENG-2', 'DES-1'],
] as const

const attachments = [
  ['ENG-1', 'https://github.com/lodestar/web/pull/412', 'PR #412: lodestar/web', 'github'],
  ['ENG-1', 'https://support.lodestar.example/tickets/88', 'Ticket 88', null],
  ['ENG-8', 'https://github.com/lodestar/web/issues/77', 'Issue #77: lodestar/web', 'github'],
  ['OPS-5', 'https://gitlab.com/lodestar/ops/-/merge_requests/9', 'MR !9: lodestar/ops', 'gitlab'],
] as const

/** `read` is a number of tenths of a day ago. */
const notifications = [
  { type: 'issueAssignedToYou', category: 'assignments', actor: 'Ada Okafor', issueId: issueId('ENG-1') },
  {
    type: 'issueNewComment',
    category: 'commentsAndReplies',
    actor: 'Mikael Lindström',
    issueId: issueId('ENG-1'),
    commentId: idOf('Comment fixed?'),
  },
  { type: 'issueMention', category: 'mentions', actor: 'Priya Nair', issueId: issueId('DES-1') },
  { type: 'issueStatusChanged', category: 'statusChanges', actor: 'Tomás Herrera', issueId: issueId('OPS-4'), read: 2 },
  {
    type: 'issueCommentMention',
    category: 'mentions',
    actor: 'Tomás Herrera',
    issueId: issueId('OPS-4'),
    commentId: idOf('Comment pager'),
    read: 6,
  },
  { type: 'projectUpdateCreated', category: 'postsAndUpdates', actor: 'Ada Okafor', projectId: projectId('Apollo'), update: 'Apollo 1' },
  {
    type: 'projectUpdateCreated',
    category: 'postsAndUpdates',
    actor: 'Tomás Herrera',
    projectId: projectId('Incident tooling'),
    update: 'Incident tooling 1',
    read: 1,
  },
  { type: 'initiativeOwnerAssigned', category: 'assignments', actor: 'Ada Okafor', initiativeId: idOf('Initiative Reliability'), read: 30 },
  { type: 'documentMention', category: 'mentions', actor: 'Priya Nair', documentId: idOf('Document Interview notes') },
  { type: 'issueDue', category: 'reminders', issueId: issueId('ENG-9'), snoozed: true },
] as const

/** Adds comments, relations, attachments and notifications. */
function seedActivity(seeder: Seeder): void {
  for (const [index, [name, identifier, author, body, parent]] of comments.entries()) {
    seeder.add('Comment', name, {
      daysAgo: 12 - index,
      body,
      issueId: issueId(identifier),
      userId: userId(author),
      parentId: parent === undefined ? null : idOf(`Comment ${parent}`),
      editedAt: name === 'plan' ? seeder.timeAgo(1) : null,
    })
  }
  for (const [type, from, to] of relations) {
    seeder.add('IssueRelation', `${from} ${type} ${to}`, { daysAgo: 20, type, issueId: issueId(from), relatedIssueId: issueId(to) })
  }
  for (const [identifier, url, title, sourceType] of attachments) {
    seeder.add('Attachment', url, {
      daysAgo: 9,
      title,
      url,
      sourceType,
      metadata: '{}',
      groupBySource: false,
      issueId: issueId(identifier),
      creatorId: viewerId,
    })
  }
  seedNotifications(seeder)
  seeder.store.run('insert into formerIdentifiers (identifier, issueId) values (:identifier, :issueId)', {
    identifier: 'DES-14',
    issueId: issueId('ENG-30'),
  })
}

function seedNotifications(seeder: Seeder): void {
  for (const [index, each] of notifications.entries()) {
    const about = { actor: undefined, read: undefined, snoozed: false, update: undefined, ...each }
    const { actor, read, snoozed, update, ...values } = about
    const kind = 'issueId' in values ? 'Issue' : 'projectId' in values ? 'Project' : 'initiativeId' in values ? 'Initiative' : 'Document'
    seeder.add('Notification', `${index} ${each.type}`, {
      daysAgo: index * 1.5 + 0.2,
      ...values,
      kind: `${kind}Notification`,
      userId: viewerId,
      actorId: actor === undefined ? null : userId(actor),
      projectUpdateId: update === undefined ? null : idOf(`ProjectUpdate ${update}`),
      readAt: read === undefined ? null : seeder.timeAgo(read / 10),
      snoozedUntilAt: snoozed ? seeder.timeAgo(-3) : null,
    })
  }
}

/** Adds the work of three teams, with names that are hard to tell apart or to write. */
export function seedEdgeCases(store: Store, now: number): void {
  const seeder = createSeeder(store, now)
  seedPeople(seeder)
  seedPlans(seeder)
  seedIssues(seeder)
  seedActivity(seeder)
}
