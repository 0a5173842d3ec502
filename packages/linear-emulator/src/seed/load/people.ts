import { SeedError, type SeedPath } from '@mcp-toolkits/emulator'
import { idOf } from '../../ids.ts'
import { seedTeam, seedUser, stateId, statesOf, type TeamSeed, type UserSeed, viewerId } from '../empty.ts'
import type { LinearSeed, SeedLabel, SeedTeam, SeedUser } from '../schema.ts'
import { type Loader, withPaths } from './loader.ts'

/** Adds the people, the teams and the labels. */
export function loadPeople(loader: Loader, seed: LinearSeed): void {
  for (const [user, path] of withPaths(seed.users, ['users'])) loadUser(loader, user, { path, isViewer: user.name === seed.viewer })
  loader.names.user.get(seed.viewer, ['viewer'])
  for (const [team, path] of withPaths(seed.teams, ['teams'])) loadTeam(loader, team, path)
  const labels = withPaths(seed.labels, ['labels'])
  // A group may come after its labels.
  for (const [label, path] of labels) loader.names.label.add(labelName(label), idOf(`IssueLabel ${labelName(label)}`), path)
  for (const [label, path] of labels) loadLabel(loader, label, path)
}

function loadUser(loader: Loader, { name, ...rest }: SeedUser, { path, isViewer }: { path: SeedPath; isViewer: boolean }): void {
  const id = isViewer ? viewerId : idOf(`User ${name}`)
  loader.names.user.add(name, id, [...path, 'name'])
  const user: UserSeed = { name, id, ...withoutUndefined(rest) }
  seedUser(loader, user)
}

function loadTeam(loader: Loader, team: SeedTeam, path: SeedPath): void {
  const { key, name, members, triage = false, cycles = false, estimates, states, createdAt, archivedAt, description } = team
  const { names } = loader
  const given: TeamSeed = {
    key,
    name,
    ...(description !== undefined && { description }),
    triageEnabled: triage,
    cyclesEnabled: cycles,
    ...(estimates && { issueEstimationType: estimates }),
    ...(states && { states }),
    ...(createdAt !== undefined && { daysAgo: loader.age(createdAt, [...path, 'createdAt']) }),
    ...(archivedAt !== undefined && { archivedDaysAgo: loader.age(archivedAt, [...path, 'archivedAt']) }),
  }
  names.team.add(key, idOf(`Team ${name}`), [...path, 'key'])
  for (const state of statesOf(given)) names.state.add(`${key} ${state.name}`, stateId(key, state.name), [...path, 'states'])
  const teamId = seedTeam(loader, given)
  for (const [member, memberPath] of withPaths(members, [...path, 'members']))
    loader.link('teamMembers', teamId, names.user.get(member, memberPath))
}

/** A unique name for a label: labels of two teams may have the same name. */
export const labelName = ({ name, team }: Pick<SeedLabel, 'name' | 'team'>): string => (team === undefined ? name : `${team} ${name}`)

function loadLabel(loader: Loader, label: SeedLabel, path: SeedPath): void {
  const { name, team, group, description, color = '#5e6ad2', isGroup = false } = label
  const { names } = loader
  loader.add('IssueLabel', labelName(label), {
    daysAgo: 300 - Number(path[1]),
    name,
    description: description ?? null,
    color,
    isGroup,
    parentId: group === undefined ? null : findLabel(loader, { name: group, team }, [...path, 'group']),
    teamId: team === undefined ? null : names.team.get(team, [...path, 'team']),
    creatorId: viewerId,
  })
}

/** The id of a label as a team sees it: its own, or else one of the workspace. */
export function findLabel({ names }: Loader, { name, team }: { name: string; team: string | undefined }, path: SeedPath): string {
  try {
    return names.label.get(labelName({ name, team }), path)
  } catch (error) {
    if (!(error instanceof SeedError) || team === undefined) throw error
    return names.label.get(name, path)
  }
}

const withoutUndefined = (values: object): object => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
