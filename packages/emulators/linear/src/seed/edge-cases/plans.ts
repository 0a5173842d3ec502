import { idOf, slugIdFor } from '../../ids.ts'
import { teamId, userId, viewerId } from '../seed-ids.ts'
import type { Seeder } from '../seeder.ts'

interface NewProject {
  readonly name: string
  readonly status: string
  readonly teams: readonly string[]
  readonly lead?: string
  readonly description: string
  readonly content?: string
  /** In days from now. */
  readonly start?: number
  readonly target?: number
  readonly health?: 'onTrack' | 'atRisk' | 'offTrack'
  readonly milestones?: readonly string[]
  readonly archived?: boolean
}

/** Too long for one result. */
const longPlan = Array.from(
  { length: 120 },
  (_, week) =>
    `## Week ${week + 1}\n\nWe look at what the numbers say, choose one thing to improve and write down what we learned. Nothing is too small. 🚀\n`,
).join('\n')

const projects: readonly NewProject[] = [
  {
    name: 'Apollo',
    status: 'In Progress',
    teams: ['Engineering', 'Design'],
    lead: 'Ada Okafor',
    description: 'The new onboarding.',
    content: longPlan,
    start: -60,
    target: 30,
    health: 'onTrack',
    milestones: ['Prototype', 'Beta', 'Launch'],
  },
  {
    name: 'Apollo Mobile',
    status: 'Planned',
    teams: ['Engineering'],
    lead: 'Priya Nair',
    description: 'Onboarding on phones.',
    start: 20,
    target: 120,
  },
  {
    name: 'Incident tooling',
    status: 'In Progress',
    teams: ['Engineering Ops'],
    lead: 'Tomás Herrera',
    description: 'One place for alerts, timelines and reviews.',
    content: 'Alerts first, timelines second.',
    start: -30,
    target: -2,
    health: 'atRisk',
    milestones: ['Alert routing'],
  },
  { name: 'Design system', status: 'Paused', teams: ['Design'], lead: 'Priya Nair', description: 'Shared components.' },
  {
    name: 'Billing rewrite',
    status: 'Completed',
    teams: ['Engineering'],
    lead: 'Robin Vance',
    description: 'Invoices that add up.',
    start: -200,
    target: -40,
  },
  { name: 'Legacy importer', status: 'Canceled', teams: ['Engineering'], description: 'Superseded.', archived: true },
]

interface NewInitiative {
  readonly name: string
  readonly status: 'Proposed' | 'Planned' | 'Active' | 'Completed' | 'Canceled'
  readonly projects: readonly string[]
  readonly parent?: string
  readonly target?: number
  readonly archived?: boolean
}

const initiatives: readonly NewInitiative[] = [
  { name: 'Self-serve growth', status: 'Active', projects: ['Apollo', 'Apollo Mobile'], target: 180 },
  { name: 'Reliability', status: 'Planned', projects: [], target: 300 },
  { name: 'Faster recovery', status: 'Active', projects: ['Incident tooling'], parent: 'Reliability' },
  { name: 'Brand refresh', status: 'Completed', projects: ['Design system'] },
  { name: 'Early bets', status: 'Canceled', projects: [], archived: true },
]

/** The id of a project by name. */
export const projectId = (name: string): string => idOf(`Project ${name}`)

/** The id of the cycle of a team, by number. */
export const cycleId = (key: string, number: number): string => idOf(`Cycle ${key} ${number}`)

/** Adds cycles, projects and initiatives. */
export function seedPlans(seeder: Seeder): void {
  seedCycles(seeder, 'ENG', 'Engineering')
  seedCycles(seeder, 'OPS', 'Engineering Ops')
  for (const [index, each] of projects.entries()) seedProject(seeder, each, 150 - index * 10)
  for (const [index, { name, status, parent, target, archived, projects: projectNames }] of initiatives.entries()) {
    const initiativeId = seeder.add('Initiative', name, {
      daysAgo: 170 - index * 10,
      updatedDaysAgo: 5 + index,
      name,
      slugId: slugIdFor(idOf(`Initiative ${name}`)),
      description: `What ${name} is about.`,
      content: name === 'Self-serve growth' ? longPlan : null,
      status,
      priority: 0,
      targetDate: target === undefined ? null : seeder.dateAhead(target),
      startedAt: status === 'Active' ? seeder.timeAgo(100) : null,
      completedAt: status === 'Completed' ? seeder.timeAgo(20) : null,
      ownerId: viewerId,
      creatorId: viewerId,
      parentInitiativeId: parent === undefined ? null : idOf(`Initiative ${parent}`),
      archivedAt: archived === true ? seeder.timeAgo(10) : null,
    })
    for (const each of projectNames)
      seeder.add('InitiativeToProject', `${name} ${each}`, { initiativeId, projectId: projectId(each), sortOrder: '0' })
  }
}

/** Adds two past cycles, the current one and two future ones, each of two weeks. */
function seedCycles({ add, timeAgo }: Seeder, key: string, owner: string): void {
  for (const number of [1, 2, 3, 4, 5]) {
    const startsIn = (number - 3) * 14 - 6
    add('Cycle', `${key} ${number}`, {
      daysAgo: 60 - number,
      number,
      name: number === 3 ? 'Polish' : null,
      startsAt: timeAgo(-startsIn),
      endsAt: timeAgo(-startsIn - 14),
      completedAt: number < 3 ? timeAgo(-startsIn - 14) : null,
      teamId: teamId(owner),
    })
  }
}

function seedProject(seeder: Seeder, each: NewProject, daysAgo: number): void {
  const { name, status, teams, lead, description, content, start, target, health, milestones = [], archived = false } = each
  const id = seeder.add('Project', name, {
    daysAgo,
    updatedDaysAgo: daysAgo / 10,
    name,
    slugId: slugIdFor(projectId(name)),
    description,
    content: content ?? null,
    color: '#26b5ce',
    priority: name === 'Apollo' ? 2 : 0,
    statusId: idOf(`ProjectStatus ${status}`),
    creatorId: viewerId,
    leadId: lead === undefined ? null : userId(lead),
    startDate: start === undefined ? null : seeder.dateAhead(start),
    targetDate: target === undefined ? null : seeder.dateAhead(target),
    health: health ?? null,
    healthUpdatedAt: health === undefined ? null : seeder.timeAgo(3),
    startedAt: status === 'In Progress' ? seeder.timeAgo(daysAgo / 2) : null,
    completedAt: status === 'Completed' ? seeder.timeAgo(40) : null,
    canceledAt: status === 'Canceled' ? seeder.timeAgo(50) : null,
    archivedAt: archived ? seeder.timeAgo(30) : null,
  })
  for (const one of teams) seeder.link('projectTeams', id, teamId(one))
  for (const member of new Set([viewerId, ...(lead === undefined ? [] : [userId(lead)])])) seeder.link('projectMembers', id, member)
  for (const [index, milestone] of milestones.entries()) {
    seeder.add('ProjectMilestone', `${name} ${milestone}`, {
      name: milestone,
      description: `When ${name} reaches ${milestone}.`,
      targetDate: seeder.dateAhead(index * 20 - 10),
      sortOrder: index,
      projectId: id,
    })
  }
  if (health === undefined) return
  for (const [index, body] of ['We have begun.', `Going ${health === 'onTrack' ? 'well' : 'slower than we hoped'}.`].entries()) {
    seeder.add('ProjectUpdate', `${name} ${index}`, {
      daysAgo: 17 - index * 14,
      body,
      health: index === 0 ? 'onTrack' : health,
      projectId: id,
      userId: lead === undefined ? viewerId : userId(lead),
    })
  }
}
