import type { LinearSeed, SeedLabel, SeedNotification, SeedTeam, SeedUser } from '../schema.ts'
import { design } from './design.ts'
import { betaWork } from './engineering-beta.ts'
import { billingWork } from './engineering-billing.ts'
import { laterWork } from './engineering-later.ts'
import { launchWork } from './engineering-launch.ts'
import { operations } from './operations.ts'
import { cycles, initiatives, projects } from './plans.ts'

const users: SeedUser[] = [
  { name: 'Robin Vance', title: 'Engineering manager', admin: true, owner: true },
  { name: 'Ada Okafor', title: 'Staff engineer', admin: true },
  { name: 'Ada Okonkwo', title: 'Support engineer' },
  { name: 'Mikael Lindström', title: 'Map engineer' },
  { name: 'Yara Costa', title: 'Mobile engineer' },
  { name: 'Sam Idowu', title: 'Engineer, accounts and billing' },
  { name: 'Priya Nair', title: 'Product designer' },
  { name: 'Tomás Herrera', title: 'Site reliability engineer' },
  { name: 'Noah Weiss', title: 'Product manager' },
  { name: 'Hana Sato', title: 'Marketing lead' },
  { name: 'Ines Carvalho', title: 'Head of finance' },
  { name: 'Grace Kim', title: 'Illustrator', guest: true, email: 'grace.kim@studio-kim.example' },
  { name: 'Leo Brandt', title: 'Engineer', active: false },
  { name: 'Beacon', app: true },
]

const teams: SeedTeam[] = [
  {
    key: 'ENG',
    name: 'Engineering',
    description: 'Builds the apps, the maps and the sync behind them.',
    members: [
      'Robin Vance',
      'Ada Okafor',
      'Mikael Lindström',
      'Yara Costa',
      'Sam Idowu',
      'Priya Nair',
      'Noah Weiss',
      'Leo Brandt',
      'Beacon',
    ],
    estimates: 'fibonacci',
    cycles: true,
    createdAt: 900,
  },
  {
    key: 'OPS',
    name: 'Operations',
    description: 'Keeps maps and sync available, and answers customers. New issues from other teams start in triage.',
    members: ['Tomás Herrera', 'Ada Okonkwo', 'Ada Okafor', 'Beacon'],
    triage: true,
    cycles: true,
    createdAt: 700,
  },
  {
    key: 'DES',
    name: 'Design',
    description: 'Research, interface and brand.',
    members: ['Priya Nair', 'Grace Kim', 'Hana Sato', 'Robin Vance', 'Noah Weiss'],
    createdAt: 650,
  },
]

const labels: SeedLabel[] = [
  { name: 'Type', isGroup: true, description: 'What kind of work it is.' },
  { name: 'Bug', group: 'Type', color: '#eb5757' },
  { name: 'Feature', group: 'Type', color: '#4ea7fc' },
  { name: 'Chore', group: 'Type', color: '#95a2b3' },
  { name: 'Severity', isGroup: true, description: 'How much an error disturbs customers.' },
  { name: 'S1', group: 'Severity', description: 'Guides cannot work, or lose data.', color: '#eb5757' },
  { name: 'S2', group: 'Severity', description: 'Guides can work around it.', color: '#f2994a' },
  { name: 'S3', group: 'Severity', description: 'It is ugly.', color: '#f2c94c' },
  { name: 'Launch blocker', description: 'Trails does not launch while this is open.', color: '#eb5757' },
  { name: 'Customer request', description: 'A customer has asked for it; the issue says who.', color: '#26b5ce' },
  { name: 'Incident', description: 'From an incident or its review.', color: '#f2994a' },
  { name: 'Accessibility', color: '#bb87fc' },
  { name: 'Security', color: '#0f783c' },
  { name: 'Sync', team: 'ENG' },
  { name: 'Maps', team: 'ENG' },
  { name: 'Billing', team: 'ENG' },
  { name: 'Mobile', team: 'ENG' },
  { name: 'On-call', team: 'OPS' },
  { name: 'Cost', team: 'OPS' },
  { name: 'Research', team: 'DES' },
  { name: 'Brand', team: 'DES' },
]

const comment = { type: 'issueNewComment', category: 'commentsAndReplies' } as const

const notifications: SeedNotification[] = [
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

/** Lodestar plans routes for mountain guides, and launches Trails, maps that a team shares, in three weeks. */
export const company: LinearSeed = {
  organization: 'Lodestar',
  viewer: 'Robin Vance',
  users,
  teams,
  labels,
  cycles,
  projects,
  initiatives,
  issues: [...betaWork, ...launchWork, ...billingWork, ...laterWork, ...operations, ...design],
  notifications,
}
