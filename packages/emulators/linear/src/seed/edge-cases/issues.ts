import { idOf } from '../../ids.ts'
import { teamId, userId, viewerId } from '../seed-ids.ts'
import type { Seeder } from '../seeder.ts'
import { labelId } from './people.ts'
import { cycleId, projectId } from './plans.ts'

/** Title, state, labels and project; everything else depends on the position in the list. */
type NewIssue = readonly [title: string, state: string, labels?: readonly string[], project?: string]

const engineering: readonly NewIssue[] = [
  ['Sign-up form loses the invitation code', 'In Progress', ['Bug', 'S2', 'Customer request'], 'Apollo'],
  ['Welcome screen for invited members', 'In Review', ['Feature'], 'Apollo'],
  ['Import contacts during onboarding', 'Todo', ['Feature'], 'Apollo'],
  ['Onboarding checklist', 'Backlog', ['Feature'], 'Apollo'],
  ['Checklist: connect a repository', 'Backlog', [], 'Apollo'],
  ['Checklist: invite the team', 'Backlog', [], 'Apollo'],
  ['Remove the old wizard', 'Backlog', ['Chore', 'Engineering cleanup'], 'Apollo'],
  ['Search is slow for large workspaces', 'In Progress', ['Bug', 'Engineering Performance']],
  ['Session cookie lacks SameSite', 'Todo', ['Bug', 'Security', 'S1']],
  ['Rotate signing keys', 'Todo', ['Chore', 'Security']],
  ['Crash when a file name has an emoji 🦊', 'Done', ['Bug', 'Engineering regression']],
  ['Naïve sort puts “Ärger” last', 'Backlog', ['Bug']],
  ['Upgrade the database driver', 'Done', ['Chore']],
  ['Invoices round to the wrong cent', 'Done', ['Bug', 'S1'], 'Billing rewrite'],
  ['Refunds in several currencies', 'Done', ['Feature'], 'Billing rewrite'],
  ['Send receipts by e-mail', 'Done', ['Feature'], 'Billing rewrite'],
  ['Dunning for expired cards', 'Canceled', ['Feature'], 'Billing rewrite'],
  ['Phone layout of the sign-up form', 'Backlog', ['Feature'], 'Apollo Mobile'],
  ['Push notifications for mentions', 'Backlog', ['Feature'], 'Apollo Mobile'],
  ['Deep links into the app', 'Backlog', [], 'Apollo Mobile'],
  ['Flaky test in the payment suite', 'Todo', ['Bug', 'Engineering regression']],
  ['Delete feature flags that are always on', 'Backlog', ['Chore', 'Engineering cleanup']],
  ['Document the webhook format', 'Todo', ['Chore', 'Customer request']],
  ['Webhook retries stop after one hour', 'In Progress', ['Bug', 'Customer request']],
  ['Rate limit the public API', 'Backlog', ['Security']],
  ['Login form loses the invitation code', 'Duplicate', ['Bug']],
  ['Type the settings store', 'Backlog', ['Chore']],
  ['Export as CSV', 'Todo', ['Feature', 'Customer request']],
  ['Export as CSV breaks on commas', 'Backlog', ['Bug']],
  ['Dark theme for the editor', 'Backlog', ['Feature']],
]

const operations: readonly NewIssue[] = [
  ['Route alerts by service', 'In Progress', ['Feature'], 'Incident tooling'],
  ['Timeline of an incident', 'Todo', ['Feature'], 'Incident tooling'],
  ['Template for incident reviews', 'Todo', ['Chore'], 'Incident tooling'],
  ['Pager is silent on Sundays', 'In Progress', ['Bug', 'S1', 'Engineering Ops On-call'], 'Incident tooling'],
  ['Disk fills up on the log host', 'Done', ['Bug', 'S2', 'Engineering Ops On-call']],
  ['Renew certificates by themselves', 'Todo', ['Chore', 'Security']],
  ['Restore test of the backups', 'Todo', ['Chore']],
  ['Replica lag above one minute', 'Triage', ['Bug', 'Engineering Ops Performance']],
  ['Customer reports 502 in Frankfurt', 'Triage', ['Customer request']],
  ['Move builds to the new runners', 'In Review', ['Chore']],
  ['Cost report per team', 'Backlog', ['Feature']],
  ['Shut down the old cluster', 'Done', ['Chore']],
  ['Alert on failed cron jobs', 'Backlog', ['Feature', 'Engineering Ops On-call']],
  ['Runbook for a database failover', 'Todo', ['Chore']],
  ['Limit memory of batch jobs', 'Backlog', ['Engineering Ops Performance']],
  ['Status page says green during incidents', 'Todo', ['Bug', 'Customer request'], 'Incident tooling'],
  ['Two regions instead of one', 'Backlog', ['Feature']],
  ['Clean up unused images', 'Canceled', ['Chore']],
]

