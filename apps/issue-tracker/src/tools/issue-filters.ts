import type { LinearDocument as Linear } from '@linear/sdk'
import type * as z from 'zod'
import { keywordFilters, labelFilter, projectFilter, stateFilter, teamFilter, userFilter } from '../linear/filters.ts'
import type { IssueVariables, listIssues } from '../linear/issues.ts'
import { inWorkflowOrder } from '../linear/metadata.ts'
import { priorities } from '../linear/presentation.ts'
import { tidy } from '../linear/references.ts'

/** The arguments by which issues are filtered. */
interface IssueFilters {
  readonly keywords?: string | undefined
  readonly team?: string | undefined
  readonly state?: string | undefined
  readonly assignee?: string | undefined
  readonly priority?: (typeof priorities)[number] | undefined
  readonly label?: string | undefined
  readonly project?: string | undefined
  readonly created_after?: string | undefined
}

/** The filter of the list, and beside it one of each name, by which the same request checks that the name exists. */
export function issueVariables({
  keywords,
  team,
  state,
  assignee,
  priority,
  label,
  project,
  created_after: since,
}: IssueFilters): IssueVariables {
  const of = <Filter>(value: string | undefined, make: (wanted: string) => Filter) => (value === undefined ? undefined : make(value))
  const checks = {
    team: of(team, teamFilter),
    state: of(state, stateFilter),
    assignee: of(assignee, userFilter),
    label: of(label, labelFilter),
    project: of(project, projectFilter),
  }
  const conditions: Linear.IssueFilter[] = [
    ...(keywords === undefined ? [] : keywordFilters(keywords)),
    ...(checks.team ? [{ team: checks.team }] : []),
    ...(checks.state ? [{ state: checks.state }] : []),
    ...(checks.assignee ? [{ assignee: checks.assignee }] : []),
    ...(checks.label ? [{ labels: { some: checks.label } }] : []),
    ...(checks.project ? [{ project: checks.project }] : []),
    ...(priority === undefined ? [] : [{ priority: { eq: priorities.indexOf(priority) } }]),
    ...(since === undefined ? [] : [{ createdAt: { gte: since } }]),
  ]
  return {
    filter: conditions.length === 0 ? undefined : { and: conditions },
    ...checks,
    hasTeam: team !== undefined,
    hasState: state !== undefined,
    hasAssignee: assignee !== undefined,
    hasLabel: label !== undefined,
    hasProject: project !== undefined,
  }
}

type Page = z.output<typeof listIssues.data>

/**
 * Why a list of one team is empty although the state and the label that it was filtered by exist: they belong to other teams. No
 * notice where that is not why.
 */
export function teamNotice({ state, label }: IssueFilters, { issues, team: [team] = [], label: labels = [] }: Page): { notice?: string } {
  if (issues.length > 0 || team === undefined) return {}
  const called = `${team.name} (${team.key})`
  const owners = labels.flatMap((each) => (each.team ? [each.team] : []))
  const foreign = label !== undefined && owners.length > 0 && owners.length === labels.length && owners.every(({ id }) => id !== team.id)
  const notices = [
    ...(state !== undefined && team.states && !team.states.some((each) => isCalled(each, state))
      ? [
          `${called} has no workflow state "${state}". It has: ${inWorkflowOrder(team.states)
            .map(({ name }) => name)
            .join(', ')}.`,
        ]
      : []),
    ...(foreign
      ? [`Label "${label}" is not one of ${called} but of ${[...new Set(owners.map(({ name, key }) => `${name} (${key})`))].join(', ')}.`]
      : []),
  ]
  return notices.length === 0 ? {} : { notice: notices.join(' ') }
}

function isCalled({ id, name }: { readonly id: string; readonly name: string }, wanted: string): boolean {
  return id === tidy(wanted) || name.toLowerCase() === tidy(wanted).toLowerCase()
}
