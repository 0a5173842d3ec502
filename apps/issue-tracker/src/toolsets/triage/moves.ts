import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { confirmChange } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { milestoneOfIssue, moveLookup, moveToTeam, setMilestone } from '../../linear/issues/moves.ts'
import { issueId, milestoneFilter, readingsOf, teamFilter } from '../../linear/references.ts'
import { isNobody } from '../../resolve/corrections.ts'
import { matchTeam } from '../../resolve/issues.ts'
import { findMilestone } from '../../resolve/planning/milestones.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { onlyOne } from '../../resolve/matching.ts'
import { checkOpen } from '../../resolve/rules.ts'
import { autoAccept, issueReference, noticesField, reference } from '../../tools/parameters.ts'
import { IssueName, issueName } from '../../tools/rows.ts'
import { dryRun } from './batch-rows.ts'
import { expectedLosses, lossesOf, MoveEffect } from './losses.ts'

export const moveIssueToTeam = defineTool({
  name: 'MoveIssueToTeam',
  title: 'Move an issue to another team',
  description: Message.of(
    'Move an issue to another team: hand over a ticket, which gets a new identifier and loses its cycle, labels of the old team, and a project the new team is not part of. The result says what was lost; dry_run says what would be, and moves nothing.',
    sentence`For the state within a team, use ${{ tool: 'IssueTracker.TransitionIssueState' }}.`,
  ),
  effect: 'update',
  writes: ({ dry_run: isDry }) => !isDry,
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    team: reference('The new team: key, name or id.'),
    dry_run: dryRun,
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: IssueName, team: z.string(), changed: z.boolean(), ...MoveEffect.shape, ...noticesField }),
  example: { issue: 'ENG-35', team: 'DES' },
  async run({ issue: named, team: wanted, dry_run: isDry, auto_accept_matches: accepts }, { linear }, { notice }) {
    const id = issueId(named)
    const look = async (team: string) =>
      withNotFoundHint(issueRef(id), linear.send(moveLookup, { id, team: teamFilter(...readingsOf(team)) }))
    const found = await look(wanted)
    const teamId = await matchTeam({ team: wanted, auto_accept_matches: accepts }, found, notice)
    const { issue } = found
    if (issue.team.id === teamId) {
      notice(`${issue.identifier} is already in that team; nothing was changed.`)
      return { issue: issueName(issue), team: issue.team.key, changed: false }
    }
    // After an approximate match, the team's states are not yet known.
    const team = found.team.find((each) => each.id === teamId) ?? onlyOne((await look(teamId)).team)
    checkOpen(team)
    if (isDry) return { issue: issueName(issue), team: team.key, changed: false, ...expectedLosses(issue, team) }
    const moved = await moveToTeam(linear, { id: issue.id, input: { teamId } })
    confirmChange('Linear', { team: moved.team.id === teamId })
    return { issue: issueName(moved), team: moved.team.key, changed: true, ...lossesOf(issue, moved) }
  },
})

export const setIssueMilestone = defineTool({
  name: 'SetIssueMilestone',
  title: 'Set the milestone of an issue',
  description: Message.of(
    'Put an issue into a milestone of its project, or with "none" take it out. Only milestones of that project can be set; an issue without a project has none.',
    sentence`To change the project, use ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    milestone: reference('Name, id or URL; "none" takes it out.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({
    issue: IssueName,
    milestone: z.string().optional(),
    previous_milestone: z.string().optional(),
    changed: z.boolean(),
    ...noticesField,
  }),
  example: { issue: 'ENG-1', milestone: 'Launch' },
  async run({ issue: named, milestone: reference, auto_accept_matches: autoAccept }, { linear }, { notice }) {
    const id = issueId(named)
    const filter = milestoneFilter(...readingsOf(reference))
    const { issue, elsewhere } = await withNotFoundHint(issueRef(id), linear.send(milestoneOfIssue, { id, milestone: filter }))
    const { project, project_milestone: before } = issue
    if (!project && !isNobody(reference)) throw withoutProject(issue.identifier)
    const milestone =
      project && !isNobody(reference)
        ? await findMilestone({ parameter: 'milestone', reference, autoAccept, notice }, { ...project, elsewhere })
        : undefined
    if (milestone?.id === before?.id) {
      notice(`${issue.identifier} is already in ${before ? quote(before.name, 80) : 'no milestone'}; nothing was changed.`)
      return { issue: issueName(issue), milestone: before?.name, changed: false }
    }
    const input = { projectMilestoneId: milestone?.id ?? null }
    const changed = await setMilestone(linear, { id: issue.id, input })
    confirmChange('Linear', { milestone: changed.project_milestone?.id === milestone?.id })
    return { issue: issueName(changed), milestone: changed.project_milestone?.name, previous_milestone: before?.name, changed: true }
  },
})

function withoutProject(identifier: string): InvalidInput {
  const hint = sentence`Put it into one with ${{ tool: 'IssueTracker.UpdateIssue' }} (project) first.`
  return new InvalidInput(Message.of(`${identifier} has no project, and a milestone belongs to a project.`, hint))
}
