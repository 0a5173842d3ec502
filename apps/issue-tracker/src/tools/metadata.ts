import { Pagination } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { teamFilter } from '../linear/references.ts'
import * as documents from '../linear/teams.ts'
import { archivedFilterNotice } from '../resolve/resolver.ts'
import { emptyNotice, moreNotice, noticeOf } from './notices.ts'
import { longLimit, noticeField, reference } from './parameters.ts'

export const listLabels = defineTool({
  name: 'ListLabels',
  title: 'List labels',
  description: 'Labels that issues can have, of the workspace and of its teams, with their groups.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ limit: longLimit }),
  output: z.object({ labels: z.array(documents.Label), pagination: Pagination, ...noticeField }),
  async run({ limit: first }, { linear }) {
    const { labels, has_more_labels: hasMore } = await linear.run(documents.listLabels, { first })
    return {
      labels,
      pagination: { has_more: hasMore, end_cursor: null },
      ...emptyNotice('label', labels, {}),
      ...moreNotice(hasMore, first < 100 && 'raise limit (up to 100)'),
    }
  },
})

/** All states are fetched, sorted and then cut to the limit. */
const maxStates = 100

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
  output: z.object({ workflow_states: z.array(documents.WorkflowState), pagination: Pagination, ...noticeField }),
  async run({ team: reference, state_type: type, limit }, { linear, resolver }) {
    const page = await resolver.list({ team: reference }, async (filters) => {
      const team = filters.team === undefined ? undefined : teamFilter(filters.team)
      const filter = { ...(team && { team }), ...(type !== undefined && { type: { eq: type } }) }
      return linear.run(documents.listWorkflowStates, { first: maxStates, filter, team })
    })
    const states = documents.inWorkflowOrder(page.states).toSorted((a, b) => a.team.key.localeCompare(b.team.key))
    const hasMore = page.has_more_states || states.length > limit
    const isOpen = reference === undefined || type === undefined
    return {
      workflow_states: states.slice(0, limit),
      pagination: { has_more: hasMore, end_cursor: null },
      ...noticeOf(
        emptyNotice('workflow state', states, { team: reference, state_type: type }).notice,
        archivedFilterNotice(states, page.team),
      ),
      ...moreNotice(hasMore, limit < 100 && 'raise limit (up to 100)', isOpen && 'narrow by team or state_type'),
    }
  },
})
