import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { nameFilters } from '../linear/filters.ts'
import { inWorkflowOrder } from '../linear/metadata.ts'
import { isUuid, tidy } from '../linear/references.ts'
import { findTeam, listTeams as listTeamsOperation, Team, TeamDetail } from '../linear/teams.ts'
import { columnOf, notAnId, onlyOne, pick } from '../resolve/lookup.ts'
import { emptyNotice } from './notices.ts'
import { autoAccept, createdAfter, endCursor, keywords, limit, reference } from './parameters.ts'

function ordered(team: z.output<typeof TeamDetail>): z.output<typeof TeamDetail> {
  return { ...team, states: inWorkflowOrder(team.states) }
}

export const getTeam = defineTool({
  name: 'GetTeam',
  title: 'Get a team',
  description: 'One team by id, key (such as ENG) or name: up to 50 members, workflow states, active cycle.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    value: reference('What lookup_by says, or an id.'),
    lookup_by: z.enum(['id', 'key', 'name']).default('id').describe('What value is.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ team: TeamDetail }),
  async run({ value: given, lookup_by: said, auto_accept_matches: accept }, { linear }, { signal }) {
    const value = tidy(given)
    const column = columnOf(value, said)
    if (column === 'id' && !isUuid(value)) throw notAnId(value, ['key', 'name'])
    const by = column === 'id' ? { id: { eq: value } } : { [column]: { eqIgnoreCase: value } }
    const { exact, candidates } = await linear.run(findTeam, { filter: by }, signal)
    const found = pick({ column, exact, candidates, wanted: given, kind: 'team', autoAccept: accept })
    if ('name' in found) return { team: ordered(found) }
    const { exact: close } = await linear.run(findTeam, { filter: { id: { eq: found.closeTo } } }, signal)
    return { team: ordered(onlyOne(close)) }
  },
})

export const listTeams = defineTool({
  name: 'ListTeams',
  title: 'List teams',
  description: 'Teams of the workspace that the current user can see, newest first.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words, all of them in the name.'),
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
    const { after, pagination } = startPaging(['ListTeams', words, includeArchived, since], cursor)
    const conditions = [...(words === undefined ? [] : nameFilters(words)), ...(since === undefined ? [] : [{ createdAt: { gte: since } }])]
    const filter = conditions.length === 0 ? {} : { and: conditions }
    const page = await linear.run(listTeamsOperation, { first, after, filter, includeArchived }, signal)
    return {
      teams: page.teams,
      pagination: pagination(page.has_more_teams, page.teams_end_cursor),
      ...emptyNotice('team', page.teams, { keywords: words, created_after: since }),
    }
  },
})
