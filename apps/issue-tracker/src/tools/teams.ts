import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { nameFilters, nameFilter, pageIn, plainReading, readingsOf, teamFilter } from '../linear/references.ts'
import * as documents from '../linear/teams.ts'
import { lookupColumn } from '../resolve/resolver.ts'
import { emptyNotice } from './notices.ts'
import { autoAccept, createdAfter, endCursor, keywords, limit, noticeField, reference } from './parameters.ts'

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
  output: z.object({ team: documents.TeamDetail }),
  async run(args, { linear, resolver }) {
    const readings = readingsOf(args.value)
    // The URL of a page identifies the team, so `lookup_by` does not matter.
    const column = pageIn(plainReading(args.value)) ? 'any' : lookupColumn(args.value, args.lookup_by)
    const filters = {
      id: { id: { eq: plainReading(args.value) } },
      key: { or: readings.map((key) => ({ key: { eqIgnoreCase: key } })) },
      name: nameFilter(...readings),
      any: teamFilter(...readings),
    }
    const team = await resolver.lookUp({
      kind: 'team',
      reference: args.value,
      column,
      autoAccept: args.auto_accept_matches,
      find: ({ id }) => linear.run(documents.findTeam, { filter: id === undefined ? filters[column] : { id: { eq: id } } }),
    })
    return { team: { ...team, states: documents.inWorkflowOrder(team.states) } }
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
  output: z.object({ teams: z.array(documents.Team), pagination: Pagination, ...noticeField }),
  async run(args, { linear }) {
    const { include_archived: includeArchived, created_after: since } = args
    const { after, pagination } = startPaging(['ListTeams', args.keywords, includeArchived, since], args.end_cursor)
    const conditions = [...nameFilters(args.keywords), ...(since === undefined ? [] : [{ createdAt: { gte: since } }])]
    const filter = conditions.length === 0 ? {} : { and: conditions }
    const page = await linear.run(documents.listTeams, { first: args.limit, after, filter, includeArchived })
    return {
      teams: page.teams,
      pagination: pagination(page.has_more_teams, page.teams_end_cursor),
      ...emptyNotice('team', page.teams, { keywords: args.keywords, created_after: since }),
    }
  },
})
