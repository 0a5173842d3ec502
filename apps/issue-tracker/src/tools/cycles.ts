import { sentence } from '@mcp-toolkits/core/message'
import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import * as documents from '../linear/cycles.ts'
import { teamFilter } from '../linear/references.ts'
import { cycleRef, withNotFoundHint } from '../resolve/not-found.ts'
import { archivedFilterNotice } from '../resolve/resolver.ts'
import { emptyNotice, noticeOf } from './notices.ts'
import { endCursor, limit, noticeField, reference } from './parameters.ts'

export const getCycle = defineTool({
  name: 'GetCycle',
  title: 'Get a cycle',
  description: 'One cycle (a time-boxed iteration of a team) with its progress by day and the 25 issues that changed last.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ cycle_id: reference(sentence`Id, from ${{ tool: 'IssueTracker.ListCycles' }}.`) }),
  output: z.object({ cycle: documents.CycleDetail }),
  async run(args, { linear, resolver }) {
    const id = await resolver.cycle(args.cycle_id)
    return withNotFoundHint(cycleRef(id), linear.run(documents.getCycle, { id }))
  },
})

export const listCycles = defineTool({
  name: 'ListCycles',
  title: 'List cycles',
  description:
    'Cycles of one team or of all. Each page is sorted separately, latest start first. A cycle without a name is known by its number.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    team: reference('Id, key or name.').optional(),
    active_only: z.boolean().default(false).describe('Only cycles that run now.'),
    include_completed: z.boolean().default(true).describe('Include cycles that are over.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ cycles: z.array(documents.CycleRow), pagination: Pagination, ...noticeField }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear, resolver }) {
    const { active_only: activeOnly, include_completed: includeCompleted } = filters
    const { after, pagination } = startPaging(['ListCycles', filters], cursor)
    const page = await resolver.list({ team: filters.team }, async ({ team: reference }) => {
      const team = reference === undefined ? undefined : teamFilter(reference)
      const filter = {
        ...(team && { team }),
        ...(activeOnly && { isActive: { eq: true } }),
        ...(!includeCompleted && { isPast: { eq: false } }),
      }
      return linear.run(documents.listCycles, { first, after, filter, team })
    })
    const applied = { team: filters.team, active_only: activeOnly || undefined, include_completed: includeCompleted ? undefined : false }
    const hasNoCycles = page.team?.[0]?.cycles_enabled === false
    const emptyReason = hasNoCycles ? 'This team does not use cycles.' : emptyNotice('cycle', page.cycles, applied).notice
    return {
      cycles: page.cycles.toSorted((a, b) => b.starts_at.localeCompare(a.starts_at)),
      pagination: pagination(page.has_more_cycles, page.cycles_end_cursor),
      ...noticeOf(emptyReason, archivedFilterNotice(page.cycles, page.team)),
    }
  },
})
