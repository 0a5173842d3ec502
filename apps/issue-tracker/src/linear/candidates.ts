import * as z from 'zod'
import { operation } from './operation.ts'

const named = z.object({ id: z.string(), name: z.string() })

/** What a name could have meant, for the kinds of reference that missed. */
export const candidates = operation<Record<'team' | 'state' | 'assignee' | 'label' | 'project', boolean>>()(
  `query Candidates($team: Boolean!, $state: Boolean!, $assignee: Boolean!, $label: Boolean!, $project: Boolean!) {
    team: teams(first: 250) @include(if: $team) { nodes { ...TeamRef } }
    state: workflowStates(first: 250) @include(if: $state) { nodes { id name } }
    assignee: users(first: 250) @include(if: $assignee) { nodes { id name displayName email } }
    label: issueLabels(first: 250, filter: { isGroup: { eq: false } }) @include(if: $label) { nodes { id name parent { name } } }
    project: projects(first: 250) @include(if: $project) { nodes { ...ProjectRef } }
  }`,
  z.object({
    team: z.array(named.extend({ key: z.string() })).optional(),
    state: z.array(named).optional(),
    assignee: z.array(named.extend({ display_name: z.string(), email: z.string() })).optional(),
    label: z.array(named.extend({ parent: z.object({ name: z.string() }).nullish() })).optional(),
    project: z.array(named.extend({ slug_id: z.string() })).optional(),
  }),
)
