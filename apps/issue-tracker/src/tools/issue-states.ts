import { findMatch } from '@mcp-toolkits/core/matching'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { moveToState, statesOfIssue } from '../linear/issue-states.ts'
import { inWorkflowOrder } from '../linear/metadata.ts'
import { IssueRef, State } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { candidate } from '../resolve/candidates.ts'
import { issueSought, sought } from '../resolve/sought.ts'
import { autoAccept, issueReference } from './parameters.ts'
import { reference } from './writing.ts'

export const transitionIssueState = defineTool({
  name: 'TransitionIssueState',
  title: 'Move an issue to a state',
  description:
    "Move an issue to another workflow state of its team. A name that none of the team's states has is refused with the nearest or with all of them; moving an issue to the state that it is in changes nothing.",
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue_id: issueReference,
    target_state: reference('Name of the state, or its type (such as "completed") where the team has one of that type only.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: IssueRef, previous_state: State, changed: z.boolean() }),
  async run({ issue_id: given, target_state: wanted, auto_accept_matches: accept }, { linear }, { signal }) {
    const id = issueNamed(given)
    const { issue: found } = await sought(issueSought(id), linear.run(statesOfIssue, { id }, signal))
    const { team, ...issue } = found
    const { candidate: target } = findMatch(wanted, inWorkflowOrder(team.states).map(candidate), {
      kind: 'workflow state',
      parameter: 'target_state',
      autoAccept: accept,
      listTool: { tool: 'IssueTracker.ListWorkflowStates', arguments: { team: team.key } },
    })
    if (target.id === issue.state.id) return { issue, previous_state: issue.state, changed: false }
    const { issue_update: moved } = await linear.run(moveToState, { id: issue.id, stateId: target.id }, signal)
    return { issue: moved.issue, previous_state: issue.state, changed: true }
  },
})
