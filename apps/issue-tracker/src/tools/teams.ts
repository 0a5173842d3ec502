import { Pagination, paging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { isUuid } from '../linear/filters.ts'
import { findTeam, listTeams as listTeamsOperation, Team, TeamDetail } from '../linear/teams.ts'
import { notAnId, onlyOne, pick } from '../resolve.ts'
import { emptyNotice } from './notices.ts'
import { autoAccept, createdAfter, endCursor, keywords, limit } from './parameters.ts'

export const getTeam = defineTool({
  name: 'GetTeam',
  title: 'Get a team',
  description:
    'One team with its first 50 members, its workflow states and its active cycle. Look it up by id, by key (such as ENG) or by name.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    value: z.string().min(1).describe('The id, key or name, as lookup_by says.'),
    lookup_by: z.enum(['id', 'key', 'name']).default('id').describe('What value is.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ team: TeamDetail }),
  async run({ value, lookup_by: column, auto_accept_matches: accept }, { linear }, { signal }) {
    if (column === 'id' && !isUuid(value)) throw notAnId(value, 'name')
    const by = column === 'id' ? { id: { eq: value } } : { [column]: { eqIgnoreCase: value } }
    const { exact, candidates } = await linear.run(findTeam, { filter: by }, signal)
    const found = pick({ exact, candidates, wanted: value, kind: 'team', autoAccept: accept && column === 'name' })
    if ('name' in found) return { team: found }
    const { exact: close } = await linear.run(findTeam, { filter: { id: { eq: found.closeTo } } }, signal)
    return { team: onlyOne(close) }
  },
})

export const listTeams = defineTool({
  name: 'ListTeams',
  title: 'List teams',
  description: 'Teams of the workspace that the current user can see, newest first.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Text that the name contains, whatever its case.'),
    include_archived: z.boolean().default(false).describe('Include archived teams.'),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ teams: z.array(Team), pagination: Pagination, notice: z.string().optional() }),
  async run(
    { keywords: words, include_archived: includeArchived, created_after: since, limit: first, end_cursor: cursor },
    { linear },
    { signal },
  ) {
    const { after, pagination } = paging(['ListTeams', words, includeArchived, since], cursor)
    const filter = {
      ...(words !== undefined && { name: { containsIgnoreCase: words } }),
      ...(since !== undefined && { createdAt: { gte: since } }),
    }
    const page = await linear.run(listTeamsOperation, { first, after, filter, includeArchived }, signal)
    return {
      teams: page.teams,
      pagination: pagination(page.has_more_teams, page.teams_end_cursor),
      ...emptyNotice('team', page.teams, { keywords: words, created_after: since }),
    }
  },
})
