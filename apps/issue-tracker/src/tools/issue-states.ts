import * as z from 'zod'
import { defineTool } from '../context.ts'
import { moveToState, statesOfIssue } from '../linear/issue-states.ts'
import { archiveIssue as archive, subscribe, unsubscribe } from '../linear/issue-writes.ts'
import { IssueRef, State } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { issueSought } from '../resolve/issue-change.ts'
import { statesFor } from '../resolve/issue-questions.ts'
import { resolve } from '../resolve/references.ts'
import { sought } from '../resolve/sought.ts'
import { autoAccept, issueReference } from './parameters.ts'
import { reference } from './writing.ts'

export const transitionIssueState = defineTool({
  name: 'TransitionIssueState',
  title: 'Move an issue to a state',
  description:
    "Move an issue to another workflow state of its team. A name that none of the team's states has is refused with those that it has; moving an issue to the state that it is in changes nothing.",
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
    const target = { kind: 'workflow state', wanted, found: statesFor(wanted, team.states) }
    const means = await resolve({ target_state: target }, { autoAccept: accept, suggest: () => Promise.resolve({}) })
    const stateId = means('target_state')[0]?.id
    if (stateId === undefined || stateId === issue.state.id) return { issue, previous_state: issue.state, changed: false }
    const { issue_update: moved } = await linear.run(moveToState, { id: issue.id, stateId }, signal)
    return { issue: moved.issue, previous_state: issue.state, changed: true }
  },
})

export const manageIssueSubscription = defineTool({
  name: 'ManageIssueSubscription',
  title: 'Follow or leave an issue',
  description: 'Subscribe the current user to the notifications of an issue, or unsubscribe. Doing it again changes nothing.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    subscribe: z.boolean().describe('true subscribes, false unsubscribes.'),
  }),
  output: z.object({ issue: IssueRef, subscribed: z.boolean().describe('Whether the current user is subscribed now.') }),
  async run({ issue: given, subscribe: wanted }, { linear }, { signal }) {
    const id = issueNamed(given)
    const { done } = await sought(issueSought(id), linear.run(wanted ? subscribe : unsubscribe, { id }, signal))
    const { subscribers, ...issue } = done.issue
    return { issue, subscribed: subscribers.length > 0 }
  },
})

export const archiveIssue = defineTool({
  name: 'ArchiveIssue',
  title: 'Archive an issue',
  description:
    'Archive an issue: it leaves all lists and is still found by its identifier. Sub-issues stay as they are. Archiving it again changes nothing; only Linear itself can restore it.',
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject({ issue: issueReference }),
  output: z.object({ issue: IssueRef.extend({ archived_at: z.string().nullish() }) }),
  async run({ issue: given }, { linear }, { signal }) {
    const id = issueNamed(given)
    const { issue_archive: archived } = await sought(issueSought(id), linear.run(archive, { id }, signal))
    return { issue: archived.entity }
  },
})
