import { Pagination } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { teamFilter } from '../linear/filters.ts'
import {
  inWorkflowOrder,
  Label,
  listLabels as listLabelsOperation,
  listWorkflowStates as listWorkflowStatesOperation,
  WorkflowState,
} from '../linear/metadata.ts'
import { archivedAmong, refuseMisses } from '../resolve/lists.ts'
import { emptyNotice, moreNotice, noticeOf } from './notices.ts'
import { longLimit, reference } from './parameters.ts'

export const listLabels = defineTool({
  name: 'ListLabels',
  title: 'List labels',
  description: 'Labels that issues can have, of the workspace and of its teams, with their groups.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ limit: longLimit }),
  output: z.object({ labels: z.array(Label), pagination: Pagination, notice: z.string().optional() }),
  async run({ limit: first }, { linear }, { signal }) {
    const { labels, has_more_labels: more } = await linear.run(listLabelsOperation, { first }, signal)
    return {
      labels,
      pagination: { has_more: more, end_cursor: null },
      ...emptyNotice('label', labels, {}),
      ...moreNotice(more, first < 100 && 'raise limit (up to 100)'),
    }
  },
})

/** All are fetched, put in order and then cut. */
const mostStates = 100

export const listWorkflowStates = defineTool({
  name: 'ListWorkflowStates',
  title: 'List workflow states',
  description: 'Workflow states by team, in the order of its workflow. Teams can have states of the same name.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    team: reference('Name, key or id.').optional(),
    state_type: z
      .enum(['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled'])
      .optional()
      .describe('The type of the state.'),
    limit: longLimit,
  }),
  output: z.object({ workflow_states: z.array(WorkflowState), pagination: Pagination, notice: z.string().optional() }),
  async run({ team, state_type: type, limit }, { linear }, { signal }) {
    const wanted = team === undefined ? undefined : teamFilter(team)
    const filter = { ...(wanted && { team: wanted }), ...(type !== undefined && { type: { eq: type } }) }
    const page = await linear.run(
      listWorkflowStatesOperation,
      { first: mostStates, filter, team: wanted, hasTeam: team !== undefined },
      signal,
    )
    await refuseMisses(linear, { wanted: { team }, found: page }, signal)
    const ordered = inWorkflowOrder(page.states).toSorted((a, b) => a.team.key.localeCompare(b.team.key))
    const more = page.has_more_states || ordered.length > limit
    return {
      workflow_states: ordered.slice(0, limit),
      pagination: { has_more: more, end_cursor: null },
      ...noticeOf(emptyNotice('workflow state', ordered, { team, state_type: type }).notice, archivedAmong(ordered, page.team)),
      ...moreNotice(
        more,
        limit < 100 && 'raise limit (up to 100)',
        (team === undefined || type === undefined) && 'narrow by team or state_type',
      ),
    }
  },
})
