import { InvalidInput, type ToolError } from '@mcp-toolkits/core'
import { ErrorCollector, type Candidate, type Explanation } from '@mcp-toolkits/core/matching'
import { cycleFilter, labelFilter, projectFilter, userFilter } from '../linear/filters.ts'
import type { Asked, Label, Outside, ReferenceVariables, Scope } from '../linear/issue-references.ts'
import { inWorkflowOrder } from '../linear/metadata.ts'
import { projectNamed, tidy } from '../linear/references.ts'
import { candidate, cycle } from './candidates.ts'
import { refuseEstimate } from './estimates.ts'
import { labelQuestion } from './labels.ts'
import { isMe } from './me.ts'
import type { Question } from './references.ts'

/** What a call that writes an issue refers to by name. */
export interface IssueNames {
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
export function variablesOf({ assignee, state, project, cycle: inCycle, ...named }: IssueNames): ReferenceVariables {
  const labels = [...(named.labels_to_add ?? []), ...(named.labels_to_remove ?? [])]
  return {
    assignee: assignee === undefined ? undefined : userFilter(assignee),
    hasAssignee: assignee !== undefined,
    // Groups are looked for too, so that a refusal can say what they are.
    labels: labels.length === 0 ? undefined : { or: labels.flatMap((each) => labelFilter(each).or ?? []) },
    hasLabels: labels.length > 0,
    hasState: state !== undefined,
    project: project === undefined ? undefined : projectFilter(project),
    hasProject: project !== undefined,
    cycle: inCycle === undefined ? undefined : cycleFilter(inCycle),
    hasCycle: inCycle !== undefined,
  }
}

/** The kinds of suggestion that parameters need. */
export function kindsOf(missed: readonly Parameter[]): Asked {
  return {
    allPeople: missed.includes('assignee'),
    allLabels: missed.includes('labels_to_add') || missed.includes('labels_to_remove'),
    allProjects: missed.includes('project'),
    allCycles: missed.includes('cycle'),
  }
}

/** A project as it is compared: by the slug, where that is what was written or what an address ends with. */
export function projectWanted(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const named = projectNamed(given)
  return named === tidy(given) ? given : named
}

export interface Among {
  readonly team: Scope
  readonly outside: Outside
  /** Labels that the issue has already. */
  readonly present: readonly Label[]
}

/** What each name of a call could mean in its team. */
export function questionsInTeam(named: IssueNames, { team, outside, present }: Among): Readonly<Record<Parameter, Question>> {
  const labels = [...(team.labels ?? []), ...(outside.organization?.labels ?? [])]
  const own = new Set(present.map(({ id }) => id))
  const toRemove = labelQuestion(named.labels_to_remove, [...present, ...labels])
  const inTeam = { team: team.key }
  return {
    assignee: assigneeQuestion(named.assignee, team, outside),
    state: {
      kind: 'workflow state',
      wanted: named.state,
      found: inWorkflowOrder(team.states ?? []).map(candidate),
      listTool: { tool: 'IssueTracker.ListWorkflowStates', arguments: inTeam },
    },
    project: {
      kind: 'project',
      wanted: projectWanted(named.project),
      found: (team.project ?? []).map(candidate),
      ineligible: { candidates: (outside.projects ?? []).map(candidate), explain: (one) => notOfTheTeam(one, team, outside) },
      listTool: { tool: 'IssueTracker.ListProjects', arguments: inTeam },
    },
    cycle: cycleQuestion(named.cycle, team),
    labels_to_add: labelQuestion(named.labels_to_add, labels),
    labels_to_remove: { ...toRemove, isPreferred: ({ id }) => own.has(id) },
  }
}

function assigneeQuestion(wanted: string | undefined, team: Scope, { people = [] }: Outside): Question {
  const isCaller = isMe(wanted)
  const [me] = isCaller ? people : []
  return {
    kind: 'person',
    wanted: me?.id ?? wanted,
    found: (team.assignee ?? []).map(candidate),
    ineligible: { candidates: people.map(candidate), explain: ({ name }) => notAMember(name, team, isCaller) },
    listTool: membersOf(team),
  }
}

function membersOf({ key }: Scope) {
  return { tool: 'IssueTracker.GetTeam', arguments: { value: key, lookup_by: 'key' } }
}

function notAMember(name: string, team: Scope, isCaller: boolean): Explanation {
  if (!isCaller)
    return { message: `${name} is not a member of team ${team.key}, so the issue cannot be assigned to ${name}.`, next: membersOf(team) }
  return {
    message: `"@me" is ${name}, who is not a member of team ${team.key}. Name a member as assignee, or "none" to leave the issue unassigned.`,
    next: { change: { assignee: 'none' } },
  }
}

function notOfTheTeam({ id, name }: Candidate, { key }: Scope, { projects = [] }: Outside): Explanation {
  if (projects.some((one) => one.id === id && one.archived_at))
    return { message: `Project "${name}" is archived, and takes no issues until it is restored in Linear itself. Choose another project.` }
  return {
    message: `Team ${key} does not take part in project "${name}". Add the team to it first (IssueTracker.UpdateProject with teams_to_add), or choose another project.`,
    next: { tool: 'IssueTracker.UpdateProject', arguments: { project_id: id, teams_to_add: [key] } },
  }
}

/** The cycle that runs or comes next is found by what it is, not by its name. */
function cycleQuestion(given: string | undefined, team: Scope): Question {
  const text = given?.trim().toLowerCase()
  const isRelative = text === 'current' || text === 'next'
  const number = /^(?:cycle\s*)?(\d+)$/i.exec(text ?? '')?.[1]
  const found = team.cycle ?? []
  return {
    kind: 'cycle',
    wanted: team.cycles_enabled ? ((isRelative ? found[0]?.id : number) ?? given) : undefined,
    found: found.map(cycle),
    listTool: { tool: 'IssueTracker.ListCycles', arguments: { team: team.key } },
    notFound: isRelative ? { message: `Team ${team.key} has no ${text} cycle.` } : undefined,
  }
}

/** What is wrong with a call for this team whatever its names mean. */
export function unfit({ estimate, cycle: inCycle }: IssueNames, team: Scope, mayDrop: boolean): readonly ToolError[] {
  const attempts = new ErrorCollector()
  attempts.collect(() => {
    if (estimate !== undefined) refuseEstimate(estimate, team, mayDrop)
  })
  attempts.collect(() => {
    if (inCycle === undefined || team.cycles_enabled) return
    const next = mayDrop ? { next: { change: { cycle: null } } } : {}
    throw new InvalidInput(`Team ${team.key} does not use cycles. Leave "cycle" out.`, next)
  })
  return attempts.failures
}
