import { Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { nameFilter, nameFilters, pageIn, plainReading, readingsOf, teamFilter } from '../linear/references.ts'
import * as documents from '../linear/teams.ts'
import { lookupColumn } from '../resolve/resolver.ts'
import { emptyNotice, keywordsNotice, noticesOf } from './notices.ts'
import { autoAccept, createdAfter, endCursor, keywords, limit, noticesField, reference } from './parameters.ts'
import { compact, CycleLine, cycleLine, MemberRow, memberRows, StateRow, text, optionalText, flag } from './rows.ts'

const TeamRow = z.object({
  key: text,
  name: text,
  description: optionalText,
  parent: optionalText.describe('The key of its parent team.'),
  archived_at: optionalText,
  retired_at: optionalText.describe('A retired team takes no new issues.'),
})
const TeamDetail = TeamRow.extend({
  id: text,
  visibility: optionalText,
  timezone: optionalText,
  created_at: optionalText,
  updated_at: optionalText,
  cycles_enabled: flag,
  triage_enabled: flag,
  issue_estimation_type: optionalText,
  issue_count: z.number().optional(),
  active_cycle: CycleLine.optional(),
  default_issue_state: optionalText,
  members: z.array(MemberRow).optional(),
  has_more_members: flag,
  states: z.array(StateRow).optional(),
  has_more_states: flag,
})

export const getTeam = defineTool({
  name: 'GetTeam',
  title: 'Get a team',
  description: Message.of(
    'Get one team: details, members (how many people, who is on it), workflow states, active cycle.',
    sentence`To find its key, use ${{ tool: 'IssueTracker.ListTeams' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    value: reference('Id, key or name, as lookup_by says.'),
    lookup_by: z.enum(['id', 'key', 'name']).default('id').describe('Kind of value.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ team: TeamDetail }),
  example: { value: 'ENG', lookup_by: 'key' },
  async run(args, { linear, resolver }) {
    const readings = readingsOf(args.value)
    // A page's URL identifies the team, so `lookup_by` does not matter.
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
      find: ({ id }) => linear.send(documents.findTeam, { filter: id === undefined ? filters[column] : { id: { eq: id } } }),
    })
    return { team: teamDetail(team) }
  },
})

function teamRow({ key, name, description, parent, archived_at: archived, retired_at: retired }: z.output<typeof documents.Team>) {
  return compact({ key, name, description, parent: parent?.key, archived_at: archived, retired_at: retired })
}

function teamDetail({
  cycles_enabled: cycles,
  triage_enabled: triage,
  ...team
}: z.output<typeof documents.TeamDetail>): z.output<typeof TeamDetail> {
  return {
    ...compact({
      ...team,
      parent: team.parent?.key,
      active_cycle: team.active_cycle && cycleLine(team.active_cycle),
      default_issue_state: team.default_issue_state?.name,
      members: memberRows(team.members),
      states: documents.inWorkflowOrder(team.states).map(({ name, type }) => ({ name, type })),
    }),
    cycles_enabled: cycles,
    triage_enabled: triage,
  }
}

export const listTeams = defineTool({
  name: 'ListTeams',
  title: 'List teams',
  description: Message.of(
    'List all teams in the workspace (organization), or find teams by name, newest first.',
    sentence`For members, use ${{ tool: 'IssueTracker.GetTeam' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words that must all be in the name.'),
    include_archived: z.boolean().default(false).describe('Include archived teams.'),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ teams: z.array(TeamRow), pagination: Pagination, ...noticesField }),
  example: {},
  async run(args, { linear, startOf }) {
    const { include_archived: includeArchived, created_after: day } = args
    const query = ['ListTeams', args.keywords, includeArchived, day]
    const { after, first, since, result, pagination } = startPaging(query, args, startOf(day))
    const conditions = [...nameFilters(args.keywords), ...(since === undefined ? [] : [{ createdAt: { gte: since } }])]
    const filter = conditions.length === 0 ? {} : { and: conditions }
    const page = await linear.send(documents.listTeams, { first, after, filter, includeArchived })
    return result({
      teams: page.teams.map(teamRow),
      pagination: pagination(page.has_more_teams, page.teams_end_cursor),
      ...noticesOf(
        emptyNotice(
          'team',
          page.teams,
          { keywords: args.keywords, created_after: day, after },
          ...(includeArchived ? [] : ['pass include_archived']),
        ),
        keywordsNotice(args.keywords, page.teams, 'include_archived or created_after'),
      ),
    })
  },
})
