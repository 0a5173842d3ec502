import { Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import * as documents from '../linear/teams.ts'
import { teamFilter } from '../linear/references.ts'
import { cycleRef, withNotFoundHint } from '../resolve/not-found.ts'
import { archivedFilterNotice } from '../resolve/resolver.ts'
import { emptyNotice, noticesOf } from './notices.ts'
import { endCursor, limit, noticesField, reference } from './parameters.ts'
import { compact, CycleLine, cycleLine, IssueLine, issueLines, optionalText } from './rows.ts'

const history = z.array(z.number()).optional()
const CycleDetail = CycleLine.extend({
  description: optionalText,
  completed_at: optionalText,
  created_at: optionalText,
  updated_at: optionalText,
  archived_at: optionalText,
  scope_history: history.describe('Points in the cycle, one number per day.'),
  completed_scope_history: history,
  issue_count_history: history,
  completed_issue_count_history: history,
  issues: z.array(IssueLine).optional(),
  has_more_issues: z.boolean().optional(),
})

export const getCycle = defineTool({
  name: 'GetCycle',
  title: 'Get a cycle',
  description: Message.of(
    'Get one cycle (sprint, iteration): details, dates, progress by day and its 25 most recently changed issues.',
    sentence`For its id, use ${{ tool: 'IssueTracker.ListCycles' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ cycle_id: reference(sentence`Id, from ${{ tool: 'IssueTracker.ListCycles' }}.`) }),
  output: z.object({ cycle: CycleDetail }),
  example: { cycle_id: '9678b79d-b78e-4857-a7b6-55ba0f1d0200' },
  async run(args, { linear, resolver }) {
    const id = await resolver.cycle(args.cycle_id)
    const { cycle } = await withNotFoundHint(cycleRef(id), linear.send(documents.getCycle, { id }))
    return { cycle: cycleDetail(cycle) }
  },
})

function cycleDetail(cycle: z.output<typeof documents.CycleDetail>): z.output<typeof CycleDetail> {
  const { description, completed_at: completed, created_at: created, updated_at: updated, archived_at: archived } = cycle
  const issues = { issues: issueLines(cycle.issues), has_more_issues: cycle.has_more_issues }
  const histories = {
    scope_history: cycle.scope_history,
    completed_scope_history: cycle.completed_scope_history,
    issue_count_history: cycle.issue_count_history,
    completed_issue_count_history: cycle.completed_issue_count_history,
  }
  const times = { completed_at: completed, created_at: created, updated_at: updated, archived_at: archived }
  return compact({ ...cycleLine(cycle), description, ...times, ...histories, ...issues })
}

export const listCycles = defineTool({
  name: 'ListCycles',
  title: 'List cycles',
  description: Message.of(
    'List cycles (sprints, iterations) of one or all teams, latest first: which sprint is current (active), next, upcoming or past, and when.',
    sentence`For its issues, use ${{ tool: 'IssueTracker.GetCycle' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    team: reference('Key, name or id.').optional(),
    active_only: z.boolean().default(false).describe('Only current cycles.'),
    include_completed: z.boolean().default(true).describe('Include completed cycles.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ cycles: z.array(CycleLine), pagination: Pagination, ...noticesField }),
  example: { team: 'ENG' },
  async run({ limit, end_cursor, ...filters }, { linear, resolver }) {
    const { active_only: activeOnly, include_completed: includeCompleted } = filters
    const { after, first, result, pagination } = startPaging(['ListCycles', filters], { limit, end_cursor })
    const page = await resolver.list({ team: filters.team }, async ({ team: reference }) => {
      const team = reference === undefined ? undefined : teamFilter(reference)
      const filter = {
        ...(team && { team }),
        ...(activeOnly && { isActive: { eq: true } }),
        ...(!includeCompleted && { isPast: { eq: false } }),
      }
      return linear.send(documents.listCycles, { first, after, filter, team })
    })
    const applied = {
      team: filters.team,
      active_only: activeOnly || undefined,
      include_completed: includeCompleted ? undefined : false,
      after,
    }
    const hasNoCycles = page.team?.[0]?.cycles_enabled === false
    const emptyReason = hasNoCycles ? 'This team does not use cycles.' : emptyNotice('cycle', page.cycles, applied)
    return result({
      cycles: page.cycles.toSorted((a, b) => (b.starts_at ?? '').localeCompare(a.starts_at ?? '')).map(cycleLine),
      pagination: pagination(page.has_more_cycles, page.cycles_end_cursor),
      ...noticesOf(emptyReason, archivedFilterNotice(page.cycles, page.team)),
    })
  },
})
