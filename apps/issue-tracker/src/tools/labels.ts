import { joinWords, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { Pagination } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { teamFilter } from '../linear/references.ts'
import * as documents from '../linear/teams.ts'
import { archivedFilterNotice } from '../resolve/resolver.ts'
import { emptyNotice, moreNotice, noticesOf } from './notices.ts'
import { longLimit, noticesField, reference, stateParameter } from './parameters.ts'
import { compact, StateRow, text, optionalText } from './rows.ts'

const LabelRow = z.object({
  name: text,
  team: optionalText.describe('Key; absent for a label of the whole workspace.'),
  group: optionalText.describe('An issue can have only one label per group.'),
  is_group: z.boolean().optional().describe('A group holds labels and cannot be applied itself.'),
  description: optionalText,
  archived_at: optionalText,
})

export const listLabels = defineTool({
  name: 'ListLabels',
  title: 'List labels',
  description: Message.of(
    'List all labels (tags) that issues can have, with teams and groups.',
    sentence`For issues with a label, use ${{ tool: 'IssueTracker.ListIssues' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({ limit: longLimit }),
  output: z.object({ labels: z.array(LabelRow), pagination: Pagination, ...noticesField }),
  example: {},
  async run({ limit: first }, { linear }) {
    const { labels, has_more_labels: hasMore } = await linear.send(documents.listLabels, { first })
    const retired = labels.flatMap(({ name, retired_at: retiredAt }) => (retiredAt === undefined ? [] : [quote(name, 80)]))
    return {
      labels: labels.map(({ name, team, parent, description, is_group, archived_at }) =>
        compact({ name, team: team?.key, group: parent?.name, description, is_group, archived_at }),
      ),
      pagination: { has_more: hasMore, end_cursor: null },
      ...noticesOf(
        emptyNotice('label', labels, {}),
        retired.length === 0 ? undefined : `These labels are retired, so they cannot be added to issues: ${joinWords(retired)}.`,
        moreNotice(hasMore, first < 100 && 'raise limit (up to 100)'),
      ),
    }
  },
})

/** Maximum number of states to fetch; they are sorted, and then cut to the limit. */
const maxStates = 100

const typeFilter = stateParameter(documents.stateTypes, documents.stateWords, 'Only this type.')

export const listWorkflowStates = defineTool({
  name: 'ListWorkflowStates',
  title: 'List workflow states',
  description: Message.of(
    'List the workflow states (statuses, columns) that an issue or ticket can be in, by team, in workflow order.',
    sentence`To set one, use ${{ tool: 'IssueTracker.TransitionIssueState' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit, a team or a state_type.',
  input: z.strictObject({
    team: reference('Name, key or id.').optional(),
    state_type: typeFilter.parameter,
    limit: longLimit,
  }),
  output: z.object({
    workflow_states: z.array(z.object({ team: text, states: z.array(StateRow) })),
    pagination: Pagination,
    ...noticesField,
  }),
  example: { team: 'ENG' },
  async run({ team: reference, state_type: type, limit }, { linear, resolver }) {
    const page = await resolver.list({ team: reference }, async (filters) => {
      const team = filters.team === undefined ? undefined : teamFilter(filters.team)
      const filter = { ...(team && { team }), ...(type !== undefined && { type: { in: [...typeFilter.statesIn(type)] } }) }
      return linear.send(documents.listWorkflowStates, { first: maxStates, filter, team })
    })
    const states = documents.inWorkflowOrder(page.states).toSorted((a, b) => a.team.key.localeCompare(b.team.key))
    const hasMore = page.has_more_states || states.length > limit
    const isOpen = reference === undefined || type === undefined
    return {
      workflow_states: byTeam(states.slice(0, limit)),
      pagination: { has_more: hasMore, end_cursor: null },
      ...noticesOf(
        emptyNotice('workflow state', states, { team: reference, state_type: type }),
        archivedFilterNotice(states, page.team),
        moreNotice(hasMore, limit < 100 && 'raise limit (up to 100)', isOpen && 'narrow by team or state_type'),
      ),
    }
  },
})

/** States grouped by team. */
function byTeam(states: z.output<typeof documents.listWorkflowStates.data>['states']) {
  const teams = [...new Set(states.map(({ team }) => team.key))]
  return teams.map((team) => ({
    team,
    states: states.filter((state) => state.team.key === team).map(({ name, type, description }) => compact({ name, type, description })),
  }))
}
