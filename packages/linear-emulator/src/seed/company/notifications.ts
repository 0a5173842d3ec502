import type { SeedNotification } from '../schema.ts'

const comment = { type: 'issueNewComment', category: 'commentsAndReplies' } as const

export const notifications: SeedNotification[] = [
  { ...comment, at: 0.8, actor: 'Sam Idowu', issue: 'ENG-9' },
  { ...comment, at: 1, actor: 'Tomás Herrera', issue: 'OPS-6' },
  { type: 'projectUpdateCreated', category: 'postsAndUpdates', at: 1.4, actor: 'Noah Weiss', project: 'Trails launch' },
  { ...comment, at: 2, actor: 'Ines Carvalho', issue: 'ENG-21' },
  { ...comment, at: 2, actor: 'Mikael Lindström', issue: 'ENG-7', readAt: 1.8 },
  { type: 'issueMention', category: 'mentions', at: 2.8, actor: 'Ada Okonkwo', issue: 'ENG-16', readAt: 2.7 },
  { type: 'projectUpdateCreated', category: 'postsAndUpdates', at: 2, actor: 'Tomás Herrera', project: 'Sync reliability', readAt: 1.9 },
  {
    type: 'projectUpdateCreated',
    category: 'postsAndUpdates',
    at: 3,
    actor: 'Priya Nair',
    project: 'Website and brand for Trails',
    readAt: 2.9,
  },
  { type: 'issueStatusChanged', category: 'statusChanges', at: 4, actor: 'Ada Okafor', issue: 'ENG-10', readAt: 3.9 },
  { type: 'issueAssignedToYou', category: 'assignments', at: 14, actor: 'Yara Costa', issue: 'ENG-21', readAt: 13.9 },
  { type: 'issueDue', category: 'reminders', at: 0.2, issue: 'ENG-21', snoozedUntil: -1 },
  { type: 'initiativeOwnerAssigned', category: 'assignments', at: 130, actor: 'Noah Weiss', initiative: 'Launch Trails', readAt: 129 },
]
