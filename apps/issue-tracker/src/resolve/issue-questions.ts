import { InvalidInput, type ToolError } from '@mcp-toolkits/core'
import type { Candidate } from '@mcp-toolkits/core/matching'
import { cycleFilter, labelFilter, projectFilter, userFilter } from '../linear/filters.ts'
import { tidy } from '../linear/references.ts'
import type { InWorkspace, Label, Missed, ReferenceVariables, Scope } from '../linear/issue-references.ts'
import { attempt } from './attempt.ts'
import { cycle, label, person, project } from './candidates.ts'
import { refuseEstimate } from './estimates.ts'
import { groupsNamed, labelReference } from './labels.ts'
import type { Excluded, Question } from './references.ts'

/** What a call that writes an issue refers to by name. */
export interface Named {
  readonly assignee?: string | undefined
  readonly state?: string | undefined
  readonly project?: string | undefined
  readonly cycle?: string | undefined
  readonly labels_to_add?: readonly string[] | undefined
  readonly labels_to_remove?: readonly string[] | undefined
  readonly estimate?: number | undefined
  readonly auto_accept_matches: boolean
}

export const parameters = ['assignee', 'state', 'project', 'cycle', 'labels_to_add', 'labels_to_remove'] as const
export type Parameter = (typeof parameters)[number]

/** What the documents need to look for the names of a call. */
export function variablesOf({ assignee, state, project: inProject, cycle: inCycle, ...named }: Named): ReferenceVariables {
  const labels = [...(named.labels_to_add ?? []), ...(named.labels_to_remove ?? [])]
  return {
    assignee: assignee === undefined ? undefined : userFilter(assignee),
    hasAssignee: assignee !== undefined,
    // Groups are looked for too, so that a refusal can say what they are.
    labels: labels.length === 0 ? undefined : { or: labels.flatMap((each) => labelFilter(each).or ?? []) },
    hasLabels: labels.length > 0,
    hasState: state !== undefined,
    project: inProject === undefined ? undefined : projectFilter(inProject),
    hasProject: inProject !== undefined,
    cycle: inCycle === undefined ? undefined : cycleFilter(inCycle),
    hasCycle: inCycle !== undefined,
  }
}

/** The kinds of suggestion that the parameters that missed need. */
export function kindsOf(missed: readonly Parameter[]): Missed & { readonly cycles: boolean } {
  return {
    people: missed.includes('assignee'),
    labels: missed.includes('labels_to_add') || missed.includes('labels_to_remove'),
    projects: missed.includes('project'),
    cycles: missed.includes('cycle'),
  }
}

export function isMe(assignee: string | undefined): boolean {
  return assignee?.trim().toLowerCase() === '@me'
}

/** Labels that an issue can have: a group only holds them. */
export function applicable(labels: readonly Label[]): Candidate[] {
  return labels.filter(({ is_group: isGroup }) => !isGroup).map(label)
}

/** What each name of a call could mean in its team. */
export function questionsInTeam(named: Named, team: Scope, workspace: InWorkspace): Readonly<Record<Parameter, Question>> {
  const [me] = isMe(named.assignee) ? (team.assignee ?? []) : []
  const labels = applicable([...(team.labels ?? []), ...(workspace.organization?.labels ?? [])])
  const groups = groupsNamed(workspace.organization?.labels ?? [], team.labels ?? [])
  const labelled = (wanted: readonly string[] | undefined): Question => ({
    kind: 'label',
    wanted: wanted?.filter((one) => !groups(one)).map(labelReference),
    found: labels,
  })
  return {
    assignee: {
      kind: 'person',
      wanted: me ? me.id : named.assignee,
      found: (team.assignee ?? []).map(person),
      excluded: { found: (workspace.people ?? []).map(person), because: ({ name }) => notAMember(name, team, isMe(named.assignee)) },
    },
    state: { kind: 'workflow state', wanted: named.state, found: statesFor(named.state, team.states ?? []) },
    project: {
      kind: 'project',
      wanted: named.project === undefined ? undefined : tidy(named.project),
      found: (team.project ?? []).map(project),
      excluded: { found: (workspace.projects ?? []).map(project), because: ({ id, name }) => notOfTheTeam({ id, name }, team) },
    },
    cycle: { kind: 'cycle', wanted: cycleWanted(named.cycle, team), found: (team.cycle ?? []).map(cycle) },
    labels_to_add: labelled(named.labels_to_add),
    labels_to_remove: labelled(named.labels_to_remove),
  }
}

function notAMember(name: string, { key }: Scope, isCaller: boolean): Excluded {
  if (!isCaller) return { message: `${name} is not a member of team ${key}, so the issue cannot be assigned to ${name}.` }
  return {
    message: `"@me" is ${name}, who is not a member of team ${key}. Name a member as assignee, or "none" to leave the issue unassigned.`,
    next: { change: { assignee: 'none' } },
  }
}

function notOfTheTeam({ id, name }: Pick<Candidate, 'id' | 'name'>, { key }: Scope): Excluded {
  return {
    message: `Team ${key} does not take part in project "${name}". Add the team to it first (IssueTracker.UpdateProject with teams_to_add), or choose another project.`,
    next: { tool: 'IssueTracker.UpdateProject', arguments: { project_id: id, teams_to_add: [key] } },
  }
}

/** States by name, or else by their type: "completed" means a team's only state of that type. */
export function statesFor(wanted: string | undefined, states: readonly { id: string; name: string; type: string }[]): Candidate[] {
  const text = wanted?.trim().toLowerCase()
  const isNamed = states.some(({ id, name }) => id === text || name.toLowerCase() === text)
  return states.map(({ id, name, type }) => ({ id, name, ...(!isNamed && { key: type }) }))
}

/** The cycle that runs or comes next is found by what it is, not by its name. */
function cycleWanted(wanted: string | undefined, team: Scope): string | undefined {
  const text = wanted?.trim()
  if (text === undefined) return undefined
  if (/^(?:current|next)$/i.test(text)) return team.cycle?.[0]?.id ?? text
  return /^(?:cycle\s*)?(\d+)$/i.exec(text)?.[1] ?? text
}

/** What is wrong with a call for this team whatever its names mean. */
export function unfit({ estimate, cycle: inCycle, ...named }: Named, team: Scope, workspace: InWorkspace): ToolError[] {
  const groups = groupsNamed(workspace.organization?.labels ?? [], team.labels ?? [])
  const outcomes = [
    attempt(() => {
      if (estimate !== undefined) refuseEstimate(estimate, team)
    }),
    attempt(() => {
      if (inCycle !== undefined && !team.cycles_enabled)
        throw new InvalidInput(`Team ${team.key} does not use cycles. Leave "cycle" out.`, { next: { change: { cycle: null } } })
    }),
    ...[...(named.labels_to_add ?? []), ...(named.labels_to_remove ?? [])].map((one) =>
      attempt(() => {
        if (groups(one))
          throw new InvalidInput(`"${one}" is a group of labels and cannot be applied itself. Take one of its labels.`, {
            next: { tool: 'IssueTracker.ListLabels' },
          })
      }),
    ),
  ]
  return outcomes.flatMap((outcome) => ('failure' in outcome ? [outcome.failure] : []))
}
