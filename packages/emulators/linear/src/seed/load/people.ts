import { SeedError, type SeedPath } from '@mcp-toolkits/emulator'
import { idOf } from '../../ids.ts'
import type { LinearSeed, SeedIssue, SeedLabel, SeedTeam, SeedUser } from '../schema.ts'
import { stateId, viewerId } from '../seed-ids.ts'
import { statesOf } from '../../teams/default-states.ts'
import { seedTeam, seedUser } from '../seed-rows.ts'
import { type Loader, withPaths } from './loader.ts'

/** Adds the people, the teams and the labels. */
export function loadPeople(loader: Loader, seed: LinearSeed): void {
  for (const [user, path] of withPaths(seed.users, ['users'])) loadUser(loader, user, { path, isViewer: user.name === seed.viewer })
  loader.names.user.get(seed.viewer, ['viewer'])
  for (const [team, path] of withPaths(seed.teams, ['teams'])) loadTeam(loader, team, path)
  const labels = withPaths(seed.labels, ['labels'])
  // A group may come after its labels.
  for (const [label, path] of labels) loader.names.label.add(labelName(label), idOf(`IssueLabel ${label.key ?? labelName(label)}`), path)
  for (const [label, path] of labels) loadLabel(loader, label, path)
}

function loadUser(loader: Loader, user: SeedUser, { path, isViewer }: { path: SeedPath; isViewer: boolean }): void {
  const id = isViewer ? viewerId : idOf(`User ${user.name}`)
  loader.names.user.add(user.name, id, [...path, 'name'])
  seedUser(loader, { ...user, id })
}

function loadTeam(loader: Loader, team: SeedTeam, path: SeedPath): void {
  const { key, name, members, triage: triageEnabled = false, states } = team
  const { names } = loader
  const age = (field: 'createdAt' | 'archivedAt') => (team[field] === undefined ? undefined : loader.age(team[field], [...path, field]))
  names.team.add(key, idOf(`Team ${name}`), [...path, 'key'])
  for (const state of statesOf({ states, triageEnabled }))
    names.state.add(`${key} ${state.name}`, stateId(key, state.name), [...path, 'states'])
  const teamId = seedTeam(loader, {
    key,
    name,
    description: team.description,
    private: team.private,
    triageEnabled,
    cyclesEnabled: team.cycles,
    issueEstimationType: team.estimates,
    states,
    daysAgo: age('createdAt'),
    archivedDaysAgo: age('archivedAt'),
  })
  for (const [member, memberPath] of withPaths(members, [...path, 'members']))
    loader.link('teamMembers', teamId, names.user.get(member, memberPath))
}

/** A unique name for a label: labels of different teams may have the same name. */
const labelName = ({ name, team }: Pick<SeedLabel, 'name' | 'team'>): string => (team === undefined ? name : `${team} ${name}`)

function loadLabel(loader: Loader, label: SeedLabel, path: SeedPath): void {
  const { name, key = labelName(label), team, group, description, color = '#5e6ad2', isGroup = false } = label
  const { names } = loader
  loader.add('IssueLabel', key, {
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

/** The id of the label with this name: the team's own, or else the workspace's. */
export function findLabel({ names }: Loader, { name, team }: { name: string; team: string | undefined }, path: SeedPath): string {
  const own = labelName({ name, team })
  return names.label.get(names.label.has(own) ? own : name, path)
}

/** The states, members, labels and projects of a seed's teams, which decide whether Linear accepts an issue. */
export interface TeamIndex {
  /** The type of a team's state; the default state's type if no name is given. */
  readonly stateType: (key: string, name: string | undefined) => string
  /** The id of that state. Throws `SeedError` if the team has no such state. */
  readonly stateId: (key: string, name: string | undefined, path: SeedPath) => string
  /** Throws `SeedError` for an issue that Linear would refuse. */
  readonly check: (issue: SeedIssue, key: string, path: SeedPath) => void
}

export function indexTeams(seed: LinearSeed): TeamIndex {
  const teams = new Map(seed.teams.map((team) => [team.key, team]))
  const states = (key: string) => {
    const { states: own, triage = false } = teams.get(key) ?? {}
    return statesOf({ triageEnabled: triage, states: own })
  }
  const stateOf = (key: string, name: string | undefined) =>
    name === undefined
      ? (states(key).find(({ type }) => type === 'backlog') ?? states(key)[0])
      : states(key).find((state) => state.name === name)
  const projectTeams = new Map((seed.projects ?? []).map(({ name, teams: keys }) => [name, keys]))
  const inactive = new Set(seed.users.filter(({ active = true, app = false }) => !active || app).map(({ name }) => name))
  const groups = new Map((seed.labels ?? []).map((label) => [labelName(label), label]))
  return {
    stateType: (key, name) => stateOf(key, name)?.type ?? '',
    stateId(key, name, path) {
      const state = stateOf(key, name)
      if (state) return stateId(key, state.name)
      const there = states(key).map((each) => each.name)
      throw new SeedError(path, `the team ${key} has no state called ${JSON.stringify(name)}. It has ${there.join(', ')}.`)
    },
    check({ assignee, project, labels = [] }, key, path) {
      if (assignee !== undefined && (inactive.has(assignee) || teams.get(key)?.members?.includes(assignee) !== true))
        throw new SeedError([...path, 'assignee'], `${assignee} is not an active member of the team ${key}.`)
      if (project !== undefined && projectTeams.get(project)?.includes(key) === false)
        throw new SeedError([...path, 'project'], `${key} is not a team of the project ${JSON.stringify(project)}.`)
      const taken = new Map<string, string>()
      for (const [index, name] of labels.entries()) {
        const { isGroup = false, group } = groups.get(`${key} ${name}`) ?? groups.get(name) ?? {}
        const labelPath = [...path, 'labels', index]
        if (isGroup) throw new SeedError(labelPath, `${JSON.stringify(name)} is a label group; use one of the labels in it.`)
        const other = group === undefined ? undefined : taken.get(group)
        if (other !== undefined)
          throw new SeedError(labelPath, `an issue can have only one label from the group ${group}, and this one already has ${other}.`)
        if (group !== undefined) taken.set(group, name)
      }
    },
  }
}