const design: readonly NewIssue[] = [
  ['Illustrations for the welcome screen', 'In Progress', ['Feature'], 'Apollo'],
  ['Interviews with five new customers', 'Done', ['Design Research'], 'Apollo'],
  ['Empty states', 'Todo', ['Feature'], 'Apollo'],
  ['Colour tokens', 'In Review', ['Chore'], 'Design system'],
  ['Button sizes', 'Todo', ['Chore'], 'Design system'],
  ['Icon set', 'Backlog', ['Feature'], 'Design system'],
  ['Contrast of disabled controls', 'Todo', ['Bug', 'S3'], 'Design system'],
  ['Usability test of search', 'Backlog', ['Design Research']],
  ['Logo on dark backgrounds', 'Done', ['Bug']],
  ['Slides for the all-hands', 'Canceled', []],
  ['Motion guidelines', 'Backlog', ['Feature'], 'Design system'],
  ['Landing page photos', 'Backlog', ['Feature']],
]

const peopleByTeam: Readonly<Record<string, readonly string[]>> = {
  ENG: ['Robin Vance', 'Ada Okafor', 'Mikael Lindström', 'Priya Nair'],
  OPS: ['Tomás Herrera', 'Ada Okonkwo', 'Ada Okafor'],
  DES: ['Priya Nair', 'Grace Kim', 'Robin Vance'],
}

/** The id of an issue by identifier. */
export const issueId = (identifier: string): string => idOf(`Issue ${identifier}`)

/** Adds the issues of three teams. */
export function seedIssues(seeder: Seeder): void {
  seedTeamIssues(seeder, engineering, { key: 'ENG', name: 'Engineering' })
  seedTeamIssues(seeder, operations, { key: 'OPS', name: 'Engineering Ops' })
  seedTeamIssues(seeder, design, { key: 'DES', name: 'Design' })
}

/** The parents of sub-issues, by identifier. */
const parents = new Map([
  ['ENG-5', 'ENG-4'],
  ['ENG-6', 'ENG-4'],
  ['OPS-4', 'OPS-1'],
])

const archived = ['ENG-17', 'OPS-12']

function seedTeamIssues(seeder: Seeder, list: readonly NewIssue[], { key, name }: { key: string; name: string }): void {
  for (const [index, [title, state, labels = [], inProject]] of list.entries()) {
    const number = index + 1
    const identifier = `${key}-${number}`
    const people = peopleByTeam[key] ?? []
    const isOpen = state === 'In Progress' || state === 'In Review' || state === 'Todo'
    const assignee = state === 'Triage' || (state === 'Backlog' && index % 2 === 0) ? undefined : people[index % people.length]
    const updatedDaysAgo = (index * 7) % 29
    const parent = parents.get(identifier)
    const id = seeder.add('Issue', identifier, {
      daysAgo: 80 - index * 2 + updatedDaysAgo / 40,
      updatedDaysAgo,
      teamId: teamId(name),
      number,
      identifier,
      title,
      description:
        index % 3 === 2 ? null : `**${title}**\n\nSeen by ${people[0] ?? 'us'}; see the discussion below.\n\n- [ ] reproduce\n- [ ] fix`,
      priority: labels.includes('S1') ? 1 : index % 5,
      estimate: key === 'ENG' && index % 2 === 0 ? 3 : null,
      dueDate: isOpen && index % 3 === 0 ? seeder.dateAhead(index) : null,
      stateId: idOf(`WorkflowState ${key} ${state}`),
      assigneeId: assignee === undefined ? null : userId(assignee),
      creatorId: index % 4 === 0 ? viewerId : userId(people[(index + 1) % people.length] ?? 'Ada Okafor'),
      projectId: inProject === undefined ? null : projectId(inProject),
      projectMilestoneId: inProject === 'Apollo' && index < 3 ? idOf('ProjectMilestone Apollo Beta') : null,
      cycleId: isOpen && key !== 'DES' ? cycleId(key, state === 'Todo' ? 4 : 3) : null,
      parentId: parent === undefined ? null : issueId(parent),
      startedAt: state === 'In Progress' || state === 'In Review' || state === 'Done' ? seeder.timeAgo(updatedDaysAgo + 5) : null,
      completedAt: state === 'Done' ? seeder.timeAgo(updatedDaysAgo) : null,
      canceledAt: state === 'Canceled' || state === 'Duplicate' ? seeder.timeAgo(updatedDaysAgo) : null,
      archivedAt: archived.includes(identifier) ? seeder.timeAgo(updatedDaysAgo / 2) : null,
      sortOrder: -number,
    })
    for (const each of labels) seeder.link('issueLabels', id, labelId(each))
    for (const each of new Set([viewerId, ...(assignee === undefined ? [] : [userId(assignee)])])) seeder.link('issueSubscribers', id, each)
  }
}
