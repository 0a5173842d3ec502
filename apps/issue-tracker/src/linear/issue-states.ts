import * as z from 'zod'
import { operation } from './operation.ts'
import { IssueRef, State, TeamRef } from './records.ts'

/** An issue's state, and all states that it could have. */
export const statesOfIssue = operation<{ id: string }>()(
  `query StatesOfIssue($id: String!) { issue(id: $id) {
    ...IssueRef team { ...TeamRef states(first: 100) { nodes { ...State } } }
  } }`,
  z.object({ issue: IssueRef.extend({ team: TeamRef.extend({ states: z.array(State) }) }) }),
)

export const moveToState = operation<{ id: string; stateId: string }>()(
  'mutation MoveToState($id: String!, $stateId: String!) { issueUpdate(id: $id, input: { stateId: $stateId }) { issue { ...IssueRef } } }',
  z.object({ issue_update: z.object({ issue: IssueRef }) }),
)
