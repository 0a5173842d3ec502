import { SeedError, type SeedPath } from '@mcp-toolkits/emulator'
import { stateId, statesOf } from '../empty.ts'
import type { LinearSeed, SeedIssue } from '../schema.ts'
import { labelName } from './people.ts'

/** What belongs to which team of a seed, for the rules that Linear applies to an issue. */
export interface Rosters {
  /** The type of a state of a team, the default one when absent. */
  readonly stateType: (key: string, name: string | undefined) => string
  /** The id of that state. Throws `SeedError` for a state that the team does not have. */
  readonly stateId: (key: string, name: string | undefined, path: SeedPath) => string
  /** Throws `SeedError` for an issue that Linear would refuse. */
  readonly check: (issue: SeedIssue, key: string, path: SeedPath) => void
}

export function rostersOf(seed: LinearSeed): Rosters {
  const teams = new Map(seed.teams.map((team) => [team.key, team]))
  const states = (key: string) => {
    const { states: own, triage = false } = teams.get(key) ?? {}
    return statesOf({ triageEnabled: triage, ...(own && { states: own }) })
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
        if (isGroup)
          throw new SeedError(labelPath, `${JSON.stringify(name)} is a group, and an issue has labels of a group, not the group.`)
        const other = group === undefined ? undefined : taken.get(group)
        if (other !== undefined) throw new SeedError(labelPath, `an issue has one label of the group ${group}, and has ${other} already.`)
        if (group !== undefined) taken.set(group, name)
      }
    },
  }
}
