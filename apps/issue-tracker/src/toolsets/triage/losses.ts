import * as z from 'zod'
import type { MoveLookup, OwnedIssue } from '../../linear/issues/moves.ts'
import { inWorkflowOrder } from '../../linear/teams.ts'
import { compact, cycleName, optionalText } from '../../tools/rows.ts'

/** The effect of a move on whatever depends on the team. */
export const MoveEffect = z.object({
  previous_identifier: optionalText,
  state: optionalText,
  previous_state: optionalText,
  lost_labels: z.array(z.string()).optional(),
  lost_cycle: optionalText,
  lost_project: optionalText,
  lost_milestone: optionalText,
})

const labelName = ({ name, parent }: OwnedIssue['labels'][number]) => (parent ? `${parent.name}/${name}` : name)

/**
 * The losses to expect from a move. The new state is the one with the same type and name, or else the first of that type, or else the
 * team's default.
 */
export function expectedLosses(
  issue: MoveLookup['issue'],
  { id: teamId, states, default_issue_state: initial }: MoveLookup['team'][number],
): z.output<typeof MoveEffect> {
  const ofType = inWorkflowOrder(states).filter(({ type }) => type === issue.state.type)
  const isSameName = ({ name }: { readonly name: string }) => name.toLowerCase() === issue.state.name.toLowerCase()
  const state = ofType.find(isSameName) ?? ofType[0] ?? initial
  const isInProject = issue.project?.teams.some(({ id }) => id === teamId)
  return compact({
    previous_identifier: issue.identifier,
    state: state?.name,
    previous_state: issue.state.name,
    lost_labels: issue.labels.filter(({ team }) => team && team.id !== teamId).map(labelName),
    lost_cycle: issue.cycle && cycleName(issue.cycle),
    lost_project: isInProject === false ? issue.project?.name : undefined,
    lost_milestone: isInProject === false ? issue.project_milestone?.name : undefined,
  })
}

/** A move's losses, from the previous issue and the one that Linear returned. */
export function lossesOf(before: OwnedIssue, after: OwnedIssue): z.output<typeof MoveEffect> {
  const kept = new Set(after.labels.map(({ id }) => id))
  return compact({
    previous_identifier: before.identifier,
    state: after.state.name,
    previous_state: before.state.name,
    lost_labels: before.labels.filter(({ id }) => !kept.has(id)).map(labelName),
    lost_cycle: before.cycle && before.cycle.id !== after.cycle?.id ? cycleName(before.cycle) : undefined,
    lost_project: before.project && before.project.id !== after.project?.id ? before.project.name : undefined,
    lost_milestone: before.project_milestone?.id === after.project_milestone?.id ? undefined : before.project_milestone?.name,
  })
}
