import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import { sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { CycleDetail, CycleRow, getCycle as getCycleOperation, listCycles as listCyclesOperation } from '../linear/cycles.ts'
import { teamFilter } from '../linear/filters.ts'
import { tidy } from '../linear/references.ts'
import { archivedAmong, refuseMisses } from '../resolve/lists.ts'
import { cycleSought, sought } from '../resolve/sought.ts'
import { emptyNotice, noticeOf } from './notices.ts'
import { endCursor, limit, reference } from './parameters.ts'

export const getCycle = defineTool({
  name: 'GetCycle',
  title: 'Get a cycle',
  description: 'One cycle (a time-boxed iteration of a team) with its progress by day and the 25 issues that changed last.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ cycle_id: reference(sentence`Id, from ${{ tool: 'IssueTracker.ListCycles' }}.`) }),
  output: z.object({ cycle: CycleDetail }),
  async run({ cycle_id: given }, { linear }, { signal }) {
    const id = tidy(given)
    return sought(cycleSought(id), linear.run(getCycleOperation, { id }, signal))
  },
})

export const listCycles = defineTool({
  name: 'ListCycles',
  title: 'List cycles',
  description:
    'Cycles of one team or of all. Each page is sorted by itself, latest start first. A cycle without a name is known by its number.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    team: reference('Id, key or name.').optional(),
    active_only: z.boolean().default(false).describe('Only cycles that run now.'),
    include_completed: z.boolean().default(true).describe('Include cycles that are over.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ cycles: z.array(CycleRow), pagination: Pagination, notice: z.string().optional() }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear }, { signal }) {
    const { team, active_only: active, include_completed: completed } = filters
    const { after, pagination } = startPaging(['ListCycles', filters], cursor)
    const wanted = team === undefined ? undefined : teamFilter(team)
    const filter = {
      ...(wanted && { team: wanted }),
      ...(active && { isActive: { eq: true } }),
      ...(!completed && { isPast: { eq: false } }),
    }
    const page = await linear.run(listCyclesOperation, { first, after, filter, team: wanted, hasTeam: team !== undefined }, signal)
    await refuseMisses(linear, { wanted: { team }, found: page }, signal)
    const searched = { team, active_only: active || undefined, include_completed: completed ? undefined : false }
    const cyclesOff = page.team?.[0]?.cycles_enabled === false ? 'This team does not use cycles.' : undefined
    const whyEmpty = cyclesOff ?? emptyNotice('cycle', page.cycles, searched).notice
    return {
      cycles: page.cycles.toSorted((a, b) => b.starts_at.localeCompare(a.starts_at)),
      pagination: pagination(page.has_more_cycles, page.cycles_end_cursor),
      ...noticeOf(whyEmpty, archivedAmong(page.cycles, page.team)),
    }
  },
})
