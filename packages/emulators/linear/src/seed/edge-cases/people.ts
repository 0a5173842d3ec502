import { idOf } from '../../ids.ts'
import { teamId, viewerId } from '../seed-ids.ts'
import { type Seeder, seedTeam, seedUser } from '../seeder.ts'

/** The id of a label by its team, if any, and its name. */
export const labelId = (name: string): string => idOf(`IssueLabel ${name}`)

const people = [
  { name: 'Ada Okafor', title: 'Staff engineer', admin: true, teams: ['Engineering', 'Engineering Ops'] },
  { name: 'Ada Okonkwo', title: 'Support engineer', teams: ['Engineering Ops'] },
  { name: 'Mikael Lindström', title: 'Engineer', teams: ['Engineering'] },
  { name: 'Priya Nair', title: 'Product designer', teams: ['Design', 'Engineering'] },
  { name: 'Tomás Herrera', title: 'Site reliability engineer', teams: ['Engineering Ops', 'Engineering'] },
  { name: 'Grace Kim', title: 'Contractor', guest: true, teams: ['Design'] },
  { name: 'Leo Brandt', title: 'Engineer', active: false, teams: ['Engineering'] },
  { name: 'Beacon', app: true, teams: ['Engineering'] },
] as const

interface NewLabel {
  readonly name: string
  readonly group?: string
  readonly team?: string
  readonly isGroup?: boolean
  readonly description?: string
}

const labels: readonly NewLabel[] = [
  { name: 'Type', isGroup: true, description: 'What kind of work it is.' },
  { name: 'Bug', group: 'Type' },
  { name: 'Feature', group: 'Type' },
  { name: 'Chore', group: 'Type' },
  { name: 'Severity', isGroup: true },
  { name: 'S1', group: 'Severity', description: 'Customers cannot work.' },
  { name: 'S2', group: 'Severity' },
  { name: 'S3', group: 'Severity' },
  { name: 'Customer request' },
  { name: 'Security' },
  { name: 'Regression', description: 'Worked before, whoever builds it.' },
  { name: 'qa', isGroup: true, team: 'Engineering' },
  { name: 'cleanup', group: 'qa', team: 'Engineering' },
  { name: 'regression', group: 'qa', team: 'Engineering' },
  { name: 'Performance', team: 'Engineering' },
  { name: 'On-call', team: 'Engineering Ops' },
  { name: 'Performance', team: 'Engineering Ops' },
  { name: 'Research', team: 'Design' },
]

/** A unique name for a label: labels of two teams may have the same name. */
const labelName = ({ name, team: owner }: Pick<NewLabel, 'name' | 'team'>) => (owner === undefined ? name : `${owner} ${name}`)

/** Adds the other teams, the people and the labels. */
export function seedPeople(seeder: Seeder): void {
  const { add, link } = seeder
  seedTeam(seeder, {
    key: 'OPS',
    name: 'Engineering Ops',
    description: 'Keeps it running.',
    triageEnabled: true,
    cyclesEnabled: true,
    issueEstimationType: 'linear',
    daysAgo: 300,
  })
  seedTeam(seeder, { key: 'DES', name: 'Design', description: 'Research, interaction and brand.', daysAgo: 200 })
  seedTeam(seeder, { key: 'LAB', name: 'Labs', description: 'Experiments that ended.', daysAgo: 390, archivedDaysAgo: 120 })
  // The viewer is not a member of Engineering Ops, so that its new issues start in triage.
  for (const name of ['Design', 'Labs']) link('teamMembers', teamId(name), viewerId)
  for (const { teams, ...person } of people) {
    const id = seedUser(seeder, person)
    for (const name of teams) link('teamMembers', teamId(name), id)
  }
  for (const [index, each] of labels.entries()) {
    const { name, group, team: owner, isGroup = false, description } = each
    add('IssueLabel', labelName(each), {
      daysAgo: 300 - index,
      name,
      description: description ?? null,
      color: '#5e6ad2',
      isGroup,
      parentId: group === undefined ? null : labelId(labelName({ name: group, ...(owner !== undefined && { team: owner }) })),
      teamId: owner === undefined ? null : teamId(owner),
      creatorId: viewerId,
    })
  }
}
